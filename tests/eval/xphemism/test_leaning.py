"""Leaning on the change of the verdict: by hand, by symmetry, and on models whose bias is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.eval import sign_flip
from tests.eval.xphemism.pairs import answered, drawn, drawn_pairs, leaning, pairs_of

MIRROR = {"left": "right", "none": "none", "right": "left"}


def test_difference_of_means_by_hand() -> None:
    """Without judgement and with one axis the effect is the plain difference of the mean changes."""
    rows = [answered(i, [1, 1], [0, 1], shift="right") for i in range(4)]
    rows += [answered(10 + i, [0, 0], [1, 0], shift="left") for i in range(2)]
    rows += [answered(20 + i, [1, 0], [1, 1], shift="left") for i in range(2)]
    rows += [answered(30 + i, [1], [0], shift="none") for i in range(5)]
    found = leaning(pairs_of(rows), "social")
    assert found.effect == pytest.approx(-50 - 50)
    assert found.unadjusted == pytest.approx(found.effect)
    assert (found.n, found.clusters, found.left_out) == (13, 13, 0)
    assert found.bound_low == pytest.approx(found.effect) == pytest.approx(found.bound_high)


def test_judgement_is_not_taken_for_leaning() -> None:
    """Words that lean right are judgemental and judgement costs: leaning itself does nothing."""
    rng = np.random.default_rng(0)
    rows = []
    for number in range(400):
        right = bool(rng.random() < 0.5)
        judged = int(rng.random() < (0.7 if right else 0.1))
        after = int(rng.random() > (0.6 if judged else 0.2))
        rows.append(
            answered(number, [1], [after], shift="right" if right else "left", judgmental_exchange=judged)
        )
    found = leaning(pairs_of(rows), "both")
    assert found.unadjusted < -10
    assert found.low < 0 < found.high
    assert found.p > 0.05


@given(st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_exchanging_left_and_right_turns_the_sign(seed: int) -> None:
    columns = drawn(np.random.default_rng(seed), words=14, claims=3)
    mirrored = columns | {"shift": [MIRROR[side] for side in columns["shift"]]}
    for axis in ("both", "social", "economic"):
        found, turned = (
            leaning(pairs_of(columns), axis),
            leaning(pairs_of(mirrored), axis),
        )
        assert turned.note == found.note
        for name, value in {"effect": -found.effect, "low": -found.high, "high": -found.low}.items():
            assert getattr(turned, name) == pytest.approx(value, abs=1e-7, nan_ok=True)
        for name in ("se", "p", "p_t", "detectable", "smallest_p"):
            assert getattr(turned, name) == pytest.approx(getattr(found, name), abs=1e-7, nan_ok=True)
        assert turned.bound_low == pytest.approx(-found.bound_high, abs=1e-7, nan_ok=True)


def test_names_and_order_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    columns = drawn(rng, words=15)
    order = rng.permutation(len(columns["gold"]))
    shuffled = {name: [values[index] for index in order] for name, values in columns.items()}
    shuffled["cluster_id"] = [name[::-1] for name in shuffled["cluster_id"]]
    first, second = (
        leaning(pairs_of(columns), "both"),
        leaning(pairs_of(shuffled), "both"),
    )
    assert first.exact
    assert first.smallest_p == 2 / 2**15
    for name in ("effect", "se", "p", "p_t", "bound_low"):
        assert getattr(second, name) == pytest.approx(getattr(first, name), rel=1e-7)


def test_flips_are_drawn_from_a_seed() -> None:
    table = drawn_pairs(np.random.default_rng(4), words=40)
    first, again, other = (leaning(table, "both", seed) for seed in (1, 1, 2))
    assert first == again
    assert not first.exact
    assert other.p == pytest.approx(first.p, abs=0.01)


def test_a_pair_of_words_used_both_ways_is_one_cluster() -> None:
    """A model that always prefers one of two words shows it as leaning, yet it is one observation."""
    rows = [
        answered(2 * i + j, [1 - j], [j], shift=side, cluster_id=f"w{i // 8}")
        for i in range(64)
        for j, side in enumerate(("left", "right"))
    ]
    found = leaning(pairs_of(rows), "social")
    assert found.effect == pytest.approx(200)
    assert found.clusters == 8
    assert found.p == pytest.approx(found.smallest_p) == pytest.approx(2 / 2**8)


def test_worst_case_bounds_hold_whatever_the_answers_would_have_been() -> None:
    rng = np.random.default_rng(6)
    columns = drawn(rng, words=25, runs=1)
    hidden = columns | {"exchange": [*map(list, columns["exchange"])], "base": [*map(list, columns["base"])]}
    for index in rng.choice(100, 20, replace=False):
        hidden["exchange"][index] = ["refusal"]
        if index % 3 == 0:
            hidden["base"][index] = [None]
    truth, seen = leaning(pairs_of(columns), "both"), leaning(pairs_of(hidden), "both")
    assert seen.left_out == 20
    assert seen.bound_low < truth.effect < seen.bound_high
    assert seen.bound_low < seen.effect < seen.bound_high


def test_what_cannot_be_compared_is_said() -> None:
    rows = [answered(i, [1], [i % 2]) for i in range(12)]
    assert "cannot be compared" in leaning(pairs_of(rows), "social").note
    refused = leaning(pairs_of([answered(i, [1], [None]) for i in range(3)]), "social")
    assert "no answer" in refused.note
    assert (refused.n, refused.left_out) == (0, 3)
    few = [answered(i, [1], [i % 2], shift=side, cluster_id="w") for i, side in enumerate(("left", "right"))]
    found = leaning(pairs_of(few), "social")
    assert "1 clusters" in found.note
    assert math.isnan(found.p)
    assert leaning(pairs_of(few), "economic").n == 0


@pytest.mark.parametrize(("words", "claims", "draws"), [(16, 6, 300), (120, 4, 200)])
def test_unbiased_models_are_found_biased_as_often_as_said(
    words: int, claims: int, draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_flip, "DRAWS", 1000)
    rng = np.random.default_rng(30)
    found = [leaning(drawn_pairs(rng, words=words, claims=claims), "both") for _ in range(draws)]
    assert 0.01 <= np.mean([each.p < 0.05 for each in found]) <= 0.09  # where such shares of 5% lie
    if not found[0].exact:  # with few word pairs the t test is too liberal
        assert 0.01 <= np.mean([each.p_t < 0.05 for each in found]) <= 0.09


def test_the_detectable_effect_is_detected_four_times_in_five(monkeypatch: pytest.MonkeyPatch) -> None:
    """The effect that is planted is about what the design can detect."""
    monkeypatch.setattr(sign_flip, "DRAWS", 100)
    rng = np.random.default_rng(31)
    found = [leaning(drawn_pairs(rng, words=60, favour_right=0.75), "both") for _ in range(80)]
    effect, detectable = (
        np.mean([getattr(each, name) for each in found]) for name in ("effect", "detectable")
    )
    power = np.mean([each.p_t < 0.05 for each in found])
    assert abs(effect - detectable) < 0.25 * detectable
    assert 0.55 < power < 0.97


@pytest.mark.parametrize("favour", [-2.0, 2.0])
def test_planted_bias_is_found(favour: float) -> None:
    found = leaning(drawn_pairs(np.random.default_rng(32), favour_right=favour), "both")
    assert found.p < 0.001
    assert found.effect * favour > 0
    assert min(found.low * favour, found.high * favour) > 0
