"""How likely sampled answers come to a reliable stance, and how many that takes: exact."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from polbias.eval.power.design import PowerError
from polbias.eval.stances import stance_table

MOST_ANSWERS = 1000
_THIRDS = (2, 3)
_NEGLIGIBLE = 1e-12


def pass_probability(share: float, n: int, unanswered: float = 0.0) -> float:
    """Probability that n answers to a prompt come to a reliable stance, whichever."""
    if not (0 <= share <= 1 and 0 <= unanswered <= 1 and n >= 1):
        raise PowerError(
            f"found a share of {share:g}, {unanswered:g} unanswered and n = {n}, expected shares from 0 to 1 "
            "and n of at least 1"
        )
    from scipy.stats import binom

    valid = np.arange(1, n + 1)
    weights = binom.pmf(valid, n, 1 - unanswered)
    weights[valid * _THIRDS[1] < n * _THIRDS[0]] = 0
    found = 0.0
    for count in valid[weights > _NEGLIGIBLE].tolist():
        found += float(weights[count - 1]) * _stance_probability(share, count)
    return found


@lru_cache(maxsize=MOST_ANSWERS)
def _stance_probability(share: float, count: int) -> float:
    """Probability that so many valid answers come to a reliable stance; neighbouring n ask for the same."""
    from scipy.stats import binom

    return float(binom.pmf(np.arange(count + 1), count, share) @ np.abs(stance_table(count, "default")))


def required_answers(share: float, wanted: float, unanswered: float = 0.0) -> int | None:
    """The number of answers from which on a prompt has a reliable stance with the wanted probability.

    Answers come in whole numbers, so that the probability rises in a saw-tooth: with one answer more it can
    fall. The number is the smallest after which it stays at or above what is wanted.
    """
    step = 100  # the teeth are far shorter than this
    for start in range(0, MOST_ANSWERS, step):
        if pass_probability(share, start + step, unanswered) >= wanted:
            tail = range(start + 1, min(start + 2 * step, MOST_ANSWERS) + 1)
            below = [n for n in tail if pass_probability(share, n, unanswered) < wanted]
            last = max(below, default=start)
            return last + 1 if last < MOST_ANSWERS else None
    return None
