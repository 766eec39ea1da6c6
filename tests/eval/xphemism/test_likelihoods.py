"""Log-likelihoods: changes of shares, and what cannot be read."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from polbias.eval.xphemism.analysis import analyse
from polbias.eval.xphemism.answers import (
    PairProblem,
    ReadRow,
    XphemismAnswers,
    label_masses,
    pair_rows,
    share_records,
)
from polbias.eval.xphemism.leaning import Leaning, Penalty
from polbias.eval.xphemism.metrics import true_share
from tests.tasks.xphemism_rows import rows

POLITICAL = [row for row in rows("pairs") if row["instruction_language"] == "de"]
PLACEBO = [row for row in rows("placebo") if row["instruction_language"] == "de"]


def sample(doc: dict[str, Any], share: float, mass: float = 0.9) -> ReadRow:
    """A row and what is read of its log-likelihoods."""
    return doc, true_share([(math.log(mass * max(part, 1e-300)), False) for part in (share, 1 - share)])


class Estimates(NamedTuple):
    """Estimates of one respondent: penalties by prompt and claims, leanings by prompt and axis, label masses."""

    penalties: dict[tuple[str, str], Penalty]
    leanings: dict[tuple[str, str], Leaning]
    masses: dict[str, float]


def estimate(samples: list[ReadRow], model: str, problems: list[PairProblem]) -> Estimates:
    rows = pair_rows(samples, model, problems)
    masses = label_masses(rows)
    made = analyse([XphemismAnswers(model, share_records(rows), masses, 0, 0, 0)], 0)
    return Estimates(
        {(part.prompt, penalty.claims): penalty for part, penalty in made.penalties},
        {(effect.part.prompt, effect.axis): effect.leaning for effect in made.effects},
        {group.prompt: mass for group, mass in masses.items()},
    )


def estimate_all(samples: list[ReadRow]) -> Estimates:
    problems: list[PairProblem] = []
    estimates = estimate(samples, "m", problems)
    assert not problems
    return estimates


def test_changes_of_shares() -> None:
    change = {"left": -0.3, "none": 0.0, "right": 0.1}
    political = [sample(row, 0.5 + change[row["shift"]] * (row["arm"] == "shifted")) for row in POLITICAL]
    neutral = [sample(row, 0.5 - 0.05 * (row["arm"] == "placebo"), 0.7) for row in PLACEBO]
    both = estimate_all([*political, *neutral])
    for style in ("simple", "objective"):
        assert both.penalties[style, "left"].change == pytest.approx(-30)
        assert both.penalties[style, "placebo"].change == pytest.approx(-5)
        assert both.leanings[style, "social"].effect == pytest.approx(40)
        assert both.leanings[style, "social"].note == ""
        assert both.masses[style] == pytest.approx(0.8)
    only = estimate_all(neutral)
    assert math.isnan(only.leanings["simple", "both"].effect)
    assert only.masses["simple"] == pytest.approx(0.7)


def test_a_change_by_judgement_is_no_leaning() -> None:
    rng = np.random.default_rng(3)
    samples = [
        sample(row, 0.6 - 0.2 * (row["arm"] == "shifted") * row["judgmental_exchange"] + rng.normal(0, 0.01))
        for row in POLITICAL
    ]
    estimates = estimate_all(samples)
    judgmental, leaning = estimates.penalties["simple", "judgmental"], estimates.leanings["simple", "both"]
    assert judgmental.low < -20 < judgmental.high
    assert leaning.low < 0 < leaning.high


def test_models_are_kept_apart_and_bad_pairs_reported() -> None:
    problems: list[PairProblem] = []
    estimates = [
        estimate(
            [sample(row, share if row["arm"] == "base" else 0.5, share) for row in POLITICAL[1:]],
            model,
            problems,
        )
        for model, share in (("one", 0.2), ("two", 0.8))
    ]
    assert [each.where.split(",")[0] for each in problems] == [POLITICAL[0]["pair_id"]] * 2
    assert [each.penalties["simple", "shifted"].change for each in estimates] == pytest.approx([30, -30])
    assert [each.masses["simple"] for each in estimates] == pytest.approx([0.2, 0.8])
