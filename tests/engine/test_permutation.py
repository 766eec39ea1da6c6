from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.generators.engine.sampled import MAX_SIZE, Permutations, named_rng

_NAMES = st.text(max_size=8)


def _permutations(sizes, name="test"):
    return Permutations(sizes, named_rng("numbers", "1.0.0", name))


@given(st.lists(st.integers(1, 700), min_size=1, max_size=5), _NAMES)
def test_every_position_goes_to_one_of_its_own(sizes, name):
    which = np.repeat(np.arange(len(sizes)), sizes)
    positions = np.concatenate([np.arange(size) for size in sizes])
    found = _permutations(sizes, name)(positions, which)
    for index, size in enumerate(sizes):
        assert sorted(found[which == index].tolist()) == list(range(size))


@given(st.integers(1, MAX_SIZE), _NAMES, st.lists(st.integers(0, MAX_SIZE - 1), min_size=1, unique=True))
def test_large_sizes_stay_within_and_apart(size, name, positions):
    positions = sorted({position % size for position in positions})
    found = _permutations([size], name)(np.array(positions), np.zeros(len(positions), np.int64)).tolist()
    assert all(0 <= position < size for position in found)
    assert len(set(found)) == len(positions)


@given(st.integers(2, 5000), st.data())
def test_a_position_alone_goes_where_it_goes_among_others(size, data):
    permutation = _permutations([3, size])
    start = data.draw(st.integers(0, size - 1))
    together = permutation(np.arange(start, size), np.ones(size - start, np.int64))
    alone = permutation(np.array([start]), np.array([1]))
    assert together[0] == alone[0]


def _by_definition(size, keys, position):
    """One position through the network, in Python's integers."""
    word = (1 << 64) - 1
    first = math.isqrt(size - 1) + 1
    sides = first, -(-size // first)
    halves = list(divmod(position, sides[1]))
    for number, key in enumerate(keys):
        here = number % 2
        mixed = ((halves[1 - here] + 1) * 0x9E3779B97F4A7C15 + key) & word
        mixed = ((mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9) & word
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & word
        mixed ^= mixed >> 31
        halves[here] = (halves[here] + ((mixed >> 32) * sides[here] >> 32)) % sides[here]
    found = halves[0] * sides[1] + halves[1]
    return found if found < size else _by_definition(size, keys, found)


@given(st.lists(st.integers(1, MAX_SIZE), min_size=1, max_size=3), st.data())
def test_it_is_the_network_that_it_says(sizes, data):
    which = data.draw(st.integers(0, len(sizes) - 1))
    position = data.draw(st.integers(0, sizes[which] - 1))
    raw = named_rng("numbers", "1.0.0", "test").bit_generator.random_raw(10 * len(sizes)).tolist()
    expected = _by_definition(sizes[which], raw[10 * which : 10 * which + 10], position)
    assert _permutations(sizes)(np.array([position]), np.array([which])).tolist() == [expected]


def test_the_same_on_every_machine():
    found = _permutations([10, 10**9, MAX_SIZE])(
        np.array([0, 1, 2, 0, 1, 0, 1]), np.array([0, 0, 0, 1, 1, 2, 2])
    )
    assert found.tolist() == GOLDEN


GOLDEN = [5, 7, 0, 163217410, 562631383, 2248318320313865149, 2730799389361281834]


def test_names_give_different_permutations():
    order = np.arange(1000), np.zeros(1000, np.int64)
    assert (_permutations([1000], "a")(*order) == _permutations([1000], "b")(*order)).sum() < 10


@pytest.mark.parametrize("size", [2, 3, 4])
def test_all_orders_of_few_positions_are_about_equally_frequent(size):
    draws = 1200
    permutations = _permutations([size] * draws)
    found = permutations(np.tile(np.arange(size), draws), np.repeat(np.arange(draws), size))
    counts = Counter(tuple(order) for order in found.reshape(draws, size).tolist())
    orders = list(itertools.permutations(range(size)))
    expected = draws / len(orders)
    chi_square = sum((counts[order] - expected) ** 2 / expected for order in orders)
    # The 99.99% points of chi-square with 1, 5 and 23 degrees of freedom.
    assert chi_square < {2: 15.2, 3: 25.7, 4: 56.0}[size]


def test_the_first_draws_of_a_large_size_are_spread_evenly():
    draws, bins = 20_000, 50
    found = _permutations([10**12 + 39])(np.arange(draws), np.zeros(draws, np.int64))
    counts = np.bincount(found * bins // (10**12 + 39), minlength=bins)
    assert ((counts - draws / bins) ** 2 / (draws / bins)).sum() < 95  # 49 degrees of freedom, 99.99%
    assert abs(np.corrcoef(found[:-1], found[1:])[0, 1]) < 0.03


@pytest.mark.parametrize("size", [0, -1, MAX_SIZE + 1])
def test_sizes_out_of_range_are_refused(size):
    with pytest.raises(ValueError, match=f"found {size}"):
        _permutations([5, size])
