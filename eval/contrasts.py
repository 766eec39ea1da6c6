"""Differences between cells of a design, with an error over clusters that may run through several cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats
from polbias.eval.columns import Factor, OutcomesError
from polbias.eval.statistics import unvaried

_TIE = 1e-12  # of the weights: an error as small is that of rounding


@dataclass(frozen=True, slots=True)
class Contrast:
    """A weighted sum of cell means, with an interval that respects clusters.

    Args:
        estimate: The sum, in the unit of the values; NaN if a cell with a weight has no rows.
        standard_error: Its cluster-robust standard error (CR2); NaN if a cell has fewer than two clusters.
        low: Lower end of the interval; NaN without an error.
        high: Upper end of the interval; NaN without an error.
        p_value: Two-sided p of the t-test that it is 0; NaN without an error, or with one of 0.
        n: Number of rows in cells with a weight.
        clusters: Number of clusters among them.
        degrees_of_freedom: Those of t (Satterthwaite); NaN without an error.
        cells: Number of cells with a weight.
        level: Confidence level, a fraction.
    """

    estimate: float
    standard_error: float
    low: float
    high: float
    p_value: float
    n: int
    clusters: int
    degrees_of_freedom: float
    cells: int
    level: float


def contrast(
    values: ArrayLike,
    cells: Iterable[Any] | Factor,
    clusters: Iterable[Any] | Factor,
    weights: ArrayLike,
    level: float = 0.95,
    bounds: tuple[float, float] | None = None,
) -> Contrast:
    """Estimate a weighted sum of cell means, cells being all combinations of the design that are compared.

    The error is CR2 of the regression on one dummy per cell: in cluster g the residuals of cell c, summed,
    count ``w_c / n_c / sqrt(1 - m_gc / n_c)``, with n_c the rows of the cell and m_gc those of them in the
    cluster; the variance is the sum of squares of the clusters' totals. It is the usual CR2, in closed form
    because the adjustment of a cluster acts on each cell by itself. A cluster that stands on both sides of a
    difference is thereby compared with itself. For one row per cluster and two cells it is the error of
    Welch's t-test, for one cell that of the mean of the cluster means; degrees of freedom are Bell and
    McCaffrey's, which are 2 (G - 1) and G - 1 in these cases.

    Args:
        values: One value per row, shape ``(n,)``.
        cells: Cell of each row, shape ``(n,)``.
        clusters: Cluster of each row, shape ``(n,)``.
        weights: Weight of each level of ``cells``, shape ``(levels,)``.
        level: Confidence level, a fraction.
        bounds: Smallest and largest value that a row can have, as for
            :func:`polbias.eval.statistics.cluster_interval`: where nothing varies between clusters the error
            is 0, the interval follows from them or is missing, and there is no p.

    Returns:
        The contrast.

    Raises:
        OutcomesError: If the shapes differ or the level is not between 0 and 1.

    Source:
        Bell and McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage
        samples" (2002); Pustejovsky and Tipton, "Small-sample methods for cluster-robust variance
        estimation and hypothesis testing in fixed effects models" (2018).
    """
    if not 0 < level < 1:
        raise OutcomesError(f"level: found {level!r}, expected a fraction between 0 and 1")
    numbers, cell, cluster = np.asarray(values, np.float64), Factor.of(cells), Factor.of(clusters)
    weight = np.asarray(weights, np.float64)
    if not numbers.shape == cell.codes.shape == cluster.codes.shape or weight.shape != (len(cell.levels),):
        raise OutcomesError(
            f"contrast: found {numbers.shape} values, {cell.codes.shape} cells of {len(cell.levels)} levels, "
            f"{cluster.codes.shape} clusters and {weight.shape} weights, expected one of each per row and a "
            "weight per level"
        )
    used = weight != 0
    counts = _table(cluster, cell)[:, used]
    sums = _table(cluster, cell, numbers)[:, used]
    inside = counts.any(axis=1)
    counts, sums, weight = counts[inside], sums[inside], weight[used]
    totals = counts.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums.sum(axis=0) / totals
    estimate = math.fsum((weight * means).tolist()) if weight.size else math.nan
    error, df = _error(counts, sums - counts * np.nan_to_num(means), weight)
    half = p_value = math.nan
    if error > 0:
        from scipy.special import stdtr, stdtrit

        half = error * float(stdtrit(df, (1 + level) / 2))
        p_value = 2 * float(stdtr(df, -abs(estimate) / error))
    low, high = estimate - half, estimate + half
    if error == 0:
        ends = None
        if bounds is not None:
            (least, most), gain, loss = bounds, weight[weight > 0].sum(), weight[weight < 0].sum()
            ends = float(least * gain + most * loss), float(most * gain + least * loss)
        low, high = unvaried(estimate, int(inside.sum()), ends, level)
    sizes = int(totals.sum()), int(inside.sum())
    return Contrast(estimate, error, low, high, p_value, *sizes, df, int(used.sum()), level)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values of several tests so that any of them errs with at most the nominal probability.

    Args:
        p_values: One per test; NaN for a test that could not be made, which is not counted.

    Returns:
        The adjusted values in the same order; NaN stays.

    Source:
        Holm, "A simple sequentially rejective multiple test procedure" (1979).
    """
    order = sorted((p, index) for index, p in enumerate(p_values) if not math.isnan(p))
    adjusted, highest = [math.nan] * len(p_values), 0.0
    for rank, (p, index) in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - rank) * p))
        adjusted[index] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values of several tests so that the share of false ones among the discoveries is controlled.

    Args:
        p_values: One per test; NaN for a test that could not be made, which is not counted.

    Returns:
        The adjusted values in the same order; NaN stays.

    Source:
        Benjamini and Hochberg (1995), as in scipy.
    """
    values = np.array(p_values, np.float64)
    made = ~np.isnan(values)
    if made.any():
        from scipy.stats import false_discovery_control

        values[made] = false_discovery_control(values[made])
    return [float(value) for value in values]


def _error(counts: Floats, residuals: Floats, weight: Floats) -> tuple[float, float]:
    """Standard error (CR2) and degrees of freedom (Bell and McCaffrey), from tables of cluster by cell."""
    totals = counts.sum(axis=0)
    if not weight.size or bool(((counts > 0).sum(axis=0) < 2).any()):
        return math.nan, math.nan
    share = weight / totals / np.sqrt(1 - counts / totals)
    error = math.sqrt(float(((share * residuals).sum(axis=1) ** 2).sum()))
    if error <= _TIE * float(np.abs(weight).sum()):
        error = 0.0
    own, joint = (counts * share**2).sum(axis=1), counts * share / np.sqrt(totals)
    # trace and squares of diag(own) - joint @ joint.T, which need not be made: there may be many clusters
    gram = joint.T @ joint if joint.shape[1] < joint.shape[0] else joint @ joint.T
    shared = (joint**2).sum(axis=1)
    squares = float((own**2).sum() - 2 * (own * shared).sum() + (gram**2).sum())
    return error, float((own - shared).sum()) ** 2 / squares


def _table(rows: Factor, columns: Factor, values: Floats | None = None) -> Floats:
    """Number of rows, or sum of their values, by two factors."""
    shape = len(rows.levels), len(columns.levels)
    index = rows.codes * shape[1] + columns.codes
    return np.bincount(index, weights=values, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
