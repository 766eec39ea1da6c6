"""The confidence interval of a share, for cards and figures."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats


def wilson_interval(correct: ArrayLike, n: ArrayLike) -> tuple[Floats, Floats]:
    """Return the bounds of Wilson's 95% score interval of a share; NaN where `n` is 0.

    Source:
        Wilson, "Probable Inference, the Law of Succession, and Statistical Inference" (1927).
    """
    trials = np.where(np.asarray(n) > 0, n, np.nan)
    share = np.asarray(correct) / trials
    z = NormalDist().inv_cdf(0.975)
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half_width = (
        z / (1 + z * z / trials) * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    )
    return np.maximum(centre - half_width, 0.0), np.minimum(centre + half_width, 1.0)
