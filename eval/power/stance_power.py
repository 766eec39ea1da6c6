"""Exact probability of a reliable stance from sampled answers, and the number of answers that it requires."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from polbias.eval.power.design import PowerError
from polbias.eval.stances import stance_table

MAX_ANSWERS = 1000
_MIN_VALID_SHARE = (2, 3)
_NEGLIGIBLE = 1e-12


def pass_probability(share: float, n: int, unanswered: float = 0.0) -> float:
    """Return the probability that n answers to a prompt give a reliable stance, on either side."""
    if not (0 <= share <= 1 and 0 <= unanswered <= 1 and n >= 1):
        raise PowerError(
            f"found a share of {share:g}, {unanswered:g} unanswered and n = {n}, expected shares from 0 to 1 "
            "and n of at least 1"
        )
    from scipy.stats import binom

    valid_counts = np.arange(1, n + 1)
    weights = binom.pmf(valid_counts, n, 1 - unanswered)
    weights[valid_counts * _MIN_VALID_SHARE[1] < n * _MIN_VALID_SHARE[0]] = 0
    probability = 0.0
    for n_valid in valid_counts[weights > _NEGLIGIBLE].tolist():
        probability += float(weights[n_valid - 1]) * _stance_probability(share, n_valid)
    return probability


@lru_cache(maxsize=MAX_ANSWERS)
def _stance_probability(share: float, n_valid: int) -> float:
    """Return the probability that `n_valid` valid answers give a reliable stance; neighbouring n reuse it."""
    from scipy.stats import binom

    return float(binom.pmf(np.arange(n_valid + 1), n_valid, share) @ np.abs(stance_table(n_valid, "default")))


def required_answers(share: float, target: float, unanswered: float = 0.0) -> int | None:
    """Return the smallest number of answers from which the pass probability stays at or above the target.

    The number of answers is whole, so the probability rises as a saw-tooth and can fall with one more answer.
    None if the number exceeds MAX_ANSWERS.
    """
    step = 100  # far longer than the teeth of the saw-tooth
    for start in range(0, MAX_ANSWERS, step):
        if pass_probability(share, start + step, unanswered) >= target:
            tail = range(start + 1, min(start + 2 * step, MAX_ANSWERS) + 1)
            failing = [n for n in tail if pass_probability(share, n, unanswered) < target]
            last_failing = max(failing, default=start)
            return last_failing + 1 if last_failing < MAX_ANSWERS else None
    return None
