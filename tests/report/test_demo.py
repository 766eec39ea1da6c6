"""The demonstration, end to end and small: lm_eval over HTTP, and the page of what was said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polbias.cli.report_folder import PAGE, SUMMARY
from polbias.cli.reporting import make_report
from polbias.demonstration import ask, demonstration

pytestmark = pytest.mark.e2e

_MINI = [
    "polbias_en_formal_mini", "polbias_xphemism_mini", "polbias_wason", "polbias_selfassess_preference_mini",
]  # fmt: skip


def test_three_respondents_over_http_and_their_report(
    all_builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    shown = demonstration().model_copy(update={"tasks": _MINI, "topics": 8})
    said: list[str] = []
    folders = ask(shown, tmp_path / "runs", said.append)
    assert [folder.name for folder in folders] == list(shown.respondents)
    make_report(folders, tmp_path / "report", workers=1)
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
    assert not [notice for notice in found["notices"] if "samples, but the run asked" in notice["found"]]


def test_everyone_shown_is_described_and_every_task_exists() -> None:
    from polbias.evaluation.catalogue import catalogue

    shown = demonstration()
    assert all(asked.about for asked in shown.respondents.values())
    assert catalogue([]).choose(list(shown.tasks)) == list(shown.tasks)
