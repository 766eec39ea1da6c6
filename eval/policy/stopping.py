"""Stopping rule: request answers to a statement only while they can change the result of its tests.

Answers are read in the order of their numbers, whatever their order of arrival. Without an error a statement
is decided when no further answers could change its result, so that it equals the result of all planned
answers. With an error it is decided when, under a Dirichlet prior, all other outcomes together have at most
this probability.

Source:
    Curtailed sampling: Wald, "Sequential Analysis" (1947).
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
"""Answers to a prompt in each request, if the server returns several per request."""
MAX_SAMPLES = 100
"""With more planned answers all are requested: the tables would be too large."""
OPPOSITE_VARIANTS = np.array([1, 1, 1, 1, -1, -1, 1])
"""Signs of the seven tested prompts: the six variants with labels as printed, the original inverted."""

_DIRICHLET_PRIOR = 0.3, 0.3, 0.6 * 0.02 / 0.98
"""Dirichlet prior of agreement, disagreement and neither: answers to a prompt mostly equal, 2% neither."""
_MIN_ANSWERS = 5
"""Answers needed before an outcome counts as certain."""
# Prior share of answers to each tested prompt that fit the stance: the likeliest to fail is requested first.
_PRIOR_FIT, _PRIOR_WEIGHT = np.array([0.9, 0.85, 0.85, 0.85, 0.6, 0.7, 0.85]), 2.0
_NO_STANCE, _AGREE, _DISAGREE = 1, 2, 4
_STANCE_BITS, _SIDE_BITS, _SIDE_SHIFT = 7, 7 << 3, 3


@dataclass(frozen=True, eq=False)
class OutcomeProjection:
    """Possible outcomes of a prompt, by the numbers of answers that agree, disagree and do neither.

    Args:
        possible_outcomes: bits of the stances (none 1, agreement 2, disagreement 4) and, shifted by three, of
            the sides.
        mode: the likeliest stance and side, shape ``(..., 2)``.
        leap: least number of further answers that can rule out a stance, and a side, of the same shape.
    """

    possible_outcomes: NDArray[np.uint8]
    mode: Codes
    leap: NDArray[np.uint8]


@cache
def project_outcomes(n: int, error: float = 0.0) -> OutcomeProjection:
    """Return the possible outcomes of n answers, without those whose total probability is at most `error`."""
    if n > MAX_SAMPLES:
        raise AnswerTableError(
            f"answers to a prompt: found {n}, expected at most {MAX_SAMPLES} with a stopping rule"
        )
    agree, disagree, neither = np.indices((n + 2,) * 3)
    n_answers = agree + disagree + neither
    is_final = n_answers == n
    final_counts = agree[is_final], (agree + disagree)[is_final], np.full(int(is_final.sum()), n)
    final_outcomes = [decide(*final_counts) for decide in (reliable_stances, majority_stances)]
    outcome_bits = np.zeros(n_answers.shape, np.uint8)
    outcome_bits[is_final] = (
        _outcome_bits(final_outcomes[0]) | _outcome_bits(final_outcomes[1]) << _SIDE_SHIFT
    )
    probabilities = np.zeros((*n_answers.shape, 2, 3))
    probabilities[is_final] = np.stack([np.eye(3)[outcomes] for outcomes in final_outcomes], axis=1)
    for n_seen in reversed(range(n)):
        state = np.nonzero(n_answers == n_seen)
        next_states = _next_states(state)
        weights = [
            (counts + prior) / (n_seen + sum(_DIRICHLET_PRIOR))
            for counts, prior in zip(state, _DIRICHLET_PRIOR, strict=True)
        ]
        outcome_bits[state] = np.bitwise_or.reduce([outcome_bits[next_state] for next_state in next_states])
        probabilities[state] = sum(
            weight[:, None, None] * probabilities[next_state]
            for weight, next_state in zip(weights, next_states, strict=True)
        )
    mode = probabilities.argmax(axis=-1)
    is_certain = (
        (probabilities.max(axis=-1) >= 1 - error)
        & ((n_answers >= _MIN_ANSWERS) & (n_answers <= n))[..., None]
        & (error > 0)
    )
    for kind, mask in enumerate((_STANCE_BITS, _SIDE_BITS)):
        mode_bit = (1 << mode[..., kind] << _SIDE_SHIFT * kind).astype(np.uint8)
        outcome_bits = np.where(
            is_certain[..., kind], outcome_bits & ~np.uint8(mask) | mode_bit, outcome_bits
        )
    leap = np.zeros((*n_answers.shape, 2), np.uint8)
    for n_seen in reversed(range(n)):
        state = np.nonzero(n_answers == n_seen)
        for kind, mask in enumerate((_STANCE_BITS, _SIDE_BITS)):
            bits, kind_leap = outcome_bits[state] & mask, leap[..., kind]
            next_states = _next_states(state)
            leaps = [
                np.where(outcome_bits[next_state] & mask != bits, 1, 1 + kind_leap[next_state])
                for next_state in next_states
            ]
            kind_leap[state] = np.minimum.reduce(leaps)
    return OutcomeProjection(outcome_bits, np.where(mode == 2, -1, mode).astype(np.int8), leap)


def allowed_error(rule: Any) -> float | None:
    """Return the error probability of a stopping rule; 0 for "exact", None for "none"."""
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


def _next_states(state: Sequence[Indices]) -> list[tuple[Indices, ...]]:
    return [
        tuple(count + (position == outcome) for position, count in enumerate(state)) for outcome in range(3)
    ]


def _outcome_bits(codes: Codes) -> NDArray[np.uint8]:
    return np.array([_NO_STANCE, _AGREE, _DISAGREE], np.uint8)[codes]


def can_pass_tests(outcome_bits: NDArray[Any], is_contrary: Booleans) -> Booleans:
    """Return masks of units that can pass all tests with agreement, with disagreement, shape ``(units, 2)``.

    Args:
        outcome_bits: possible outcomes of the seven tested prompts of each unit (:class:`OutcomeProjection`).
        is_contrary: mask of units whose opposite may be rejected together with the original.
    """
    can_pass = []
    for stance_bit, opposite_bit in ((_AGREE, _DISAGREE), (_DISAGREE, _AGREE)):
        required = np.array(
            [
                stance_bit,
                stance_bit,
                stance_bit,
                stance_bit,
                opposite_bit,
                opposite_bit,
                stance_bit << _SIDE_SHIFT,
            ],
            np.uint8,
        )
        accepted = np.broadcast_to(required, outcome_bits.shape).copy()
        if stance_bit == _DISAGREE:
            accepted[is_contrary, 5] |= stance_bit
        can_pass.append((outcome_bits & accepted > 0).all(axis=1))
    return np.stack(can_pass, axis=1)


def is_decided(outcome_bits: NDArray[Any]) -> Booleans:
    """Return a mask of the tested prompts with one possible outcome, shape ``(units, 7)``."""
    tested_bits = outcome_bits & np.array([_STANCE_BITS] * 6 + [_SIDE_BITS], np.uint8)
    return np.asarray(tested_bits & (tested_bits - 1) == 0)


class StoppingPlan:
    """Numbers of answers to request for the seven tested prompts of each unit, given the answers so far.

    Every prompt is answered once. Then the prompt that is likeliest to fail the tests of its unit is sampled
    further, until the unit can no longer pass them or all its prompts are decided.

    Args:
        is_contrary: mask of units whose opposite may be rejected together with the original.
        n: maximum of answers to a prompt.
        error: allowed probability of another outcome than with n answers.
        accepts_n: whether the server returns several answers per request (:data:`BATCHES`).
    """

    def __init__(self, is_contrary: Booleans, n: int, error: float = 0.0, accepts_n: bool = False) -> None:
        self._is_contrary, self._n, self._accepts_n = is_contrary, n, accepts_n
        self._projection = project_outcomes(n, error)
        self.counts = np.zeros((is_contrary.size, len(OPPOSITE_VARIANTS), 3), np.intp)
        self.n_due = np.full(self.counts.shape[:2], min(BATCHES[0], n) if accepts_n else 1)

    @property
    def _current_bits(self) -> NDArray[np.uint8]:
        return self._projection.possible_outcomes[tuple(np.moveaxis(self.counts, -1, 0))]

    def decided_stances(self) -> tuple[Booleans, Codes]:
        """Return a mask of the decided units, and the stance with which each passes all tests, 0 if none."""
        outcome_bits = self._current_bits
        can_pass = can_pass_tests(outcome_bits, self._is_contrary)
        all_decided = is_decided(outcome_bits).all(axis=1)
        stance = np.where(all_decided, can_pass[:, 0].astype(np.int8) - can_pass[:, 1], 0).astype(np.int8)
        return np.asarray(all_decided | ~can_pass.any(axis=1)), stance

    def extend(self) -> bool:
        """Request more answers once all requested ones are counted; False if all units are decided."""
        open_units = np.flatnonzero(~self.decided_stances()[0])
        if not open_units.size:
            return False
        counts, outcome_bits = self.counts[open_units], self._current_bits[open_units]
        n_answers = counts.sum(axis=2)
        can_pass = can_pass_tests(outcome_bits, self._is_contrary[open_units])
        net = ((counts[..., 0] - counts[..., 1]) * OPPOSITE_VARIANTS).sum(axis=1)
        # the stance that can still pass the tests
        is_agreement = np.where(can_pass.all(axis=1), net >= 0, can_pass[:, 0])
        lead_signs = np.where(is_agreement, 1, -1)[:, None] * OPPOSITE_VARIANTS
        n_fitting = np.where(lead_signs > 0, counts[..., 0], counts[..., 1])
        fit_share: Floats = (n_fitting + _PRIOR_WEIGHT * _PRIOR_FIT) / (
            n_answers + _PRIOR_WEIGHT
        ) + 1e-3 * n_answers
        prompt = np.where(is_decided(outcome_bits), np.inf, fit_share).argmin(axis=1)
        self.n_due[open_units, prompt] += self._step(open_units, prompt)
        return True

    def _step(self, unit: Indices, prompt: Indices) -> Indices:
        counts = self.counts[unit, prompt]
        n_answers = counts.sum(axis=1)
        if not self._accepts_n:
            leap = self._projection.leap[tuple(counts.T)]
            return np.asarray(np.where(prompt == len(OPPOSITE_VARIANTS) - 1, leap[:, 1], leap[:, 0]), np.intp)
        batch_ends = np.minimum(np.cumsum((*BATCHES, self._n)), self._n)
        return np.asarray(batch_ends[np.searchsorted(batch_ends, n_answers, side="right")] - n_answers)
