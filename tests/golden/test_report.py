"""What the demonstration expects of its respondents, and the analyses of simulated samples."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from benchmarks.calibration import simulate_findings
from benchmarks.calibration_designs import CalibrationQuestions, prepare_questions
from polbias.aliases import Document
from polbias.eval import sign_flip
from polbias.eval.simulation.lm_eval import run_tasks
from polbias.eval.simulation.respondents import make_respondent
from polbias.experiments.demonstration import (
    Expected,
    demonstration,
    expected_estimates,
    headlines,
    write_choices,
)
from polbias.paths import package_file
from polbias.registry import instrument_of
from tests.golden.files import check_folder, invoke, tables

_EXPECTED = "templates/simulation/demo_expected.yaml"
_SEEDS, _AGAIN = 400, 8
pytestmark = pytest.mark.usefixtures("no_figures")


@pytest.fixture(autouse=True)
def _data(all_builds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))


def _choices(topics: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = demonstration().model_copy(update={"topics": topics})
    folder.mkdir(exist_ok=True)
    monkeypatch.setenv("POLBIAS_STAGE2", str(write_choices(shown, folder)))


@pytest.fixture(scope="module")
def questions(all_builds: Path, tmp_path_factory: pytest.TempPathFactory) -> list[CalibrationQuestions]:
    """What the demonstration asks, by instrument."""
    shown = demonstration()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLBIAS_DATA_DIR", str(all_builds))
        _choices(shown.topics, tmp_path_factory.mktemp("choices"), patch)
        who = make_respondent("perfect")
        made = [run_tasks(each.tasks, who, model="anyone", settings=each.metadata) for each in shown.runs]
    tasks: dict[str, list[tuple[str, list[Document]]]] = {}
    answers: dict[str, int] = {}
    for task, own in (sample for each in made for sample in each.samples.items()):
        name = str(instrument_of(own[0]["doc"]))
        tasks.setdefault(name, []).append((task, [each["doc"] for each in own]))
        answers[name] = max(answers.get(name, 0), len(own[0]["resps"]))
    return [prepare_questions(name, own, samples=answers[name]) for name, own in tasks.items()]


def estimates(questions: list[CalibrationQuestions], name: str, seeds: range) -> Iterator[tuple[str, float]]:
    """The headlines of respondents of a kind, through the code of the report."""
    who = demonstration().respondents[name]
    for part in questions:
        for own in simulate_findings(part, make_respondent(who.kind, **who.options), seeds):
            for each in headlines(own, own[0].respondent):
                if each.estimate.value is not None:
                    yield f"{each.instrument}/{each.measure}", each.estimate.value


def test_expected_is_the_mean_over_many_seeds(
    questions: list[CalibrationQuestions], monkeypatch: pytest.MonkeyPatch
) -> None:
    """POLBIAS_UPDATE_GOLDEN=1 measures the means anew; a few other seeds must agree with those there."""
    monkeypatch.setattr(sign_flip, "DRAWS", 1)  # no p is looked at
    if os.environ.get("POLBIAS_UPDATE_GOLDEN"):
        means = {name: _means(questions, name, range(_SEEDS)) for name in demonstration().respondents}
        head, *_ = package_file(_EXPECTED).read_text("utf-8").partition("source:")
        rounded = {
            name: {key: round(mean, 1) + 0.0 for key, (mean, _) in own.items()} for name, own in means.items()
        }
        made = Expected(source="polbias", seeds=_SEEDS, means=rounded)
        text = yaml.safe_dump(made.model_dump(), sort_keys=False)
        package_file(_EXPECTED).write_text(head + text, "utf-8")  # type: ignore[attr-defined]
    for name, own in expected_estimates().means.items():
        again = _means(questions, name, range(10_000, 10_000 + _AGAIN))
        assert again.keys() == own.keys()
        for key, (mean, error) in again.items():
            assert own[key] == pytest.approx(mean, abs=0.1 + 4.5 * error), (name, key)


def _means(questions: list[CalibrationQuestions], name: str, seeds: range) -> dict[str, tuple[float, float]]:
    """Mean and standard error of every headline."""
    values: dict[str, list[float]] = {}
    for key, value in estimates(questions, name, seeds):
        values.setdefault(key, []).append(value)
    found = {}
    for key, own in values.items():
        mean = math.fsum(own) / len(own)
        spread = math.fsum((value - mean) ** 2 for value in own) / max(len(own) - 1, 1)
        found[key] = mean, math.sqrt(spread / len(own))
    return found


def _samples(folder: Path, *tasks: str, samples: int = 2) -> Path:
    who, name = make_respondent("planted", effect=0.3, unparsable=0.05, accuracy=0.7), "simulated-planted-1"
    names, settings = [f"polbias_{task}" for task in tasks], {"polbias_samples": samples}
    run_tasks(names, who, 1, model=name, settings=settings).write(folder / name)
    return folder


def _analysed(instrument: str, run: Path) -> None:
    """Compare the tables of an instrument, also those beyond the page."""
    out = run / "out"
    invoke("report", "--instrument", instrument, "--tables-only", run, "-o", out)
    check_folder(f"analyze-{instrument}", tables((out / "tables").glob(f"{instrument}-*.csv")))


def test_policy(tmp_path: Path) -> None:
    run = _samples(tmp_path, "policy_stance_at", "policy_stance_at_loglikelihood")
    _analysed("policy", run)


def test_xphemism(tmp_path: Path) -> None:
    tasks = ("simple", "objective", "simple_loglikelihood", "placebo_objective")
    _analysed("xphemism", _samples(tmp_path, *(f"xphemism_{task}" for task in tasks)))


def test_selfassess(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _choices(12, tmp_path / "choices", monkeypatch)
    tasks = ("preference", "least_biased", "preference_loglikelihood")
    run = _samples(tmp_path, *(f"selfassess_{task}" for task in tasks))
    _analysed("selfassess", run)
