"""Multiplicity adjustment of p-values: Holm, Benjamini and Hochberg."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


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
