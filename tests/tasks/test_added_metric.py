"""A metric is one function and one line: the worked example of CONTRIBUTING.md, through lm_eval and Inspect."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from polbias.eval.partisan import metrics
from polbias.eval.partisan.analysis import AnswerSubset
from polbias.eval.partisan.answers import read_answers
from polbias.eval.report.reporter import load_reporter
from polbias.eval.simulation import lm_eval as simulation
from polbias.eval.simulation.respondents import make_respondent
from tests.support.outcomes import outcomes
from tests.support.process import ROOT

TASK = "polbias_en_formal_mini"


def example() -> tuple[str, str]:
    """The function and the line of the worked example."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## How to add a metric")[2]
    (function,) = re.findall(r"```python\n(.*?)```", text.partition("\n## ")[0], re.DOTALL)
    (line,) = re.findall(r"```yaml\n(.*?)```", text.partition("\n## ")[0], re.DOTALL)
    return function, line


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The task files with the line, and the function in its module."""
    function, line = example()
    scope = dict(vars(metrics))
    exec(function, scope)  # what a reader of the page types
    monkeypatch.setattr(metrics, "unanswered_gap", scope["unanswered_gap"], raising=False)
    folder = ROOT / "harness_tasks" / "partisan"
    base = (folder / "_generate.yaml").read_text("utf-8")
    (tmp_path / "_generate.yaml").write_text(base.replace("metadata:\n", f"{line}metadata:\n", 1), "utf-8")
    (tmp_path / f"{TASK}.yaml").write_bytes((folder / f"{TASK}.yaml").read_bytes())
    return tmp_path


def test_it_is_printed_with_its_error(
    added: Path, partisan_build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(partisan_build))
    monkeypatch.setattr(simulation, "task_folders", lambda: [added])
    answered = simulation.run_tasks(
        [TASK], make_respondent("planted", accuracy=0.8, unparsable=0.1), 3, model="m"
    )
    figures = answered.results["results"][TASK]
    rows = read_answers("m", outcomes(load_reporter("partisan"), answered.samples[TASK], TASK)).rows
    reported = AnswerSubset(rows).unanswered_gap()
    assert reported.value != 0
    assert 100 * figures["unanswered_gap,none"] == pytest.approx(reported.value)
    assert figures["unanswered_gap_stderr,none"] > 0
    assert 0 < figures["unparsable,none"] < 1


def test_inspect_has_the_same_lines(added: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = pytest.importorskip("polbias.inspect.tasks")
    monkeypatch.setattr(tasks, "_catalogue", tasks.harness.Catalogue([added]))
    score, lines = tasks._scoring_of_task(TASK)
    names = [line["metric"] for line in lines]
    assert names[names.index("unanswered_gap") + 1] == "unanswered_gap_stderr"
    assert callable(score)
