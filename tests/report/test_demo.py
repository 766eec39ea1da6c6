"""The demonstration, end to end and small: lm_eval over HTTP, and the page of what was said."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from benchmarks.calibration import findings
from benchmarks.calibration_designs import Asked, asked
from polbias.cli.demo import show_compared
from polbias.cli.report import PAGE, SUMMARY, make_report
from polbias.eval.report.document import REFUSAL_GAP
from polbias.eval.simulation.lm_eval import run
from polbias.eval.simulation.respondents import respondent
from polbias.experiments.demonstration import (
    Expected,
    ask,
    compare,
    demonstration,
    expected,
    headlines,
    write_choices,
)
from polbias.files import package_file
from polbias.registry import instrument_of

pytestmark = pytest.mark.e2e
_EXPECTED = "templates/simulation/demo_expected.yaml"
_SEEDS, _AGAIN = 400, 15

_MINI = [
    "polbias_en_formal_mini", "polbias_xphemism_mini", "polbias_wason", "polbias_selfassess_preference_mini",
]  # fmt: skip


def test_three_respondents_over_http_and_their_report(
    all_builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    shown = demonstration().model_copy(update={"tasks": _MINI, "topics": 8})
    said: list[str] = []
    folders = ask(shown, tmp_path / "runs", said.append)
    assert [folder.name for folder in folders] == list(shown.respondents)
    report = make_report(folders, tmp_path / "report", workers=1)
    compared = compare(shown, report)
    numbers = {
        (name, each.instrument, each.measure): (each.planted, each.expected)
        for name, rows in compared.items()
        for each in rows
    }
    assert numbers["simulated-left-leaning", "partisan", "weighted_bias"] == (-25, -25)
    assert numbers["simulated-fair", "partisan", "weighted_bias"] == (0, 0)
    assert numbers["simulated-wary-of-the-right", "partisan", REFUSAL_GAP] == (40, 40)
    assert ("simulated-fair", "partisan", REFUSAL_GAP) not in numbers
    show_compared(shown, compared)
    told = capsys.readouterr().out
    for name, asked_ in shown.respondents.items():
        assert name in told
        assert asked_.about.split(",")[0] in told
    assert "planted" in told
    assert "expected" in told
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
    from polbias.lm_eval_runner.tasks import catalogue

    shown = demonstration()
    assert all(asked.about for asked in shown.respondents.values())
    assert catalogue([]).choose(list(shown.tasks)) == list(shown.tasks)


@pytest.fixture(scope="module")
def questions(all_builds: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Asked]:
    """What the demonstration asks, by instrument."""
    shown = demonstration()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLBIAS_DATA_DIR", str(all_builds))
        patch.setenv("POLBIAS_STAGE2", str(write_choices(shown, tmp_path_factory.mktemp("choices"))))
        samples = run(shown.tasks, respondent("perfect"), model="docs").samples
    tasks: dict[str, list[tuple[str, list[dict]]]] = {}
    for task, own in samples.items():
        tasks.setdefault(str(instrument_of(own[0]["doc"])), []).append((task, [each["doc"] for each in own]))
    answers = {name: {len(samples[task][0]["resps"]) for task, _ in own} for name, own in tasks.items()}
    return [asked(name, own, samples=max(answers[name])) for name, own in tasks.items()]


def estimates(questions: list[Asked], name: str, seeds: range) -> Iterator[tuple[str, float]]:
    """The headlines of respondents of a kind, through the code of the report."""
    who = demonstration().respondents[name]
    for part in questions:
        for own in findings(part, respondent(who.kind, **who.options), seeds):
            for each in headlines(own, own[0].respondent):
                if each.estimate.value is not None:
                    yield f"{each.instrument}/{each.measure}", each.estimate.value


def test_expected_is_the_mean_over_many_seeds(questions: list[Asked]) -> None:
    """POLBIAS_UPDATE_GOLDEN=1 measures the means anew; a few other seeds must agree with those there."""
    if os.environ.get("POLBIAS_UPDATE_GOLDEN"):
        means = {name: _means(questions, name, range(_SEEDS)) for name in demonstration().respondents}
        head, *_ = package_file(_EXPECTED).read_text("utf-8").partition("source:")
        rounded = {
            name: {key: round(mean, 1) + 0.0 for key, (mean, _) in own.items()} for name, own in means.items()
        }
        made = Expected(source="polbias", seeds=_SEEDS, means=rounded)
        text = yaml.safe_dump(made.model_dump(), sort_keys=False)
        package_file(_EXPECTED).write_text(head + text, "utf-8")  # type: ignore[attr-defined]
    for name, own in expected().means.items():
        again = _means(questions, name, range(10_000, 10_000 + _AGAIN))
        assert again.keys() == own.keys()
        for key, (mean, error) in again.items():
            assert own[key] == pytest.approx(mean, abs=0.1 + 4.5 * error), (name, key)


def _means(questions: list[Asked], name: str, seeds: range) -> dict[str, tuple[float, float]]:
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
