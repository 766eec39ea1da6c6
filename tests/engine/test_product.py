"""Products with exclusions, against `itertools.product`."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.generators.engine import Exclusion
from polbias.generators.engine.product import FactorProduct
from tests.engine.specs import factors, kept, products


@given(products())
def test_rows_are_the_product_less_the_exclusions(drawn) -> None:
    chosen, exclude = drawn
    product = FactorProduct(chosen, exclude)
    everything = kept(chosen)
    expected = [everything.index(row) for row in kept(chosen, exclude)]
    assert product.rows == len(expected)
    assert product.flat_indices(0, product.rows).tolist() == expected


@given(products(), st.data())
def test_any_range_is_that_part_of_the_whole(drawn, data) -> None:
    product = FactorProduct(*drawn)
    start = data.draw(st.integers(0, product.rows))
    stop = data.draw(st.integers(start, product.rows))
    whole = product.flat_indices(0, product.rows)
    assert product.flat_indices(start, stop).tolist() == whole[start:stop].tolist()


@given(products(), st.data())
def test_codes_are_row_major_over_any_factors_in_any_order(drawn, data) -> None:
    chosen, exclude = drawn
    product = FactorProduct(chosen, exclude)
    names = data.draw(st.lists(st.sampled_from([f.name for f in chosen]), unique=True))
    by_name = {factor.name: factor for factor in chosen}
    combinations = list(itertools.product(*(by_name[name].levels for name in names)))
    expected = [combinations.index(tuple(row[name] for name in names)) for row in kept(chosen, exclude)]
    assert product.codes(product.flat_indices(0, product.rows), names).tolist() == expected


@given(products(), st.data())
def test_codes_leave_the_positions_as_they_are(drawn, data) -> None:
    chosen, exclude = drawn
    product = FactorProduct(chosen, exclude)
    names = data.draw(st.lists(st.sampled_from([f.name for f in chosen]), unique=True))
    flat = product.flat_indices(0, product.rows)
    before = flat.copy()
    product.codes(flat, names)
    np.testing.assert_array_equal(flat, before)


def test_last_factor_varies_fastest() -> None:
    product = FactorProduct(factors([2, 3]))
    flat = product.flat_indices(0, 6)
    assert product.codes(flat, ["f0"]).tolist() == [0, 0, 0, 1, 1, 1]
    assert product.codes(flat, ["f1"]).tolist() == [0, 1, 2, 0, 1, 2]
    assert product.codes(flat, []).tolist() == [0] * 6


def test_overlapping_exclusions_leave_a_row_out_once() -> None:
    exclude = [Exclusion(levels={"f0": 0}), Exclusion(levels={"f0": 0, "f1": 1}), Exclusion(levels={"f1": 1})]
    product = FactorProduct(factors([2, 3]), exclude)
    assert product.flat_indices(0, product.rows).tolist() == [3, 5]


def test_an_exclusion_without_levels_leaves_out_everything() -> None:
    product = FactorProduct(factors([2, 3]), [Exclusion(levels={})])
    assert product.rows == 0
    assert product.flat_indices(0, 0).tolist() == []


def test_a_product_beyond_memory_costs_only_the_rows_that_are_asked_for() -> None:
    product = FactorProduct(factors([10_000] * 4), [Exclusion(levels={f"f{i}": 0 for i in range(4)})])
    assert product.rows == 10**16 - 1
    last = product.flat_indices(product.rows - 2, product.rows)
    assert last.tolist() == [10**16 - 2, 10**16 - 1]
    assert product.codes(last, ["f3", "f0"]).tolist() == [99_989_999, 99_999_999]


@pytest.mark.parametrize(("start", "stop"), [(-1, 2), (0, 7), (4, 3), (7, 7)])
def test_ranges_outside_the_rows_are_refused(start: int, stop: int) -> None:
    with pytest.raises(IndexError, match=rf"^rows \[{start}, {stop}\) are outside \[0, 6\)$"):
        FactorProduct(factors([2, 3])).flat_indices(start, stop)


def test_codes_of_an_unknown_factor_are_refused() -> None:
    product = FactorProduct(factors([2, 3]))
    with pytest.raises(KeyError, match="f2"):
        product.codes(product.flat_indices(0, 1), ["f2"])
