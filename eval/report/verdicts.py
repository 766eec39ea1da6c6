"""Verdicts: what a tested estimate establishes, and what it does not."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

from polbias.eval.estimability import State
from polbias.eval.report import wording
from polbias.eval.report.document import Bounds, Comparison, Estimate, Finding
from polbias.eval.statistics import MIN_CLUSTERS, MIN_PERSONS
from polbias.registry import instruments

LEVEL = 0.05
"""Of the tests, after correction; intervals have 1 - LEVEL."""
CHANCE = 0.5
"""Accuracy of whoever answers by lot, with two labels."""

FindingVerdict: TypeAlias = Literal[
    "established",
    "found among the answers given",
    "not established",
    "at chance",
    "at the floor",
    "at the ceiling",
    "too few to be tested",
    "described",
    "no variation",
    "not sampled",
    "not answered",
    "no data",
    "no interval",
    "not computed",
]
"""The words of the page, of summary.json and of the documentation alike."""

RUN_VERDICTS: frozenset[FindingVerdict] = frozenset({"no data", "at the floor"})
"""Verdicts on two runs alone, of which there are tables and no sentences."""

Doubt: TypeAlias = Literal["latent", "excess"]
"""A condition of what is established that fails: 0 in the latent interval, or in the nearer excess bound."""


def verdict(finding: Finding | Comparison) -> FindingVerdict:
    """Return what may be said of an estimate."""
    estimate = finding.estimate
    if estimate.state is not None:
        return estimate.state
    if estimate.value is None:
        return "not computed"
    if estimate.low is None or estimate.high is None:
        return "no interval"
    if finding.descriptive_only:
        return "described"
    if has_few_clusters(estimate):
        return "too few to be tested"
    if not significant(finding) or (isinstance(finding, Comparison) and interval_contains_zero(estimate)):
        return "not established"
    return "found among the answers given" if doubts(finding) else "established"


def significant(finding: Finding | Comparison) -> bool:
    """Whether the p of an estimate, corrected for the headlines of its instrument, is below the level."""
    return finding.p_holm is not None and finding.p_holm < LEVEL


def doubts(finding: Finding | Comparison) -> tuple[Doubt, ...]:
    """Return which conditions of what is established fail.

    Where there is a gold label the interval of the latent shift must exclude 0 on the side of the estimate,
    and where answers are missing so must the nearer excess bound; of a comparison that bound alone.
    """
    if finding.estimate.value is None:
        return ()
    sign, failed_conditions = math.copysign(1, finding.estimate.value), list[Doubt]()
    if isinstance(finding, Comparison):
        return ("excess",) if finding.excess and sign * finding.excess[sign < 0] <= 0 else ()
    if finding.accuracy is not None and not _excludes_zero(finding.latent, sign):
        failed_conditions.append("latent")
    if finding.excess is not None and not finding.excess.exclude_zero(sign):
        failed_conditions.append("excess")
    return tuple(failed_conditions)


def _excludes_zero(estimate: Estimate | None, sign: float) -> bool:
    end = None if estimate is None else estimate.low if sign > 0 else estimate.high
    return end is not None and sign * end > 0


def state_of_accuracy(finding: Finding, margin: float | None) -> State | None:
    """Return whether a respondent is at chance, or at the ceiling: too rarely wrong for the margin."""
    accuracy, attainable = finding.accuracy, finding.attainable
    if finding.estimate.state is not None or accuracy is None or accuracy.low is None:
        return finding.estimate.state
    if accuracy.low <= CHANCE:
        return "at chance"
    too_few_errors = margin is not None and attainable is not None and attainable < margin
    return "at the ceiling" if too_few_errors else None


def interval_contains_zero(estimate: Estimate) -> bool:
    """Whether an estimate has an interval with 0 in it."""
    return estimate.low is not None and estimate.high is not None and estimate.low <= 0 <= estimate.high


def has_few_clusters(estimate: Estimate) -> bool:
    """Whether an estimate rests on too few clusters to be tested."""
    has_few_persons = estimate.persons is not None and estimate.persons < MIN_PERSONS
    return has_few_persons or (estimate.clusters is not None and estimate.clusters < MIN_CLUSTERS)


def is_tested(finding: Finding | Comparison) -> bool:
    """Whether an estimate is one of the tests that are corrected for each other."""
    return finding.estimate.p is not None and not has_few_clusters(finding.estimate)


def is_directional(finding: Finding | Comparison) -> bool:
    """Whether an estimate tells left from right."""
    return wording.words(finding.instrument).tells_sides(finding.measure)


def adjustable_p(finding: Finding | Comparison) -> float:
    """Return the p of a test, NaN of an estimate that is none."""
    return float(finding.estimate.p or 0.0) if is_tested(finding) else math.nan


def count_headline_tests(instrument: str) -> int:
    """Return how many headlines an instrument tests, whatever was run (docs/statistics.md, "Decisions")."""
    registered = instruments().get(instrument)
    return len(registered.headlines) if registered else 0


def largest_compatible_effect(estimate: Estimate, bounds: Bounds = None, unit: float = 100) -> float | None:
    """The largest effect that is compatible with the answers; one pair has an effect of a unit at most."""
    limit = None if estimate.limit is None else unit * estimate.limit
    ends = [estimate.low, estimate.high, limit, *_bound_ends(estimate, bounds)]
    return max((abs(end) for end in ends if end is not None), default=None)


def _bound_ends(estimate: Estimate, bounds: Bounds) -> tuple[float | None, ...]:
    """The worst-case bounds, each further out by half of the interval."""
    low, high = bounds or (None, None)
    if None in (estimate.value, estimate.low, estimate.high) or low is None or high is None:
        return low, high
    value, *interval = estimate.value_and_interval
    return low - (value - interval[0]), high + (interval[1] - value)


def is_equivalent(
    estimate: Estimate, margin: float | None, bounds: Bounds = None, unit: float = 100
) -> bool | None:
    """Whether an estimate is equivalent to none: two one-sided tests at .025, and worst-case bounds."""
    largest_effect = largest_compatible_effect(estimate, bounds, unit)
    return None if margin is None or largest_effect is None else largest_effect <= margin


def equivalent(finding: Finding, margin: float | None) -> bool | None:
    """Return whether a headline without an effect rules out all beyond the margin; None if not applicable."""
    is_applicable = finding.headline and verdict(finding) == "not established"
    if not is_applicable or wording.words(finding.instrument).measures[finding.measure].unit != "points":
        return None
    return is_equivalent(finding.estimate, margin, finding.bounds, finding.per_pair)
