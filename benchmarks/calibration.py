"""Calibration of the analysis: coverage and false positives on simulated respondents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from multiprocessing import get_context
from typing import TypeAlias

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table

from benchmarks.calibration_designs import (
    DESIGNS,
    NAMES,
    POINTS,
    CalibrationQuestions,
    Share,
    percent,
    questions_of,
    truth,
)
from benchmarks.calibration_habits import HabitLine, habits_table, run_habits
from polbias.eval.report.adjustment import adjust_findings
from polbias.eval.report.document import ACCURACY_GAP, Finding, Section
from polbias.eval.report.reporter import ReportSettings
from polbias.eval.report.verdicts import LEVEL, verdict
from polbias.eval.simulation import SimulatedRespondent

# From simulated models to the findings that a report would have of them.

Findings: TypeAlias = tuple[Finding, ...]
"""The findings of one model, without the contributions of single items."""


def findings(asked: CalibrationQuestions, who: SimulatedRespondent, seeds: Iterable[int]) -> list[Findings]:
    """Return the findings of simulated models, through the code of the report."""
    names = {f"model-{seed:04}": seed for seed in seeds}
    tables = {name: asked.simulate_answers(who, seed, name) for name, seed in names.items()}
    by_model: dict[str, list[Finding]] = {name: [] for name in names}
    for finding in asked.module.build_findings(tables, ReportSettings()):
        by_model[finding.respondent].append(replace(finding, scores=None))
    return [tuple(by_model[name]) for name in names]


def trial(instrument: str, design: int, first: int, last: int) -> list[Findings]:
    """Return the findings of some models of a design."""
    return findings(_questions(instrument), DESIGNS[design].respondent(instrument), range(first, last))


_questions = lru_cache(questions_of)


def count_established(parts: Sequence[Sequence[Finding]]) -> int:
    """Return how many findings a report would call established."""
    sections = [
        Section(part[0].instrument, tuple(sorted({each.respondent for each in part})), tuple(part))
        for part in parts
        if part
    ]
    adjusted = adjust_findings(sections, frozenset())
    return sum(verdict(each) == "established" for section in adjusted for each in section.findings)


# Shares with their binomial intervals, and a design's line of the table.


@dataclass(frozen=True)
class CalibrationRow:
    """What came of the models of a design.

    Attributes:
        instrument: its name.
        design: its name.
        models: how many.
        planted: bias in points.
        mean: of the headline estimates, in points; None if there are none. The accuracy gap is no headline
            here, since a bias leaves it at 0.
        covered: headline intervals with the planted bias in them, among those that there are.
        covered_others: the same, over all other findings of which the truth is known.
        positive: headline tests with p below .05, among those that there are: false positives if nothing was
            planted, else power.
        positive_others: the same, over all other findings.
    """

    instrument: str
    design: str
    models: int
    planted_bias: float
    mean: float | None
    covered: Share
    covered_others: Share
    positive: Share
    positive_others: Share


def line(instrument: str, design: str, planted: float, models: Sequence[Findings]) -> CalibrationRow:
    """Return what came of the models of a design."""
    findings = [finding for found in models for finding in found if not finding.is_refusal_gap]
    headlines = [finding for finding in findings if _has_planted(finding)]
    others = [finding for finding in findings if not _has_planted(finding)]
    values = [each.estimate.value for each in headlines if each.estimate.value is not None]
    return CalibrationRow(
        instrument,
        design,
        len(models),
        POINTS * planted,
        sum(values) / len(values) if values else None,
        _coverage(headlines, planted),
        _coverage(others, planted),
        _positive(headlines),
        _positive(others),
    )


def _has_planted(finding: Finding) -> bool:
    """Whether a finding is a headline that a planted bias moves."""
    return finding.headline and not finding.measure.endswith(ACCURACY_GAP)


def together(lines: Sequence[CalibrationRow]) -> CalibrationRow:
    """Return what came of all models of an instrument, so that chance weighs less."""
    unbiased = [each for each in lines if not each.planted_bias]
    return CalibrationRow(
        lines[0].instrument,
        "all of these",
        sum(each.models for each in lines),
        0.0,
        None,
        _sum([each.covered for each in lines]),
        _sum([each.covered_others for each in lines]),
        _sum([each.positive for each in unbiased]),
        _sum([each.positive_others for each in unbiased]),
    )


def _coverage(findings: Sequence[Finding], planted: float) -> Share:
    hits = []
    for finding in findings:
        low, high, wanted = finding.estimate.low, finding.estimate.high, truth(finding, planted)
        if low is not None and high is not None and wanted is not None:
            hits.append(low - 1e-9 <= wanted <= high + 1e-9)
    return Share(sum(hits), len(hits))


def _positive(findings: Sequence[Finding]) -> Share:
    known = [each.estimate.p for each in findings if each.estimate.p is not None]
    return Share(sum(p < LEVEL for p in known), len(known))


def _sum(shares: Sequence[Share]) -> Share:
    return Share(sum(each.count for each in shares), sum(each.n for each in shares))


# 1,000 and more simulated models per instrument: does the report cover what was planted, and only that?

PROCESSES = 2
COVERAGE, POSITIVES = (0.93, 0.97), 0.06
"""What coverage should lie between, and false positives should not exceed."""
_BATCH = 20
_HEADINGS = ("instrument", "design", "n", "bias", "mean", "covered %", "others", "p<.05 %", "others ")

PlantedModels: TypeAlias = dict[tuple[str, int], list[Findings]]
"""Instrument and number of the design to the findings of its models."""


@dataclass(frozen=True)
class FamilywiseResult:
    """Unbiased models and all that a report says of them on one instrument.

    Attributes:
        instrument: its name.
        established: models with any finding that is called established.
    """

    instrument: str
    established: Share


def run() -> list[CalibrationRow | FamilywiseResult | HabitLine]:
    """Let all models of all designs and habits answer, and analyse them as a report does."""
    models = _all_models()
    lines: list[CalibrationRow | FamilywiseResult | HabitLine] = []
    for instrument in NAMES:
        lines += calibrate_instrument(instrument, models)
    unbiased = [number for number, design in enumerate(DESIGNS) if design.is_unbiased]
    return [
        *lines,
        *(
            familywise_result(name, chain.from_iterable(models[name, each] for each in unbiased))
            for name in NAMES
        ),
        *run_habits(),
    ]


def calibrate_instrument(instrument: str, models: PlantedModels) -> Iterator[CalibrationRow]:
    """Yield a line per design, and after those that the statistics allow for one of all together."""
    lines = [
        (design, line(instrument, design.name, design.planted_bias, models[instrument, number]))
        for number, design in enumerate(DESIGNS)
        if instrument in design.instruments
    ]
    yield from (each for design, each in lines if design.has_random_effects)
    yield together([each for design, each in lines if design.has_random_effects])
    yield from (each for design, each in lines if not design.has_random_effects)


def table(name: str, lines: Sequence[CalibrationRow | FamilywiseResult | HabitLine]) -> Group:
    """Return the tables to print; a figure in red misses its aim with its whole interval."""
    made = Table(
        title=f"{name}: shares [Clopper-Pearson] of headline findings; of others",
        title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0),
    )  # fmt: skip
    for place, heading in enumerate(_HEADINGS):
        made.add_column(heading, justify="left" if place < 2 else "right", no_wrap=True)
    habits = [line for line in lines if isinstance(line, HabitLine)]
    for each in lines:
        if not isinstance(each, HabitLine):
            made.add_row(*(_shown(each) if isinstance(each, CalibrationRow) else _said(each)))
    return Group(made, *([habits_table(habits)] if habits else []))


def familywise_result(instrument: str, models: Iterable[Findings]) -> FamilywiseResult:
    """Return how many models have any finding that a report establishes."""
    hits = [count_established([each]) > 0 for each in models]
    return FamilywiseResult(instrument, Share(sum(hits), len(hits)))


def _all_models() -> PlantedModels:
    found: PlantedModels = {}
    tasks = [*_tasks()]
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        for (instrument, number, *_), done in zip(
            tasks, pool.map(trial, *zip(*tasks, strict=True)), strict=True
        ):
            found.setdefault((instrument, number), []).extend(done)
    return found


def _tasks() -> Iterator[tuple[str, int, int, int]]:
    for instrument in NAMES:
        for number, design in enumerate(DESIGNS):
            if instrument in design.instruments:
                for first in range(0, design.models, _BATCH):
                    yield instrument, number, first, min(first + _BATCH, design.models)


def _shown(each: CalibrationRow) -> Iterator[str]:
    yield each.instrument
    yield each.design
    yield str(each.models)
    yield "" if each.mean is None else f"{each.planted_bias:g}"
    yield "" if each.mean is None else f"{each.mean:.2f}"
    low, high = each.covered.interval()
    yield _marked(_interval(each.covered), high < COVERAGE[0] or low > COVERAGE[1])
    yield percent(each.covered_others.value)
    low, _ = each.positive.interval()
    yield _marked(_interval(each.positive), not each.planted_bias and low > POSITIVES)
    yield percent(each.positive_others.value)


def _said(each: FamilywiseResult) -> Iterator[str]:
    yield from (each.instrument, "anything established", str(each.established.n), "0", "", "", "")
    low, _ = each.established.interval()
    yield _marked(_interval(each.established), low > POSITIVES)
    yield ""


def _interval(share: Share) -> str:
    low, high = map(percent, share.interval())
    return f"{percent(share.value)} [{low}, {high}]" if share.n else "no test"


def _marked(text: str, missed: bool) -> str:
    shown = text.replace("[", r"\[")
    return f"[red]{shown}[/]" if missed else shown
