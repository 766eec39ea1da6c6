"""Variance components of answers within items within clusters, from a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats
from polbias.eval.columns import Factor
from polbias.eval.power.designs import PowerError


@dataclass(frozen=True, slots=True)
class Components:
    """How values vary, and how many there are.

    Args:
        variance: Sum of the three components, in the square of the unit of the values.
        icc: Share of the variance between clusters.
        repeat: Share of the rest that lies between items; 1 if no item has two answers, so that more answers
            are not taken to help, 0 if every cluster has one item.
        clusters: Number of clusters.
        items: Mean number of items per cluster.
        answers: Mean number of answers per item.
    """

    variance: float
    icc: float
    repeat: float
    clusters: int
    items: float
    answers: float


def components(
    values: ArrayLike, clusters: Iterable[Any] | Factor, items: Iterable[Any] | Factor, lost: int = 1
) -> Components:
    """Estimate the components by the analysis of variance.

    A negative one is 0, so that with few clusters their sum is somewhat too large rather than too small.

    Args:
        values: One value per answer, shape ``(n,)``; less the means of what is fixed in the design.
        clusters: The cluster of each.
        items: The item of each; names count within a cluster.
        lost: Number of means that were taken out over clusters.

    Returns:
        The components.

    Raises:
        PowerError: If there are not more clusters than means, or values do not vary.

    Source:
        Nested designs of unequal sizes: Searle, Casella and McCulloch, "Variance Components" (1992).
    """
    numbers = np.asarray(values, np.float64)
    outer = np.unique(Factor.of(clusters).codes, return_inverse=True)[1]
    names = np.unique(Factor.of(items).codes, return_inverse=True)[1]
    if not numbers.shape == outer.shape == names.shape:
        raise PowerError(f"found {numbers.size} values, {outer.size} clusters and {names.size} items")
    first, inner = np.unique(outer * (names.max(initial=0) + 1) + names, return_inverse=True)
    owner = first // (names.max(initial=0) + 1)
    per_item, per_cluster = np.bincount(inner), np.bincount(outer)
    n, count, groups = numbers.size, per_item.size, per_cluster.size
    if groups <= lost:
        raise PowerError(f"found {groups} clusters, expected more than {lost}")
    if np.ptp(numbers) == 0:
        raise PowerError("all answers come to the same: how they vary cannot be estimated")
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
    return Components(
        total, of_clusters / total, of_items / rest if rest else 0.0, groups, count / groups, n / count
    )


def _mean_square(squares: Floats, df: int) -> float:
    return float(squares.sum()) / df if df > 0 else 0.0
