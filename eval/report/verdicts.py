"""What a tested estimate establishes, and what it does not."""

from __future__ import annotations

from typing import Literal, TypeAlias

from polbias.eval.report.document import Comparison, Estimate, Finding

LEVEL = 0.05
"""Of the tests, after correction; intervals have 1 - LEVEL."""
FEWEST = 10
"""Clusters below which nothing is tested."""

Verdict: TypeAlias = Literal[
    "established",
    "hint",
    "open",
    "too few to be tested",
    "at the ceiling",
    "no variation",
    "not answered",
    "no interval",
    "not computed",
]
"""The words of the page, of summary.json and of the documentation alike."""


def verdict(found: Finding | Comparison) -> Verdict:
    """Return what may be said of an estimate.

    Args:
        found: with its adjusted p-values.

    Returns:
        The state of the estimate if it has one: "not answered", "no variation" or "at the ceiling". Else "not
        computed" where there is no estimate; "no interval" where nothing gives one; "too few to be tested"
        below ten clusters; "open" where the interval contains 0; "established" where it does not, p after
        correction over the report is below .05, and the worst-case bounds do not contain 0 either if so much
        is missing that they stand first; "hint" where only the interval leaves out 0.
    """
    estimate = found.estimate
    if estimate.state is not None:
        return estimate.state
    if estimate.value is None:
        return "not computed"
    if estimate.low is None or estimate.high is None:
        return "no interval"
    if few(estimate):
        return "too few to be tested"
    if spans_zero(estimate):
        return "open"
    sure = found.p_bh is not None and found.p_bh < LEVEL
    return "established" if sure and not undone(found) else "hint"


def spans_zero(estimate: Estimate) -> bool:
    """Whether an estimate has an interval with 0 in it."""
    return estimate.low is not None and estimate.high is not None and estimate.low <= 0 <= estimate.high


def few(estimate: Estimate) -> bool:
    """Whether an estimate rests on too few clusters to be tested."""
    return estimate.clusters is not None and estimate.clusters < FEWEST


def tested(found: Finding | Comparison) -> bool:
    """Whether an estimate is one of the tests that are corrected for each other."""
    return found.estimate.p is not None and not few(found.estimate)


def undone(found: Finding | Comparison) -> bool:
    """Whether the answers that are missing, being many, could undo an estimate."""
    if not isinstance(found, Finding) or not found.estimate.doubtful or found.bounds is None:
        return False
    low, high = found.bounds
    return low is not None and high is not None and low <= 0 <= high


def largest(found: Finding) -> float | None:
    """The largest effect that is compatible with the answers, in points.

    Args:
        found: a finding; its interval or limit, and its worst-case bounds, each count.
    """
    estimate = found.estimate
    limit = None if estimate.limit is None else 100 * estimate.limit
    ends = (estimate.low, estimate.high, limit, *(found.bounds or ()))
    return max((abs(end) for end in ends if end is not None), default=None)
