"""Statistics of rows that come in clusters: intervals, tests, differences between cells."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats, Indices
from polbias.eval.answer_frames import AnswerTableError, codes_of, factorize

# Statistics for rows that come in clusters: an interval and a test with the cluster as the unit.
# The rows of a design share patterns, people and instructions, so there is far less in a few thousand of
# them than in as many independent ones. What is independent is the cluster, of which there are few.

CONFIDENCE_LEVEL = 0.95
"""Of all intervals, a fraction."""
TIE = 1e-9


@dataclass(frozen=True)
class ClusterInterval:
    """A mean with an interval that respects clusters.

    Args:
        estimate: Mean of all rows, in the unit of the values.
        standard_error: Its cluster-robust standard error, in the same unit; NaN below two clusters.
        low: Lower end of the interval; NaN below two clusters.
        high: Upper end of the interval; NaN below two clusters.
        n: Number of rows.
        clusters: Number of clusters.
        degrees_of_freedom: Number of clusters minus 1, at least 0.
        level: Confidence level, a fraction.
    """

    estimate: float
    standard_error: float
    low: float
    high: float
    n: int
    clusters: int
    degrees_of_freedom: int
    level: float = CONFIDENCE_LEVEL


def clopper_pearson_upper(found: int, clusters: int) -> float:
    """The upper Clopper-Pearson limit of a share of clusters, of which so many were found."""
    from scipy.special import betaincinv

    return (
        1.0
        if found >= clusters
        else float(betaincinv(found + 1, clusters - found, (1 + CONFIDENCE_LEVEL) / 2))
    )


def cluster_interval(
    values: ArrayLike,
    clusters: Iterable[Any],
    bounds: tuple[float, float] | None = None,
) -> ClusterInterval:
    """The mean with a cluster-robust standard error and a t interval with G - 1 degrees of freedom.

    The error is sqrt(G / (G - 1) * sum_g (S_g - n_g * mean)^2) / N, with S_g the sum and n_g the number of
    rows of cluster g; for clusters of equal size it is the standard error of the mean of the cluster means.

    Where all clusters have the same mean the error is 0, which says that nothing varies in the sample, not
    that nothing could: the ends are then those that the mean would have if the share u of clusters, at most,
    that may differ and still all be missing from such a sample were at one of the bounds (Clopper and
    Pearson: u = 1 - .025^(1/G)). No interval has width zero.

    Source:
        Liang and Zeger, "Longitudinal data analysis using generalized linear models" (1986); the t with
        G - 1 degrees of freedom: Cameron and Miller, "A Practitioner's Guide to Cluster-Robust Inference"
        (2015), section VI.
    """
    sums, sizes = sums_by_cluster(values, clusters)
    n, count = int(sizes.sum()), int(sizes.size)
    estimate = float(sums.sum() / n) if n else math.nan
    error = half = math.nan
    if count >= 2:
        apart = sums - sizes * estimate
        if bool((np.abs(apart) <= TIE * max(1.0, float(np.abs(sums).max()))).all()):
            apart = np.zeros(count)
        error = math.sqrt(count / (count - 1) * float((apart**2).sum())) / n
        half, _, _ = t_interval_and_test(estimate, error, count - 1)
    low, high = estimate - half, estimate + half
    if error == 0:
        low, high = _unvaried(estimate, count, bounds)
    return ClusterInterval(estimate, error, low, high, n, count, max(count - 1, 0))


def _unvaried(estimate: float, clusters: int, bounds: tuple[float, float] | None) -> tuple[float, float]:
    """Ends of an interval where nothing varies between clusters, as :func:`cluster_interval` has them."""
    if bounds is None:
        return math.nan, math.nan
    unseen, (least, most) = clopper_pearson_upper(0, clusters), bounds
    return estimate - unseen * (estimate - least), estimate + unseen * (most - estimate)


def t_interval_and_test(effect: float, error: float, df: float) -> tuple[float, float, float]:
    """Half of the 95% interval, two-sided p, and the effect that is detected at .05 with 80% power."""
    from scipy.special import stdtr, stdtrit

    wide = float(stdtrit(df, (1 + CONFIDENCE_LEVEL) / 2))
    p = 2 * float(stdtr(df, -abs(effect) / error)) if error else 1.0 if effect == 0 else 0.0
    return wide * error, p, (wide + float(stdtrit(df, 0.8))) * error


def sums_by_cluster(values: ArrayLike, clusters: Iterable[Any]) -> tuple[Floats, Indices]:
    """Sum and number of rows of each cluster that has rows."""
    numbers, codes = np.asarray(values, dtype=np.float64), codes_of(clusters)
    if numbers.shape != codes.shape:
        raise AnswerTableError(f"clusters: found {codes.size} rows, expected the shape {numbers.shape}")
    sizes = np.bincount(codes)
    sums = np.bincount(codes, weights=numbers).astype(np.float64)
    return sums[sizes > 0], sizes[sizes > 0]


# Differences between cells of a design, with an error over clusters that may run through several cells.

_EQUAL = 1e-12  # of the weights: an error as small is that of rounding


@dataclass(frozen=True)
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
        crossed: Number of clusters of the other kind; None where there is no other.
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
    level: float = CONFIDENCE_LEVEL
    crossed: int | None = None


def cell_mean_contrast(
    values: ArrayLike,
    cells: Iterable[Any],
    clusters: Iterable[Any],
    weights: ArrayLike,
    bounds: tuple[float, float] | None = None,
    crossed: Iterable[Any] | None = None,
) -> Contrast:
    """Estimate a weighted sum of cell means, cells being all combinations of the design that are compared.

    The error is CR2 of the regression on one dummy per cell: in cluster g the residuals of cell c, summed,
    count ``w_c / n_c / sqrt(1 - m_gc / n_c)``, with n_c the rows of the cell and m_gc those of them in the
    cluster; the variance is the sum of squares of the clusters' totals. It is the usual CR2, in closed form
    because the adjustment of a cluster acts on each cell by itself. A cluster that stands on both sides of a
    difference is thereby compared with itself. For one row per cluster and two cells it is the error of
    Welch's t-test, for one cell that of the mean of the cluster means; degrees of freedom are Bell and
    McCaffrey's, which are 2 (G - 1) and G - 1 in these cases.

    Where clusters of two kinds were drawn, such as bases and persons, ``crossed`` are the others; see
    :func:`two_way_cluster_error`.

    Source:
        Bell and McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage
        samples" (2002); Pustejovsky and Tipton, "Small-sample methods for cluster-robust variance
        estimation and hypothesis testing in fixed effects models" (2018).
    """
    numbers, weight = np.asarray(values, np.float64), np.asarray(weights, np.float64)
    (cell, levels), cluster = factorize(cells), codes_of(clusters)
    if not numbers.shape == cell.shape == cluster.shape or weight.shape != (len(levels),):
        raise AnswerTableError(
            f"contrast: found {numbers.shape} values, {cell.shape} cells of {len(levels)} levels, "
            f"{cluster.shape} clusters and {weight.shape} weights, expected one of each per row and a "
            "weight per level"
        )
    used = weight != 0
    in_cells = used[cell]
    weight, numbers, cell, cluster = weight[used], numbers[in_cells], cell[in_cells], cluster[in_cells]

    def tables(drawn: Indices) -> tuple[Floats, Floats]:
        row = np.unique(drawn, return_inverse=True)[1]
        # compress keeps the rows contiguous, on which the last digits of sums over them depend
        counts, sums = (
            _table(row, cell, len(levels), values).compress(used, axis=1) for values in (None, numbers)
        )
        return counts, sums

    counts, sums = tables(cluster)
    totals = counts.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums.sum(axis=0) / totals
    estimate = math.fsum((weight * means).tolist()) if weight.size else math.nan

    def over(counts: Floats, sums: Floats) -> tuple[float, float, int]:
        return (*_error(counts, sums - counts * np.nan_to_num(means), weight), len(counts))

    error, df, groups = over(counts, sums)
    others = None
    if crossed is not None:
        second = codes_of(crossed)[in_cells]
        joint = cluster * (int(second.max(initial=0)) + 1) + second
        one, other, both = (error, df, groups), over(*tables(second)), over(*tables(joint))
        others = other[2]
        error, df = two_way_cluster_error(one, other, both)
    half = p_value = math.nan
    if error > 0:
        half, p_value, _ = t_interval_and_test(estimate, error, df)
    low, high = estimate - half, estimate + half
    if error == 0:
        ends = None
        if bounds is not None:
            (least, most), gain, loss = bounds, weight[weight > 0].sum(), weight[weight < 0].sum()
            ends = float(least * gain + most * loss), float(most * gain + least * loss)
        low, high = _unvaried(estimate, groups, ends)
    sizes = int(totals.sum()), groups
    return Contrast(estimate, error, low, high, p_value, *sizes, df, int(used.sum()), crossed=others)


Variation: TypeAlias = tuple[float, float, int]
"""Standard error, degrees of freedom and number of clusters."""


def two_way_cluster_error(one: Variation, other: Variation, both: Variation) -> tuple[float, float]:
    """Standard error and degrees of freedom where clusters of two kinds were drawn.

    The variance is that over the one plus that over the other less that over their crossings, and never less
    than either. Degrees of freedom are Satterthwaite's, from the mean squares of one, other and interaction,
    and at least the smaller number of clusters less 1.

    Source:
        Cameron, Gelbach and Miller, "Robust Inference With Multiway Clustering" (2011); Satterthwaite, "An
        Approximate Distribution of Estimates of Variance Components" (1946).
    """
    (first, rows), (second, columns), (joint, cells) = (
        (each[0] ** 2, each[2]) for each in (one, other, both)
    )
    if math.isnan(first + second):
        return math.nan, math.nan
    inner = cells - rows - columns + 1
    found = [(first, one[1]), (second, other[1])]
    together = first + second - joint
    if inner > 0 and together > 0:
        # Mean squares over the number of cells: that of all cells is made of the three others.
        shares = np.array([rows - 1, columns - 1, inner]) / (cells - 1)
        rest = max(joint - shares[0] * first - shares[1] * second, 0.0) / shares[2]
        parts = np.array([1 - shares[0], 1 - shares[1], -shares[2]]) * [first, second, rest]
        free = np.array([rows - 1, columns - 1, inner])
        found.append((together, together**2 / float((parts**2 / free).sum())))
    variance, df = max(found)
    return math.sqrt(variance), max(df, min(rows, columns) - 1)


def _error(counts: Floats, residuals: Floats, weight: Floats) -> tuple[float, float]:
    """Standard error (CR2) and degrees of freedom (Bell and McCaffrey), from tables of cluster by cell."""
    totals = counts.sum(axis=0)
    if not weight.size or bool(((counts > 0).sum(axis=0) < 2).any()):
        return math.nan, math.nan
    share = weight / totals / np.sqrt(1 - counts / totals)
    error = math.sqrt(float(((share * residuals).sum(axis=1) ** 2).sum()))
    if error <= _EQUAL * float(np.abs(weight).sum()):
        error = 0.0
    own, joint = (counts * share**2).sum(axis=1), counts * share / np.sqrt(totals)
    # trace and squares of diag(own) - joint @ joint.T, which need not be made: there may be many clusters
    gram = joint.T @ joint if joint.shape[1] < joint.shape[0] else joint @ joint.T
    shared = (joint**2).sum(axis=1)
    squares = float((own**2).sum() - 2 * (own * shared).sum() + (gram**2).sum())
    return error, float((own - shared).sum()) ** 2 / squares


def _table(rows: Indices, columns: Indices, width: int, values: Floats | None) -> Floats:
    """Number of rows, or sum of their values, by two codes."""
    shape = int(rows.max(initial=-1)) + 1, width
    index = rows * width + columns
    return np.bincount(index, weights=values, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)


MIN_CLUSTERS = 10
"""Clusters below which nothing is tested."""
MIN_PERSONS = 8
"""Drawn persons below which nothing is tested."""
