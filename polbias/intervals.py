"""The interval of a share, for cards and for figures."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats


def wilson_interval(correct: ArrayLike, n: ArrayLike) -> tuple[Floats, Floats]:
    """Wilson's score interval of a share, of 95%.

    Source:
        Wilson, "Probable Inference, the Law of Succession, and Statistical Inference" (1927).
    """
    trials = np.where(np.asarray(n) > 0, n, np.nan)
    share = np.asarray(correct) / trials
    z = NormalDist().inv_cdf(0.975)
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
