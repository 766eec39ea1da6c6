"""Logged samples are lm_eval's own: they have its keys, are written as it writes them, and its W&B logger takes them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from pydantic import TypeAdapter

from polbias.eval.simulation.lm_eval import TIME
from polbias.eval.simulation.lm_eval import run_tasks as simulate
from polbias.eval.simulation.respondents import make_respondent
from tests.lm_eval_runner.conftest import Evaluate, chat, results_of, samples_of
from tests.support.openai_server import LoopbackOpenAI
from tests.support.process import ROOT

MINI, POLICY = "polbias_en_formal_mini", "polbias_policy_stance_de"
ANSWERS = {MINI: "**valid**", POLICY: "agree"}
N_REQUESTS = {MINI: 1, POLICY: 3}
OUTPUT = Path("polbias-results/stub")

Log = Callable[[str], list[dict[str, Any]]]


@pytest.fixture
def log(evaluate: Evaluate) -> Log:
    """Return a function that runs a task and returns the samples that are logged."""

    def run(task: str) -> list[dict[str, Any]]:
        options = (
            ["--metadata", '{"polbias_samples": 3}', "--stopping-rule", "none"] if task == POLICY else []
        )
        family = "policy" if task == POLICY else "partisan"
        with LoopbackOpenAI(lambda prompt: ANSWERS[task]) as server:
            done = evaluate(*chat(server.url), "--tasks", task, *options, family=family)
        assert done.exception is None, done.output
        return samples_of(OUTPUT, task)

    return run


@pytest.mark.parametrize("task", [MINI, POLICY])
def test_samples_have_the_keys_that_lm_eval_documents(log: Log, task: str) -> None:
    from lm_eval.result_schema import SampleResult

    samples = log(task)
    documented = get_type_hints(SampleResult)
    metrics = {metric["metric"] for metric in results_of(OUTPUT)["configs"][task]["metric_list"]}
    assert len(samples) == results_of(OUTPUT)["n-samples"][task]["effective"]
    for sample in samples:
        assert {*sample} == {*documented, *metrics, "polbias", "filtered"}
        assert {*sample["metrics"]} == metrics
        for key, kind in documented.items():
            TypeAdapter(kind).validate_python(sample[key], strict=True)
        assert sample["resps"] == [[ANSWERS[task]]] * N_REQUESTS[task]
        assert len(sample["arguments"]) == N_REQUESTS[task]
        for request in sample["arguments"].values():
            (chat_prompt,) = request["arg_0"]
            assert json.loads(chat_prompt)[-1]["content"] in sample["doc"]["prompt"]
            assert "until" in request["arg_1"]


@pytest.mark.parametrize("task", [MINI, f"{MINI}_loglikelihood", "polbias_policy_stance_mini"])
def test_simulated_samples_are_written_as_lm_eval_writes_them(
    tmp_path: Path, all_builds: Path, monkeypatch: pytest.MonkeyPatch, task: str
) -> None:
    from lm_eval.loggers import EvaluationTracker

    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    made = simulate([task], make_respondent("planted"), model="stub", limit=4)
    tracker = EvaluationTracker(output_path=str(tmp_path / "lm_eval"))
    tracker.general_config_tracker.model_name_sanitized = "stub"
    tracker.date_id = TIME
    tracker.save_results_samples(task_name=task, samples=deepcopy(made.samples[task]))
    made.write(tmp_path / "polbias")
    name = f"samples_{task}_{TIME}.jsonl"
    assert (tmp_path / "polbias" / name).read_text() == (tmp_path / "lm_eval/stub" / name).read_text()


@pytest.fixture
def wandb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return W&B, which keeps its files in the folder of the test and sends nothing."""
    library = pytest.importorskip("wandb", reason="a dependency for development")
    for name in ("CACHE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"WANDB_{name}_DIR", str(tmp_path / "wandb-files"))
    monkeypatch.setenv("WANDB_ERROR_REPORTING", "false")
    monkeypatch.setenv("WANDB_SILENT", "true")
    yield library
    library.teardown()


@pytest.mark.usefixtures("wandb")
@pytest.mark.parametrize("task", [MINI, POLICY])
def test_the_logger_of_lm_eval_for_wandb_takes_samples(log: Log, task: str) -> None:
    samples = log(task)
    exec(_documented().replace("polbias-results/NAME", str(OUTPUT)), {})
    table = _logged_table(task)
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    assert [row["id"] for row in rows] == [sample["doc_id"] for sample in samples]
    assert {row["raw_predictions"] for row in rows} == {ANSWERS[task]}
    for name in samples[0]["metrics"]:
        assert name in table["columns"]


def _documented() -> str:
    """The code in docs/running.md that hands samples to W&B."""
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/running.md").read_text("utf-8"), re.DOTALL)
    return code


def _logged_table(task: str) -> Mapping[str, Any]:
    (path,) = Path("wandb").glob(f"offline-run-*/files/media/table/{task}_eval_results_*.table.json")
    return json.loads(path.read_text("utf-8"))
