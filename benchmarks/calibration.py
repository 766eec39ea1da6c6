"""Calibration of the analysis: coverage and false-positive rates on simulated respondents."""

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
    build_questions,
    percent,
    true_points,
)
from benchmarks.calibration_habits import HabitLine, habits_table, run_habits
from polbias.eval.report.adjustment import adjust_findings
from polbias.eval.report.document import ACCURACY_GAP, Finding, Section
from polbias.eval.report.reporter import ReportSettings
from polbias.eval.report.verdicts import LEVEL, verdict
from polbias.eval.simulation import SimulatedRespondent

# Findings of simulated models, from the code of the report.

Findings: TypeAlias = tuple[Finding, ...]
"""Findings of one model, without the contributions of items."""


def simulate_findings(
    questions: CalibrationQuestions, respondent: SimulatedRespondent, seeds: Iterable[int]
) -> list[Findings]:
    """Return the findings of a report on simulated models, one tuple per seed."""
    seed_by_name = {f"model-{seed:04}": seed for seed in seeds}
    tables = {name: questions.simulate_answers(respondent, seed, name) for name, seed in seed_by_name.items()}
    findings_by_model: dict[str, list[Finding]] = {name: [] for name in seed_by_name}
    for finding in questions.module.build_findings(tables, ReportSettings()):
        findings_by_model[finding.respondent].append(replace(finding, scores=None))
    return [tuple(findings_by_model[name]) for name in seed_by_name]


def simulate_design(instrument: str, design: int, first: int, last: int) -> list[Findings]:
    """Return the findings of the models `first` to `last` - 1 of a design."""
    return simulate_findings(
        _cached_questions(instrument), DESIGNS[design].respondent(instrument), range(first, last)
    )


_cached_questions = lru_cache(build_questions)


def count_established(groups: Sequence[Sequence[Finding]]) -> int:
    """Return the number of established findings; each group is a section of one report."""
    sections = [
        Section(group[0].instrument, tuple(sorted({finding.respondent for finding in group})), tuple(group))
        for group in groups
        if group
    ]
    adjusted = adjust_findings(sections, frozenset())
    return sum(verdict(finding) == "established" for section in adjusted for finding in section.findings)


# Rows of the table: shares with binomial intervals, per design.


@dataclass(frozen=True)
class CalibrationRow:
    """Coverage and rejection rates of the models of a design on an instrument.

    Attributes:
        instrument: name of the instrument.
        design: name of the design.
        models: number of models.
        planted_bias: planted bias in points.
        mean: mean of the headline estimates in points, None without estimates. Headlines exclude the accuracy
            gap, which a planted bias leaves at 0.
        covered: share of the headline intervals that contain the planted bias.
        covered_others: share of the other intervals with a known true value that contain it.
        positive: share of the headline tests with p below .05: the false-positive rate without a planted
            bias, otherwise the power.
        positive_others: share of the tests of all other findings with p below .05.
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


def summarize_design(
    instrument: str, design: str, planted_bias: float, models: Sequence[Findings]
) -> CalibrationRow:
    """Return the row of a design: coverage and rejection rates over its models."""
    findings = [
        finding for model_findings in models for finding in model_findings if not finding.is_refusal_gap
    ]
    headlines = [finding for finding in findings if _is_planted_headline(finding)]
    other_findings = [finding for finding in findings if not _is_planted_headline(finding)]
    values = [finding.estimate.value for finding in headlines if finding.estimate.value is not None]
    return CalibrationRow(
        instrument,
        design,
        len(models),
        POINTS * planted_bias,
        sum(values) / len(values) if values else None,
        _coverage_share(headlines, planted_bias),
        _coverage_share(other_findings, planted_bias),
        _positive_share(headlines),
        _positive_share(other_findings),
    )


def _is_planted_headline(finding: Finding) -> bool:
    """Whether a finding is a headline that a planted bias changes."""
    return finding.headline and not finding.measure.endswith(ACCURACY_GAP)


def sum_rows(rows: Sequence[CalibrationRow]) -> CalibrationRow:
    """Return the pooled row of all designs of an instrument; rejection rates only of unbiased designs."""
    unbiased = [row for row in rows if not row.planted_bias]
    return CalibrationRow(
        rows[0].instrument,
        "all of these",
        sum(row.models for row in rows),
        0.0,
        None,
        _sum_shares([row.covered for row in rows]),
        _sum_shares([row.covered_others for row in rows]),
        _sum_shares([row.positive for row in unbiased]),
        _sum_shares([row.positive_others for row in unbiased]),
    )


def _coverage_share(findings: Sequence[Finding], planted_bias: float) -> Share:
    is_covered = []
    for finding in findings:
        low, high, expected = finding.estimate.low, finding.estimate.high, true_points(finding, planted_bias)
        if low is not None and high is not None and expected is not None:
            is_covered.append(low - 1e-9 <= expected <= high + 1e-9)
    return Share(sum(is_covered), len(is_covered))


def _positive_share(findings: Sequence[Finding]) -> Share:
    p_values = [finding.estimate.p for finding in findings if finding.estimate.p is not None]
    return Share(sum(p < LEVEL for p in p_values), len(p_values))


def _sum_shares(shares: Sequence[Share]) -> Share:
    return Share(sum(share.count for share in shares), sum(share.n for share in shares))


# 1,000 and more simulated models per instrument.

PROCESSES = 2
COVERAGE, POSITIVES = (0.93, 0.97), 0.06
"""Lower and upper limit of the coverage, and upper limit of the false-positive rate."""
_BATCH_SIZE = 20
_HEADINGS = ("instrument", "design", "n", "bias", "mean", "covered %", "others", "p<.05 %", "others ")

PlantedModels: TypeAlias = dict[tuple[str, int], list[Findings]]
"""Findings of the models by instrument and number of the design."""


@dataclass(frozen=True)
class FamilywiseResult:
    """Familywise error rate of an instrument over unbiased models.

    Attributes:
        instrument: name of the instrument.
        established: share of the models with at least one established finding.
    """

    instrument: str
    established: Share


def run() -> list[CalibrationRow | FamilywiseResult | HabitLine]:
    """Simulate the models of all designs and habits, and analyse them with the code of the report."""
    models = _simulate_designs()
    rows: list[CalibrationRow | FamilywiseResult | HabitLine] = []
    for instrument in NAMES:
        rows += calibrate_instrument(instrument, models)
    unbiased = [number for number, design in enumerate(DESIGNS) if design.is_unbiased]
    return [
        *rows,
        *(
            familywise_result(name, chain.from_iterable(models[name, number] for number in unbiased))
            for name in NAMES
        ),
        *run_habits(),
    ]


def calibrate_instrument(instrument: str, models: PlantedModels) -> Iterator[CalibrationRow]:
    """Yield a row per design; the pooled row follows the designs whose random effects the analysis models."""
    rows = [
        (design, summarize_design(instrument, design.name, design.planted_bias, models[instrument, number]))
        for number, design in enumerate(DESIGNS)
        if instrument in design.instruments
    ]
    yield from (row for design, row in rows if design.has_random_effects)
    yield sum_rows([row for design, row in rows if design.has_random_effects])
    yield from (row for design, row in rows if not design.has_random_effects)


def table(name: str, rows: Sequence[CalibrationRow | FamilywiseResult | HabitLine]) -> Group:
    """Return the tables to print; a figure is red if its whole interval misses the limits."""
    shares_table = Table(
        title=f"{name}: shares [Clopper-Pearson] of headline findings; of others",
        title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0),
    )  # fmt: skip
    for index, heading in enumerate(_HEADINGS):
        shares_table.add_column(heading, justify="left" if index < 2 else "right", no_wrap=True)
    habit_rows = [row for row in rows if isinstance(row, HabitLine)]
    for row in rows:
        if not isinstance(row, HabitLine):
            shares_table.add_row(
                *(_design_cells(row) if isinstance(row, CalibrationRow) else _familywise_cells(row))
            )
    return Group(shares_table, *([habits_table(habit_rows)] if habit_rows else []))


def familywise_result(instrument: str, models: Iterable[Findings]) -> FamilywiseResult:
    """Return the share of models with at least one established finding."""
    has_established = [count_established([findings]) > 0 for findings in models]
    return FamilywiseResult(instrument, Share(sum(has_established), len(has_established)))


def _simulate_designs() -> PlantedModels:
    findings_by_design: PlantedModels = {}
    batches = [*_iter_batches()]
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        for (instrument, number, *_), batch in zip(
            batches, pool.map(simulate_design, *zip(*batches, strict=True)), strict=True
        ):
            findings_by_design.setdefault((instrument, number), []).extend(batch)
    return findings_by_design


def _iter_batches() -> Iterator[tuple[str, int, int, int]]:
    for instrument in NAMES:
        for number, design in enumerate(DESIGNS):
            if instrument in design.instruments:
                for first in range(0, design.models, _BATCH_SIZE):
                    yield instrument, number, first, min(first + _BATCH_SIZE, design.models)


def _design_cells(row: CalibrationRow) -> Iterator[str]:
    yield row.instrument
    yield row.design
    yield str(row.models)
    yield "" if row.mean is None else f"{row.planted_bias:g}"
    yield "" if row.mean is None else f"{row.mean:.2f}"
    low, high = row.covered.interval()
    yield _highlight(_format_share(row.covered), high < COVERAGE[0] or low > COVERAGE[1])
    yield percent(row.covered_others.value)
    low, _ = row.positive.interval()
    yield _highlight(_format_share(row.positive), not row.planted_bias and low > POSITIVES)
    yield percent(row.positive_others.value)


def _familywise_cells(row: FamilywiseResult) -> Iterator[str]:
    yield from (row.instrument, "anything established", str(row.established.n), "0", "", "", "")
    low, _ = row.established.interval()
    yield _highlight(_format_share(row.established), low > POSITIVES)
    yield ""


def _format_share(share: Share) -> str:
    low, high = map(percent, share.interval())
    return f"{percent(share.value)} [{low}, {high}]" if share.n else "no test"


def _highlight(text: str, missed: bool) -> str:
    escaped = text.replace("[", r"\[")
    return f"[red]{escaped}[/]" if missed else escaped
