"""Statistics of clustered rows: intervals, tests, contrasts of cell means."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats, Indices
from polbias.eval.answer_frames import AnswerTableError, codes_of, factorize

# The rows of a design share patterns, people and instructions, so that a few thousand of them carry far less
# information than as many independent rows. The independent unit is the cluster, and clusters are few.

CONFIDENCE_LEVEL = 0.95
"""Confidence level of all intervals, a fraction."""
TIE = 1e-9


@dataclass(frozen=True)
class ClusterInterval:
    """A mean with a cluster-robust interval.

    Args:
        estimate: Mean of all rows, in the unit of the values.
        standard_error: Cluster-robust standard error, in the same unit; NaN below two clusters.
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


def clopper_pearson_upper(count: int, clusters: int) -> float:
    """Return the upper Clopper-Pearson limit of the share `count` / `clusters`."""
    from scipy.special import betaincinv

    return (
        1.0
        if count >= clusters
        else float(betaincinv(count + 1, clusters - count, (1 + CONFIDENCE_LEVEL) / 2))
    )


def cluster_interval(
    values: ArrayLike,
    clusters: Iterable[Any],
    bounds: tuple[float, float] | None = None,
) -> ClusterInterval:
    """Return the mean with a cluster-robust standard error and a t interval with G - 1 degrees of freedom.

    The error is sqrt(G / (G - 1) * sum_g (S_g - n_g * mean)^2) / N, with S_g the sum and n_g the number of
    rows of cluster g; for clusters of equal size it is the standard error of the mean of the cluster means.

    If all clusters have the same mean, the error is 0, although unseen clusters may differ. The interval then
    assumes that the largest share u of differing clusters compatible with such a sample (Clopper and Pearson:
    u = 1 - .025^(1/G)) is at one of the bounds. No interval has width zero.

    Source:
        Liang and Zeger, "Longitudinal data analysis using generalized linear models" (1986); the t with
        G - 1 degrees of freedom: Cameron and Miller, "A Practitioner's Guide to Cluster-Robust Inference"
        (2015), section VI.
    """
    sums, sizes = sums_by_cluster(values, clusters)
    n, count = int(sizes.sum()), int(sizes.size)
    estimate = float(sums.sum() / n) if n else math.nan
    error = half_width = math.nan
    if count >= 2:
        deviations = sums - sizes * estimate
        if bool((np.abs(deviations) <= TIE * max(1.0, float(np.abs(sums).max()))).all()):
            deviations = np.zeros(count)
        error = math.sqrt(count / (count - 1) * float((deviations**2).sum())) / n
        half_width, _, _ = t_interval_and_test(estimate, error, count - 1)
    low, high = estimate - half_width, estimate + half_width
    if error == 0:
        low, high = _unvaried_ends(estimate, count, bounds)
    return ClusterInterval(estimate, error, low, high, n, count, max(count - 1, 0))


def _unvaried_ends(estimate: float, clusters: int, bounds: tuple[float, float] | None) -> tuple[float, float]:
    """Return the interval of :func:`cluster_interval` if nothing varies between clusters."""
    if bounds is None:
        return math.nan, math.nan
    unseen, (lower, upper) = clopper_pearson_upper(0, clusters), bounds
    return estimate - unseen * (estimate - lower), estimate + unseen * (upper - estimate)


def t_interval_and_test(effect: float, error: float, df: float) -> tuple[float, float, float]:
    """Return half the width of the 95% interval, two-sided p, and the effect detectable with 80% power."""
    from scipy.special import stdtr, stdtrit

    wide = float(stdtrit(df, (1 + CONFIDENCE_LEVEL) / 2))
    p = 2 * float(stdtr(df, -abs(effect) / error)) if error else 1.0 if effect == 0 else 0.0
    return wide * error, p, (wide + float(stdtrit(df, 0.8))) * error


def sums_by_cluster(values: ArrayLike, clusters: Iterable[Any]) -> tuple[Floats, Indices]:
    """Return sum and number of rows of each cluster with rows."""
    numbers, codes = np.asarray(values, dtype=np.float64), codes_of(clusters)
    if numbers.shape != codes.shape:
        raise AnswerTableError(f"clusters: found {codes.size} rows, expected the shape {numbers.shape}")
    sizes = np.bincount(codes)
    sums = np.bincount(codes, weights=numbers).astype(np.float64)
    return sums[sizes > 0], sizes[sizes > 0]


# Contrasts of cell means. A cluster may have rows in several cells.

_ROUNDING = 1e-12  # of the weights: smaller errors are rounding errors


@dataclass(frozen=True)
class Contrast:
    """A weighted sum of cell means with a cluster-robust interval.

    Args:
        estimate: The sum, in the unit of the values; NaN if a cell with a weight has no rows.
        standard_error: Cluster-robust standard error (CR2); NaN if a cell has fewer than two clusters.
        low: Lower end of the interval; NaN without an error.
        high: Upper end of the interval; NaN without an error.
        p_value: Two-sided p of the t-test against 0; NaN without an error, or with an error of 0.
        n: Number of rows in cells with a weight.
        clusters: Number of clusters among these rows.
        degrees_of_freedom: Satterthwaite's degrees of freedom of t; NaN without an error.
        cells: Number of cells with a weight.
        level: Confidence level, a fraction.
        crossed: Number of clusters of the second, crossed factor; None without one.
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
    """Estimate a weighted sum of cell means with its CR2 error over clusters.

    The error is CR2 of the regression on one dummy per cell: in cluster g the summed residuals of cell c have
    weight ``w_c / n_c / sqrt(1 - m_gc / n_c)``, with n_c the rows of the cell and m_gc the rows of the cell
    in the cluster; the variance is the sum of squares of the cluster totals. The closed form exists because
    the CR2 adjustment of a cluster acts on each cell separately. A cluster with rows on both sides of a
    difference is thus compared with itself. For one row per cluster and two cells this is the error of
    Welch's t-test, for one cell the error of the mean of the cluster means; degrees of freedom (Bell and
    McCaffrey) are 2 (G - 1) and G - 1 in these cases.

    Args:
        values: one per row.
        cells: design cell of each row.
        clusters: cluster of each row.
        weights: weight of each cell level, in the order of :func:`factorize`.
        bounds: smallest and largest possible value, for an interval if nothing varies.
        crossed: second, crossed clustering, such as persons next to bases (:func:`two_way_cluster_error`).

    Raises:
        AnswerTableError: if the shapes differ.

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

    def tables(clustering: Indices) -> tuple[Floats, Floats]:
        row = np.unique(clustering, return_inverse=True)[1]
        # compress keeps rows contiguous; the last digits of sums depend on it
        counts, sums = (
            _table(row, cell, len(levels), values).compress(used, axis=1) for values in (None, numbers)
        )
        return counts, sums

    counts, sums = tables(cluster)
    totals = counts.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums.sum(axis=0) / totals
    estimate = math.fsum((weight * means).tolist()) if weight.size else math.nan

    def error_over(counts: Floats, sums: Floats) -> tuple[float, float, int]:
        return (*_error(counts, sums - counts * np.nan_to_num(means), weight), len(counts))

    error, df, groups = error_over(counts, sums)
    n_crossed = None
    if crossed is not None:
        second = codes_of(crossed)[in_cells]
        joint = cluster * (int(second.max(initial=0)) + 1) + second
        by_first, by_second, by_both = (
            (error, df, groups),
            error_over(*tables(second)),
            error_over(*tables(joint)),
        )
        n_crossed = by_second[2]
        error, df = two_way_cluster_error(by_first, by_second, by_both)
    half_width = p_value = math.nan
    if error > 0:
        half_width, p_value, _ = t_interval_and_test(estimate, error, df)
    low, high = estimate - half_width, estimate + half_width
    if error == 0:
        ends = None
        if bounds is not None:
            (lower, upper), gain, loss = bounds, weight[weight > 0].sum(), weight[weight < 0].sum()
            ends = float(lower * gain + upper * loss), float(upper * gain + lower * loss)
        low, high = _unvaried_ends(estimate, groups, ends)
    sizes = int(totals.sum()), groups
    return Contrast(estimate, error, low, high, p_value, *sizes, df, int(used.sum()), crossed=n_crossed)


def mean_scores(cell: Indices, signed: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Return scores whose plain mean in a cell is its weighted mean, shape ``(n,)``, and the cell weights.

    Args:
        cell: cell of each unit.
        signed: contribution of each unit to a difference.
        shares: weight of each unit in the difference.
    """
    total: Floats = np.bincount(cell, shares).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (np.bincount(cell, signed) / total)[cell]
        scores = mean + np.bincount(cell)[cell] * (signed - shares * mean) / total[cell]
    return scores, total


Variation: TypeAlias = tuple[float, float, int]
"""Standard error, degrees of freedom and number of clusters."""


def two_way_cluster_error(first: Variation, second: Variation, crossed: Variation) -> tuple[float, float]:
    """Return standard error and degrees of freedom with two crossed clusterings, such as bases and persons.

    The variance is the sum of both one-way variances minus the variance over their crossings, and at least
    the larger one-way variance. Degrees of freedom are Satterthwaite's, from the mean squares of first,
    second and interaction, and at least the smaller number of clusters minus 1.

    Source:
        Cameron, Gelbach and Miller, "Robust Inference With Multiway Clustering" (2011); Satterthwaite, "An
        Approximate Distribution of Estimates of Variance Components" (1946).
    """
    (first_variance, rows), (second_variance, columns), (joint_variance, cells) = (
        (variation[0] ** 2, variation[2]) for variation in (first, second, crossed)
    )
    if math.isnan(first_variance + second_variance):
        return math.nan, math.nan
    inner = cells - rows - columns + 1
    candidates = [(first_variance, first[1]), (second_variance, second[1])]
    two_way_variance = first_variance + second_variance - joint_variance
    if inner > 0 and two_way_variance > 0:
        # The mean square over all crossings is the weighted sum of the three others.
        shares = np.array([rows - 1, columns - 1, inner]) / (cells - 1)
        interaction = joint_variance - shares[0] * first_variance - shares[1] * second_variance
        mean_squares = [first_variance, second_variance, max(interaction, 0.0) / shares[2]]
        parts = np.array([1 - shares[0], 1 - shares[1], -shares[2]]) * mean_squares
        free = np.array([rows - 1, columns - 1, inner])
        candidates.append((two_way_variance, two_way_variance**2 / float((parts**2 / free).sum())))
    variance, df = max(candidates)
    return math.sqrt(variance), max(df, min(rows, columns) - 1)


def _error(counts: Floats, residuals: Floats, weight: Floats) -> tuple[float, float]:
    """Return CR2 standard error and Bell and McCaffrey's degrees of freedom from cluster by cell tables."""
    totals = counts.sum(axis=0)
    if not weight.size or bool(((counts > 0).sum(axis=0) < 2).any()):
        return math.nan, math.nan
    share = weight / totals / np.sqrt(1 - counts / totals)
    error = math.sqrt(float(((share * residuals).sum(axis=1) ** 2).sum()))
    if error <= _ROUNDING * float(np.abs(weight).sum()):
        error = 0.0
    diagonal, joint = (counts * share**2).sum(axis=1), counts * share / np.sqrt(totals)
    # trace and squares of diag(diagonal) - joint @ joint.T, without building it: clusters may be many
    gram = joint.T @ joint if joint.shape[1] < joint.shape[0] else joint @ joint.T
    shared = (joint**2).sum(axis=1)
    squares = float((diagonal**2).sum() - 2 * (diagonal * shared).sum() + (gram**2).sum())
    return error, float((diagonal - shared).sum()) ** 2 / squares


def _table(rows: Indices, columns: Indices, width: int, values: Floats | None) -> Floats:
    """Count rows, or sum their values, by two codes."""
    shape = int(rows.max(initial=-1)) + 1, width
    index = rows * width + columns
    return np.bincount(index, weights=values, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)


MIN_CLUSTERS = 10
"""Smallest number of clusters for a test."""
MIN_PERSONS = 8
"""Smallest number of drawn persons for a test."""
