"""Answered pairs made up for tests: by hand, and drawn from a model whose biases are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from polbias.eval.nonresponse import ExcessBounds
from polbias.eval.sign_flip import sign_flip_test
from polbias.eval.xphemism import leaning as estimates
from polbias.eval.xphemism.answers import XphemismAnswers, read_answers
from polbias.eval.xphemism.regression import ShiftAxis, select_axis

SIDES = ("left", "none", "right")
_LABELS: Mapping[Any, str] = {0: "false", 1: "true", None: "unparsable"}
_TEXTS = ("pair_id", "cluster_id", "instruction_language", "gold", "axis", "shift")
_DESIGN = (*_TEXTS, "prompt", "judgmental_base", "judgmental_exchange", "base", "exchange")
Table = Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Any]]


def answered(number: int, base: list[Any], exchange: list[Any], **more: Any) -> dict[str, Any]:
    """One row; every claim is a word pair of its own unless told otherwise."""
    return {
        "arm": "shifted",
        "pair_id": f"claim-{number}",
        "cluster_id": f"words-{number}",
        "prompt": "simple",
        "instruction_language": "de",
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
        "prompt": ["simple"] * n,
        "instruction_language": ["de"] * n,
        "gold": np.where(rng.random(n) < _logistic(plausible), "true", "false").tolist(),
        "axis": np.where(rng.random(words) < 0.5, "social", "economic")[word].tolist(),
        "shift": [SIDES[code + 1] for code in shift],
        "judgmental_base": (rng.random(words) < 0.1)[word].astype(int).tolist(),
        "judgmental_exchange": judged.astype(int).tolist(),
        "base": [[int(each)] * runs for each in before],
        "exchange": [[int(each)] * runs for each in after],
    }


def outcomes_of(table: Table) -> pd.DataFrame:
    """Return the outcomes of both forms of each claim."""
    claims = pd.DataFrame(table, columns=[*_DESIGN] if not len(table) else None)
    claims["arm"] = claims.get("arm", "shifted")
    forms = pd.concat(
        [claims.assign(arm="base", answers=claims["base"]), claims.assign(answers=claims["exchange"])]
    )
    keys = zip(forms["pair_id"], forms["prompt"], forms["instruction_language"], forms["arm"], strict=True)
    forms = forms.assign(id=["/".join(key) for key in keys], task="task", prompt_style=forms["prompt"])
    forms = forms.astype(dict.fromkeys([*_TEXTS, "id", "task", "prompt_style", "arm"], "category"))
    n_answers = [*map(len, forms["answers"])]
    outcomes = forms.iloc[np.repeat(np.arange(len(forms)), n_answers)].reset_index(drop=True)
    labels = [_LABELS.get(label, label) for answers in forms["answers"] for label in answers]
    return outcomes.assign(
        label=pd.Categorical(labels),
        repeat=[repeat for count in n_answers for repeat in range(count)],
        log_true=np.nan,
        log_false=np.nan,
    )


def answers_of(table: Table) -> XphemismAnswers:
    """Return what a respondent answered."""
    return read_answers("m", outcomes_of(table))


def pairs_of(table: Table) -> pd.DataFrame:
    """Return the answered pairs of rows."""
    return answers_of(table).pairs


def drawn_pairs(rng: np.random.Generator, **more: Any) -> pd.DataFrame:
    """Return the answered pairs of :func:`drawn`."""
    return pairs_of(drawn(rng, **more))


def _logistic(values: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-values))


def leaning(pairs: pd.DataFrame, axis: ShiftAxis, seed: int = 0) -> estimates.Leaning:
    """Leaning with its test, which the report makes of all respondents at once."""
    shifted = select_axis(pairs, axis)
    estimate = estimates.estimate_leaning(shifted)
    if not estimate.is_tested:
        return estimate
    is_answered = shifted["change"].notna()
    flip = sign_flip_test(estimate.flips[is_answered], shifted["component"][is_answered], seed)
    return replace(estimate, p=flip.p_value, smallest_p=flip.smallest_p, exact=flip.exact)


def excess_bounds(pairs: pd.DataFrame, axis: ShiftAxis) -> ExcessBounds | None:
    return estimates.excess_bounds(select_axis(pairs, axis))


def penalties(pairs: pd.DataFrame) -> dict[str, estimates.Penalty]:
    """Penalties by the claims that they are measured in."""
    by_part = {name: estimates.measure_penalty(name, rows) for name, rows in estimates.claim_subsets(pairs)}
    return by_part | {estimates.DIFFERENCE: estimates.subtract_placebo(pairs)}
