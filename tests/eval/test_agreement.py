"""Kappa and alpha, by hand and beside the library where it is installed; the interval by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.agreement import alpha_interval, cohen_kappa, krippendorff_alpha
from polbias.eval.answer_frames import AnswerTableError


def test_kappa_by_hand() -> None:
    # 2 of 4 agree on yes, 1 on no; shares 3/4 and 2/4: (3/4 - 1/2) / (1 - 1/2).
    assert cohen_kappa([1, 1, 1, 0], [1, 1, 0, 0]) == pytest.approx(0.5)
    assert cohen_kappa([1, 0], [0, 1]) == -1
    assert math.isnan(cohen_kappa([1, 1], [1, 1]))
    assert math.isnan(cohen_kappa([], []))
    with pytest.raises(AnswerTableError):
        cohen_kappa([1], [1, 0])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=40))
def test_kappa_is_symmetric_and_at_most_one(pairs: list[tuple[int, int]]) -> None:
    one, two = zip(*pairs, strict=True)
    kappa = cohen_kappa(one, two)
    assert kappa == pytest.approx(cohen_kappa(two, one), nan_ok=True)
    assert math.isnan(kappa) or kappa <= 1 + 1e-9


def test_alpha_of_krippendorffs_own_example() -> None:
    # Krippendorff (2011), section C: four observers, twelve units, nominal .743.
    data = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ]
    assert krippendorff_alpha(data) == pytest.approx(0.743, abs=0.0005)


def test_alpha_without_variation_is_none() -> None:
    assert math.isnan(krippendorff_alpha([[1, 1], [1, 1]]))
    assert math.isnan(krippendorff_alpha([[0, 0], [0, 0]]))
    assert krippendorff_alpha([[1, -1], [1, -1]]) == 1


def test_alpha_beside_the_library() -> None:
    library = pytest.importorskip("krippendorff", reason="the library is under the GPL and not a dependency")
    rng = np.random.default_rng(0)
    for raters, items in ((2, 10), (6, 50), (4, 239)):
        data = rng.choice([-1, 0, 1], (raters, items), p=[0.3, 0.2, 0.5])
        expected = library.alpha(np.where(data == 0, np.nan, data), level_of_measurement="nominal")
        assert krippendorff_alpha(data) == pytest.approx(expected)


def test_alpha_of_two_annotators_by_hand() -> None:
    # Pairs: aa, aa, ab, bb. n = 8, a 5, b 3; observed disagreement 2/8, expected 2*5*3/(8*7): 1 - 14/30.
    assert krippendorff_alpha([[1, 1, 1, 2], [1, 1, 2, 2]]) == pytest.approx(1 - (2 / 8) / (30 / 56))


def test_interval() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 4, 80)
    ratings = [np.where(rng.random(80) < 0.3, rng.integers(1, 4, 80), truth) for _ in range(5)]
    found = alpha_interval(ratings, seed=1)
    assert found.alpha == krippendorff_alpha(ratings)
    assert found.low < found.alpha < found.high
    assert (found.items, found.ratings, found.undefined) == (80, 400, 0)
    assert found == alpha_interval(ratings, seed=1)
    assert found != alpha_interval(ratings, seed=2)


def test_the_samples_are_those_of_the_definition() -> None:
    ratings = np.array([[1, 2, 2, 1, 0], [1, 2, 1, 1, 2], [0, 2, 2, 2, 1]])
    weights = np.random.default_rng(5).multinomial(5, np.full(5, 1 / 5), size=40)
    samples = [krippendorff_alpha(np.repeat(ratings, times, axis=1)) for times in weights]
    found = alpha_interval(ratings, draws=40, seed=5)
    assert found.low == pytest.approx(np.nanquantile(samples, 0.025))
    assert found.high == pytest.approx(np.nanquantile(samples, 0.975))
    assert found.undefined == pytest.approx(np.isnan(samples).mean())


def test_the_interval_covers() -> None:
    # Two values, two raters who agree on 80% of many items, shares one half: alpha is .6.
    rng = np.random.default_rng(11)
    hits = 0
    for seed in range(200):
        first = rng.integers(1, 3, 150)
        second = np.where(rng.random(150) < 0.8, first, 3 - first)
        found = alpha_interval([first, second], draws=300, seed=seed)
        hits += found.low <= 0.6 <= found.high
    assert 0.89 <= hits / 200 <= 0.99


def test_no_interval_without_variation() -> None:
    found = alpha_interval([[1, 1], [1, 1]])
    assert math.isnan(found.alpha)
    assert math.isnan(found.low)
    assert found.undefined == 1
    assert alpha_interval([[0], [1]]).items == 0
