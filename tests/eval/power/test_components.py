"""Variance components: known ones are found again, and give back the standard error."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.power.design import Assumptions, PowerDesign
from polbias.eval.statistics import cluster_interval
from polbias.eval.variance_components import crossed_components, estimate_components


def test_known_components_are_found_again_in_an_unbalanced_design():
    rng = np.random.default_rng(8)
    rows = []
    for cluster in range(900):
        shift = rng.normal(0, math.sqrt(0.3))
        for item in range(rng.integers(1, 8)):
            own = rng.normal(0, math.sqrt(0.5))
            rows += [(shift + own + rng.normal(), cluster, item) for _ in range(rng.integers(1, 5))]
    values, clusters, items = zip(*rows, strict=True)
    found = estimate_components(values, clusters, items)
    assert found.variance == pytest.approx(1.8, rel=0.05)
    assert found.icc == pytest.approx(0.3 / 1.8, abs=0.03)
    assert found.within_item_icc == pytest.approx(0.5 / 1.5, abs=0.04)
    assert found.clusters == 900
    assert found.items * 900 * found.answers == pytest.approx(len(rows))


def test_they_give_back_the_cluster_robust_error_of_a_balanced_design():
    rng = np.random.default_rng(2)
    table = rng.normal(0, 1, (12, 1, 1)) + rng.normal(0, 1, (12, 5, 1)) + rng.normal(0, 1, (12, 5, 3))
    clusters, items = np.indices((12, 15))
    codes = clusters.ravel().tolist()
    found = estimate_components(table.ravel(), codes, (items // 3).ravel().tolist())
    assumed = Assumptions(found.variance, found.icc, found.within_item_icc)
    error = cluster_interval(table.ravel(), codes).standard_error
    assert assumed.standard_error(PowerDesign(12, 5, 3)) == pytest.approx(error)


def test_one_answer_per_item_and_one_item_per_cluster():
    values = [1.0, -1.0, 0.0, 1.0, 1.0, 0.0]
    alone = estimate_components(values, [0, 0, 1, 1, 2, 2], range(6))
    assert (alone.items, alone.answers, alone.within_item_icc) == (2, 1, 1)
    single = estimate_components(values, [0, 0, 1, 1, 2, 2], [0] * 6)
    assert (single.items, single.answers, single.within_item_icc) == (1, 2, 0)
    assert single.variance == pytest.approx(alone.variance)


def test_what_cannot_be_estimated_is_named():
    with pytest.raises(AnswerTableError, match="one value only"):
        estimate_components([1.0, 1.0], [0, 1], [0, 0])
    with pytest.raises(AnswerTableError, match="found 1 clusters"):
        estimate_components([1.0, 0.0], [0, 0], [0, 1])
    with pytest.raises(AnswerTableError, match="2 values"):
        estimate_components([1.0, 0.0], [0], [0, 1])


def test_crossed_components_of_a_balanced_design_are_those_of_the_mean_squares() -> None:
    rng = np.random.default_rng(5)
    table = rng.normal(0, 2, (9, 1, 1)) + rng.normal(0, 1, (1, 6, 1)) + rng.normal(0, 1, (9, 6, 4))
    first, second = np.indices((9, 24))
    found = crossed_components(table.ravel(), {"a": first.ravel(), "b": (second // 4).ravel()})
    whole, a, b = table.mean(), table.mean((1, 2)), table.mean((0, 2))
    squares = 24 * ((a - whole) ** 2).sum(), 36 * ((b - whole) ** 2).sum()
    rest = (((table - whole) ** 2).sum() - sum(squares)) / (table.size - 9 - 6 + 1)
    expected = [(squares[0] / 8 - rest) / 24, (squares[1] / 5 - rest) / 36, rest]
    assert [found[name] for name in ("a", "b", "rest")] == pytest.approx(expected)


def test_crossed_components_are_found_again_in_an_unbalanced_design() -> None:
    rng = np.random.default_rng(6)
    first, second = rng.integers(0, 300, 20_000), (300 * rng.beta(1, 2, 20_000)).astype(int)
    values = rng.normal(0, 1.5, 300)[first] + rng.normal(0, 1, 300)[second] + rng.normal(0, 2, 20_000)
    factors = {
        "a": first,
        "b": second,
        "none": rng.integers(0, 9, 20_000),
    }
    found = crossed_components(values, factors)
    assert found == pytest.approx({"a": 2.25, "b": 1, "none": 0, "rest": 4}, rel=0.2, abs=0.02)


@given(st.lists(st.tuples(st.floats(-5, 5), st.integers(0, 3), st.integers(0, 3)), min_size=2))
def test_crossed_components_take_any_values(rows: list[tuple[float, int, int]]) -> None:
    values, first, second = zip(*rows, strict=True)
    found = crossed_components(values, {"a": first, "b": second})
    assert all(0 <= each < math.inf for each in found.values())
