"""Multiplicity adjustment of p-values: Holm, Benjamini and Hochberg."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats
from polbias.eval.statistics import cell_mean_contrast


def holm_adjust(p_values: Sequence[float], tests: int = 0) -> list[float]:
    """Adjust p-values to control the probability of any false rejection (family-wise error rate).

    If more tests were planned than have p-values, the missing ones count as not rejected.

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


def benjamini_hochberg_adjust(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values to control the share of false rejections (false discovery rate).

    Source:
        Benjamini and Hochberg (1995), as in scipy.
    """
    values = np.array(p_values, np.float64)
    is_defined = ~np.isnan(values)
    if is_defined.any():
        from scipy.stats import false_discovery_control

        values[is_defined] = false_discovery_control(values[is_defined])
    return [float(value) for value in values]


def least_difference_p(
    values: ArrayLike,
    cells: Iterable[Any],
    clusters: Iterable[Any],
    groups: Sequence[Floats],
    crossed: Iterable[Any] | None = None,
) -> float:
    """Return the p of the test that a mean is the same in all groups of cells.

    All pairs of groups are compared, shared clusters within cluster; p is the least after Holm's correction,
    NaN without any.

    Args:
        values: one per row.
        cells: design cell of each row.
        clusters: cluster of each row.
        groups: weights of the cells in each group, in the order of :func:`cell_mean_contrast`; a group
            without weight is dropped.
        crossed: second, crossed clustering.
    """
    shares = [weights / weights.sum() for weights in groups if weights.any()]
    p_values = [
        cell_mean_contrast(values, cells, clusters, first - second, crossed=crossed).p_value
        for first, second in combinations(shares, 2)
    ]
    return min((p for p in holm_adjust(p_values) if not math.isnan(p)), default=math.nan)
