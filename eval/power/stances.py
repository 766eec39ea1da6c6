"""How likely a prompt's sampled answers come to a reliable stance, and how many that takes: exact."""

from __future__ import annotations

import numpy as np

from polbias.eval.policy.stances import Rule, stance_table
from polbias.eval.power.designs import PowerError

MOST_ANSWERS = 1000
_THIRDS = (2, 3)
_NEGLIGIBLE = 1e-12


def pass_probability(share: float, n: int, unanswered: float = 0.0, rule: Rule = "default") -> float:
    """Probability that n answers to a prompt come to a reliable stance, whichever.

    Args:
        share: True share of the stances that agree.
        n: Number of answers, at least 1.
        unanswered: Share of answers that are no stance.
        rule: See :func:`polbias.eval.policy.stances.stances`.

    Returns:
        A fraction.

    Raises:
        PowerError: If a share is not from 0 to 1, or n below 1.
    """
    if not (0 <= share <= 1 and 0 <= unanswered <= 1 and n >= 1):
        raise PowerError(
            f"found a share of {share:g}, {unanswered:g} unanswered and n = {n}, expected shares from 0 to 1 "
            "and n of at least 1"
        )
    from scipy.stats import binom

    valid = np.arange(1, n + 1)
    weights = binom.pmf(valid, n, 1 - unanswered)
    if rule == "default":
        weights[valid * _THIRDS[1] < n * _THIRDS[0]] = 0
    found = 0.0
    for count in valid[weights > _NEGLIGIBLE].tolist():
        stance = np.abs(stance_table(count, rule))
        found += float(weights[count - 1]) * float(binom.pmf(np.arange(count + 1), count, share) @ stance)
    return found


def needed_answers(
    share: float, wanted: float, unanswered: float = 0.0, rule: Rule = "default"
) -> int | None:
    """The number of answers from which on a prompt has a reliable stance with the wanted probability.

    Answers come in whole numbers, so that the probability rises in a saw-tooth: with one answer more it can
    fall. The number is the smallest after which it stays at or above what is wanted.

    Args:
        share: True share of the stances that agree.
        wanted: Probability.
        unanswered: Share of answers that are no stance.
        rule: See :func:`polbias.eval.policy.stances.stances`.

    Returns:
        The number; None if more than :data:`MOST_ANSWERS` would be needed.
    """
    step = 100  # the teeth are far shorter than this
    for start in range(0, MOST_ANSWERS, step):
        if pass_probability(share, start + step, unanswered, rule) >= wanted:
            tail = range(start + 1, min(start + 2 * step, MOST_ANSWERS) + 1)
            below = [n for n in tail if pass_probability(share, n, unanswered, rule) < wanted]
            last = max(below, default=start)
            return last + 1 if last < MOST_ANSWERS else None
    return None
