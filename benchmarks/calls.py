"""Calls that the stances on a statement take, by rule and kind of model, with the product's own planner.

The kinds A to F differ in how far their answers are settled by the statement, how often they say yes, and how
often they misread a negation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np

from benchmarks.measure import Line, at_least, at_most
from polbias.aliases import Booleans, Floats, Indices

STATEMENTS, INSTRUCTIONS, ANSWERS = 240, 6, 30
CONTRARY = 0.56
"""Share of the statements whose opposite is a contrary, in policy-statements 2.0.0."""
TOPICS, SIDED = 96, 166
REPLICATIONS = 300
SEED = 8
FULL = 72 * ANSWERS
"""Calls a statement of polbias_policy_stance, if each asks for one answer and none is saved."""
_OTHERS = 5 * INSTRUCTIONS
"""Prompts of a statement that no test reads, of which the first answer is asked."""


@dataclass(frozen=True)
class Kind:
    """A kind of model: on the probit scale, what moves the chance of agreement.

    Args:
        about: in words.
        sharp: factor on all that follows.
        stance: deviation of the stances on statements.
        instruction: deviation of instructions within a statement.
        wording: deviation of wordings.
        yes: tendency to agree.
        misread: what is added for negations and opposites.
    """

    about: str
    sharp: float
    stance: float
    instruction: float
    wording: float
    yes: float
    misread: float = 0.0


KINDS = {
    "A": Kind("sharp, consistent", 6, 1.0, 0.15, 0.25, 0.1),
    "B": Kind("large, mildly acquiescent", 4, 0.8, 0.25, 0.35, 0.3),
    "C": Kind("middling", 2.5, 0.6, 0.3, 0.4, 0.35, 0.2),
    "D": Kind("small, acquiescent", 1.5, 0.4, 0.3, 0.4, 0.7, 0.3),
    "E": Kind("always agrees", 4, 0.2, 0.1, 0.1, 1.5),
    "F": Kind("a coin", 0.3, 0.3, 0.2, 0.2, 0.0),
}
_CELL, _ORDER, _UNANSWERED = 0.15, 0.1, 0.01


def shares(
    kind: Kind, rng: np.random.Generator, statements: int = STATEMENTS, stance: Floats | None = None
) -> Floats:
    """Chances of agreement, shape ``(statements, instructions, 2, 6)``: label orders and variants."""
    from scipy.special import ndtr

    size = (statements, INSTRUCTIONS, 2, 6)
    turned = np.array([1, 1, 1, 1, -1, -1])
    mean = kind.stance * (rng.standard_normal(statements) if stance is None else stance)
    z = mean[:, None, None, None] * turned + kind.yes
    z = z + kind.instruction * rng.standard_normal((statements, INSTRUCTIONS, 1, 1))
    z = z + kind.wording * rng.standard_normal((statements, 1, 1, 6)) + _CELL * rng.standard_normal(size)
    z[..., 4:] += kind.misread
    z[..., 1, :] -= _ORDER
    found: Floats = ndtr(kind.sharp * z)
    return found


def streams(chances: Floats, rng: np.random.Generator) -> Indices:
    """Answers to the seven prompts of each unit, counted up: 0 to 30 of them, agree, disagree, neither."""
    seven = np.concatenate([chances[:, :, 0], chances[:, :, 1, :1]], axis=2).reshape(-1, 7, 1)
    drawn = rng.random((*seven.shape[:2], ANSWERS))
    kind = np.where(rng.random(drawn.shape) < _UNANSWERED, 2, np.where(drawn < seven, 0, 1))
    counted = np.cumsum(kind[..., None] == np.arange(3), axis=2)
    return np.concatenate([np.zeros_like(counted[:, :, :1]), counted], axis=2)


def asked(answers: Indices, contrary: Booleans, error: float = 0.0, several: bool = False) -> tuple[Any, int]:
    """A plan that has been followed to its end, and how many requests it took."""
    from polbias.eval.policy.stopping import Plan

    plan = Plan(contrary, ANSWERS, error, several)
    before, requests = np.zeros_like(plan.wanted), 0
    unit, place = np.indices(plan.wanted.shape)
    while True:
        more = plan.wanted - before
        requests += int((more > 0).sum() if several else more.sum())
        before = plan.wanted.copy()
        plan.counts = answers[unit, place, plan.wanted]
        if not plan.ask_on():
            return plan, requests


def contraries(rng: np.random.Generator, statements: int = STATEMENTS) -> Booleans:
    """Which units have a contrary opposite."""
    return np.repeat(rng.random(statements) < CONTRARY, INSTRUCTIONS)
