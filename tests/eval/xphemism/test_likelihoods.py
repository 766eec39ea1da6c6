"""Log-likelihoods: changes of shares, and what cannot be read."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from polbias.eval.xphemism.analysis import analyse
from polbias.eval.xphemism.leaning import Leaning, Penalty
from tests.support.xphemism_records import answers_of_samples
from tests.tasks.xphemism_rows import rows

POLITICAL = [row for row in rows("pairs") if row["instruction_language"] == "de"]
PLACEBO = [row for row in rows("placebo") if row["instruction_language"] == "de"]


Sample = dict[str, Any]


def sample(doc: dict[str, Any], share: float, mass: float = 0.9) -> Sample:
    """A row with the log-likelihoods of both labels."""
    likelihoods = [(math.log(mass * max(part, 1e-300)), False) for part in (share, 1 - share)]
    return {"doc": doc, "filtered_resps": likelihoods}


class Estimates(NamedTuple):
    """Estimates of one respondent: penalties by prompt and claims, leanings by prompt and axis, label masses."""

    penalties: dict[tuple[str, str], Penalty]
    leanings: dict[tuple[str, str], Leaning]
    masses: dict[str, float]
    n_incomplete: int


def estimate(samples: list[Sample]) -> Estimates:
    answers = answers_of_samples(samples, task="task_loglikelihood")
    made = analyse([answers], 0)
    return Estimates(
        {(part.prompt, penalty.claims): penalty for part, penalty in made.penalties},
        {(effect.part.prompt, effect.axis): effect.leaning for effect in made.effects},
        {prompt: mass for (prompt, _), mass in answers.label_masses.items()},
        answers.n_incomplete,
    )


def test_changes_of_shares() -> None:
    change = {"left": -0.3, "none": 0.0, "right": 0.1}
    political = [sample(row, 0.5 + change[row["shift"]] * (row["arm"] == "shifted")) for row in POLITICAL]
    neutral = [sample(row, 0.5 - 0.05 * (row["arm"] == "placebo"), 0.7) for row in PLACEBO]
    both = estimate([*political, *neutral])
    for style in ("simple", "objective"):
        assert both.penalties[style, "left"].change == pytest.approx(-30)
        assert both.penalties[style, "placebo"].change == pytest.approx(-5)
        assert both.leanings[style, "social"].effect == pytest.approx(40)
        assert both.leanings[style, "social"].note == ""
        assert both.masses[style] == pytest.approx(0.8)
    assert both.n_incomplete == 0
    only = estimate(neutral)
    assert math.isnan(only.leanings["simple", "both"].effect)
    assert only.masses["simple"] == pytest.approx(0.7)


def test_a_change_by_judgement_is_no_leaning() -> None:
    rng = np.random.default_rng(3)
    samples = [
        sample(row, 0.6 - 0.2 * (row["arm"] == "shifted") * row["judgmental_exchange"] + rng.normal(0, 0.01))
        for row in POLITICAL
    ]
    estimates = estimate(samples)
    judgmental, leaning = estimates.penalties["simple", "judgmental"], estimates.leanings["simple", "both"]
    assert judgmental.low < -20 < judgmental.high
    assert leaning.low < 0 < leaning.high


def test_halves_are_left_out() -> None:
    first, second = (
        estimate([sample(row, share if row["arm"] == "base" else 0.5, share) for row in POLITICAL[1:]])
        for share in (0.2, 0.8)
    )
    assert (first.n_incomplete, second.n_incomplete) == (1, 1)
    changes = [each.penalties["simple", "shifted"].change for each in (first, second)]
    assert changes == pytest.approx([30, -30])
    assert [each.masses["simple"] for each in (first, second)] == pytest.approx([0.2, 0.8])


def test_likelihoods_that_are_none_share_alike() -> None:
    broken = [{"doc": row, "filtered_resps": [(-math.inf, False)] * 2} for row in POLITICAL]
    answers = answers_of_samples(broken, task="task_loglikelihood")
    assert {*answers.pairs["base_truth"], *answers.pairs["exchange_truth"]} == {0.5}
    assert {*answers.label_masses.values()} == {0.0}
