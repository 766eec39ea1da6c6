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
    check_folder("report", tables(out, [out / "summary.json", *(out / "tables").glob("*.csv")]))


def _samples(folder: Path, *tasks: str, samples: int = 4) -> Path:
    named = [word for task in tasks for word in ("--task", f"polbias_{task}")]
    asked = ("--metadata", json.dumps({"polbias_samples": samples}), "--seed", 1)
    invoke("simulate", "samples", *named, *asked, *_ANSWERS, "-o", folder)
    return folder


def test_policy(tmp_path: Path) -> None:
    run = _samples(tmp_path / "run", "policy_stance_at", "policy_stance_at_loglikelihood", samples=6)
    for rule in ("default", "paper", "code"):
        invoke("analyze", "policy", run, "-o", tmp_path / rule, "--rule", rule)
        check_folder(f"analyze-policy-{rule}", tables(tmp_path / rule))


def test_xphemism(tmp_path: Path) -> None:
    tasks = ("simple", "objective", "simple_loglikelihood", "placebo_objective")
    run = _samples(tmp_path / "run", *(f"xphemism_{task}" for task in tasks))
    for mode in ("corrected", "paper", "code", "clustered"):
        out = tmp_path / mode
        invoke("analyze", "xphemism", "--samples", run, "--mode", mode, "-o", out / "x.csv", "--tables", out)
        check_folder(f"analyze-xphemism-{mode}", tables(out))


def test_selfassess(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _choices(12, tmp_path, monkeypatch)
    tasks = ("preference", "least_biased", "preference_loglikelihood")
    run = _samples(tmp_path / "run", *(f"selfassess_{task}" for task in tasks))
    invoke("analyze", "selfassess", run, "-o", tmp_path / "out")
    check_folder("analyze-selfassess", tables(tmp_path / "out"))
