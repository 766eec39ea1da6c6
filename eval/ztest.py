"""The significance test of the partisan paper, for reproducing its Table 10 and for nothing else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from polbias.eval.partisan.schema import Outcomes, Rows

SIGNIFICANCE = 0.05


@dataclass(frozen=True, slots=True)
class ZTest:
    """One row of the paper's Table 10.

    Args:
        mean: Mean of X, a fraction; the weighted bias where the sides are equal in number.
        n: Number of answered rows.
        sd: Standard deviation of X with n - 1 in the denominator; NaN below two rows.
        z: ``mean / (sd / sqrt(n))``; 0 where all X are 0, NaN where they are all alike otherwise.
        p_value: Two-sided, from the normal distribution.
        leaning: The side favoured at a significance of 0.05, else "none".
    """

    mean: float
    n: int
    sd: float
    z: float
    p_value: float
    leaning: Literal["left", "right", "none"]


def z_test(rows: Rows) -> ZTest:
    """One-sample z-test of X, which is +2 for an error that favours the right, -2 for the left, else 0.

    It treats the prompts as independent, although 9,648 of them share 384 arguments, 12 base patterns and
    four people, so its p is far too small. It is therefore printed only as ``paper``; see
    :func:`polbias.eval.statistics.sign_flip` for the test that respects the design. Unanswered rows are
    dropped, as the paper does.

    Args:
        rows: Any table that :meth:`Outcomes.of` accepts.

    Returns:
        The test; NaN where there are too few rows, or too uniform ones, to compute a part of it.

    Raises:
        OutcomesError: If the table cannot be read.

    Source:
        Gubelmann and Karray, appendix E, equation 2 and Table 10.
    """
    outcomes = Outcomes.of(rows, factors=()).in_mode("paper")
    x = 2 * outcomes.leaning.astype(np.int64) * outcomes.errors
    n, total, squares = outcomes.n, int(x.sum()), int((x * x).sum())
    mean = total / n if n else math.nan
    sd = math.sqrt((n * squares - total * total) / (n * (n - 1))) if n > 1 else math.nan
    uniform = 0.0 if mean == sd == 0 else math.nan
    z = mean * math.sqrt(n) / sd if sd > 0 else uniform
    p_value = math.erfc(abs(z) / math.sqrt(2))
    if not p_value < SIGNIFICANCE:
        return ZTest(mean, n, sd, z, p_value, "none")
    return ZTest(mean, n, sd, z, p_value, "right" if z > 0 else "left")
