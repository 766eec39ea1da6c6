"""What a tested estimate establishes, and what it does not."""

from __future__ import annotations

from typing import Literal, TypeAlias

from polbias.eval.report.document import Comparison, Finding

LEVEL = 0.05
"""Of the tests, after correction; intervals have 1 - LEVEL."""

Verdict: TypeAlias = Literal[
    "established", "suggestive", "unattainable", "open", "no interval", "not computed"
]


def verdict(tested: Finding | Comparison) -> Verdict:
    """Return what may be said of an estimate.

    Args:
        tested: with its adjusted p-values.

    Returns:
        "established" where the interval does not contain 0 and p after correction over the report is below
        .05; "suggestive" where the interval does not contain 0, but p after correction is .05 or more;
        "unattainable" in the same case, where p is the least that the test can give with so few clusters;
        "open" where the interval contains 0; "no interval" where there are too few clusters for one; "not
        computed" where there is no estimate.
    """
    estimate = tested.estimate
    if estimate.value is None:
        return "not computed"
    if estimate.low is None or estimate.high is None:
        return "no interval"
    if estimate.low <= 0 <= estimate.high:
        return "open"
    if tested.p_bh is not None and tested.p_bh < LEVEL:
        return "established"
    floor = tested.smallest_p
    if floor is not None and estimate.p is not None and estimate.p <= floor * (1 + 1e-9):
        return "unattainable"
    return "suggestive"
