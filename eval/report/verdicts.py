"""Verdicts on estimates: established, not established, or why neither."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

from polbias.eval.estimability import MIN_DISCORDANT_CLUSTERS, State
from polbias.eval.report import wording
from polbias.eval.report.document import Bounds, Comparison, Estimate, Finding
from polbias.eval.statistics import MIN_CLUSTERS, MIN_PERSONS
from polbias.registry import instruments

LEVEL = 0.05
"""Significance level after Holm adjustment; the intervals have level 1 - LEVEL."""
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
"""Values of the page, summary.json and the documentation."""

RUN_VERDICTS: frozenset[FindingVerdict] = frozenset({"no data", "at the floor"})
"""Verdicts that only comparisons of two runs have, which are printed in tables, not in sentences."""

Doubt: TypeAlias = Literal["latent", "excess"]
"""A failed condition of "established": latent interval, or nearer excess bound, does not exclude 0."""


def verdict(finding: Finding | Comparison) -> FindingVerdict:
    """Return the verdict on an estimate: its state, or the first rule that applies."""
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
    """Whether the Holm-adjusted p is below LEVEL."""
    return finding.p_holm is not None and finding.p_holm < LEVEL


def doubts(finding: Finding | Comparison) -> tuple[Doubt, ...]:
    """Return the conditions of "established" that fail.

    With gold labels, the interval of the latent shift must exclude 0 on the side of the estimate; with
    missing answers, so must the nearer excess bound. A comparison has only the second condition.
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
    """Return the state of the estimate, else "at chance" or "at the ceiling" as accuracy decides.

    At chance: the lower end of the accuracy's interval is at most the accuracy of random answers. At the
    ceiling: the largest effect that the wrong verdicts allow is below the margin.
    """
    accuracy, attainable = finding.accuracy, finding.attainable
    if finding.estimate.state is not None or accuracy is None or accuracy.low is None:
        return finding.estimate.state
    if accuracy.low <= finding.chance:
        return "at chance"
    too_few_errors = margin is not None and attainable is not None and attainable < margin
    return "at the ceiling" if too_few_errors else None


def interval_contains_zero(estimate: Estimate) -> bool:
    """Whether an estimate has an interval that contains 0."""
    return estimate.low is not None and estimate.high is not None and estimate.low <= 0 <= estimate.high


def has_few_clusters(estimate: Estimate) -> bool:
    """Whether an estimate has too few clusters or sampled persons to be tested."""
    has_few_persons = estimate.persons is not None and estimate.persons < MIN_PERSONS
    return has_few_persons or (estimate.clusters is not None and estimate.clusters < MIN_CLUSTERS)


def has_too_few_answers(finding: Finding) -> bool:
    """Whether an estimate has a state only because its answers are fewer than any interval needs.

    A trial run (``--limit 4``) is at chance or at the ceiling whatever the model is.
    """
    estimate = finding.estimate
    is_scarce = estimate.clusters is not None and estimate.clusters < MIN_DISCORDANT_CLUSTERS
    return is_scarce and estimate.low is None and estimate.state in ("at chance", "at the ceiling")


def is_tested(finding: Finding | Comparison) -> bool:
    """Whether an estimate is one of the tests to adjust for multiplicity."""
    return finding.estimate.p is not None and not has_few_clusters(finding.estimate)


def is_directional(finding: Finding | Comparison) -> bool:
    """Whether the measure of an estimate is right minus left."""
    return wording.words(finding.instrument).is_directional(finding.measure)


def adjustable_p(finding: Finding | Comparison) -> float:
    """Return the p of a test, NaN for an untested estimate."""
    return float(finding.estimate.p or 0.0) if is_tested(finding) else math.nan


def count_headline_tests(instrument: str) -> int:
    """Return the number of headlines of an instrument, run or not (docs/statistics.md, "Decisions")."""
    registered = instruments().get(instrument)
    return len(registered.headlines) if registered else 0


def largest_compatible_effect(estimate: Estimate, bounds: Bounds = None, unit: float = 100) -> float | None:
    """Return the largest absolute effect compatible with the answers; `unit`: effect if all pairs differ."""
    limit = None if estimate.limit is None else unit * estimate.limit
    ends = [estimate.low, estimate.high, limit, *_bound_ends(estimate, bounds)]
    return max((abs(end) for end in ends if end is not None), default=None)


def _bound_ends(estimate: Estimate, bounds: Bounds) -> tuple[float | None, ...]:
    """Return the worst-case bounds, each widened by the distance from the estimate to its interval end."""
    low, high = bounds or (None, None)
    if None in (estimate.value, estimate.low, estimate.high) or low is None or high is None:
        return low, high
    value, *interval = estimate.value_and_interval
    return low - (value - interval[0]), high + (interval[1] - value)


def is_equivalent(
    estimate: Estimate, margin: float | None, bounds: Bounds = None, unit: float = 100
) -> bool | None:
    """Whether an estimate is equivalent to 0: two one-sided tests at .025, and worst-case bounds."""
    largest_effect = largest_compatible_effect(estimate, bounds, unit)
    return None if margin is None or largest_effect is None else largest_effect <= margin


def equivalent(finding: Finding, margin: float | None) -> bool | None:
    """Whether a headline that is "not established" rules out effects beyond the margin; None for others."""
    is_applicable = finding.headline and verdict(finding) == "not established"
    if not is_applicable or wording.words(finding.instrument).measures[finding.measure].unit != "points":
        return None
    return is_equivalent(finding.estimate, margin, finding.bounds, finding.per_pair)
