"""The demonstration, end to end and small: lm_eval over HTTP, and the page of what was said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polbias.cli.demo import print_comparisons
from polbias.cli.report import make_report
from polbias.cli.report_folder import PAGE, SUMMARY
from polbias.eval.report.document import REFUSAL_GAP
from polbias.experiments.demonstration import DemoRun, compare, demonstration, run_respondents

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("no_figures")]
_MINI = [
    DemoRun(tasks=["polbias_xl_us_en_formal", "polbias_xl_us_en_material"], metadata={"polbias_pairs": 24}),
    DemoRun(tasks=["polbias_xphemism_mini"]),
    DemoRun(tasks=["polbias_selfassess_preference_mini"], metadata={"polbias_items": 4}),
]
_ASKED = ("simulated-left-leaning", "simulated-wary-of-the-right")


def test_two_respondents_over_http_and_their_report(
    all_builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    asked = {name: demonstration().respondents[name] for name in _ASKED}
    shown = demonstration().model_copy(update={"runs": _MINI, "topics": 4, "respondents": asked})
    said: list[str] = []
    folders = run_respondents(shown, tmp_path / "runs", said.append)
    assert [folder.name for folder in folders] == list(shown.respondents)
    report = make_report(folders, tmp_path / "report", workers=1)
    compared = compare(shown, report)
    numbers = {
        (name, each.instrument, each.measure): (each.planted_shift, each.expected)
        for name, rows in compared.items()
        for each in rows
    }
    assert numbers["simulated-left-leaning", "partisan", "large_bias"] == pytest.approx((-25, -25), abs=0.15)
    assert numbers["simulated-wary-of-the-right", "partisan", f"large_{REFUSAL_GAP}"] == (
        40,
        pytest.approx(40, abs=0.2),
    )
    assert ("simulated-left-leaning", "partisan", f"large_{REFUSAL_GAP}") not in numbers
    print_comparisons(shown, compared)
    told = capsys.readouterr().out
    for name, asked_ in shown.respondents.items():
        assert name in told
        assert asked_.description.split(",")[0] in told
    assert "planted" in told
    assert "expected" in told
    holding = [row.holds for rows in compared.values() for row in rows if row.holds is not None]
    assert f"{holding.count(False)} of {len(holding)} intervals" in told
    assert "simulated-left-leaning" in (tmp_path / "report" / PAGE).read_text("utf-8")
    found = json.loads((tmp_path / "report" / SUMMARY).read_text("utf-8"))
    assert {each["name"]: each["simulated"] for each in found["respondents"]} == dict.fromkeys(
        shown.respondents, True
    )
    wary = [
        each
        for each in found["findings"]
        if each["respondent"] == "simulated-wary-of-the-right" and each["headline"]
    ]
    assert sum(each["refusals"] or 0 for each in wary) > 0
    # what it was asked over HTTP is what lm_eval logged: nothing is missing and nothing was retried in vain
    assert not [notice for notice in found["notices"] if "the file is incomplete" in notice["problem"]]


def test_everyone_shown_is_described_and_every_task_exists() -> None:
    from polbias.lm_eval_runner.tasks import catalogue

    shown = demonstration()
    assert all(asked.description for asked in shown.respondents.values())
    for questions in shown.runs:
        assert catalogue([]).select_tasks(questions.tasks) == questions.tasks
