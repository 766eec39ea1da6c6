"""Claims without a verdict: the surplus of a side, accuracy of the others, and the latent scale."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from polbias.eval.xphemism.latent import (
    accuracy,
    largest_leaning,
    latent_influence,
    latent_leaning,
    select_compared,
)
from polbias.eval.xphemism.leaning import verdict_changes
from polbias.eval.xphemism.regression import select_axis
from tests.eval.xphemism.pairs import answered, drawn, excess_bounds, leaning, pairs_of

Row = dict[str, Any]
SEEDS = st.integers(0, 10_000)


def refusing(columns: Row, right: float, left: float, seed: int = 0) -> Row:
    """The same answers, but of the exchanged claims that lean right, and left, a share is refused."""
    rates = np.array([{"left": left, "none": 0.0, "right": right}[shift] for shift in columns["shift"]])
    is_refused = np.random.default_rng(seed).random(rates.size) < rates
    exchange = [
        ["refusal"] * len(answers) if refused else answers
        for answers, refused in zip(columns["exchange"], is_refused, strict=True)
    ]
    return columns | {"exchange": exchange}


def sides(right: list[Row], left: list[Row]) -> pd.DataFrame:
    rows = [row | {"shift": "right"} for row in right] + [row | {"shift": "left"} for row in left]
    return pairs_of([row | {"pair_id": f"c{n:04}", "cluster_id": f"w{n:04}"} for n, row in enumerate(rows)])


def test_only_the_surplus_of_a_side_takes_the_extreme() -> None:
    columns = drawn(np.random.default_rng(1), words=60)
    assert excess_bounds(pairs_of(columns), "both") is None
    widths = []
    for left in (0.3, 0.0):
        each = pairs_of(refusing(columns, 0.3, left))
        found, bounds = leaning(each, "both"), excess_bounds(each, "both")
        assert bounds is not None
        assert found.bound_low - 1e-9 <= bounds.low <= bounds.high <= found.bound_high + 1e-9
        assert bounds.low_end < bounds.low
        assert bounds.high < bounds.high_end
        widths.append((bounds.high - bounds.low) / (found.bound_high - found.bound_low))
    assert widths[0] < 0.35 < 0.85 < widths[1]


def test_the_surplus_is_counted_within_true_and_within_false_claims() -> None:
    """Right refuses true claims and left as many false ones: in sum no surplus, in either gold one."""
    kept = [answered(0, [1], [n % 2], gold=gold) for gold in ("true", "false") for n in range(20)]
    silent = {gold: [answered(0, [1], ["refusal"], gold=gold)] * 5 for gold in ("true", "false")}
    apart = excess_bounds(sides(kept + silent["true"], kept + silent["false"]), "social")
    alike = excess_bounds(sides(kept + silent["true"], kept + silent["true"]), "social")
    assert apart is not None
    assert alike is not None
    assert alike.low == pytest.approx(0)
    assert alike.high == pytest.approx(0)
    assert apart.low < -5 < 5 < apart.high


def test_a_cell_that_lost_a_side_enters_the_bounds_whole() -> None:
    """All true claims to the right are refused: so no true claim to the left can be compared with one."""
    kept = [answered(0, [1], [n % 2], gold="false") for n in range(20)]
    silent = [answered(0, [1], ["refusal"], gold="true")] * 10
    table = sides(kept + silent, kept + silent[:2] + [answered(0, [1], [1], gold="true")] * 8)
    found, bounds = leaning(table, "social"), excess_bounds(table, "social")
    assert bounds is not None
    assert (bounds.low, bounds.high) == pytest.approx((found.bound_low, found.bound_high))


def test_unanswered_runs_leave_a_claim_its_verdict() -> None:
    """Of three runs one is refused: the claim is compared, and only a claim without a verdict is missing."""
    some = [answered(0, [1, 1, 1], [n % 2, n % 2, "refusal"]) for n in range(20)]
    whole = [answered(0, [1, 1, 1], [n % 2] * 3) for n in range(20)]
    table = sides(some, whole)
    assert leaning(table, "social").left_out == 0
    assert excess_bounds(table, "social") is None
    # A missing verdict is bounded by what the other form of the claim was told.
    silent = [answered(0, [1, 1, 1], ["refusal"] * 3)] * 4
    bounds = excess_bounds(sides(whole + silent, whole), "social")
    assert bounds is not None
    assert bounds.high - bounds.low == pytest.approx(100 * 4 / 24)


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_exchanging_the_sides_turns_everything_round(seed: int) -> None:
    table = pairs_of(refusing(drawn(np.random.default_rng(seed), words=30), 0.3, 0.1, seed))
    mirrored = table.assign(shift=-table["shift"])
    one, other = excess_bounds(table, "both"), excess_bounds(mirrored, "both")
    if one is not None and other is not None:
        assert (-other.high, -other.low, -other.high_end) == pytest.approx((one.low, one.high, one.low_end))
    rows, turned_rows = (
        select_compared(select_axis(table, "both")),
        select_compared(select_axis(mirrored, "both")),
    )
    assert accuracy(rows).estimate == pytest.approx(accuracy(turned_rows).estimate, nan_ok=True)
    first, second = latent_leaning(rows), latent_leaning(turned_rows)
    for value, opposite in ((first.value, second.value), (first.low, second.high)):
        assert (value is None) == (opposite is None)
        assert value is None or opposite is None or value == pytest.approx(-opposite, abs=1e-6)


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_no_effect_is_beyond_what_the_wrong_verdicts_allow(seed: int) -> None:
    columns = drawn(np.random.default_rng(seed), words=12, claims=2, favour_right=1.0)
    rows = select_compared(select_axis(pairs_of(columns), "both"))
    share = accuracy(rows).estimate
    if not math.isnan(share):
        change = [rows["change"][rows["shift"] == side].mean() for side in (1, -1)]
        assert abs(100 * (change[0] - change[1])) <= largest_leaning(share) + 1e-9


def test_each_side_has_the_same_weight_in_accuracy() -> None:
    right = [answered(0, [1], [1], gold="true")] * 30
    left = [answered(0, [1], [0], gold="true")] * 10
    assert accuracy(sides(right, left)).estimate == pytest.approx((1 + 0.5) / 2)


def drawn_probit(
    rng: np.random.Generator, shift: float, penalty: float, base: tuple[float, float], n: int = 4000
) -> pd.DataFrame:
    """Claims whose probit of true is that of their gold label, less a penalty, with half a shift either way."""
    side, gold = rng.choice([-1, 1], n), rng.integers(0, 2, n)
    before = np.array(base)[gold]
    after = before - penalty + shift / 2 * side
    verdicts = [(rng.random(n) < norm.cdf(z)).astype(int).tolist() for z in (before, after)]
    names = np.where(side > 0, "right", "left").tolist()
    golds = np.where(gold > 0, "true", "false").tolist()
    return pairs_of(
        [
            answered(n, [one], [two], shift=name, gold=gold, cluster_id=f"w{n % 400}")
            for n, (one, two, name, gold) in enumerate(zip(*verdicts, names, golds, strict=True))
        ]
    )


@pytest.mark.parametrize("base", [(-0.6, 0.6), (-2.0, 1.6), (0.3, 1.5)])
@pytest.mark.parametrize(("shift", "penalty"), [(0.0, 0.4), (0.5, 0.2)])
def test_the_latent_leaning_depends_on_no_difficulty_and_no_penalty(
    base: tuple[float, float], shift: float, penalty: float
) -> None:
    rows = select_compared(drawn_probit(np.random.default_rng(3), shift, penalty, base))
    found = latent_leaning(rows)
    assert found.value == pytest.approx(shift, abs=0.2)
    assert found.low is not None
    assert found.high is not None
    assert found.low < shift < found.high


def test_a_blur_on_more_true_claims_of_one_side_is_no_latent_leaning() -> None:
    """A reworded claim is judged less surely, true or false, and true claims stand more often on the right."""
    rng = np.random.default_rng(5)
    rows = []
    for n in range(6000):
        right = bool(rng.random() < 0.5)
        gold = bool(rng.random() < (0.8 if right else 0.2))
        sign = 1 if gold else -1
        one, two = (int(rng.random() < norm.cdf(sign * size)) for size in (1.5, 0.5))
        about = {"shift": "right" if right else "left", "gold": "true" if gold else "false"}
        rows.append(answered(n, [one], [two], cluster_id=f"w{n % 500}", **about))
    table = pairs_of(rows)
    found, latent = leaning(table, "social"), latent_leaning(select_compared(table))
    assert found.high < -10
    assert latent.low is not None
    assert latent.high is not None
    assert latent.low < 0 < latent.high


def test_contributions_add_up_to_the_latent_leaning() -> None:
    table = pairs_of(refusing(drawn(np.random.default_rng(8), words=40), 0.2, 0.1))
    rows = select_compared(select_axis(table, "both"))
    assert latent_influence(rows).sum() == pytest.approx(latent_leaning(rows).value)


def test_near_the_ceiling_few_changes_leave_a_wide_latent_leaning() -> None:
    right = [answered(0, [1], [1], gold="true")] * 97 + [answered(0, [1], [0], gold="true")] * 3
    left = [answered(0, [1], [1], gold="true")] * 98 + [answered(0, [1], [0], gold="true")] * 2
    rows = sides(right, left)
    assert verdict_changes(rows).sum() == -5
    few = latent_leaning(rows)
    assert few.low is not None
    assert few.high is not None
    assert few.low < -0.5 < 0.5 < few.high
    none = latent_leaning(sides(right[:97], left[:98]))
    assert (none.low, none.high) == (None, None)
    # The probabilities of both labels vary without any verdict that changes.
    scored = latent_leaning(sides(right[:97], left[:98]), is_loglikelihood=True)
    assert scored.value == pytest.approx(none.value)
