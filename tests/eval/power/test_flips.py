"""Power of the sign flip, against its closed form with six clusters and the test itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from polbias.eval.power.design import Assumptions, PowerDesign, PowerError
from polbias.eval.power.detection import minimum_detectable_effect
from polbias.eval.power.sign_flip_power import MAX_EXACT_FLIPS, _simulate_flips, sign_flip_mde, smallest_p
from polbias.eval.sign_flip import MAX_EXACT_CLUSTERS, sign_flip_test, sign_flip_tests

ALONE = Assumptions(1.0, 0.0, 1.0)


def test_six_clusters_reject_only_if_all_point_the_same_way():
    for effect in (0.5, 1.0, 2.0):
        exact = norm.cdf(effect) ** 6 + norm.cdf(-effect) ** 6
        assert _simulate_flips(6).power(effect) == pytest.approx(exact, abs=0.012)
    smallest = norm.ppf(0.8 ** (1 / 6))
    assert sign_flip_mde(PowerDesign(6, 1, 1), ALONE) == pytest.approx(smallest, rel=0.015)


@pytest.mark.parametrize("clusters", [7, 12, 25])
def test_it_is_the_share_of_runs_that_the_test_itself_rejects(clusters):
    effect = sign_flip_mde(PowerDesign(clusters, 1, 1), ALONE)
    rng, runs = np.random.default_rng(clusters), 400
    values = effect + rng.standard_normal((runs, clusters)).T
    exact = clusters <= MAX_EXACT_CLUSTERS
    flips = [sign_flip_test(each, range(clusters)) for each in values.T] if exact else sign_flip_tests(values)
    assert np.mean([each.p_value <= 0.05 for each in flips]) == pytest.approx(
        0.8, abs=4 * math.sqrt(0.16 / runs)
    )


@pytest.mark.parametrize("clusters", [6, 7, 10, 12, 30])
def test_without_an_effect_it_keeps_its_level(clusters):
    assert _simulate_flips(clusters).power(0.0) <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 4000)


def test_fewer_than_six_clusters_detect_nothing():
    assert smallest_p(6) == 1 / 32
    assert smallest_p(5) > 0.05
    assert sign_flip_mde(PowerDesign(5, 1, 1), ALONE) == math.inf


def test_with_many_clusters_it_is_as_good_as_the_t_test():
    for clusters in (40, MAX_EXACT_FLIPS):
        design = PowerDesign(clusters, 1, 1)
        assert sign_flip_mde(design, ALONE) == pytest.approx(
            minimum_detectable_effect(design, ALONE), rel=0.03
        )
    assert sign_flip_mde(PowerDesign(6, 1, 1), ALONE) > 1.2 * minimum_detectable_effect(
        PowerDesign(6, 1, 1), ALONE
    )


def test_it_is_the_same_every_time_and_scales_with_the_spread():
    design = PowerDesign(9, 4, 2)
    once = sign_flip_mde(design, Assumptions(1.0, 0.2, 0.5))
    assert once == sign_flip_mde(design, Assumptions(1.0, 0.2, 0.5))
    assert sign_flip_mde(design, Assumptions(4.0, 0.2, 0.5)) == pytest.approx(2 * once)
    with pytest.raises(PowerError, match="power"):
        sign_flip_mde(design, ALONE, 0.01)
