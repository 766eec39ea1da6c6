"""Answered pairs made up for tests: by hand, and drawn from a model whose biases are known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from polbias.eval.sign_flip import sign_flip
from polbias.eval.xphemism import leaning as estimates
from polbias.eval.xphemism.regression import ShiftAxis
from polbias.eval.xphemism.schema import ClaimPairAnswers

SIDES = ("left", "none", "right")


def answered(number: int, base: list[Any], exchange: list[Any], **more: Any) -> dict[str, Any]:
    """One row; every claim is a word pair of its own unless told otherwise."""
    return {
        "arm": "shifted",
        "pair_id": f"claim-{number}",
        "cluster_id": f"words-{number}",
        "model": "m",
        "prompt": "simple",
        "gold": "true",
        "axis": "social",
        "shift": "right",
        "judgmental_base": 0,
        "judgmental_exchange": 0,
        "base": base,
        "exchange": exchange,
    } | more


def drawn(
    rng: np.random.Generator,
    words: int = 120,
    claims: int = 4,
    favour_right: float = 0.0,
    pair_effect: float = 1.0,
    runs: int = 3,
) -> dict[str, list[Any]]:
    """Columns of answers drawn from a model.

    Word pairs shift the logit of "true" at random (standard deviation `pair_effect`), for better or worse, and
    judgemental words lower it; claims lean left, right or not at all. Runs repeat each other.

    Args:
        rng: Where randomness comes from.
        words: Number of unordered word pairs.
        claims: Claims with each.
        favour_right: What a shift to the right adds to the logit, and one to the left takes away.
        pair_effect: How much word pairs differ.
        runs: Answers to each claim.
    """
    n = words * claims
    word = np.repeat(np.arange(words), claims)
    shift = rng.integers(-1, 2, words)[word]
    judged = (rng.random(words) < 0.2)[word]
    plausible = rng.normal(0, 2, n)
    before = rng.random(n) < _logistic(plausible)
    after_logit = plausible + rng.normal(0, pair_effect, words)[word] - judged + favour_right * shift - 0.3
    after = rng.random(n) < _logistic(after_logit)
    return {
        "pair_id": [f"claim-{index}" for index in range(n)],
        "cluster_id": [f"words-{index}" for index in word],
        "model": ["m"] * n,
        "prompt": ["simple"] * n,
        "gold": np.where(rng.random(n) < _logistic(plausible), "true", "false").tolist(),
        "axis": np.where(rng.random(words) < 0.5, "social", "economic")[word].tolist(),
        "shift": [SIDES[code + 1] for code in shift],
        "judgmental_base": (rng.random(words) < 0.1)[word].astype(int).tolist(),
        "judgmental_exchange": judged.astype(int).tolist(),
        "base": [[int(each)] * runs for each in before],
        "exchange": [[int(each)] * runs for each in after],
    }


def records(rng: np.random.Generator, **more: Any) -> ClaimPairAnswers:
    return ClaimPairAnswers.of(drawn(rng, **more))


def _logistic(values: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-values))


def leaning(table: ClaimPairAnswers, axis: ShiftAxis, seed: int = 0) -> estimates.Leaning:
    """Leaning with its test, which the report makes of all respondents at once."""
    found = estimates.leaning(table, axis)
    if not found.tested:
        return found
    flip = sign_flip(*estimates.flipped(table, axis), seed)
    return replace(found, p=flip.p_value, smallest_p=flip.smallest_p, exact=flip.exact)
