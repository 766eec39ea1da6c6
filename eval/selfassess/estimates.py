"""Means of judgements with their interval, test, and the smallest effect that could be seen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from polbias.eval.columns import Factor
from polbias.eval.statistics import EXACT_CLUSTERS, cluster_interval, sign_flip

POINTS = 100.0
"""Percentage points of a whole."""
LEVEL, POWER = 0.95, 0.8


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over judgements, clustered by topic.

    Args:
        value: The mean; NaN without rows.
        se: Its cluster-robust standard error; NaN below two topics.
        low: Lower end of the 95% interval; NaN below two topics.
        high: Upper end.
        p: Two-sided p of the test that it is 0; NaN where there is none.
        detectable: Minimum detectable effect: what a t test at .05 would find with 80% power.
        n: Number of judgements.
        clusters: Number of topics.
    """

    value: float
    se: float
    low: float
    high: float
    p: float
    detectable: float
    n: int
    clusters: int


def estimate(
    values: ArrayLike,
    topics: Factor,
    bounds: tuple[float, float] = (0.0, 1.0),
    test: Literal["flip", "exact", "t", ""] = "",
) -> Estimate:
    """Take a mean with a t interval over topics, as :func:`polbias.eval.statistics.cluster_interval` does.

    Args:
        values: One value per judgement, shape ``(n,)``.
        topics: The topic of each.
        bounds: Smallest and largest value that a judgement can have.
        test: "flip": the sign flip of whole topics, for values whose sign would turn if left and right were
            exchanged; "exact": the same where all flips are counted, else the t test; "t": that; "": none.

    Returns:
        The estimate, in the unit of the values.
    """
    numbers = np.asarray(values, np.float64)
    found = cluster_interval(numbers, topics, LEVEL, bounds)
    p = detectable = math.nan
    if math.isfinite(found.standard_error):
        p, detectable = t_test(found.estimate, found.standard_error, found.degrees_of_freedom)
    if test == "flip" or (test == "exact" and found.clusters <= EXACT_CLUSTERS):
        p = sign_flip(numbers, topics).p_value
    return Estimate(
        found.estimate,
        found.standard_error,
        found.low,
        found.high,
        p if test else math.nan,
        detectable,
        found.n,
        found.clusters,
    )


def t_test(effect: float, error: float, df: float) -> tuple[float, float]:
    """Return p of the two-sided t test, and the effect that it detects at .05 with 80% power.

    Args:
        effect: The estimate.
        error: Its standard error, finite.
        df: Degrees of freedom.
    """
    from scipy.special import stdtr, stdtrit

    detectable = float(stdtrit(df, (1 + LEVEL) / 2) + stdtrit(df, POWER)) * error
    if error == 0:
        return (1.0 if effect == 0 else 0.0), detectable
    return 2 * float(stdtr(df, -abs(effect) / error)), detectable


def named(found: Estimate, name: str, scale: float = 1.0, short: bool = False) -> Mapping[str, Any]:
    """Return an estimate as fields of a table.

    Args:
        found: The estimate.
        name: What it is called; the ends of the interval are ``<name>_low`` and ``<name>_high``.
        scale: What all numbers are multiplied with, such as :data:`POINTS`.
        short: Leave out error, p and detectable effect.
    """
    ends = {"": found.value, "_low": found.low, "_high": found.high}
    fields = {f"{name}{end}": scale * value for end, value in ends.items()}
    if short:
        return fields
    return fields | {"se": scale * found.se, "p": found.p, "detectable": scale * found.detectable}
