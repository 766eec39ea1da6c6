"""Variance components, nested and crossed, and effects on the latent scale."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats, Indices
from polbias.eval.answer_frames import AnswerTableError, codes_of

# Variance components of answers within items within clusters, from a run.


@dataclass(frozen=True)
class VarianceComponents:
    """How values vary, and how many there are.

    Args:
        variance: Sum of the three components, in the square of the unit of the values.
        icc: Share of the variance between clusters.
        within_item_icc: Share of the rest that lies between items; 1 if no item has two answers, so that more
            answers are not taken to help, 0 if every cluster has one item.
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
    """Estimate the components by the analysis of variance.

    A negative one is 0, so that with few clusters their sum is somewhat too large rather than too small.

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
        raise AnswerTableError("all answers come to the same: how they vary cannot be estimated")
    item_mean = np.bincount(inner, numbers) / per_item
    cluster_mean = np.bincount(outer, numbers) / per_cluster
    within = _mean_square((numbers - item_mean[inner]) ** 2, n - count)
    among = _mean_square(per_item * (item_mean - cluster_mean[owner]) ** 2, count - groups)
    between = _mean_square(per_cluster * (cluster_mean - numbers.mean()) ** 2, groups - lost)
    squares = float((per_item**2 / per_cluster[owner]).sum())
    of_items = max((among - within) * (count - groups) / (n - squares), 0.0) if count > groups else 0.0
    in_between = (squares - float((per_item**2).sum()) / n) / (groups - 1)
    size = (n - float((per_cluster**2).sum()) / n) / (groups - 1)
    if n == count:  # no second answers: what lies within items cannot be told from what lies between them
        of_items, within, in_between = among, 0.0, 1.0
    of_clusters = max((between - within - in_between * of_items) / size, 0.0)
    total = of_clusters + of_items + within
    rest = of_items + within
    return VarianceComponents(
        total, of_clusters / total, of_items / rest if rest else 0.0, groups, count / groups, n / count
    )


def crossed_components(values: ArrayLike, factors: Mapping[str, Iterable[Any]]) -> dict[str, float]:
    """Variances of the levels of crossed factors and of the ``rest``; a negative one is 0.

    Factors that part the values alike cannot be told apart, and share theirs.

    Source:
        Unbalanced data, method I of Henderson, "Estimation of variance and covariance components" (1953).
    """
    numbers = np.asarray(values, np.float64)
    numbers = numbers - numbers.mean()
    codes = [_compact_codes(factor) for factor in factors.values()]
    sizes = [np.bincount(each) for each in codes]
    n, squares, expected = numbers.size, [float(numbers @ numbers)], []
    # Row by row: reductions for each factor and for the whole; column by column: what each variance adds.
    for own, size in zip(codes, sizes, strict=True):
        squares.append(float((np.bincount(own, numbers) ** 2 / size).sum()))
        shared = []
        for other, there in zip(codes, sizes, strict=True):
            _, first, both = np.unique(own * there.size + other, return_index=True, return_counts=True)
            shared.append(float((both**2 / size[own[first]]).sum() - (there**2).sum() / n))
        expected.append([*shared, size.size - 1.0])
    expected.insert(0, [*(n - float((size**2).sum()) / n for size in sizes), n - 1.0])
    found = np.linalg.lstsq(np.array(expected), np.array(squares), rcond=None)[0]
    return {name: max(float(each), 0.0) for name, each in zip((*factors, "rest"), found, strict=True)}


def _compact_codes(column: Iterable[Any]) -> Indices:
    """The code of each row among the levels that rows have."""
    codes: Indices = np.unique(codes_of(column), return_inverse=True)[1]
    return codes


def _mean_square(squares: Floats, df: int) -> float:
    return float(squares.sum()) / df if df > 0 else 0.0


# The latent scale. Points depend on difficulty: where nearly everything is judged rightly a shift of the
# criterion moves few verdicts. On the probit scale the same shift is the same number, whatever the items.


def probit_difference(
    yes: ArrayLike, shares: ArrayLike, clusters: Iterable[Any], strata: ArrayLike | None = None
) -> tuple[float, float, float]:
    """The probit of the share of yes on the one side less that on the other, and its 95% interval.

    Sides are told apart by the sign of the shares that answers have in the difference.

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
    """A sum of probits of the share of yes, each cell with its coefficient, and its 95% interval.

    Strata, such as the gold label, are compared each within itself and weigh as their answers do; one that
    lacks a cell is left out. Half an answer of either kind is added to each cell. The interval is t with
    G - 1 degrees of freedom, by the jackknife over clusters.

    Args:
        yes: 1 for yes, 0 for no, or the share of yes, of each answer.
        weights: of each answer in its cell; 0 leaves it out.
        cells: of each answer, from 0.
        coefficients: of each cell.
        clusters: of the answers.
        strata: of the answers, by any code.

    Source:
        Half an answer: Hautus, "Corrections for extreme proportions and their biasing effects on estimated
        values of d'" (1995).
    """
    from scipy.special import stdtrit

    hit, weight = np.asarray(yes, np.float64), np.asarray(weights, np.float64)
    place, shape = _places(cells, coefficients, strata)
    cluster, size = _compact_codes(clusters), math.prod(shape)
    groups = int(cluster.max(initial=-1)) + 1
    if groups < 2:
        return math.nan, math.nan, math.nan

    def left(values: Floats) -> Floats:
        """Sums by cell of all answers, then of all but those of each cluster."""
        own = np.bincount(cluster * size + place, values, groups * size).reshape(groups, *shape)
        whole = own.sum(axis=0)
        return np.concatenate([whole[None], whole - own])

    sums = left(weight), left(weight * hit), left((weight > 0).astype(np.float64))
    contrasts = _probits(*sums, coefficients)[0]
    value, others = float(contrasts[0]), contrasts[1:]
    half = float(stdtrit(groups - 1, 0.975)) * math.sqrt((groups - 1) * float(np.var(others)))
    return value, value - half, value + half


def latent_contributions(yes: ArrayLike, shares: ArrayLike, strata: ArrayLike | None = None) -> Floats:
    """Return what each answer adds to :func:`probit_difference`, shape ``(n,)``; the sum is the shift."""
    share = np.asarray(shares, np.float64)
    return latent_contrast_contributions(yes, np.abs(share), share > 0, _SIDES, strata)


def latent_contrast_contributions(
    yes: ArrayLike,
    weights: ArrayLike,
    cells: ArrayLike,
    coefficients: Sequence[float],
    strata: ArrayLike | None = None,
) -> Floats:
    """Return what each answer adds to :func:`latent_contrast`, shape ``(n,)``; the sum is the contrast.

    An answer has its share of the contrast and its linearised influence on it; without a weight it adds 0.
    """
    hit, weight = np.nan_to_num(np.asarray(yes, np.float64)), np.asarray(weights, np.float64)
    place, shape = _places(cells, coefficients, strata)
    total, hits, count = (
        np.bincount(place, values, math.prod(shape)).reshape(shape).astype(np.float64)
        for values in (weight, weight * hit, (weight > 0).astype(np.float64))
    )
    value, mean, z, part = _probits(total, hits, count, coefficients)
    with np.errstate(invalid="ignore", divide="ignore"):
        density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        slope = part[..., None] * np.asarray(coefficients) / (density * total) * count / (count + 1)
        influence = np.nan_to_num(slope).reshape(-1)[place] * (hit - np.nan_to_num(mean).reshape(-1)[place])
        contributions: Floats = weight * (influence + value / weight.sum())
    return contributions


_SIDES = (-1.0, 1.0)
"""Coefficients of the left and the right."""


def _places(
    cells: ArrayLike, coefficients: Sequence[float], strata: ArrayLike | None
) -> tuple[Indices, tuple[int, int]]:
    """Stratum and cell of each answer as one code, and the numbers of both."""
    cell = np.asarray(cells, np.intp)
    stratum = np.zeros(cell.size, np.intp) if strata is None else np.asarray(strata, np.intp)
    stratum = np.unique(stratum, return_inverse=True)[1].reshape(-1)
    size = len(coefficients)
    return size * stratum + cell, (int(stratum.max(initial=0)) + 1, size)


def _probits(
    total: Floats, hits: Floats, count: Floats, coefficients: Sequence[float]
) -> tuple[Floats, Floats, Floats, Floats]:
    """The contrast; means and probits of the cells; and the part of each stratum, of shape ``(..., strata)``.

    Sums of weights, of weighted yes and of answers have the shape ``(..., strata, cells)``.
    """
    from scipy.special import ndtri

    with np.errstate(invalid="ignore", divide="ignore"):
        mean = hits / total
        z = ndtri((count * mean + 0.5) / (count + 1))
        apart = (z * np.asarray(coefficients)).sum(axis=-1)
        present = np.isfinite(apart) & (count > 0.5).all(axis=-1)
        heavy = np.where(present, total.sum(axis=-1), 0.0)
        part = heavy / heavy.sum(axis=-1, keepdims=True)
    return np.where(present, apart * part, 0.0 * part).sum(axis=-1), mean, z, part


# Near the ceiling hardly a cluster has an error, so that the jackknife sees no variation. What is left are
# the few pairs of which one side alone is judged wrongly: they are shared out by a binomial distribution.

_LARGEST = 40.0
REFERENCE = 0.75
"""Accuracy at which a latent shift is told in points."""


def ability_accuracy(wrong: float, answers: float) -> float:
    """Accuracy as an ability needs it: half a wrong answer is added, so that it is below 1."""
    return 1 - (wrong + 0.5) / (answers + 1)


def discordance_interval(toward_right: float, toward_left: float, accuracy: float) -> tuple[float, float]:
    """95% interval of a latent shift by the discordant pairs alone, infinite where there are none.

    Args:
        toward_right: Pairs whose two rows are judged differently, in favour of the right.
        toward_left: The same in favour of the left.
        accuracy: Share of right verdicts, a fraction.

    Source:
        Clopper and Pearson (1934) for the share of either kind; the odds of a pair, from the probit model.
    """
    from scipy.special import betaincinv, ndtri

    pairs = toward_right + toward_left
    low = float(betaincinv(toward_right, toward_left + 1, 0.025)) if toward_right else 0.0
    high = float(betaincinv(toward_right + 1, toward_left, 0.975)) if toward_left else 1.0
    if not pairs or not 0 < accuracy < 1:
        return -math.inf, math.inf
    return _shift_at(low, float(ndtri(accuracy))), _shift_at(high, float(ndtri(accuracy)))


def _shift_at(share: float, ability: float) -> float:
    """Latent shift at which this share of the discordant pairs favours the right."""
    from scipy.optimize import brentq
    from scipy.special import log_ndtr, logit

    def odds(shift: float) -> float:
        up, down = ability + shift / 2, ability - shift / 2
        return float(log_ndtr(up) - log_ndtr(-up) - log_ndtr(down) + log_ndtr(-down))

    if share in (0.0, 1.0):
        return math.inf if share else -math.inf
    wanted = float(logit(share))
    return float(brentq(lambda shift: odds(shift) - wanted, -_LARGEST, _LARGEST, xtol=1e-8))


def points_at(shift: float, accuracy: float = REFERENCE) -> float:
    """Points that a latent shift comes to on items of which this share is judged rightly."""
    from scipy.special import ndtr, ndtri

    ability = float(ndtri(accuracy))
    return 100 * float(ndtr(ability + shift / 2) - ndtr(ability - shift / 2))


def shift_of_points(points: float, accuracy: float) -> float:
    """Latent shift that comes to so many points at an accuracy; infinite where no shift does."""
    from scipy.optimize import brentq

    if points >= points_at(_LARGEST, accuracy):
        return math.inf
    return float(brentq(lambda shift: points_at(shift, accuracy) - points, 0.0, _LARGEST))
