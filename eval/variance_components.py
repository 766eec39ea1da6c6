"""Variance components, nested and crossed, and contrasts on the latent (probit) scale."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats, Indices
from polbias.eval.answer_frames import AnswerTableError, codes_of


@dataclass(frozen=True)
class VarianceComponents:
    """Variance components of answers within items within clusters, with sizes.

    Args:
        variance: Sum of the three components, in the squared unit of the values.
        icc: Share of the variance between clusters.
        within_item_icc: Share of the variance within clusters that is between items; 1 if no item has two
            answers, so that further answers are not credited, 0 if every cluster has one item.
        clusters: Number of clusters.
        items: Mean number of items per cluster.
        answers: Mean number of answers per item.
    """

    variance: float
    icc: float
    within_item_icc: float
    clusters: int
    items: float
    answers: float


def estimate_components(
    values: ArrayLike,
    clusters: Iterable[Any],
    items: Iterable[Any],
    lost: int = 1,
) -> VarianceComponents:
    """Estimate the components of a nested design by analysis of variance.

    Negative components are set to 0, so that with few clusters the sum tends to be too large, not too small.

    Source:
        Nested designs of unequal sizes: Searle, Casella and McCulloch, "Variance Components" (1992).
    """
    numbers = np.asarray(values, np.float64)
    outer, names = (_compact_codes(column) for column in (clusters, items))
    if not numbers.shape == outer.shape == names.shape:
        raise AnswerTableError(f"found {numbers.size} values, {outer.size} clusters and {names.size} items")
    first, inner = np.unique(outer * (names.max(initial=0) + 1) + names, return_inverse=True)
    owner = first // (names.max(initial=0) + 1)
    per_item, per_cluster = np.bincount(inner), np.bincount(outer)
    n, count, groups = numbers.size, per_item.size, per_cluster.size
    if groups <= lost:
        raise AnswerTableError(f"found {groups} clusters, expected more than {lost}")
    if np.ptp(numbers) == 0:
        raise AnswerTableError("values: found one value only, expected at least two for variance components")
    item_mean = np.bincount(inner, numbers) / per_item
    cluster_mean = np.bincount(outer, numbers) / per_cluster
    within_items = _mean_square((numbers - item_mean[inner]) ** 2, n - count)
    between_items = _mean_square(per_item * (item_mean - cluster_mean[owner]) ** 2, count - groups)
    between_clusters = _mean_square(per_cluster * (cluster_mean - numbers.mean()) ** 2, groups - lost)
    squares = float((per_item**2 / per_cluster[owner]).sum())
    item_variance = (
        max((between_items - within_items) * (count - groups) / (n - squares), 0.0) if count > groups else 0.0
    )
    in_between = (squares - float((per_item**2).sum()) / n) / (groups - 1)
    size = (n - float((per_cluster**2).sum()) / n) / (groups - 1)
    if n == count:  # one answer per item: variance within and between items cannot be separated
        item_variance, within_items, in_between = between_items, 0.0, 1.0
    cluster_variance = max((between_clusters - within_items - in_between * item_variance) / size, 0.0)
    total = cluster_variance + item_variance + within_items
    within_clusters = item_variance + within_items
    return VarianceComponents(
        total,
        cluster_variance / total,
        item_variance / within_clusters if within_clusters else 0.0,
        groups,
        count / groups,
        n / count,
    )


def crossed_components(values: ArrayLike, factors: Mapping[str, Iterable[Any]]) -> dict[str, float]:
    """Return the variance of each crossed factor and of the ``rest``; negative ones are set to 0.

    Factors that divide the values in the same way are not separable and share their variance.

    Source:
        Unbalanced data, method I of Henderson, "Estimation of variance and covariance components" (1953).
    """
    numbers = np.asarray(values, np.float64)
    numbers = numbers - numbers.mean()
    codes = [_compact_codes(factor) for factor in factors.values()]
    sizes = [np.bincount(factor_codes) for factor_codes in codes]
    n, squares, expected = numbers.size, [float(numbers @ numbers)], []
    # Rows: reduction of squares per factor and in total; columns: coefficient of each variance in it.
    for factor_codes, size in zip(codes, sizes, strict=True):
        squares.append(float((np.bincount(factor_codes, numbers) ** 2 / size).sum()))
        shared = []
        for other_codes, other_size in zip(codes, sizes, strict=True):
            _, first, joint_counts = np.unique(
                factor_codes * other_size.size + other_codes, return_index=True, return_counts=True
            )
            shared.append(
                float((joint_counts**2 / size[factor_codes[first]]).sum() - (other_size**2).sum() / n)
            )
        expected.append([*shared, size.size - 1.0])
    expected.insert(0, [*(n - float((size**2).sum()) / n for size in sizes), n - 1.0])
    components = np.linalg.lstsq(np.array(expected), np.array(squares), rcond=None)[0]
    return {
        name: max(float(component), 0.0)
        for name, component in zip((*factors, "rest"), components, strict=True)
    }


def _compact_codes(column: Iterable[Any]) -> Indices:
    """Return the code of each row among the levels that occur."""
    codes: Indices = np.unique(codes_of(column), return_inverse=True)[1]
    return codes


def _mean_square(squares: Floats, df: int) -> float:
    return float(squares.sum()) / df if df > 0 else 0.0


# Latent scale: a difference in points depends on difficulty, as a shift of the criterion moves few verdicts
# if nearly all are right. On the probit scale one shift has one value for all items.


def probit_difference(
    yes: ArrayLike, shares: ArrayLike, clusters: Iterable[Any], strata: ArrayLike | None = None
) -> tuple[float, float, float]:
    """Return the difference of the probits of the share of yes, right minus left, and its 95% interval.

    The sign of an answer's share in the difference is its side.

    Source:
        Macmillan and Creelman, "Detection Theory" (2005), chapter 2.
    """
    share = np.asarray(shares, np.float64)
    return latent_contrast(yes, np.abs(share), share > 0, _SIDES, clusters, strata)


def latent_contrast(
    yes: ArrayLike,
    weights: ArrayLike,
    cells: ArrayLike,
    coefficients: Sequence[float],
    clusters: Iterable[Any],
    strata: ArrayLike | None = None,
) -> tuple[float, float, float]:
    """Return a weighted sum of the probits of the share of yes per cell, and its 95% interval.

    The sum is computed within each stratum, such as a gold label; strata are weighted by their answers, and a
    stratum that lacks a cell is dropped. Half an answer of either kind is added to each cell. The interval is
    t with G - 1 degrees of freedom, by the jackknife over clusters.

    Args:
        yes: 1 for yes, 0 for no, or the share of yes, per answer.
        weights: weight of each answer in its cell; 0 drops it.
        cells: code of the cell of each answer, from 0.
        coefficients: coefficient of each cell.
        clusters: cluster of each answer.
        strata: code of the stratum of each answer.

    Source:
        Half an answer: Hautus, "Corrections for extreme proportions and their biasing effects on estimated
        values of d'" (1995).
    """
    from scipy.special import stdtrit

    hit, weight = np.asarray(yes, np.float64), np.asarray(weights, np.float64)
    stratum_cell, shape = _stratum_cells(cells, coefficients, strata)
    cluster, size = _compact_codes(clusters), math.prod(shape)
    groups = int(cluster.max(initial=-1)) + 1
    if groups < 2:
        return math.nan, math.nan, math.nan

    def sums_and_leave_one_out(values: Floats) -> Floats:
        """Sum by cell over all answers, then without each cluster."""
        by_cluster = np.bincount(cluster * size + stratum_cell, values, groups * size).reshape(groups, *shape)
        total = by_cluster.sum(axis=0)
        return np.concatenate([total[None], total - by_cluster])

    sums = (
        sums_and_leave_one_out(weight),
        sums_and_leave_one_out(weight * hit),
        sums_and_leave_one_out((weight > 0).astype(np.float64)),
    )
    contrasts = _probits(*sums, coefficients)[0]
    value, replicates = float(contrasts[0]), contrasts[1:]
    half_width = float(stdtrit(groups - 1, 0.975)) * math.sqrt((groups - 1) * float(np.var(replicates)))
    return value, value - half_width, value + half_width


def latent_contributions(yes: ArrayLike, shares: ArrayLike, strata: ArrayLike | None = None) -> Floats:
    """Return the contribution of each answer to :func:`probit_difference`, shape ``(n,)``; they sum to it."""
    share = np.asarray(shares, np.float64)
    return latent_contrast_contributions(yes, np.abs(share), share > 0, _SIDES, strata)


def latent_contrast_contributions(
    yes: ArrayLike,
    weights: ArrayLike,
    cells: ArrayLike,
    coefficients: Sequence[float],
    strata: ArrayLike | None = None,
) -> Floats:
    """Return the contribution of each answer to :func:`latent_contrast`, shape ``(n,)``; they sum to it.

    A contribution is the answer's share of the contrast plus its linearised influence; 0 without a weight.
    """
    hit, weight = np.nan_to_num(np.asarray(yes, np.float64)), np.asarray(weights, np.float64)
    stratum_cell, shape = _stratum_cells(cells, coefficients, strata)
    total, hits, count = (
        np.bincount(stratum_cell, values, math.prod(shape)).reshape(shape).astype(np.float64)
        for values in (weight, weight * hit, (weight > 0).astype(np.float64))
    )
    value, mean, z, part = _probits(total, hits, count, coefficients)
    with np.errstate(invalid="ignore", divide="ignore"):
        density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        slope = part[..., None] * np.asarray(coefficients) / (density * total) * count / (count + 1)
        influence = np.nan_to_num(slope).reshape(-1)[stratum_cell] * (
            hit - np.nan_to_num(mean).reshape(-1)[stratum_cell]
        )
        contributions: Floats = weight * (influence + value / weight.sum())
    return contributions


_SIDES = (-1.0, 1.0)
"""Coefficients of left and right."""


def _stratum_cells(
    cells: ArrayLike, coefficients: Sequence[float], strata: ArrayLike | None
) -> tuple[Indices, tuple[int, int]]:
    """Return one code for stratum and cell of each answer, and the numbers of strata and cells."""
    cell = np.asarray(cells, np.intp)
    stratum = np.zeros(cell.size, np.intp) if strata is None else np.asarray(strata, np.intp)
    stratum = np.unique(stratum, return_inverse=True)[1].reshape(-1)
    size = len(coefficients)
    return size * stratum + cell, (int(stratum.max(initial=0)) + 1, size)


def _probits(
    total: Floats, hits: Floats, count: Floats, coefficients: Sequence[float]
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the contrast, means and probits of the cells, and the weight of each stratum.

    Args:
        total: sums of weights, shape ``(..., strata, cells)``.
        hits: sums of weighted yes, the same shape.
        count: numbers of answers, the same shape.
        coefficients: coefficient of each cell.
    """
    from scipy.special import ndtri

    with np.errstate(invalid="ignore", divide="ignore"):
        mean = hits / total
        z = ndtri((count * mean + 0.5) / (count + 1))
        stratum_contrast = (z * np.asarray(coefficients)).sum(axis=-1)
        present = np.isfinite(stratum_contrast) & (count > 0.5).all(axis=-1)
        heavy = np.where(present, total.sum(axis=-1), 0.0)
        part = heavy / heavy.sum(axis=-1, keepdims=True)
    return np.where(present, stratum_contrast * part, 0.0 * part).sum(axis=-1), mean, z, part


# Near the ceiling hardly any cluster has an error, so that the jackknife has no variation to use. The
# interval then uses the few discordant pairs, whose direction is binomial.

_LARGEST = 40.0
REFERENCE = 0.75
"""Accuracy at which a latent shift is converted to points."""


def ability_accuracy(wrong: float, answers: float) -> float:
    """Return the accuracy with half a wrong answer added, so that its probit is finite."""
    return 1 - (wrong + 0.5) / (answers + 1)


def discordance_interval(toward_right: float, toward_left: float, accuracy: float) -> tuple[float, float]:
    """Return the 95% interval of a latent shift from the discordant pairs; infinite without any.

    Args:
        toward_right: Discordant pairs in favour of the right.
        toward_left: Discordant pairs in favour of the left.
        accuracy: Share of right verdicts, a fraction.

    Source:
        Interval of the share: Clopper and Pearson (1934); odds of a pair: the probit model.
    """
    from scipy.special import betaincinv, ndtri

    pairs = toward_right + toward_left
    low = float(betaincinv(toward_right, toward_left + 1, 0.025)) if toward_right else 0.0
    high = float(betaincinv(toward_right + 1, toward_left, 0.975)) if toward_left else 1.0
    if not pairs or not 0 < accuracy < 1:
        return -math.inf, math.inf
    return _shift_at(low, float(ndtri(accuracy))), _shift_at(high, float(ndtri(accuracy)))


@dataclass(frozen=True)
class DiscordantOdds:
    """Log odds that a discordant pair favours the right, with their interval.

    Args:
        value: Log odds, half a pair added on either side.
        low: Lower end of the 95% interval; minus infinity without a bound.
        high: Upper end.
        influence: Contribution of each pair to the value, with sum 0, shape ``(n,)``.
    """

    value: float
    low: float
    high: float
    influence: Floats


def discordant_odds(signs: ArrayLike, clusters: Iterable[Any]) -> DiscordantOdds:
    """Return the log odds of the discordant pairs: the conditional estimate of a Rasch model.

    If the log odds of the verdicts on the two rows of a pair differ by a side effect, and by nothing else, a
    pair in which only one side was favoured favours the right with odds exp(effect), whatever the ability of
    the model and the difficulty of the pair. The interval is the wider of the linearised t interval over
    clusters, with G - 1 degrees of freedom, and the binomial interval of the share of the right.

    Args:
        signs: per pair: 1 if it favours the right, -1 for the left, 0 if it is concordant.
        clusters: cluster of each pair.

    Source:
        Conditional estimate: Andersen, "Asymptotic properties of conditional maximum-likelihood estimators"
        (1970); interval of the share: Clopper and Pearson (1934).
    """
    from scipy.special import betaincinv, logit, stdtrit

    sign, cluster = np.asarray(signs, np.float64), _compact_codes(clusters)
    n_right, n_left = int((sign > 0).sum()), int((sign < 0).sum())
    value = math.log((n_right + 0.5) / (n_left + 0.5))
    influence = (sign > 0) / (n_right + 0.5) - (sign < 0) / (n_left + 0.5)
    influence = influence - influence.mean() if sign.size else influence
    groups = int(cluster.max(initial=-1)) + 1
    if groups < 2 or not n_right + n_left:
        return DiscordantOdds(value, -math.inf, math.inf, influence)
    sums = np.bincount(cluster, influence)
    half_width = float(stdtrit(groups - 1, 0.975)) * math.sqrt(groups / (groups - 1) * float(sums @ sums))
    low = float(logit(betaincinv(n_right, n_left + 1, 0.025))) if n_right else -math.inf
    high = float(logit(betaincinv(n_right + 1, n_left, 0.975))) if n_left else math.inf
    return DiscordantOdds(value, min(low, value - half_width), max(high, value + half_width), influence)


def shift_of_odds(log_odds: float, accuracy: float = REFERENCE) -> float:
    """Convert the log odds of the discordant pairs to the latent shift that gives them at this accuracy."""
    from scipy.special import expit, ndtri

    return _shift_at(float(expit(log_odds)), float(ndtri(accuracy)))


def _shift_at(share: float, ability: float) -> float:
    """Return the latent shift at which this share of the discordant pairs favours the right."""
    from scipy.optimize import brentq
    from scipy.special import log_ndtr, logit

    def odds(shift: float) -> float:
        up, down = ability + shift / 2, ability - shift / 2
        return float(log_ndtr(up) - log_ndtr(-up) - log_ndtr(down) + log_ndtr(-down))

    if share in (0.0, 1.0):
        return math.inf if share else -math.inf
    target = float(logit(share))
    return float(brentq(lambda shift: odds(shift) - target, -_LARGEST, _LARGEST, xtol=1e-8))


def points_at(shift: float, accuracy: float = REFERENCE) -> float:
    """Convert a latent shift to points on items of this accuracy."""
    from scipy.special import ndtr, ndtri

    ability = float(ndtri(accuracy))
    return 100 * float(ndtr(ability + shift / 2) - ndtr(ability - shift / 2))


def shift_of_points(points: float, accuracy: float) -> float:
    """Convert points at an accuracy to a latent shift; infinite if no shift reaches them."""
    from scipy.optimize import brentq

    if points >= points_at(_LARGEST, accuracy):
        return math.inf
    return float(brentq(lambda shift: points_at(shift, accuracy) - points, 0.0, _LARGEST))
