"""Differences among answered rows: cells by hand, bounds that hold, and a refusal that makes no bias."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.nonresponse import ExcessBounds, SidedRows, log_odds
from polbias.eval.statistics import Contrast
from polbias.eval.variance_components import (
    discordance_interval,
    latent_contributions,
    points_at,
    probit_difference,
)

tables = st.lists(
    st.tuples(st.sampled_from([-1, 1]), st.integers(0, 3), st.booleans(), st.booleans()),
    min_size=4,
    max_size=40,
)
"""Side, block, answered, value."""


def sided(rows: list[tuple[int, int, bool, bool]]) -> tuple[SidedRows, np.ndarray]:
    side, block, answered, value = (np.array(column) for column in zip(*rows, strict=True))
    sizes = {sign: max(int((side == sign).sum()), 1) for sign in (-1, 1)}
    weight = np.array([1 / sizes[sign] for sign in side.tolist()])
    return SidedRows.of(side, weight, block, answered), value.astype(float)


@given(tables)
def test_the_difference_is_that_of_cell_means_at_the_weight_of_their_block(rows: list) -> None:
    design, value = sided(rows)
    gaps, weights = [], []
    for block in {row[1] for row in rows}:
        means, sizes = [], []
        for sign in (1, -1):
            own = [row for row in rows if row[:2] == (sign, block)]
            verdicts = [row[3] for row in own if row[2]]
            means.append(np.mean(verdicts) if verdicts else math.nan)
            sizes.append(len(own) / max(sum(row[0] == sign for row in rows), 1))
        if not np.isnan(means).any():
            gaps.append(means[0] - means[1])
            weights.append(np.mean(sizes))
    expected = float(np.average(gaps, weights=weights)) if gaps else math.nan
    np.testing.assert_allclose(design.difference(value), expected, atol=1e-12)
    if gaps:
        np.testing.assert_allclose(design.influence(value).sum(), expected, atol=1e-12)


@given(tables)
def test_the_bounds_contain_the_difference_of_any_answers(rows: list) -> None:
    design, value = sided(rows)
    everything = design.fully_answered()
    low, high = (everything.difference(case) for case in design.worst_cases(value))
    inner_low, inner_high = (everything.difference(case) for case in design.surplus_cases(value))
    filled = np.where(design.answered > 0, value, np.arange(len(rows)) % 2)
    if not math.isnan(low):
        assert low - 1e-9 <= everything.difference(filled) <= high + 1e-9
        assert low - 1e-9 <= inner_low <= inner_high + 1e-9
        assert inner_high <= high + 1e-9


def test_missing_answers_that_are_alike_on_both_sides_leave_no_excess() -> None:
    side = np.repeat([-1, 1], 40)
    answered = np.tile(np.arange(40) % 4 != 0, 2)
    design = SidedRows.of(side, np.full(80, 1 / 40), np.zeros(80), answered)
    value = np.concatenate([np.arange(40) % 3 == 0, np.arange(40) % 2 == 0]).astype(float)
    estimate = design.difference(value)
    for case in design.surplus_cases(value):
        assert design.fully_answered().difference(case) == pytest.approx(estimate)


def test_a_cell_that_lost_a_side_leaves_the_estimate_and_enters_the_bounds_whole() -> None:
    # Block 0: a gap of 1; block 1: nothing answered on the right, whose answers may be anything.
    side, block = np.array([1, 1, -1, -1] * 2), np.repeat([0, 1], 4)
    answered = np.array([1, 1, 1, 1, 0, 0, 1, 1], bool)
    value = np.array([1, 1, 0, 0, 0, 0, 0.0, 0])
    design = SidedRows.of(side, np.full(8, 1 / 4), block, answered)
    assert design.difference(value) == 1
    everything = design.fully_answered()
    assert [everything.difference(case) for case in design.surplus_cases(value)] == [0.5, 1]


def test_one_sided_refusals_of_a_judge_with_a_habit_of_yes_make_no_difference() -> None:
    rng = np.random.default_rng(3)
    n, gold = 40_000, np.arange(40_000) % 2
    side = np.where(np.arange(n) // 2 % 2, 1, -1)
    value = (rng.random(n) < np.where(gold, 0.95, 0.45)).astype(float)
    answered = ~((side > 0) & (rng.random(n) < 0.3 + 0.3 * gold))
    design = SidedRows.of(side, np.full(n, 2 / n), gold, answered, gold)
    assert abs(design.difference(value)) < 0.02
    as_zero = np.where(answered, value - gold, 0)
    assert (
        as_zero[side > 0].mean() - as_zero[side < 0].mean() < -0.04
    )  # what unanswered zeros would make of it


def test_standardised_values_do_not_depend_on_the_confidence_of_a_side() -> None:
    rng = np.random.default_rng(5)
    side, gold = np.tile([1, -1], 3000), np.repeat([0, 1], 3000)
    margin = rng.normal(size=6000) + np.where(gold, 2, -1) + 1.0
    design = SidedRows.of(side, np.full(6000, 1 / 3000), gold, np.ones(6000), gold)
    scaled = np.where(side > 0, 0.5, 1) * margin
    assert abs(design.difference(scaled)) > 0.5
    np.testing.assert_allclose(
        design.standardised_values(scaled), design.standardised_values(margin), atol=1e-9
    )


@pytest.mark.parametrize(
    ("loglikelihoods", "odds"),
    [((-0.1, -3.0), 2.9), ((-0.1, math.log(1e-30)), None), ((-0.1, -math.inf), None), ((-5.0, -6.0), None)],
)
def test_odds_are_censored_where_a_label_is_as_good_as_absent(
    loglikelihoods: tuple[float, float], odds: float | None
) -> None:
    found = log_odds(loglikelihoods)
    assert math.isnan(found) if odds is None else found == pytest.approx(odds)


def test_fewer_discordant_pairs_bound_a_latent_shift_less() -> None:
    shifts = [
        points_at(max(map(abs, discordance_interval(pairs, pairs, accuracy))))
        for accuracy, pairs in ((0.95, 150), (0.99, 30), (0.999, 3), (0.9995, 1), (0.9999, 0))
    ]
    assert shifts == sorted(shifts)
    assert shifts[-1] == 100


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 1), st.integers(0, 5)), min_size=12))
def test_latent_contributions_add_up_to_the_shift(rows: list) -> None:
    right, yes, stratum, cluster = (np.array(column) for column in zip(*rows, strict=True))
    sizes = [max(int((right == side).sum()), 1) for side in (False, True)]
    shares = np.where(right, 1 / sizes[1], -1 / sizes[0])
    value, *_ = probit_difference(yes, shares, cluster, stratum)
    total = latent_contributions(yes, shares, stratum).sum()
    if math.isfinite(value) and math.isfinite(total):
        assert total == pytest.approx(value, abs=1e-9)


def test_the_nearer_end_decides() -> None:
    def made(estimate: float) -> Contrast:
        return Contrast(estimate, 1.0, estimate - 2, estimate + 2, 0.01, 100, 50, 49.0, 1)

    bounds = ExcessBounds.of(made(3.0), made(5.0))
    assert bounds.exclude_zero(1.0)
    assert not bounds.exclude_zero(-1.0)
    assert not ExcessBounds.of(made(1.0), made(5.0)).exclude_zero(1.0)
