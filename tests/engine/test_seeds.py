"""Named seeds: the same numbers on every machine, for ever."""

from __future__ import annotations

import numpy as np
import pytest

from polbias.generators.engine import named_rng

NAME = ("partisan-inference", "1.0.0", "held-out-8/en_formal")


def test_golden_values() -> None:
    # A change here changes published data.
    rng = named_rng(*NAME)
    assert rng.integers(0, 1_000_000, 5).tolist() == [507581, 485075, 541483, 825420, 662640]
    assert rng.permutation(8).tolist() == [6, 0, 2, 4, 3, 5, 1, 7]
    assert rng.random() == 0.8743927142382937


def test_golden_values_of_an_empty_name() -> None:
    assert named_rng("", "", "").integers(0, 2**63, 2).tolist() == [2494967831160646880, 2714696498060885717]


def test_a_name_gives_the_same_stream_again() -> None:
    np.testing.assert_array_equal(named_rng(*NAME).random(100), named_rng(*NAME).random(100))


@pytest.mark.parametrize("part", range(3))
def test_every_part_of_the_name_counts(part: int) -> None:
    other = list(NAME)
    other[part] += "x"
    assert named_rng(*NAME).random() != named_rng(*other).random()


def test_parts_do_not_run_into_each_other() -> None:
    assert named_rng("ab", "c", "d").random() != named_rng("a", "bc", "d").random()


def test_global_seeds_do_not_matter() -> None:
    expected = named_rng(*NAME).random()
    np.random.seed(1)
    assert named_rng(*NAME).random() == expected
