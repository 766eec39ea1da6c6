"""Corrections, verdicts, comparisons: what may be called established."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.errors import InputError
from polbias.eval.report.adjustment import adjust_comparisons, adjust_findings
from polbias.eval.report.comparisons import compare
from polbias.eval.report.document import Comparison, Estimate, Finding, ItemContributions, Section
from polbias.eval.report.sentences import finding_sentence
from polbias.eval.report.verdicts import verdict
from polbias.eval.report.wording import InstrumentWords, load
from polbias.eval.sign_flip import sign_flip_test, sign_flip_tests
from polbias.eval.statistics import cluster_interval
from polbias.registry import instruments

MEASURES = {
    "partisan": "weighted_bias",
    "policy": "leaning",
    "xphemism": "leaning_effect",
    "selfassess": "poligen_bias",
}


def finding(respondent: str, p: float | None, instrument: str = "partisan", **more: object) -> Finding:
    estimate = more.pop("estimate", Estimate(5.0, 1.0, 9.0, n=100, clusters=12, p=p))
    return Finding(instrument, respondent, MEASURES[instrument], "", "", estimate, **more)  # type: ignore[arg-type]


def scored(respondent: str, values: list[float], ids: list[str] | None = None) -> Finding:
    names = ids or [f"i{place}" for place in range(len(values))]
    clusters = [f"c{int(name[1:]) // 2}" for name in names]
    estimate = Estimate(float(np.mean(values)), n=len(values))
    return finding(
        respondent,
        None,
        estimate=estimate,
        headline=True,
        scores=ItemContributions(names, np.array(values), clusters),
    )


def decided(*findings: Finding, margin: float | None = None) -> list[Finding]:
    sections = [
        Section(name, (), tuple(each for each in findings if each.instrument == name)) for name in NAMES
    ]
    return [each for section in adjust_findings(sections, frozenset(), margin) for each in section.findings]


NAMES = ("policy", "xphemism", "selfassess")


def test_holm_is_over_the_headlines_of_an_instrument_whatever_was_run() -> None:
    found = decided(
        finding("a", 0.02, "policy", headline=True),
        finding("a", 0.01, "policy"),
        finding("a", 0.03, "xphemism", headline=True),
        finding("a", 0.02, "xphemism", headline=True),
        finding("a", 0.01, "selfassess", headline=True),
    )
    # policy tests two headlines, of which one was run; x-phemisms two; self-assessment six
    assert [each.p_holm for each in found] == pytest.approx([0.04, None, 0.04, 0.04, 0.06])
    assert [verdict(each) for each in found] == [
        "established", "not established", "established", "established", "not established",
    ]  # fmt: skip
    assert [each.p_bh for each in found] == pytest.approx([0.025, 0.025, 0.03, 0.025, 0.025])


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=2),
    st.lists(
        st.tuples(st.sampled_from("bcd"), st.sampled_from(NAMES), st.floats(0, 1), st.booleans()), max_size=20
    ),
)
def test_what_a_respondent_is_told_depends_on_nobody_else(
    own: list[float], others: list[tuple[str, str, float, bool]]
) -> None:
    mine = [finding("a", p, name, headline=True) for p, name in zip(own, NAMES, strict=False)]
    beside = [finding(who, p, name, headline=headline) for who, name, p, headline in others]

    def told(found: list[Finding]) -> list[object]:
        return [
            (each.instrument, each.p_holm, verdict(each), finding_sentence(each))
            for each in found
            if each.respondent == "a"
        ]

    assert told(decided(*mine)) == told(decided(*beside, *mine))


def test_every_headline_is_in_the_table_of_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "docs/statistics.md").read_text("utf-8")
    for name, each in instruments().items():
        measures = load(each.words, InstrumentWords).measures
        assert {*each.headlines} <= {*measures}
        if name != "toy":
            assert f"| {len(each.headlines)} |" in next(
                line for line in text.splitlines() if f"`{each.headlines[0]}`" in line
            )


@pytest.mark.parametrize(
    ("ends", "bounds", "clusters", "expected"),
    [
        ((-1.0, 2.9), None, 12, True),
        ((-1.0, 3.1), None, 12, False),
        ((0.5, 2.9), None, 12, True),
        ((-1.0, 2.9), (-4.0, 2.0), 12, False),  # so far do missing answers leave it open
        ((-1.0, 2.9), None, 9, None),
    ],
)
def test_equivalence_takes_an_interval_within_the_margin(
    ends: tuple[float, float], bounds: tuple[float, float] | None, clusters: int, expected: bool | None
) -> None:
    estimate = Estimate(1.0, *ends, n=100, clusters=clusters, p=0.5)
    (found,) = decided(
        finding("a", None, "policy", estimate=estimate, bounds=bounds, headline=True), margin=3
    )
    assert found.equivalent is expected
    (without,) = decided(finding("a", None, "policy", estimate=estimate, headline=True))
    assert without.equivalent is None


@pytest.mark.parametrize(("options", "points"), [([], 5), (["--margin", "3"], 3), (["--margin", "0.1"], 0.1)])
def test_a_report_has_a_margin_of_five_points_or_that_which_is_given(
    small_run: Path, tmp_path: Path, options: list[str], points: float
) -> None:
    done = CliRunner().invoke(
        app, ["report", str(small_run), "-o", str(tmp_path / "out"), "--tables-only", *options]
    )
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))["margin"] == points


@pytest.mark.parametrize("arguments", [["report", "runs", "-o", "out"], ["compare", "a", "b"]])
@pytest.mark.parametrize(("margin", "meant"), [("0.02", "2"), ("0.07", "7"), ("0.099", "9.9")])
def test_a_margin_that_is_meant_as_a_fraction_is_refused(
    arguments: list[str], margin: str, meant: str
) -> None:
    error = CliRunner().invoke(app, [*arguments, "--margin", margin]).exception
    assert isinstance(error, InputError)
    assert f"--margin: found {margin} percentage points" in str(error)
    assert str(error).endswith(f"did you mean {meant}?")


def test_planted_biases_do_not_make_those_of_models_cheaper() -> None:
    own = tuple(finding("model", p) for p in (0.03, 0.5, 0.6))
    planted = tuple(finding(f"s{place}", 1e-6) for place in range(20))
    alone = adjust_findings((Section("partisan", (), own),), frozenset())[0].findings
    beside = adjust_findings(
        (Section("partisan", (), own + planted),), frozenset(each.respondent for each in planted)
    )[0].findings
    assert [each.p_bh for each in beside[:3]] == [each.p_bh for each in alone]


@pytest.mark.parametrize(
    ("estimate", "p_holm", "floor", "expected"),
    [
        (Estimate(None), None, None, "not computed"),
        (Estimate(4.0), 0.001, None, "no interval"),
        (Estimate(4.0, -1.0, 9.0, p=0.1), 0.2, None, "not established"),
        (Estimate(4.0, 0.0, 8.0, p=0.05), 0.05, None, "not established"),
        (Estimate(4.0, 0.1, 7.9, p=0.0499), 0.0499, None, "established"),
        (Estimate(4.0, 1.0, 7.0, p=0.01), 0.04, None, "established"),
        (Estimate(4.0, 1.0, 7.0, p=0.04), 0.05, 0.001, "not established"),
        (Estimate(4.0, 1.0, 7.0, clusters=9, p=0.001), 0.01, 0.001, "too few to be tested"),
        (Estimate(4.0, -1.0, 7.0, clusters=6, p=0.5), None, 0.03125, "too few to be tested"),
        (Estimate(4.0, 1.0, 7.0, clusters=10, p=0.001), 0.01, 0.002, "established"),
        (Estimate(4.0, 1.0, 7.0, clusters=24, persons=7, p=0.001), 0.01, None, "too few to be tested"),
        (Estimate(4.0, 1.0, 7.0, clusters=24, persons=8, p=0.001), 0.01, None, "established"),
        (Estimate(4.0, 1.0, 7.0), None, None, "not established"),
        (Estimate(4.0, 1.0, 7.0, clusters=24, p=0.001, state="at chance"), 0.001, None, "at chance"),
        (Estimate(4.0, state="at the ceiling", limit=0.4), None, None, "at the ceiling"),
        (Estimate(None, state="not answered"), None, None, "not answered"),
        (Estimate(None, state="no variation"), None, None, "no variation"),
    ],
)
def test_verdicts(estimate: Estimate, p_holm: float | None, floor: float | None, expected: str) -> None:
    each = Finding("partisan", "m", "weighted_bias", "", "", estimate, smallest_p=floor, p_holm=p_holm)
    assert verdict(each) == expected


@pytest.mark.parametrize(
    ("estimate", "excess", "expected"),
    [
        (Estimate(4.0, 1.0, 7.0, clusters=24), None, "established"),
        (Estimate(4.0, 1.0, 7.0, clusters=24), (0.5, 6.0), "established"),
        (Estimate(4.0, 1.0, 7.0, clusters=24), (-0.5, 6.0), "found among the answers given"),
        (Estimate(-4.0, -7.0, -1.0, clusters=24), (-6.0, 0.5), "found among the answers given"),
        (Estimate(4.0, -1.0, 9.0, clusters=24), None, "not established"),  # p is of the latent scale
        (Estimate(4.0, 1.0, 7.0, clusters=24, state="at chance"), None, "at chance"),
        (Estimate(4.0, 1.0, 7.0, clusters=9), None, "too few to be tested"),
    ],
)
def test_verdicts_of_comparisons(
    estimate: Estimate, excess: tuple[float, float] | None, expected: str
) -> None:
    compared = Comparison(
        "partisan", "weighted_bias", "", "", "a", "b", estimate, excess=excess, p_holm=0.001
    )
    assert verdict(compared) == expected


def test_comparison_is_paired_on_shared_items() -> None:
    first = scored("a", [0.0, 10.0, 20.0, 30.0])
    second = scored("b", [5.0, 1.0, 7.0], ["i1", "i9", "i2"])
    (found,) = compare([second, first], frozenset(), {})
    # i1: 5 - 10, i2: 7 - 20
    assert (found.first, found.second, found.estimate.n) == ("a", "b", 2)
    assert found.estimate.value == pytest.approx((-5 - 13) / 2)


def test_comparison_agrees_with_the_estimators_of_the_family() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(3, 60))
    rows = [scored(name, each.tolist()) for name, each in zip("abc", values, strict=True)]
    found = compare(rows, frozenset(), {})
    clusters = [f"c{place // 2}" for place in range(60)]
    for each, (low, high) in zip(found, [(0, 1), (0, 2), (1, 2)], strict=True):
        expected = cluster_interval(values[high] - values[low], clusters)
        assert (each.estimate.low, each.estimate.high) == pytest.approx((expected.low, expected.high))
        apart = (values[high] - values[low]).reshape(-1, 2).mean(axis=1)
        assert each.estimate.p == pytest.approx(ttest_1samp(apart, 0).pvalue)


def test_simulated_respondents_are_references_for_models_only() -> None:
    rows = [scored(name, [1.0, 2.0]) for name in ("model", "sim1", "sim2")]
    simulated = frozenset({"sim1", "sim2"})
    assert {(each.first, each.second) for each in compare(rows, simulated, {})} == {
        ("model", "sim1"),
        ("model", "sim2"),
    }
    assert len(compare(rows[1:], simulated, {})) == 1


def test_written_answers_are_not_compared_with_likelihoods() -> None:
    rows = [scored(name, [1.0, 2.0]) for name in "abc"]
    methods = {"a": "generated", "b": "log-likelihood", "c": "generated"}
    assert [(each.first, each.second) for each in compare(rows, frozenset(), methods)] == [("a", "c")]


def test_nothing_shared_is_nothing_computed() -> None:
    (found,) = compare([scored("a", [1.0], ["i1"]), scored("b", [1.0], ["i2"])], frozenset(), {})
    assert found.estimate.value is None
    assert found.estimate.n == 0
    assert adjust_comparisons([found], frozenset())[0].p_bh is None


@settings(max_examples=50)
@given(st.integers(21, 40), st.integers(0, 5))
def test_flips_of_many_columns_agree_with_those_of_one(clusters: int, seed: int) -> None:
    values = np.random.default_rng(seed).normal(0.2, 1, size=(clusters, 3))
    for column, found in zip(values.T, sign_flip_tests(values, seed), strict=True):
        expected = sign_flip_test(column, range(clusters), seed)
        assert found.p_value == pytest.approx(expected.p_value, abs=0.01)
        assert (found.smallest_p, found.clusters) == (expected.smallest_p, expected.clusters)


def test_flips_of_a_column_without_values_have_no_p() -> None:
    values = np.full((60, 2), 1.0)
    values[3, 1] = math.nan
    flips = sign_flip_tests(values)
    assert flips[0].p_value == pytest.approx(1e-5, rel=0.01)
    assert math.isnan(flips[1].p_value)
