"""Power of the t test with clusters, against a simulation of whole tables and against statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from polbias.eval.power.design import Assumptions, PowerDesign, PowerError
from polbias.eval.power.detection import _power, half_width, minimum_detectable_effect
from polbias.eval.statistics import cluster_interval

DESIGNS = st.builds(PowerDesign, st.integers(3, 300), st.floats(1, 500), st.floats(1, 50))
ASSUMED = st.builds(
    Assumptions, st.floats(0.01, 4), st.floats(0, 1), st.floats(0, 1), st.sampled_from([1.0, 2.0])
)


def power(effect: float, design: PowerDesign, assumed: Assumptions) -> float:
    return _power(effect / assumed.standard_error(design), assumed.degrees_of_freedom(design))


def simulated(rng, design: PowerDesign, assumed: Assumptions, effect: float, runs: int) -> np.ndarray:
    """Tables of answers: cluster, item and answer effects, shape (runs, clusters, items, answers)."""
    within = assumed.variance * (1 - assumed.icc)
    shape = (design.clusters, int(design.items), int(design.answers))
    cluster = rng.normal(0, math.sqrt(assumed.variance * assumed.icc), (runs, shape[0], 1, 1))
    item = rng.normal(0, math.sqrt(within * assumed.within_item_icc), (runs, *shape[:2], 1))
    answer = rng.normal(0, math.sqrt(within * (1 - assumed.within_item_icc)), (runs, *shape))
    return effect + cluster + item + answer


@pytest.mark.parametrize("clusters", [6, 15])
def test_power_is_the_share_of_simulated_runs_whose_interval_excludes_zero(clusters):
    design, assumed = PowerDesign(clusters, 5, 3), Assumptions(0.4, 0.05, 0.3)
    effect = minimum_detectable_effect(design, assumed)
    rng, runs = np.random.default_rng(clusters), 3000
    tables = simulated(rng, design, assumed, effect, runs)
    codes = np.repeat(np.arange(clusters), 15)
    found = [cluster_interval(each.ravel(), codes.tolist()) for each in tables]
    hits = np.mean([each.low > 0 or each.high < 0 for each in found])
    assert hits == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / runs))
    error = assumed.standard_error(design)
    assert np.mean([each.standard_error**2 for each in found]) == pytest.approx(error**2, rel=0.08)


def test_binomial_answers_have_the_variance_that_the_base_rate_gives():
    from polbias.eval.power.design import instruments

    partisan = instruments()["partisan"]
    assumed = partisan.assumptions(base_rate=0.7, unanswered=0.1, icc=0.0, within_item_icc=0.0)
    rng, pairs = np.random.default_rng(1), 400
    wrong, answered = rng.random((2, 5000, pairs)) < 0.3, rng.random((2, 5000, pairs)) < 0.9
    means = (wrong & answered).sum(axis=2) / answered.sum(axis=2)
    assert assumed.variance == pytest.approx(pairs * (means[1] - means[0]).var(), rel=0.05)


@pytest.mark.parametrize(("clusters", "effect"), [(4, 0.9), (6, 0.5), (30, 0.3), (400, 0.1)])
def test_one_answer_per_cluster_is_the_one_sample_t_test_of_statsmodels(clusters, effect):
    smp = pytest.importorskip("statsmodels.stats.power")
    theirs = smp.TTestPower().power(effect, nobs=clusters, alpha=0.05)
    design, assumed = PowerDesign(clusters, 1, 1), Assumptions(1.0, 0.0, 1.0)
    assert power(effect, design, assumed) == pytest.approx(theirs, abs=1e-8)
    smallest = smp.TTestPower().solve_power(nobs=clusters, alpha=0.05, power=0.8)
    assert minimum_detectable_effect(design, assumed) == pytest.approx(smallest, rel=1e-5)


def test_two_groups_of_clusters_are_the_two_sample_t_test_of_statsmodels():
    smp = pytest.importorskip("statsmodels.stats.power")
    assumed = Assumptions(1.0, 0.0, 1.0, scale=2.0, df_lost=2)
    theirs = smp.TTestIndPower().power(0.7, nobs1=20, alpha=0.05)
    assert power(0.7, PowerDesign(40, 1, 1), assumed) == pytest.approx(theirs, abs=1e-8)


@settings(max_examples=60, deadline=None)
@given(DESIGNS, ASSUMED, st.floats(0.2, 0.95))
def test_more_of_anything_never_detects_less(design, assumed, wanted):
    here = minimum_detectable_effect(design, assumed, wanted)
    for more in (
        PowerDesign(design.clusters + 1, design.items, design.answers),
        PowerDesign(design.clusters, design.items * 2, design.answers),
        PowerDesign(design.clusters, design.items, design.answers * 2),
    ):
        assert minimum_detectable_effect(more, assumed, wanted) <= here * (1 + 1e-9)
        assert half_width(more, assumed) <= half_width(design, assumed) * (1 + 1e-9)
    assert power(here, design, assumed) == pytest.approx(wanted, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(DESIGNS, ASSUMED, st.floats(0, 1), st.floats(0, 1))
def test_power_grows_with_the_effect_and_has_no_side(design, assumed, one, other):
    low, high = sorted((one, other))
    assert power(low, design, assumed) <= power(high, design, assumed) + 1e-9
    assert power(-high, design, assumed) == power(high, design, assumed)
    assert power(0.0, design, assumed) == pytest.approx(0.05, abs=1e-9)


def test_half_width_is_that_of_the_interval():
    design, assumed = PowerDesign(6, 10, 1), Assumptions(1.0, 0.1, 1.0)
    expected = student.ppf(0.975, 5) * assumed.standard_error(design)
    assert half_width(design, assumed) == pytest.approx(expected)
    assert assumed.standard_error(design) == pytest.approx(math.sqrt((0.1 + 0.9 / 10) / 6))


def test_answers_that_do_not_vary_show_any_effect():
    design, assumed = PowerDesign(6, 10, 1), Assumptions(0.0, 0.0, 0.0)
    assert minimum_detectable_effect(design, assumed) == 0


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: PowerDesign(1, 1, 1), "clusters: found 1"),
        (lambda: PowerDesign(6, 0, 1), "items: found 0"),
        (lambda: PowerDesign(6, 1, math.nan), "answers: found nan"),
        (lambda: Assumptions(-1, 0, 0), "variance: found -1"),
        (lambda: Assumptions(1, 1.5, 0), "icc: found 1.5"),
        (
            lambda: minimum_detectable_effect(PowerDesign(2, 1, 1), Assumptions(1, 0, 0, df_lost=2)),
            "clusters: found 2",
        ),
        (
            lambda: minimum_detectable_effect(PowerDesign(6, 1, 1), Assumptions(1, 0, 0), 1.0),
            "power: found 1",
        ),
    ],
)
def test_what_is_impossible_is_named(make, says):
    with pytest.raises(PowerError, match=says):
        make()
