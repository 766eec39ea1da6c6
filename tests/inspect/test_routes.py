"""Tasks by all three routes, from a server that refuses, thinks, breaks off and answers: no row is lost."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

pytest.importorskip("inspect_ai")

from inspect_ai._cli.main import main as inspect

from polbias.eval.answer_frames import NON_ANSWER_LABELS
from polbias.eval.report.build import build_report
from polbias.eval.report.document import MetricDifference
from polbias.eval.report.file_answers import read_file
from polbias.eval.report.run_comparison import compare_runs
from polbias.eval.report.wording import report_words
from polbias.eval.samples import SampleFile, find_sample_files, first_row, read_samples
from polbias.experiments.demonstration import demonstration, write_choices
from polbias.lm_eval_runner.tasks import catalogue
from polbias.registry import instrument_of
from tests.lm_eval_runner.test_responses import chat as reply
from tests.model.test_smollm2 import TASKS
from tests.support.lm_eval_ours import lm_eval
from tests.support.loopback import LoopbackServer, Reply, Request
from tests.support.process import ROOT, run_here, run_polbias

ONE = '{"polbias_samples": 1}'
LIMIT = 20
# What is sent in turn of the prompts' hashes: why it ended, and the message.
SHAPES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("stop", {"content": "**valid**"}),
    ("stop", {"content": "agree\n\nTrue"}),
    ("stop", {"content": "<think>It is invalid.</think>2"}),
    ("stop", {"content": "entailment", "reasoning_content": "No: non-entailment."}),
    ("length", {"content": None, "reasoning_content": "Let me think: disagree"}),
    ("length", {"content": "<think>So it is **invalid**"}),
    ("length", {"content": "Let us look at the question first."}),
    ("stop", {"content": "Let us look at the question first."}),
    ("length", {"content": "Invalid.\n\nDisagree.\n\nFalse.\n\nThe second reason is that they"}),
    ("content_filter", {"content": None}),
    ("stop", {"content": None, "refusal": "I can't help with that."}),
    ("stop", {"content": ""}),
)


class Mixed(LoopbackServer):
    """Answers a prompt by its hash, in shapes of OpenAI-compatible servers."""

    def respond(self, request: Request) -> Reply:
        """Return the same to the same prompt."""
        asked = json.dumps(request.json()["messages"][-1], sort_keys=True)
        reason, said = SHAPES[int(hashlib.sha256(asked.encode()).hexdigest(), 16) % len(SHAPES)]
        usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
        named = {"id": "1", "created": 0, "model": "m", "usage": usage}
        return Reply.json(reply(reason, **said) | named)


@pytest.mark.e2e
def test_no_row_is_lost_by_any_route(
    all_builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choices = write_choices(demonstration(), tmp_path)
    given = {"POLBIAS_DATA_DIR": str(all_builds), "POLBIAS_STAGE2": str(choices), "HF_HUB_OFFLINE": "1"}
    given |= {"OPENAI_API_KEY": "none", "LOCAL_API_KEY": "none"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    names = ",".join(TASKS)
    with Mixed() as server:
        chat = f"model=m,base_url={server.url}/v1/chat/completions,num_concurrent=4"
        shared = [
            "--model",
            "local-chat-completions",
            "--model_args",
            chat,
            "--tasks",
            names,
            "--metadata",
            ONE,
            "--limit",
            str(LIMIT),
        ]
        plainly = ["--apply_chat_template", "--log_samples", "--output_path", tmp_path / "lm_eval"]
        plainly += ["--include_path", ROOT / "harness_tasks"]
        own = ["--no-report", "--no-cache", "--output_path", tmp_path / "polbias"]
        inspected = [f"polbias/{name.removeprefix('polbias_')}" for name in TASKS]
        logs = [
            "-T",
            "polbias_samples=1",
            "--log-dir",
            tmp_path / "inspect",
            "--display",
            "none",
            "--limit",
            str(LIMIT),
        ]
        run_polbias("eval", *shared, *own, env=given)
        run_here(lm_eval, ["lm_eval", "run", *shared, *map(str, plainly)], env=given)
        run_here(
            inspect,
            ["inspect", "eval", *inspected, "--model", "openai-api/local/m", *map(str, logs)],
            env={**given, "LOCAL_BASE_URL": f"{server.url}/v1"},
        )
    known = catalogue().tasks
    labels: dict[tuple[str, str], Counter[str]] = {}
    filtered: dict[tuple[str, str], Counter[bool | None]] = {}
    for route in ("lm_eval", "polbias", "inspect"):
        for file in find_sample_files([tmp_path / route]):
            read = read_file(file, instrument_of(first_row(file.path)) or "")
            outcomes = read.outcomes
            labels[route, file.task] = counts = Counter(outcomes["label"])
            filtered[route, file.task] = Counter(outcomes["filtered"].astype(object).replace(pd.NA, None))
            rows = len([*known[file.task].rows({"polbias_samples": 1})])
            assert read.samples == min(LIMIT, rows), (route, file.task)
            for name, mean in _scored(file).items():
                no_verdict = len(outcomes) - _verdicts(outcomes)
                count = no_verdict if name == "non_answer_rate" else counts[_LABELS.get(name, name)]
                assert mean * len(outcomes) == pytest.approx(count), (route, file.task, name)
            assert not [
                notice for notice in read.notices if notice.action == report_words().notices["todays_readers"]
            ]
    assert len(labels) == 3 * len(TASKS)
    for task in TASKS:
        assert labels["polbias", task] == labels["inspect", task]
        assert filtered["polbias", task] == filtered["inspect", task]
        assert [*filtered["lm_eval", task]] == [None]  # it keeps no reason
    together = sum((labels["polbias", task] for task in TASKS), Counter())
    assert min(together["refusal"], together["truncated"], together["unparsable"]) > 10
    compared = compare_runs(tmp_path / "polbias", tmp_path / "inspect").comparisons
    assert {each.instrument for each in compared} == {*TASKS}
    for each in compared:
        assert isinstance(each, MetricDifference)
        assert not each.estimate.value, each.measure
        assert each.means[0] == each.means[1], each.measure
        assert each.missing[0] == each.missing[1], each.measure
    report = build_report([tmp_path / "polbias", tmp_path / "inspect"]).report
    assert {each.name for each in report.respondents} == {"m (local-chat-completions)", "m (Inspect)"}
    told = Counter(
        notice.where.partition(",")[0] for notice in report.notices if "filtered" in notice.problem
    )
    assert told["m (Inspect)"] == told["m (local-chat-completions)"] > 0


_LABELS = {"empty_rate": "empty", "tie_rate": "both"}
"""By metric, the label whose share it is, where it has another name."""


def _scored(file: SampleFile) -> dict[str, float]:
    """The means of the outcomes that were scored when the answers were given."""
    samples = [*read_samples(file.path, [])]
    names = [name for name in (*NON_ANSWER_LABELS, *_LABELS, "non_answer_rate") if name in samples[0]]
    return {name: sum(each[name] for each in samples) / len(samples) for name in names}


def _verdicts(outcomes: Any) -> int:
    return int((outcomes["outcome"] == "answered").sum())
