"""Which answers to ask for next: a statement is asked no more than its tests can still turn on.

Answers are read in the order of their numbers, whatever order they arrive in, so that a decision is that of
all planned answers by construction: it is made when no answers that may follow could change it. Where an
error is allowed it is made when, by a Dirichlet prior, one outcome is so much likelier than the others.

Source:
    For curtailed sampling Wald, "Sequential Analysis" (1947).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polbias.aliases import Booleans, Codes, Floats, Indices
from polbias.errors import InputError
from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.stances import majority_stances, reliable_stances

BATCHES = (8, 8, 7, 7)
"""Answers to a prompt in each request, where a server gives several."""
MAX_SAMPLES = 100
"""With more planned answers nothing is stopped: the tables would be too large."""
OPPOSITE_VARIANTS = np.array([1, 1, 1, 1, -1, -1, 1])
"""The signs of the prompts that are tested: the variants with labels as printed, the original inverted."""

_PRIOR = 0.3, 0.3, 0.6 * 0.02 / 0.98
"""Dirichlet prior of agreement, disagreement and neither: most prompts are answered alike, 2% not at all."""
_LEAST = 5
"""Answers that are asked for at least before an outcome is taken for granted."""
# How often each prompt fits where the statement is answered at all: what fails most is asked first.
_FITS, _WEIGHT = np.array([0.9, 0.85, 0.85, 0.85, 0.6, 0.7, 0.85]), 2.0
_NONE, _AGREE, _DISAGREE = 1, 2, 4
_STANCES, _SIDE, _SHIFT = 7, 7 << 3, 3


@dataclass(frozen=True, eq=False)
class OutcomeProjection:
    """What the answers to a prompt may still come to, by the numbers that agree, disagree and do neither.

    Args:
        possible: bits of the stances (none 1, agreement 2, disagreement 4); three places on, of the sides.
        likeliest: the likeliest stance and side, shape ``(..., 2)``.
        leap: so many more answers, at least, are needed to rule out a stance, and a side, of the same shape.
    """

    possible_outcomes: NDArray[np.uint8]
    mode: Codes
    leap: NDArray[np.uint8]


@cache
def project_outcomes(n: int, error: float = 0.0) -> OutcomeProjection:
    """The outcomes of n answers that are left, but those of less than some probability altogether."""
    if n > MAX_SAMPLES:
        raise AnswerTableError(
            f"answers to a prompt: found {n}, expected at most {MAX_SAMPLES} where some are not asked"
        )
    agree, disagree, neither = np.indices((n + 2,) * 3)
    asked = agree + disagree + neither
    at_end = asked == n
    ends = agree[at_end], (agree + disagree)[at_end], np.full(int(at_end.sum()), n)
    final = [each(*ends) for each in (reliable_stances, majority_stances)]
    possible = np.zeros(asked.shape, np.uint8)
    possible[at_end] = _bits(final[0]) | _bits(final[1]) << _SHIFT
    chances = np.zeros((*asked.shape, 2, 3))
    chances[at_end] = np.stack([np.eye(3)[each] for each in final], axis=1)
    for m in reversed(range(n)):
        here = np.nonzero(asked == m)
        following = _following(here)
        weights = [(seen + prior) / (m + sum(_PRIOR)) for seen, prior in zip(here, _PRIOR, strict=True)]
        possible[here] = np.bitwise_or.reduce([possible[each] for each in following])
        chances[here] = sum(
            weight[:, None, None] * chances[each] for weight, each in zip(weights, following, strict=True)
        )
    best = chances.argmax(axis=-1)
    sure = (chances.max(axis=-1) >= 1 - error) & ((asked >= _LEAST) & (asked <= n))[..., None] & (error > 0)
    for kind, mask in enumerate((_STANCES, _SIDE)):
        only = (1 << best[..., kind] << _SHIFT * kind).astype(np.uint8)
        possible = np.where(sure[..., kind], possible & ~np.uint8(mask) | only, possible)
    leap = np.zeros((*asked.shape, 2), np.uint8)
    for m in reversed(range(n)):
        here = np.nonzero(asked == m)
        for kind, mask in enumerate((_STANCES, _SIDE)):
            own, further = possible[here] & mask, leap[..., kind]
            following = _following(here)
            steps = [np.where(possible[each] & mask != own, 1, 1 + further[each]) for each in following]
            further[here] = np.minimum.reduce(steps)
    return OutcomeProjection(possible, np.where(best == 2, -1, best).astype(np.int8), leap)


def allowed_error(rule: Any) -> float | None:
    """Return the probability of another outcome that stopping allows, 0 if none; None if it is off."""
    if rule in ("none", "exact"):
        return 0.0 if rule == "exact" else None
    try:
        error = float(rule)
    except (TypeError, ValueError):
        error = math.nan
    if not 0 < error < 0.5:
        raise InputError(
            f"--stopping-rule: found {rule!r}, expected exact, none or a probability, such as .005"
        )
    return error


def _following(state: Sequence[Indices]) -> list[tuple[Indices, ...]]:
    return [tuple(each + (place == kind) for place, each in enumerate(state)) for kind in range(3)]


def _bits(codes: Codes) -> NDArray[np.uint8]:
    return np.array([_NONE, _AGREE, _DISAGREE], np.uint8)[codes]


def can_pass_tests(possible: NDArray[Any], contrary: Booleans) -> Booleans:
    """Say whether all tests can still be passed with agreement, and with disagreement, shape ``(units, 2)``.

    Args:
        possible: bits of an outlook, for the seven prompts of each unit.
        contrary: True where the opposite may be rejected together with the original.
    """
    found = []
    for own, other in ((_AGREE, _DISAGREE), (_DISAGREE, _AGREE)):
        wanted = np.array([own, own, own, own, other, other, own << _SHIFT], np.uint8)
        fits = np.broadcast_to(wanted, possible.shape).copy()
        if own == _DISAGREE:
            fits[contrary, 5] |= own
        found.append((possible & fits > 0).all(axis=1))
    return np.stack(found, axis=1)


def is_decided(possible: NDArray[Any]) -> Booleans:
    """Say for which of the seven prompts of each unit one outcome is left of those that its tests read."""
    read = possible & np.array([_STANCES] * 6 + [_SIDE], np.uint8)
    return np.asarray(read & (read - 1) == 0)


class StoppingPlan:
    """How many answers to each of the seven prompts of some units are wanted, given those so far.

    The first answer to every prompt always is. Then the prompt of a unit is asked on that is likeliest to
    fail its tests, until these can no longer be passed, or all its prompts are settled.

    Args:
        contrary: True where the opposite of a unit may be rejected together with the original.
        n: answers to a prompt at most.
        error: probability that is allowed of another outcome than that of n answers; 0 for none.
        several: whether a request gives several answers, see :data:`BATCHES`.
    """

    def __init__(self, contrary: Booleans, n: int, error: float = 0.0, several: bool = False) -> None:
        self._contrary, self._n, self._several = contrary, n, several
        self._outlook = project_outcomes(n, error)
        self.counts = np.zeros((contrary.size, len(OPPOSITE_VARIANTS), 3), np.intp)
        self.wanted = np.full(self.counts.shape[:2], min(BATCHES[0], n) if several else 1)

    @property
    def _possible(self) -> NDArray[np.uint8]:
        return self._outlook.possible_outcomes[tuple(np.moveaxis(self.counts, -1, 0))]

    def decided_stances(self) -> tuple[Booleans, Codes]:
        """Say which units are decided, and the stance with which they pass all tests, 0 if they do not."""
        possible = self._possible
        left = can_pass_tests(possible, self._contrary)
        whole = is_decided(possible).all(axis=1)
        stance = np.where(whole, left[:, 0].astype(np.int8) - left[:, 1], 0).astype(np.int8)
        return np.asarray(whole | ~left.any(axis=1)), stance

    def ask_on(self) -> bool:
        """Want more answers, now that all that were wanted are counted; False if there is no more to ask."""
        open_ = np.flatnonzero(~self.decided_stances()[0])
        if not open_.size:
            return False
        counts, possible = self.counts[open_], self._possible[open_]
        asked = counts.sum(axis=2)
        left = can_pass_tests(possible, self._contrary[open_])
        net = ((counts[..., 0] - counts[..., 1]) * OPPOSITE_VARIANTS).sum(axis=1)
        agrees = np.where(left.all(axis=1), net >= 0, left[:, 0])  # with what the tests may yet be passed
        lead = np.where(agrees, 1, -1)[:, None] * OPPOSITE_VARIANTS
        fits = np.where(lead > 0, counts[..., 0], counts[..., 1])
        hope: Floats = (fits + _WEIGHT * _FITS) / (asked + _WEIGHT) + 1e-3 * asked
        place = np.where(is_decided(possible), np.inf, hope).argmin(axis=1)
        self.wanted[open_, place] += self._step(open_, place)
        return True

    def _step(self, unit: Indices, place: Indices) -> Indices:
        counts = self.counts[unit, place]
        asked = counts.sum(axis=1)
        if not self._several:
            leap = self._outlook.leap[tuple(counts.T)]
            return np.asarray(np.where(place == len(OPPOSITE_VARIANTS) - 1, leap[:, 1], leap[:, 0]), np.intp)
        ends = np.minimum(np.cumsum((*BATCHES, self._n)), self._n)
        return np.asarray(ends[np.searchsorted(ends, asked, side="right")] - asked)
