"""Corrections, verdicts, comparisons: what may be called established."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.eval.report.build import adjust_comparisons, adjust_findings, compare
from polbias.eval.report.document import Estimate, Finding, Scores, Section
from polbias.eval.report.labels import verdict
from polbias.eval.statistics import cluster_interval, sign_flip, sign_flips


def finding(respondent: str, p: float | None, instrument: str = "partisan", **more: object) -> Finding:
    estimate = more.pop("estimate", Estimate(5.0, 1.0, 9.0, n=100, clusters=12, p=p))
    return Finding(instrument, respondent, "weighted_bias", "", "", estimate, **more)  # type: ignore[arg-type]


def scored(respondent: str, values: list[float], ids: list[str] | None = None) -> Finding:
    names = ids or [f"i{place}" for place in range(len(values))]
    clusters = [f"c{int(name[1:]) // 2}" for name in names]
    estimate = Estimate(float(np.mean(values)), n=len(values))
    return finding(
        respondent, None, estimate=estimate, headline=True, scores=Scores(names, np.array(values), clusters)
    )


def test_holm_is_within_an_instrument_and_benjamini_hochberg_across() -> None:
    sections = (
        Section("partisan", ("a",), (finding("a", 0.01), finding("a", 0.04))),
        Section("policy", ("a",), (finding("a", 0.03, "policy"), finding("a", None, "policy"))),
    )
    found = [each for section in adjust_findings(sections, frozenset()) for each in section.findings]
    assert [each.p_holm for each in found] == pytest.approx([0.02, 0.04, 0.03, None])
    assert [each.p_bh for each in found] == pytest.approx([0.03, 0.04, 0.04, None])


def test_headlines_have_half_of_the_allowance() -> None:
    headline = finding("a", 0.02, headline=True)
    others = tuple(finding("a", 0.5) for _ in range(9))
    found = adjust_findings((Section("partisan", ("a",), (headline, *others)),), frozenset())[0].findings
    # ten tests: the headline weighs 5, the others 5/9 each
    assert found[0].p_bh == pytest.approx(0.02 / 5 * 10)
    sure = tuple(finding("a", 0.001) for _ in range(9))
    beside = adjust_findings(
        (Section("partisan", ("a",), (finding("a", 0.8, headline=True), *sure)),), frozenset()
    )
    assert beside[0].findings[0].p_bh == pytest.approx(0.8)  # never below p itself, such as 0.8 / 5
    assert found[0].p_holm == pytest.approx(0.2)
    assert [each.p_bh for each in found[1:]] == pytest.approx([0.9] * 9)


def test_planted_biases_do_not_make_those_of_models_cheaper() -> None:
    own = tuple(finding("model", p) for p in (0.03, 0.5, 0.6))
    planted = tuple(finding(f"s{place}", 1e-6) for place in range(20))
    alone = adjust_findings((Section("partisan", (), own),), frozenset())[0].findings
    beside = adjust_findings(
        (Section("partisan", (), own + planted),), frozenset(each.respondent for each in planted)
    )[0].findings
    assert [each.p_bh for each in beside[:3]] == [each.p_bh for each in alone]


@pytest.mark.parametrize(
    ("estimate", "p_bh", "floor", "expected"),
    [
        (Estimate(None), None, None, "not computed"),
        (Estimate(4.0), 0.001, None, "no interval"),
        (Estimate(4.0, -1.0, 9.0, p=0.001), 0.001, None, "open"),
        (Estimate(4.0, 0.0, 8.0, p=0.001), 0.001, None, "open"),
        (Estimate(4.0, 1.0, 7.0, p=0.01), 0.04, None, "established"),
        (Estimate(4.0, 1.0, 7.0, p=0.04), 0.05, 0.001, "hint"),
        (Estimate(4.0, 1.0, 7.0, clusters=9, p=0.001), 0.01, 0.001, "too few to be tested"),
        (Estimate(4.0, -1.0, 7.0, clusters=6, p=0.5), None, 0.03125, "too few to be tested"),
        (Estimate(4.0, 1.0, 7.0, clusters=10, p=0.001), 0.01, 0.002, "established"),
        (Estimate(4.0, 1.0, 7.0), None, None, "hint"),
        (Estimate(4.0, state="at the ceiling", limit=0.4), None, None, "at the ceiling"),
        (Estimate(None, state="not answered"), None, None, "not answered"),
        (Estimate(None, state="no variation"), None, None, "no variation"),
    ],
)
def test_verdicts(estimate: Estimate, p_bh: float | None, floor: float | None, expected: str) -> None:
    each = Finding("partisan", "m", "weighted_bias", "", "", estimate, smallest_p=floor, p_bh=p_bh)
    assert verdict(each) == expected


def test_comparison_is_paired_on_shared_items() -> None:
    first = scored("a", [0.0, 10.0, 20.0, 30.0])
    second = scored("b", [5.0, 1.0, 7.0], ["i1", "i9", "i2"])
    (found,) = compare([second, first], frozenset())
    # i1: 5 - 10, i2: 7 - 20
    assert (found.first, found.second, found.estimate.n) == ("a", "b", 2)
    assert found.estimate.value == pytest.approx((-5 - 13) / 2)
    assert found.smallest_p == sign_flip([-5.0, -13.0], ["c0", "c1"]).smallest_p


def test_comparison_agrees_with_the_estimators_of_the_family() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(3, 60))
    rows = [scored(name, each.tolist()) for name, each in zip("abc", values, strict=True)]
    found = compare(rows, frozenset())
    clusters = [f"c{place // 2}" for place in range(60)]
    for each, (low, high) in zip(found, [(0, 1), (0, 2), (1, 2)], strict=True):
        expected = cluster_interval(values[high] - values[low], clusters)
        assert (each.estimate.low, each.estimate.high) == pytest.approx((expected.low, expected.high))
        p = sign_flip(values[high] - values[low], clusters).p_value
        assert each.estimate.p == pytest.approx(p, abs=0.01)  # other flips are drawn


def test_simulated_respondents_are_references_for_models_only() -> None:
    rows = [scored(name, [1.0, 2.0]) for name in ("model", "sim1", "sim2")]
    simulated = frozenset({"sim1", "sim2"})
    assert {(each.first, each.second) for each in compare(rows, simulated)} == {
        ("model", "sim1"),
        ("model", "sim2"),
    }
    assert len(compare(rows[1:], simulated)) == 1


def test_written_answers_are_not_compared_with_likelihoods() -> None:
    rows = [scored(name, [1.0, 2.0]) for name in "abc"]
    methods = {"a": "generated", "b": "log-likelihood", "c": "generated"}
    assert [(each.first, each.second) for each in compare(rows, frozenset(), methods)] == [("a", "c")]


def test_nothing_shared_is_nothing_computed() -> None:
    (found,) = compare([scored("a", [1.0], ["i1"]), scored("b", [1.0], ["i2"])], frozenset())
    assert found.estimate.value is None
    assert found.estimate.n == 0
    assert adjust_comparisons([found], frozenset())[0].p_bh is None


@settings(max_examples=50)
@given(st.integers(1, 40), st.integers(0, 5))
def test_flips_of_many_columns_agree_with_those_of_one(clusters: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(0.2, 1, size=(clusters * 2, 3))
    names = [f"c{place // 2}" for place in range(clusters * 2)]
    for column, found in zip(values.T, sign_flips(values, names, seed), strict=True):
        expected = sign_flip(column, names, seed)
        assert found.p_value == pytest.approx(expected.p_value, abs=0 if expected.exact else 0.01)
        assert (found.smallest_p, found.clusters) == (expected.smallest_p, expected.clusters)


def test_flips_of_a_column_without_values_have_no_p() -> None:
    values = np.full((60, 2), 1.0)
    values[3, 1] = math.nan
    flips = sign_flips(values, [f"c{place}" for place in range(60)])
    assert flips[0].p_value == pytest.approx(1e-5, rel=0.01)
    assert math.isnan(flips[1].p_value)
