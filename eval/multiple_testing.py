"""p-values of many tests: Holm, Benjamini and Hochberg."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def holm_adjust(p_values: Sequence[float], tests: int = 0) -> list[float]:
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


def benjamini_hochberg_adjust(p_values: Sequence[float]) -> list[float]:
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
