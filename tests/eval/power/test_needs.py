"""How many a target takes: the number does it, one fewer does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nct, t

from polbias.eval.power.design import Assumptions, PowerDesign, PowerError, instruments
from polbias.eval.power.detection import (
    AXES,
    asymptotic_limit,
    half_width,
    minimum_detectable_effect,
    required_size,
)
from polbias.eval.power.report import Targets, power_report, sources
from polbias.eval.power.sign_flip_power import required_flip_clusters, sign_flip_mde
from polbias.eval.power.stance_power import pass_probability, required_answers
from polbias.eval.report.verdicts import count_headline_tests
from polbias.eval.stances import reliable_stances


@pytest.fixture(scope="module", autouse=True)
def _data(all_builds: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLBIAS_DATA_DIR", str(all_builds))
        yield


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(AXES),
    st.floats(0.02, 0.5),
    st.floats(0, 0.3),
    st.floats(0, 1),
    st.integers(2, 40),
    st.integers(1, 30),
)
def test_the_number_does_it_and_one_fewer_does_not(axis, target, icc, within_item_icc, clusters, items):
    assumed, design = Assumptions(0.5, icc, within_item_icc), PowerDesign(clusters, items, 2)

    def measure(each: PowerDesign) -> float:
        return half_width(each, assumed)

    least = 2 if axis == "clusters" else 1
    number = required_size(measure, design, axis, target, least)
    if number is None:
        assert axis != "clusters"
        assert measure(replace(design, **{axis: 1e6})) > target
    else:
        assert measure(replace(design, **{axis: number})) <= target
        assert number == least or measure(replace(design, **{axis: number - 1})) > target


def test_prompts_without_end_do_not_replace_patterns():
    assumed, design = Assumptions(0.35, 0.01, 0.5), PowerDesign(6, 16, 8)
    least = asymptotic_limit(lambda each: minimum_detectable_effect(each, assumed), design)
    assert (
        required_size(lambda each: minimum_detectable_effect(each, assumed), design, "items", 0.99 * least)
        is None
    )
    assert (
        required_size(lambda each: minimum_detectable_effect(each, assumed), design, "items", 1.01 * least)
        is not None
    )


def test_the_sign_flip_needs_at_least_six_clusters():
    design = PowerDesign(6, 1, 1)
    assert required_flip_clusters(design, Assumptions(1e-4, 0, 1), 0.5) == 6
    number = required_flip_clusters(design, Assumptions(1.0, 0, 1), 0.8)
    assert sign_flip_mde(PowerDesign(number, 1, 1), Assumptions(1.0, 0, 1)) <= 0.8
    assert sign_flip_mde(PowerDesign(number - 1, 1, 1), Assumptions(1.0, 0, 1)) > 0.8


def test_a_report_says_what_more_prompts_cannot_do():
    partisan = instruments()["partisan"]
    assumed = partisan.assumptions()
    few = PowerDesign(6, 16, 8.375)
    report = power_report(partisan, few, assumed, Targets(effect=0.01, precision=0.01))
    items = [each for each in report["needs"] if each["axis"] == "items"]
    assert [each["needed"] for each in items] == [None, None, None]
    assert all("not reachable by more items or prompts" in each["note"] for each in items)
    assert all("there are no more schemas" in each["note"] for each in report["needs"])
    rows = {row["name"]: row for row in report["designs"]}
    assert rows["as given"]["detectable_flip"] > 1.2 * rows["as given"]["detectable_t"]
    assert rows["as given"]["smallest_p"] == 0.03125
    assert any("too few to be tested" in each for each in report["notes"])
    assert rows["items without end"]["items"] is None
    assert "half the clusters" not in rows
    assert any("whatever the number of prompts" in note for note in report["notes"])


def test_an_effect_beyond_every_bias_is_none():
    partisan = instruments()["partisan"]
    report = power_report(partisan, PowerDesign(2, 1, 1), partisan.assumptions(icc=0.9), Targets())
    assert report["designs"][0]["detectable_t"] is None
    assert report["designs"][0]["detectable_flip"] is None
    assert any("cannot reach p = .05" in note for note in report["notes"])


@pytest.mark.parametrize("name", ["partisan", "normative", "policy", "xphemism", "selfassess"])
def test_every_instrument_states_where_its_assumptions_are_from(name):
    instrument = instruments()[name]
    assert all(source for _, _, source in sources(instrument))
    assert tuple({line[2] for line in sources(instrument, {"base_rate"}) if "base_rate:" in line[0]}) == (
        "given",
    )
    report = power_report(instrument, instrument.design, instrument.assumptions(), Targets())
    assert 0 < report["designs"][0]["detectable_t"] < 100
    assert (report["designs"][0]["detectable_flip"] is None) == (instrument.test == "t")


def test_assumptions_of_ones_own():
    partisan = instruments()["partisan"]
    assert partisan.assumptions(base_rate=1.0).variance == 0
    xphemism = instruments()["xphemism"]
    assert xphemism.drop_unanswered(PowerDesign(10, 2, 1), 0.5) == PowerDesign(10, 0.5, 1)
    for wrong in ({"base_rate": 1.2}, {"unanswered": -0.1}):
        with pytest.raises(PowerError, match=next(iter(wrong))):
            partisan.assumptions(**wrong)


def test_probability_of_a_reliable_stance_is_that_of_simulated_answers():
    rng = np.random.default_rng(3)
    valid = rng.binomial(30, 0.75, 40_000)
    agree = rng.binomial(valid, 0.85)
    passed = np.mean(reliable_stances(agree, valid, np.full(40_000, 30)) != 0)
    assert pass_probability(0.85, 30, 0.25) == pytest.approx(passed, abs=0.01)
    assert pass_probability(0.5, 30) == pytest.approx(0.005, abs=0.0005)
    assert pass_probability(0.3, 30) == pytest.approx(pass_probability(0.7, 30))
    assert pass_probability(0.9, 30, 1.0) == 0


@pytest.mark.parametrize("share", [0.7, 0.8, 0.95, 0.2])
def test_enough_answers_stay_enough(share):
    number = required_answers(share, 0.8)
    assert pass_probability(share, number - 1) < 0.8
    assert all(pass_probability(share, n) >= 0.8 for n in range(number, 400))


def test_a_stance_that_is_hardly_one_takes_too_many_answers():
    assert required_answers(0.56, 0.8) is None
    assert required_answers(0.5, 0.8) is None
    with pytest.raises(PowerError, match="share"):
        pass_probability(1.5, 30)


@pytest.mark.parametrize("name", [*instruments()])
def test_after_holm_the_effect_is_that_of_a_test_at_a_share_of_the_level(name: str) -> None:
    shipped = instruments()[name]
    if not count_headline_tests(name):
        pytest.skip("nothing of it is tested")
    design, assumed = shipped.drop_unanswered(shipped.design), shipped.assumptions()
    found = minimum_detectable_effect(
        design, assumed, tests=count_headline_tests(name)
    ) / assumed.standard_error(design)
    df = assumed.degrees_of_freedom(design)
    critical = t.ppf(1 - 0.05 / count_headline_tests(name) / 2, df)
    assert nct.sf(critical, df, found) + nct.cdf(-critical, df, found) == pytest.approx(0.8, abs=1e-6)
    assert found > minimum_detectable_effect(design, assumed) / assumed.standard_error(design)
