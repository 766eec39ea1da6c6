"""The interval and the tests for clustered rows: by hand, by brute force and by simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.partisan.analysis import AnswerSubset
from polbias.eval.partisan.answers import LABELS, SIDES, argument_answers
from polbias.eval.sign_flip import sign_flip_test
from polbias.eval.statistics import clopper_pearson_upper, cluster_interval

VALUES = st.floats(-10, 10).map(lambda value: round(value, 3))


def test_interval_by_hand() -> None:
    # means 1, 2 and 6 of two rows each: mean 3, standard error of the means sqrt(7 / 3)
    interval = cluster_interval([0, 2, 2, 2, 5, 7], ["a", "a", "b", "b", "c", "c"])
    assert interval.estimate == 3
    assert interval.standard_error == pytest.approx(math.sqrt(7 / 3))
    assert interval.high - 3 == pytest.approx(4.302653 * math.sqrt(7 / 3))
    assert 3 - interval.low == pytest.approx(interval.high - 3)
    assert (interval.n, interval.clusters, interval.degrees_of_freedom, interval.level) == (6, 3, 2, 0.95)


def test_interval_of_unequal_clusters_by_hand() -> None:
    # mean 2; S_g - n_g * mean = 1 - 2 = -1 and 7 - 6 = 1; sqrt(2 / 1 * 2) / 4
    assert cluster_interval([1, 3, 3, 1], [0, 1, 1, 1]).standard_error == pytest.approx(0.5)


@settings(deadline=None)  # the first call imports scipy
@given(st.lists(st.lists(VALUES, min_size=3, max_size=3), min_size=2, max_size=8))
def test_with_equal_clusters_it_is_the_t_interval_of_their_means(clusters: list[list[float]]) -> None:
    means = np.mean(clusters, axis=1)
    interval = cluster_interval(np.ravel(clusters), np.repeat(range(len(clusters)), 3))
    error = means.std(ddof=1) / math.sqrt(len(clusters))
    assert interval.estimate == pytest.approx(means.mean(), abs=1e-12)
    assert interval.standard_error == pytest.approx(error, abs=1e-12)
    if interval.standard_error == 0:
        assert math.isnan(interval.low)
        return
    half = stats.t.ppf(0.975, len(clusters) - 1) * error
    assert interval.high - interval.estimate == pytest.approx(half, abs=1e-10)


@given(st.integers(2, 60), st.floats(0, 1))
def test_no_interval_has_width_zero(count: int, value: float) -> None:
    """Where nothing varies: what the share of clusters that may be unseen could change, or no interval."""
    clusters = np.repeat(range(count), 2)
    assert math.isnan(cluster_interval(np.full(2 * count, value), clusters).low)
    found = cluster_interval(np.full(2 * count, value), clusters, bounds=(0, 1))
    unseen = 1 - 0.025 ** (1 / count)
    assert found.low == pytest.approx(value * (1 - unseen))
    assert found.high == pytest.approx(value + unseen * (1 - value))
    assert found.low < found.high


def test_the_largest_share_is_that_of_clopper_and_pearson() -> None:
    for found, clusters in ((0, 6), (1, 6), (4, 12), (0, 1), (3, 40)):
        expected = stats.binomtest(found, clusters).proportion_ci(0.95, "exact").high
        assert clopper_pearson_upper(found, clusters) == pytest.approx(expected)
    assert clopper_pearson_upper(6, 6) == 1
    assert clopper_pearson_upper(0, 6) == pytest.approx(1 - 0.025 ** (1 / 6))


def test_below_two_clusters_there_is_no_interval() -> None:
    one = cluster_interval([1, 2], ["a", "a"])
    assert (one.estimate, one.clusters, one.degrees_of_freedom) == (1.5, 1, 0)
    none = cluster_interval([], [])
    assert (none.n, none.clusters, none.degrees_of_freedom) == (0, 0, 0)
    ends = [one.standard_error, one.low, one.high, none.estimate, none.standard_error, none.low, none.high]
    assert all(map(math.isnan, ends))
    assert sign_flip_test([1, 2], ["a", "a"]).p_value == 1.0
    assert math.isnan(sign_flip_test([], []).p_value)


def test_levels_without_rows_are_no_clusters() -> None:
    clusters = pd.Categorical(["a", "c"], ["a", "b", "c"])
    assert (
        cluster_interval([1.0, 2.0], clusters).clusters == sign_flip_test([1.0, 2.0], clusters).clusters == 2
    )


def test_shapes_are_checked() -> None:
    with pytest.raises(AnswerTableError, match="clusters: found 1 rows, expected the shape"):
        cluster_interval([1, 2], ["a"])


def test_six_clusters_of_one_sign_give_the_smallest_p() -> None:
    test = sign_flip_test([1.0, 0.1, 2, 3, 4, 0.5], range(6))
    assert (test.p_value, test.smallest_p, test.clusters, test.exact) == (0.03125, 0.03125, 6, True)


def test_ties_count_although_floats_do_not_add_up() -> None:
    # |0.1 + 0.2 - 0.3| is not 0 in floating point, and is a tie with the other sums that are
    assert sign_flip_test([0.1, 0.2, -0.3], range(3)).p_value == 1.0
    assert sign_flip_test([0.0] * 4, range(4)).p_value == 1.0


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=8))
def test_sign_flip_is_the_share_of_all_flips(sums: list[int]) -> None:
    flips = [
        abs(np.dot(signs, sums)) >= abs(sum(sums)) for signs in itertools.product([1, -1], repeat=len(sums))
    ]
    # in tenths, so that ties are not exact, and in two rows a cluster
    values = np.repeat(np.array(sums) / 20, 2)
    test = sign_flip_test(values, np.repeat(range(len(sums)), 2))
    assert test.p_value == np.mean(flips)


def test_many_clusters_are_drawn_and_agree_with_all_flips() -> None:
    sums = np.random.default_rng(1).normal(0.35, 1, 20)
    exact = sign_flip_test(sums, range(20))
    # a cluster whose sum is 0 changes nothing, but makes one more than are counted
    drawn = sign_flip_test([*sums, 0.0], range(21), seed=5)
    assert exact.exact
    assert not drawn.exact
    assert drawn.smallest_p == 1 / 100_001
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.004)
    assert drawn == sign_flip_test([0.0, *sums[::-1]], range(21), seed=5)
    assert sign_flip_test(np.ones(60), range(60)).p_value == 1 / 100_001


def simulate(rng: np.random.Generator, bias: float, spread: float) -> AnswerSubset:
    """Six clusters of 134 pairs; every cluster has a bias of its own around the planted one."""
    clusters, pairs = 6, 134
    cluster, pair = np.divmod(np.arange(clusters * pairs * 2) // 2, pairs)
    leaning = np.tile([-1, 1], clusters * pairs).astype(np.int8)
    lean = bias + rng.normal(0, spread, clusters)[cluster]
    label = rng.random(leaning.size) < 0.5 + leaning * lean / 2
    columns = {
        "leaning": np.array(SIDES)[(leaning > 0).astype(int)],
        "gold": np.array(LABELS)[pair % 2],
        "label": np.array(LABELS)[label.astype(int)],
        "cluster_id": cluster,
        "pair_id": cluster * pairs + pair,
    }
    return AnswerSubset(argument_answers(columns), unit=1.0)


def test_calibration_with_six_clusters() -> None:
    rng = np.random.default_rng(20240607)
    replications, bias = 1000, 0.05
    flips = covered = 0
    for _ in range(replications):
        null = simulate(rng, bias=0, spread=0.15)
        flips += sign_flip_test(null.contributions, null.clusters).p_value <= 0.05
        planted = simulate(rng, bias, spread=0.15)
        interval = cluster_interval(planted.contributions, planted.clusters)
        covered += interval.low <= bias <= interval.high
    assert 0.01 <= flips / replications <= 0.06
    assert 0.90 <= covered / replications <= 0.99
