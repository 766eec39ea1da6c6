"""``eval.yaml`` of the published datasets: what Inspect and the benchmark pages of the Hub run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

pytest.importorskip("inspect_ai")

from inspect_ai._eval.task.hf import HFTask

from polbias.eval.simulation.prompt_index import build_prompt_index
from polbias.eval.simulation.respondents import make_respondent
from polbias.eval.simulation.server import OpenAIProtocol, SimulationServer
from polbias.paths import package_file
from polbias.publishing.hub import push
from polbias.publishing.plan import plan_push
from tests.support.hub import LoopbackHub
from tests.support.process import run_python

FILES = sorted(package_file("cards").glob("*.eval.yaml"))
TOKEN = "hf_loopback"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_its_tasks_are_those_of_the_dataset(path: Path, all_builds: Path) -> None:
    folder = all_builds / path.name.removesuffix(".eval.yaml")
    assert (folder / "eval.yaml").read_bytes() == path.read_bytes()
    tasks = [HFTask.model_validate(each) for each in yaml.safe_load(path.read_text("utf-8"))["tasks"]]
    assert len({task.id for task in tasks}) == len(tasks) > 1
    for task in tasks:
        rows = pq.read_table(next(folder.glob(f"{task.config}/{task.split}-*.parquet")))
        spec, (scorer,) = task.field_spec, task.scorers
        assert {spec.input, spec.target, *(spec.metadata or ())} <= {*rows.column_names}  # type: ignore[misc]
        pattern = re.compile(scorer.args["pattern"])
        for gold in rows["gold"].unique().to_pylist():
            for answer in (gold, gold.title(), f"**{gold}**", f"It is\n\n**{gold}**.", f'"{gold}"'):
                found = pattern.search(answer)
                assert found is not None
                assert found[1].lower() == gold
        assert pattern.search("I would rather not say.") is None


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
def test_inspect_runs_it_from_a_hub(
    partisan_build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    known = build_prompt_index(partisan_build, make_respondent("planted", effect=0.0, accuracy=1.0))
    with (
        LoopbackHub(tokens={TOKEN: "alice"}) as hub,
        SimulationServer(OpenAIProtocol(known, "simulated")) as server,
    ):
        environment = {"HF_ENDPOINT": hub.url, "HF_TOKEN": TOKEN}
        environment |= {"HF_HOME": str(tmp_path / "hf"), "LOCAL_API_KEY": "none"}
        build, version = partisan_build / "partisan-inference", "2.0.0"
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", hub.url)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        push(plan_push(build, "alice/partisan-inference", version))
        told = run_python(
            f"""
            import json
            from inspect_ai import eval
            from inspect_ai.model import get_model
            model = get_model("openai-api/local/simulated", base_url="{server.url}/v1")
            (log,) = eval(
                "hf/alice/partisan-inference/en_formal@v2.0.0", model, limit=20, display="none", log_dir="{tmp_path}/logs"
            )
            metrics = log.results.scores[0].metrics if log.results else {{}}
            print(json.dumps([log.status, str(log.error), {{k: v.value for k, v in metrics.items()}}]))
            """,
            env=environment,
        ).stdout
    status, error, metrics = json.loads(told.splitlines()[-1])
    assert status == "success", error
    assert metrics["accuracy"] == 1.0
