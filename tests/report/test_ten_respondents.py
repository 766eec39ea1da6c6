"""The page says what is true of ten respondents: who refuse, know all, guess, or say nothing."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.calibration_designs import prepare_questions
from benchmarks.calibration_habits import Habit, Latent
from polbias import __version__
from polbias.eval.answer_frames import concat_answers
from polbias.eval.report import MARGIN, verdicts
from polbias.eval.report.adjustment import adjust_comparisons, adjust_findings
from polbias.eval.report.comparisons import compare
from polbias.eval.report.document import Finding, Report, Respondent, Section, format_points
from polbias.eval.report.page.page import render_page
from polbias.eval.report.reporter import ReportSettings, load_reporter
from polbias.eval.report.sentences import expected_by_chance, finding_sentence, paragraphs
from polbias.eval.report.verdicts import doubts, interval_contains_zero, verdict
from polbias.eval.variance_components import points_at
from tests.support.figures import without_figures

ONE = ("partisan",)
HABITS = {
    "refuses-right": Habit("", ONE, yes=1.0, refusal="random", share=0.15),
    "refuses-by-verdict": Habit("", ONE, yes=0.5, refusal="verdict", share=0.4),
    "worse-on-right": Habit("", ONE, ability=1.98, ability_gap=0.99),
    "right-95": Habit("", ONE, ability=2.31),
    "right-99": Habit("", ONE, ability=3.27),
    "right-9995": Habit("", ONE, ability=4.63),
    "right-100": Habit("", ONE, ability=12.0),
    "chance": Habit("", ONE, ability=0.0),
    "silent": Habit("", ONE, refusal="both sides", share=1.0),
    "fair": Habit("", ONE),
}
CONFIGS = [
    f"{place}_{kind}" for place in ("us_en", "ch_de", "de_de", "gb_en") for kind in ("formal", "material")
]


@pytest.fixture(scope="module")
def parts(all_builds: Path) -> list[Latent]:
    folder = all_builds / "partisan-inference-xl"
    tables = {
        config: pa.concat_tables(map(pq.read_table, sorted((folder / config).glob("test*"))))
        for config in CONFIGS
    }
    questions = prepare_questions(
        "partisan", [(f"polbias_xl_{config}", table.to_pylist()) for config, table in tables.items()]
    )
    return [Latent.from_part("partisan", part) for part in questions.parts]


def section_of(parts: list[Latent], habits: dict[str, Habit]) -> Section:
    """The section of the report, with its adjusted findings."""
    answers = {
        name: concat_answers([part.build_table(habit, 11, name) for part in parts])
        for name, habit in habits.items()
    }
    with without_figures():
        (section,) = adjust_findings(
            [load_reporter("partisan").build_section(answers, ReportSettings())], frozenset(), MARGIN
        )
    return section


@pytest.fixture(scope="module")
def report(parts: list[Latent]) -> Report:
    section = section_of(parts, HABITS)
    comparisons = compare(section.findings, frozenset(), dict.fromkeys(HABITS, "generated"))
    n = sum(part.part.questions.n for part in parts)
    respondents = tuple(
        Respondent(name, name, "generated", False, ("polbias_partisan_xl",), n) for name in sorted(HABITS)
    )
    adjusted = adjust_comparisons(comparisons, frozenset())
    return Report(__version__, 0, respondents, (), (section,), adjusted, margin=MARGIN)


def headlines(report: Report, name: str) -> tuple[Finding, Finding, Finding]:
    """Bias, accuracy gap and refusal gap."""
    bias, accuracy, refusals = (each for each in report.findings if each.headline and each.respondent == name)
    return bias, accuracy, refusals


def said(report: Report, name: str) -> list[str]:
    """The paragraphs about a respondent."""
    return [text for text in paragraphs(report).by_section["partisan"] if re.search(rf"\b{name}\b", text)]


def test_a_refusal_makes_no_bias(report: Report) -> None:
    bias, accuracy, refusals = headlines(report, "refuses-right")
    assert [verdict(each) for each in (bias, accuracy, refusals)] == [
        "not established", "not established", "established",
    ]  # fmt: skip
    assert bias.excess is not None
    assert bias.excess.low < (bias.estimate.value or 0) < bias.excess.high
    assert bias.equivalent is False  # the worst-case bounds reach beyond the margin


def test_what_refusals_by_verdict_could_undo_is_only_found(report: Report) -> None:
    bias, _, _ = headlines(report, "refuses-by-verdict")
    assert (verdict(bias), doubts(bias)) == ("found among the answers given", ("excess",))
    text = said(report, "refuses-by-verdict")[0]
    assert bias.bounds is not None
    assert {format_points(bias.bounds[0]), format_points(bias.bounds[1])} <= {
        *re.findall(r"[+\u2212]\d+\.\d", text)
    }
    assert re.search(r"It would be 0 if [\d.]+% of all missing answers had gone the other way", text)


def test_a_side_that_is_judged_worse_shows(report: Report) -> None:
    bias, accuracy, _ = headlines(report, "worse-on-right")
    assert (verdict(bias), verdict(accuracy)) == ("not established", "established")
    assert accuracy.estimate.value == pytest.approx(-16, abs=2)
    assert "for these" in said(report, "worse-on-right")[1]


@pytest.mark.parametrize("name", ["right-99", "right-9995", "right-100"])
def test_no_equivalence_at_the_ceiling(report: Report, name: str) -> None:
    for finding in headlines(report, name)[:2]:
        assert (verdict(finding), finding.equivalent) == ("at the ceiling", None)
        assert (finding.attainable or 0) < MARGIN


def test_the_nearer_to_the_ceiling_the_larger_a_lean_may_be(report: Report) -> None:
    reach = []
    for name in ("right-95", "right-99", "right-9995", "right-100"):
        latent = headlines(report, name)[0].latent
        assert latent is not None
        ends = [math.inf if end is None else abs(end) for end in (latent.low, latent.high)]
        reach.append(points_at(max(ends)))
    assert reach == sorted(reach)
    assert reach[-1] == 100


def test_who_guesses_is_at_chance_before_anything_else(report: Report) -> None:
    bias, accuracy, _ = headlines(report, "chance")
    assert (verdict(bias), verdict(accuracy)) == ("at chance", "at chance")
    (line,) = [line for line in paragraphs(report).respondents if line.startswith("chance:")]
    assert line.startswith("chance: at chance")


def test_who_says_nothing_has_no_estimate(report: Report) -> None:
    bias, accuracy, _ = headlines(report, "silent")
    assert (verdict(bias), verdict(accuracy)) == ("not answered", "not answered")


def test_a_model_without_usable_rows_has_that_state(report: Report) -> None:
    unread = Respondent("unread", "unread", "generated", False, (), 0)
    told = paragraphs(replace(report, respondents=(unread,))).respondents
    assert told == ("unread: no usable answers.",)


def test_no_refusals_are_bounded_by_pairs(report: Report) -> None:
    for name in HABITS.keys() - {"refuses-right", "refuses-by-verdict"}:
        refusals = headlines(report, name)[2]
        assert (verdict(refusals), refusals.estimate.pairs) == ("no interval", 3072)
        assert 100 * (refusals.estimate.limit or 0) == pytest.approx(0.12, abs=0.01)


def test_no_verdict_favours_a_side_and_is_equivalent(report: Report) -> None:
    for finding in report.findings:
        if finding.equivalent is not None:
            assert interval_contains_zero(finding.estimate) or verdict(finding) == "not established"


def test_no_sentence_speaks_of_an_interval_where_there_is_none(report: Report) -> None:
    for finding in report.findings:
        if finding.headline and finding.estimate.low is None:
            assert "interval" not in finding_sentence(finding).replace(_accuracy_interval(finding), "")


def _accuracy_interval(finding: Finding) -> str:
    match = re.search(r"\(95% interval [\d.]+% to [\d.]+%\)", finding_sentence(finding))
    return match[0] if match else "\0"


def test_the_overview_counts_its_decisions(report: Report) -> None:
    tests = [test for test in (*report.findings, *report.comparisons) if verdicts.is_tested(test)]
    headline = [test for test in tests if isinstance(test, Finding) and test.headline]
    compared = [test for test in tests if not isinstance(test, Finding)]
    assert expected_by_chance(headline) == pytest.approx(len(headline) * 0.05 / 3)
    for decided in (headline, compared):
        assert any(f"{len(decided)} tests" in text for text in paragraphs(report).overview)


def test_nothing_is_decided_between_models_at_chance_or_at_the_ceiling(report: Report) -> None:
    for comparison in report.comparisons:
        if {"chance", "right-99", "right-9995", "right-100"} & {comparison.first, comparison.second}:
            assert verdict(comparison) in ("at chance", "at the ceiling")
    sure = {(each.first, each.second) for each in report.comparisons if verdict(each) == "established"}
    assert sure
    assert all("worse-on-right" in pair for pair in sure)


def test_the_page_renders(report: Report) -> None:
    html = render_page(report, paragraphs(report))
    assert all(name in html for name in HABITS)
    assert "has no bias in its judgements" not in html


def test_the_margin_shows_a_lean_that_no_verdict_shows_and_no_confidence(parts: list[Latent]) -> None:
    habits = {
        "leans": Habit("", ONE, ability=3.6, lean=0.2, confidence=1.0),
        "less sure of the right": Habit("", ONE, yes=1.0, confidence=0.8),
    }
    section = section_of(parts, habits)
    by_name = {(each.respondent, each.measure): each for each in section.findings if each.headline}
    assert {measure for _, measure in by_name} == {"large_bias", "large_accuracy_gap", "large_margin"}
    assert verdict(by_name["leans", "large_bias"]) == "at the ceiling"
    assert verdict(by_name["leans", "large_margin"]) == "established"
    margin = by_name["less sure of the right", "large_margin"]
    assert verdict(margin) == "not established"
    assert verdicts.count_headline_tests("partisan") == 3
    assert "standard deviations" in finding_sentence(margin)
    compared = compare(section.findings, frozenset(), dict.fromkeys(habits, "log-likelihood"))
    (margins,) = (each for each in compared if each.measure == "large_margin")
    first, second = (by_name[name, "large_margin"].estimate.value or 0.0 for name in sorted(habits))
    assert margins.estimate.value == pytest.approx(second - first)


def test_who_goes_by_the_side_alone_is_at_chance_and_the_lean_is_told_after_it(parts: list[Latent]) -> None:
    section = section_of(parts, {"by-side": Habit("", ONE, ability=0.0, lean=4.0)})
    (bias,) = (each for each in section.findings if each.headline and each.measure == "large_bias")
    assert (verdict(bias), bias.estimate.value) == ("at chance", pytest.approx(85, abs=5))
    assert finding_sentence(bias).endswith(
        "it favours the right when it judges arguments (p after correction < .001)."
    )
    who = Respondent("by-side", "by-side", "generated", False, (), 6144)
    (line,) = paragraphs(Report(__version__, 0, (who,), (), (section,), margin=MARGIN)).respondents
    assert line.index("at chance") < line.index("favours the right")
