"""The two modes: what they take, what they must not depend on, and how often they err."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import get_args

import numpy as np
import pytest

from polbias.eval.xphemism.regression import Coefficient, RegressionMode, coefficients
from tests.eval.xphemism.pairs import drawn, drawn_pairs, pairs_of

MODES: tuple[RegressionMode, ...] = get_args(RegressionMode)
MIRROR = {"left": "right", "none": "none", "right": "left"}


def figures(found: Iterable[Coefficient]) -> dict[tuple, list[float]]:
    keys = ("coef", "se", "p", "n", "clusters")
    return {(each.axis, each.term): [getattr(each, key) for key in keys] for each in found}


def same(first: dict[tuple, list[float]], second: dict[tuple, list[float]]) -> None:
    assert first.keys() == second.keys()
    for cell, values in first.items():
        assert second[cell] == pytest.approx(values, rel=1e-6, abs=1e-9, nan_ok=True), cell


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(3))
def test_names_of_clusters_and_order_of_rows_do_not_matter(mode: RegressionMode, seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = drawn(rng, words=40)
    order = rng.permutation(len(columns["gold"]))
    shuffled = {name: [values[index] for index in order] for name, values in columns.items()}
    names = {
        name: f"other-{number}"
        for number, name in enumerate(rng.permutation(sorted(set(columns["cluster_id"]))))
    }
    shuffled["cluster_id"] = [names[name] for name in shuffled["cluster_id"]]
    same(figures(coefficients(pairs_of(columns), mode)), figures(coefficients(pairs_of(shuffled), mode)))


@pytest.mark.parametrize("mode", MODES)
def test_exchanging_left_and_right_turns_the_sign_of_the_shift_only(mode: RegressionMode) -> None:
    columns = drawn(np.random.default_rng(7), words=40, favour_right=0.4)
    mirrored = columns | {"shift": [MIRROR[side] for side in columns["shift"]]}
    found, turned = (
        figures(coefficients(pairs_of(columns), mode)),
        figures(coefficients(pairs_of(mirrored), mode)),
    )
    for (axis, term), values in found.items():
        sign = -1 if term == "shift" else 1
        expected = [sign * values[0], *values[1:]]
        assert turned[axis, term] == pytest.approx(expected, rel=1e-6, abs=1e-9, nan_ok=True)


def test_rows_of_the_modes() -> None:
    columns = drawn(np.random.default_rng(1), words=40, claims=3, runs=3)
    found = {
        mode: {each.axis: each for each in coefficients(pairs_of(columns), mode) if each.term == "shift"}
        for mode in MODES
    }
    assert {mode: each["both"].n for mode, each in found.items()} == {"paper": 360, "corrected": 120}
    assert [each.axis for each in coefficients(pairs_of(columns)) if each.term == "axis"] == ["both"]
    plain, clustered = found["paper"]["both"], found["corrected"]["both"]
    assert plain.coef == pytest.approx(clustered.coef)
    assert clustered.se > 1.3 * plain.se


def test_one_run_is_enough_for_the_corrected_mode() -> None:
    """Copies of a run change what takes answers for independent, and not what takes claims."""
    once, thrice = (drawn(np.random.default_rng(2), runs=runs) for runs in (1, 3))
    same(figures(coefficients(pairs_of(once))), figures(coefficients(pairs_of(thrice))))
    few, many = ([*coefficients(pairs_of(columns), "paper")][-1].se for columns in (once, thrice))
    assert many == pytest.approx(few / math.sqrt(3))


@pytest.mark.parametrize("mode", MODES)
def test_runs_without_a_verdict_are_left_out_of_the_regression(mode: RegressionMode) -> None:
    columns = drawn(np.random.default_rng(4), words=40)
    holes = columns | {"base": [*map(list, columns["base"])], "exchange": [*map(list, columns["exchange"])]}
    holes["base"][0], holes["exchange"][1] = ["refusal"] * 3, [None] * 3
    holes["base"][2] = [*columns["base"][2], "truncated"]
    kept = {name: values[2:] for name, values in columns.items()}
    same(figures(coefficients(pairs_of(holes), mode)), figures(coefficients(pairs_of(kept), mode)))


@pytest.mark.parametrize("mode", MODES)
def test_a_model_that_always_refuses_has_rows_that_say_so(mode: RegressionMode) -> None:
    columns = drawn(np.random.default_rng(5), words=10)
    columns["exchange"] = [["refusal"] * 3] * len(columns["gold"])
    found = [*coefficients(pairs_of(columns), mode)]
    assert len(found) == 10
    for each in found:
        assert (each.n, each.clusters) == (0, 0)
        assert math.isnan(each.coef)
        assert each.note == "no answer that is a verdict on both claims"


def test_a_model_that_always_agrees_has_no_estimates() -> None:
    columns = drawn(np.random.default_rng(5), words=60)
    columns["exchange"] = [[1] * 3] * len(columns["gold"])
    for each in coefficients(pairs_of(columns)):
        assert math.isnan(each.coef)
        assert each.n > 0
        assert "separated" in each.note


def test_separated_judgement_keeps_the_shift() -> None:
    columns = drawn(np.random.default_rng(6), words=80)
    for index, judged in enumerate(columns["judgmental_base"]):
        if judged:
            columns["exchange"][index] = [1, 1, 1]
    found = {each.term: each for each in coefficients(pairs_of(columns)) if each.axis == "both"}
    assert math.isnan(found["judgmental_base"].coef)
    assert "separated" in found["judgmental_base"].note
    assert math.isfinite(found["shift"].p)


def test_groups_are_estimated_one_by_one() -> None:
    columns = drawn(np.random.default_rng(8), words=40)
    twice = {name: values * 2 for name, values in columns.items()}
    twice["instruction_language"] = ["de"] * 160 + ["en"] * 160
    found = [*coefficients(pairs_of(twice))]
    assert [each.instruction_language for each in found] == ["de"] * 10 + ["en"] * 10
    assert {each.n for each in found if each.axis == "both"} == {160}
    first, second = (
        [asdict(each) | {"instruction_language": ""} for each in half] for half in (found[:10], found[10:])
    )
    assert str(first) == str(second)
    assert not [*coefficients(pairs_of([]))]


def test_the_corrected_mode_keeps_its_level_and_the_paper_mode_does_not() -> None:
    """Word pairs differ at random, leaning does nothing: what is found of it is chance."""
    rng = np.random.default_rng(20)
    rejected = {"paper": 0, "corrected": 0}
    draws = {"paper": 50, "corrected": 100}
    for draw in range(100):
        table = drawn_pairs(rng, words=100)
        for mode in (mode for mode in draws if draw < draws[mode]):
            shift = next(each for each in coefficients(table, mode) if each.term == "shift")
            rejected[mode] += shift.p < 0.05
    assert 0.01 <= rejected["corrected"] / draws["corrected"] <= 0.095  # 97% of such shares of 5%
    assert rejected["paper"] / draws["paper"] > 0.2


@pytest.mark.parametrize("favour", [-1.5, 1.5])
def test_planted_bias_is_found(favour: float) -> None:
    rng = np.random.default_rng(21)
    found = [
        next(each for each in coefficients(drawn_pairs(rng, favour_right=favour)) if each.term == "shift")
        for _ in range(5)
    ]
    assert all(each.p < 0.05 and each.coef * favour > 0 for each in found)
