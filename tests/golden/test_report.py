"""The report of the demonstration, and the analyses of simulated samples: every table and summary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polbias.eval.simulation.lm_eval import run
from polbias.eval.simulation.respondents import respondent
from polbias.experiments.demonstration import demonstration, write_choices
from tests.golden.files import check_folder, invoke, tables

_ANSWERS = ("--effect", 0.3, "--unparsable", 0.05, "--accuracy", 0.7)


@pytest.fixture(autouse=True)
def _data(all_builds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))


def _choices(topics: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = demonstration().model_copy(update={"topics": topics})
    folder.mkdir(exist_ok=True)
    monkeypatch.setenv("POLBIAS_STAGE2", str(write_choices(shown, folder)))


def test_tables_and_summary_of_the_demonstration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `polbias demo` reports; its respondents are asked without HTTP."""
    shown = demonstration()
    _choices(shown.topics, tmp_path, monkeypatch)
    for name, asked in shown.respondents.items():
        who = respondent(asked.kind, **asked.options)
        run(shown.tasks, who, asked.seed, model=name).write(tmp_path / "runs" / name)
    out = tmp_path / "report"
    invoke("report", tmp_path / "runs", "-o", out, "--workers", 1, "--no-outcomes")
    check_folder("report", tables([out / "summary.json", *(out / "tables").glob("*.csv")]))


def _samples(folder: Path, *tasks: str, samples: int = 4) -> Path:
    named = [word for task in tasks for word in ("--task", f"polbias_{task}")]
    asked = ("--metadata", json.dumps({"polbias_samples": samples}), "--seed", 1)
    invoke("simulate", "samples", *named, *asked, *_ANSWERS, "-o", folder)
    return folder


def _analysed(instrument: str, run: Path) -> None:
    """Compare what the analysis of an instrument comes to beyond what the page shows."""
    out = run / "out"
    invoke("analyze", instrument, run, "-o", out)
    check_folder(f"analyze-{instrument}", tables((out / "tables").glob("*-full.csv")))


def test_policy(tmp_path: Path) -> None:
    _analysed("policy", _samples(tmp_path, "policy_stance_at", "policy_stance_at_loglikelihood", samples=6))


def test_xphemism(tmp_path: Path) -> None:
    tasks = ("simple", "objective", "simple_loglikelihood", "placebo_objective")
    _analysed("xphemism", _samples(tmp_path, *(f"xphemism_{task}" for task in tasks)))


def test_selfassess(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _choices(12, tmp_path / "choices", monkeypatch)
    tasks = ("preference", "least_biased", "preference_loglikelihood")
    _analysed("selfassess", _samples(tmp_path, *(f"selfassess_{task}" for task in tasks)))
