"""The general penalty, the placebo arm, and answers without a verdict."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_ind

from polbias.eval.xphemism.answers import LABELS
from polbias.eval.xphemism.leaning import Penalty
from polbias.eval.xphemism.summary import outcome_shares, refusal_gap
from tests.eval.xphemism.pairs import answered, drawn_pairs, pairs_of, penalties


def of(rows: list[dict]) -> dict[str, Penalty]:
    return penalties(pairs_of(rows))


def test_penalty_by_hand() -> None:
    rows = [answered(i, [1, 1, 1], [0, 0, 1], shift="left") for i in range(9)]
    rows += [answered(10 + i, [0, 0, 0], [1, 1, 1], judgmental_exchange=1) for i in range(2)]
    rows += [answered(20 + i, [1, 0], [1, 1], shift="none") for i in range(4)]
    rows += [answered(30, [1], ["refusal"])]
    found = of(rows)
    everything = found["shifted"]
    assert (everything.n, everything.lost, everything.gained) == (15, 9, 2)  # ties are on no side
    assert everything.change == pytest.approx(100 * (9 * -2 / 3 + 2 + 4 * 0.5) / 15)
    assert everything.exchange_true - everything.base_true == pytest.approx(everything.change)
    assert (found["left"].n, found["right"].n, found["none"].n) == (9, 2, 4)
    assert (found["judgmental"].change, found["not judgmental"].n) == (100, 13)
    assert found["placebo"].note
    assert found["shifted minus placebo"].note
    assert math.isnan(found["placebo"].p)


def test_placebo_arm_is_subtracted() -> None:
    """With a word pair per claim the error is Welch's."""
    rng = np.random.default_rng(0)
    rows = [answered(i, [1], [int(rng.random() < 0.6)]) for i in range(50)]
    rows += [
        answered(50 + i, [1], [int(rng.random() < 0.9)], arm="placebo", shift="none", axis="none")
        for i in range(40)
    ]
    found = of(rows)
    shifted, placebo = (
        np.array([row["exchange"][0] - 1.0 for row in part]) for part in (rows[:50], rows[50:])
    )
    difference = found["shifted minus placebo"]
    assert difference.change == pytest.approx(100 * (shifted.mean() - placebo.mean()))
    welch = ttest_ind(shifted, placebo, equal_var=False)
    assert difference.se == pytest.approx(difference.change / welch.statistic)
    assert difference.p == pytest.approx(welch.pvalue, rel=0.05)  # the degrees of freedom are another's
    assert (found["shifted"].n, found["placebo"].n, difference.n) == (50, 40, 90)


def test_outcomes_are_counted_by_arm_and_side() -> None:
    rows = [
        answered(1, [1, 0], ["refusal", None], shift="right"),
        answered(2, [1, "truncated"], [0, 0], shift="left"),
        answered(3, [1, 1], [1, "refusal"], shift="none", arm="placebo"),
    ]
    found = {(each["arm"], each["shift"]): each for each in outcome_shares(pairs_of(rows))}
    assert found.keys() == {
        ("base", "left"),
        ("base", "right"),
        ("shifted", "left"),
        ("shifted", "right"),
        ("placebo", "none"),
    }
    right = found["shifted", "right"]
    assert [right[label] for label in LABELS] == [0, 0, 0.5, 0.5, 0]
    assert found["base", "left"]["truncated"] == 0.5
    assert found["placebo", "none"]["refusal"] == 0.5
    assert {each["asked"] for each in found.values()} == {2}


def test_refusal_gap_by_hand() -> None:
    rows = [answered(i, [1, 1], ["refusal", "refusal" if i < 4 else 1], shift="right") for i in range(8)]
    rows += [answered(10 + i, [1, None], [1, "refusal" if i < 3 else 1], shift="left") for i in range(6)]
    found = refusal_gap(pairs_of(rows))
    assert found.gap == pytest.approx(75 - 25)
    assert found.p < 0.05
    turned = refusal_gap(
        pairs_of([row | {"shift": "left" if row["shift"] == "right" else "right"} for row in rows])
    )
    assert turned.gap == pytest.approx(-50)
    assert turned.p == pytest.approx(found.p)


def test_claims_unlike_most_are_counted_with_their_components() -> None:
    rows = [answered(i, [1], ["refusal" if i < 3 else 1], cluster_id=f"w{i // 2}") for i in range(10)]
    rows += [answered(20 + i, [1], [1], shift="left") for i in range(10)]
    found = refusal_gap(pairs_of(rows))
    assert (found.discordant, found.n) == (3, 20)
    assert (found.discordant_clusters, found.clusters) == (2, 15)


def test_without_refusals_there_is_nothing_to_test() -> None:
    found = refusal_gap(drawn_pairs(np.random.default_rng(1), words=20))
    assert found.gap == 0
    assert math.isnan(found.p)
    assert math.isnan(refusal_gap(pairs_of([answered(1, [1], [1])])).gap)
