"""Statistics of rows that come in clusters: intervals, tests, differences between cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats, Indices
from polbias.eval.answer_table import AnswerTableError, CodedColumn
from polbias.eval.answer_table import crossed as crossing

# Statistics for rows that come in clusters: an interval and a test with the cluster as the unit.
# The rows of a design share patterns, people and instructions, so there is far less in a few thousand of
# them than in as many independent ones. What is independent is the cluster, of which there are few.

EXACT_CLUSTERS = 20
"""Up to this many clusters every flip is counted."""
DRAWS = 100_000
"""Random flips beyond that."""
LEVEL = 0.95
"""Of all intervals, a fraction."""
TIE = 1e-9
_BLOCK = 4_000_000  # signs that are drawn at a time


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
    level: float = LEVEL


@dataclass(frozen=True)
class SignFlipTest:
    """A test of "no effect" that flips the sign of whole clusters.

    Args:
        p_value: Two-sided p; NaN without rows.
        clusters: Number of clusters.
        smallest_p: The smallest p that so many clusters can give (6 clusters: 0.03125).
        exact: Whether all flips were counted rather than drawn.
    """

    p_value: float
    clusters: int
    smallest_p: float
    exact: bool


def largest_share(found: int, clusters: int) -> float:
    """The upper Clopper-Pearson limit of a share of clusters, of which so many were found."""
    from scipy.special import betaincinv

    return 1.0 if found >= clusters else float(betaincinv(found + 1, clusters - found, (1 + LEVEL) / 2))


def cluster_interval(
    values: ArrayLike,
    clusters: Iterable[Any] | CodedColumn,
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
        half, _, _ = t_test(estimate, error, count - 1)
    low, high = estimate - half, estimate + half
    if error == 0:
        low, high = _unvaried(estimate, count, bounds)
    return ClusterInterval(estimate, error, low, high, n, count, max(count - 1, 0))


def _unvaried(estimate: float, clusters: int, bounds: tuple[float, float] | None) -> tuple[float, float]:
    """Ends of an interval where nothing varies between clusters, as :func:`cluster_interval` has them."""
    if bounds is None:
        return math.nan, math.nan
    unseen, (least, most) = largest_share(0, clusters), bounds
    return estimate - unseen * (estimate - least), estimate + unseen * (most - estimate)


def t_test(effect: float, error: float, df: float) -> tuple[float, float, float]:
    """Half of the 95% interval, two-sided p, and the effect that is detected at .05 with 80% power."""
    from scipy.special import stdtr, stdtrit

    wide = float(stdtrit(df, (1 + LEVEL) / 2))
    p = 2 * float(stdtr(df, -abs(effect) / error)) if error else 1.0 if effect == 0 else 0.0
    return wide * error, p, (wide + float(stdtrit(df, 0.8))) * error


def sign_flip(values: ArrayLike, clusters: Iterable[Any] | CodedColumn, seed: int = 0) -> SignFlipTest:
    """Test that the values are centred on 0, flipping the signs of whole clusters.

    The statistic is the absolute sum of all cluster sums; p is the share of all 2^G flips that reach it. Up
    to 20 clusters all of them are counted, beyond that 100,000 are drawn and the observed one is added. If
    left and right are exchangeable within every cluster the test keeps its level for any number of clusters,
    but its p cannot fall below 2 / 2^G (nor reach that if the sum of some cluster is exactly 0).

    Source:
        Fisher, "The Design of Experiments" (1935), section 21; for few clusters: Canay, Romano and Shaikh,
        "Randomization Tests Under an Approximate Symmetry Assumption" (2017); drawn flips: Phipson and Smyth,
        "Permutation P-values Should Never Be Zero" (2010).
    """
    sums, sizes = sums_by_cluster(values, clusters)
    count = int(sizes.size)
    if count <= EXACT_CLUSTERS:
        return SignFlipTest(_exact_p(sums), count, min(1.0, 2.0 / 2**count), exact=True)
    return SignFlipTest(_drawn_p(sums, seed), count, 1 / (DRAWS + 1), exact=False)


def sign_flips(sums: Floats, seed: int = 0) -> list[SignFlipTest]:
    """Draw :func:`sign_flip` for many tests at once, the same flips for all.

    Sums are of shape (clusters, tests); they are flipped block by block, so that few flips are in memory.
    """
    rng = np.random.default_rng(seed)
    totals = np.abs(sums).sum(axis=0)
    thresholds = np.abs(sums.sum(axis=0)) - TIE * totals
    reached = np.zeros(sums.shape[1], np.int64)
    block = max(1, _BLOCK // len(sums))
    for start in range(0, DRAWS, block):
        draws = min(block, DRAWS - start)
        bits = np.unpackbits(np.frombuffer(rng.bytes(-(-draws * len(sums) // 8)), np.uint8))
        signs = 2.0 * bits[: draws * len(sums)].reshape(draws, len(sums)) - 1.0
        reached += np.count_nonzero(np.abs(signs @ sums) >= thresholds, axis=0)
    p_values = np.where(np.isnan(totals), math.nan, (1 + reached) / (1 + DRAWS)).tolist()
    return [SignFlipTest(p, len(sums), 1 / (DRAWS + 1), exact=False) for p in p_values]


def sums_by_cluster(values: ArrayLike, clusters: Iterable[Any] | CodedColumn) -> tuple[Floats, Indices]:
    """Sum and number of rows of each cluster that has rows."""
    numbers, factor = np.asarray(values, dtype=np.float64), CodedColumn.of(clusters)
    if numbers.shape != factor.codes.shape:
        raise AnswerTableError(
            f"clusters: found {factor.codes.size} rows, expected the shape {numbers.shape}"
        )
    sizes = np.bincount(factor.codes, minlength=len(factor.levels))
    sums = np.bincount(factor.codes, weights=numbers, minlength=len(factor.levels)).astype(np.float64)
    return sums[sizes > 0], sizes[sizes > 0]


def _exact_p(sums: Floats) -> float:
    """Share of all sign flips that reach the observed sum; the first sign is held, the rest mirrors it."""
    if not sums.size:
        return math.nan
    flipped = sums[:1]
    for value in sums[1:]:
        flipped = np.concatenate((flipped + value, flipped - value))
    threshold = abs(float(sums.sum())) - TIE * float(np.abs(sums).sum())
    return math.nan if math.isnan(threshold) else float(np.mean(np.abs(flipped) >= threshold))


def _drawn_p(sums: Floats, seed: int) -> float:
    """The same share among random flips and the observed one.

    Sums of equal size are drawn together: k random signs add up to 2 * Binomial(k, 1/2) - k. (A single one
    is drawn as a bit, which is faster.)
    """
    if not sums.size or bool(np.isnan(sums).any()):
        return math.nan
    scale = float(np.abs(sums).max()) or 1.0
    sizes, counts = np.unique(np.round(np.abs(sums) / scale, 12), return_counts=True)
    rng = np.random.default_rng(seed)
    flipped = np.zeros(DRAWS)
    for size, count in zip(sizes, counts, strict=True):
        ups = rng.binomial(count, 0.5, DRAWS) if count > 1 else rng.integers(0, 2, DRAWS, dtype=np.int8)
        flipped += size * (2 * ups - count)
    threshold = abs(float(sums.sum())) / scale - TIE * float(sizes @ counts)
    return (1 + int(np.count_nonzero(np.abs(flipped) >= threshold))) / (1 + DRAWS)


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
    level: float = LEVEL
    crossed: int | None = None


def contrast(
    values: ArrayLike,
    cells: Iterable[Any] | CodedColumn,
    clusters: Iterable[Any] | CodedColumn,
    weights: ArrayLike,
    bounds: tuple[float, float] | None = None,
    crossed: CodedColumn | None = None,
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
    :func:`two_way`.

    Source:
        Bell and McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage
        samples" (2002); Pustejovsky and Tipton, "Small-sample methods for cluster-robust variance
        estimation and hypothesis testing in fixed effects models" (2018).
    """
    numbers, cell, cluster = np.asarray(values, np.float64), CodedColumn.of(cells), CodedColumn.of(clusters)
    weight = np.asarray(weights, np.float64)
    if not numbers.shape == cell.codes.shape == cluster.codes.shape or weight.shape != (len(cell.levels),):
        raise AnswerTableError(
            f"contrast: found {numbers.shape} values, {cell.codes.shape} cells of {len(cell.levels)} levels, "
            f"{cluster.codes.shape} clusters and {weight.shape} weights, expected one of each per row and a "
            "weight per level"
        )
    used = weight != 0
    weight, kept = weight[used], used[cell.codes]
    numbers, cell, cluster = numbers[kept], cell.select(kept), cluster.select(kept)

    def tables(drawn: CodedColumn) -> tuple[Floats, Floats]:
        counts, sums = _table(drawn, cell)[:, used], _table(drawn, cell, numbers)[:, used]
        inside = counts.any(axis=1)
        return counts[inside], sums[inside]

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
        second = crossed.select(kept)
        pairs, codes = crossing([cluster, second])
        joint = CodedColumn(codes, tuple(range(len(pairs))))
        one, other, both = (error, df, groups), over(*tables(second)), over(*tables(joint))
        others = other[2]
        error, df = two_way(one, other, both)
    half = p_value = math.nan
    if error > 0:
        half, p_value, _ = t_test(estimate, error, df)
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


def two_way(one: Variation, other: Variation, both: Variation) -> tuple[float, float]:
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


def holm(p_values: Sequence[float], tests: int = 0) -> list[float]:
    """Adjust p-values of several tests so that any of them errs with at most the nominal probability.

    Where more tests were planned than there are p-values, those that are missing count as tests that failed.

    Source:
        Holm, "A simple sequentially rejective multiple test procedure" (1979).
    """
    order = sorted((p, index) for index, p in enumerate(p_values) if not math.isnan(p))
    adjusted, highest = [math.nan] * len(p_values), 0.0
    count = max(tests, len(order))
    for rank, (p, index) in enumerate(order):
        highest = max(highest, min(1.0, (count - rank) * p))
        adjusted[index] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values of several tests so that the share of false ones among the discoveries is controlled.

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
    if error <= _EQUAL * float(np.abs(weight).sum()):
        error = 0.0
    own, joint = (counts * share**2).sum(axis=1), counts * share / np.sqrt(totals)
    # trace and squares of diag(own) - joint @ joint.T, which need not be made: there may be many clusters
    gram = joint.T @ joint if joint.shape[1] < joint.shape[0] else joint @ joint.T
    shared = (joint**2).sum(axis=1)
    squares = float((own**2).sum() - 2 * (own * shared).sum() + (gram**2).sum())
    return error, float((own - shared).sum()) ** 2 / squares


def _table(rows: CodedColumn, columns: CodedColumn, values: Floats | None = None) -> Floats:
    """Number of rows, or sum of their values, by two factors."""
    shape = len(rows.levels), len(columns.levels)
    index = rows.codes * shape[1] + columns.codes
    return np.bincount(index, weights=values, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
