"""Who does not answer, always says the same or never errs: no estimate of a bias, or no interval, anywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polbias.cli.report import print_report
from polbias.eval.estimability import State
from polbias.eval.nonresponse import ExcessBounds
from polbias.eval.report.build import ReportWithAnswers, build_report
from polbias.eval.report.comparisons import compare
from polbias.eval.report.document import Estimate, Finding, ItemContributions, Notice, format_points
from polbias.eval.report.flat_tables import flat_tables
from polbias.eval.report.page.page import render_page
from polbias.eval.report.sentences import paragraphs
from polbias.eval.report.summary_json import summary
from polbias.eval.report.verdicts import largest_compatible_effect, state_of_accuracy, verdict
from polbias.eval.simulation.lm_eval import run_tasks
from polbias.eval.simulation.respondents import make_respondent
from tests.support.figures import without_figures

TASKS = (
    "polbias_en_formal",
    "polbias_policy_stance_mini",
    "polbias_xphemism_simple",
    "polbias_deontic_logic_zero",
)
WHO: dict[str, dict[str, Any]] = {
    "silent": {"kind": "refuser", "share": 1.0},
    "reticent": {"kind": "refuser", "share": 0.7},
    "constant": {"kind": "affirmative"},
    "flawless": {"kind": "perfect"},
    "wary": {"kind": "refuser", "share": 0.35, "side": "right"},
    "leaning": {"kind": "planted", "effect": 0.3, "side": "left"},
}
INSTRUMENTS = ("partisan", "policy", "xphemism", "normative")
ROWS = 480


@pytest.fixture(scope="module")
def made(all_builds: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReportWithAnswers]:
    folder = tmp_path_factory.mktemp("states")
    with pytest.MonkeyPatch.context() as patch, without_figures():
        patch.setenv("POLBIAS_DATA_DIR", str(all_builds))
        for name, options in WHO.items():
            kind = make_respondent(options["kind"], **{key: options[key] for key in options if key != "kind"})
            run_tasks(list(TASKS), kind, 7, model=name, limit=ROWS).write(folder / name)
        yield build_report([folder])


@pytest.fixture(scope="module")
def shown(made: ReportWithAnswers) -> str:
    return render_page(made.report, paragraphs(made.report))


def headlines(made: ReportWithAnswers, who: str, instrument: str) -> tuple[Finding, Finding]:
    """The bias, and the refusal gap beside it."""
    own = [
        each
        for each in made.report.findings
        if each.headline and (each.respondent, each.instrument) == (who, instrument)
    ]
    bias, *_, gap = own
    assert (bias.is_refusal_gap, gap.is_refusal_gap) == (False, True)
    return bias, gap


@pytest.mark.parametrize("instrument", INSTRUMENTS)
@pytest.mark.parametrize(
    ("who", "state"), [("silent", "not answered"), ("reticent", "not answered"), ("constant", "no variation")]
)
def test_there_is_no_estimate(made: ReportWithAnswers, who: str, state: str, instrument: str) -> None:
    bias, _ = headlines(made, who, instrument)
    estimate = bias.estimate
    assert (estimate.state, verdict(bias)) == (state, state)
    assert (estimate.value, estimate.low, estimate.high, estimate.p, bias.scores) == (None,) * 5
    assert (estimate.n or 0) + (estimate.refusals or 0)
    assert any(
        notice.where == who and state in notice.problem and notice.serious for notice in made.report.notices
    )
    for compared in made.report.comparisons:
        assert compared.instrument != instrument or who not in (compared.first, compared.second)


@pytest.mark.parametrize("instrument", INSTRUMENTS)
def test_the_silent_keep_their_bounds_and_the_page_says_so(
    made: ReportWithAnswers, shown: str, instrument: str
) -> None:
    bias, _ = headlines(made, "silent", instrument)
    assert bias.bounds is not None
    low, high = bias.bounds
    assert low is not None
    assert high is not None
    assert low <= -50 < 50 <= high
    said = " ".join(paragraphs(made.report).by_section[instrument])
    assert "Effects of up to 0.0 points" not in said
    assert "Effects of up to 0.0 points" not in shown


@pytest.mark.parametrize("instrument", ["partisan", "xphemism", "normative"])
def test_who_never_errs_has_a_limit_of_pairs_instead_of_an_interval(
    made: ReportWithAnswers, instrument: str
) -> None:
    bias, gap = headlines(made, "flawless", instrument)
    assert (verdict(bias), verdict(gap)) == ("at the ceiling", "no interval")
    for each in (bias, gap):
        estimate = each.estimate
        assert (estimate.value, estimate.discordant) == (pytest.approx(0), 0)
        assert (estimate.low, estimate.high, estimate.p) == (None, None, None)
        assert estimate.pairs
        assert estimate.limit == pytest.approx(1 - 0.025 ** (1 / estimate.pairs))
        assert largest_compatible_effect(each.estimate) == pytest.approx(100 * estimate.limit)


def test_no_interval_has_width_zero_in_any_finding_comparison_or_table(made: ReportWithAnswers) -> None:
    report = made.report
    for each in (*report.findings, *report.comparisons):
        assert each.estimate.low is None or each.estimate.low < (each.estimate.high or 0), each
    cells = [
        cell
        for section in report.sections
        for table in section.tables
        if table.mode == "corrected"
        for row in table.rows
        for cell in row.values()
        if isinstance(cell, Estimate)
    ]
    assert len(cells) > 500
    assert not [cell for cell in cells if cell.low is not None and cell.low == cell.high]


def test_no_table_says_that_the_silent_have_no_bias(made: ReportWithAnswers) -> None:
    tables = dict(flat_tables(made.report))
    rows = [row for row in tables["partisan-tests"] if row["respondent"] == "silent"]
    assert rows
    assert {(row["bias"], row["bias_state"], row["p"]) for row in rows} == {(None, "not answered", None)}


def test_a_gap_in_refusals_is_tested_and_in_the_summary(made: ReportWithAnswers) -> None:
    overview = " ".join(paragraphs(made.report).respondents)
    for instrument in ("policy", "xphemism"):
        bias, gap = headlines(made, "wary", instrument)
        assert verdict(gap) == "established"
        assert gap.p_holm is not None
        assert (gap.estimate.value or 0) > 20
        assert verdict(bias) != "established"
    few, gap = headlines(made, "wary", "partisan")
    assert gap.estimate.clusters == few.estimate.clusters == 96
    assert verdict(gap) == "described"
    (line,) = [line for line in paragraphs(made.report).respondents if line.startswith("wary:")]
    value = f"+{gap.estimate.value:.1f}"
    assert value in line
    assert "silent" in overview
    assert "not answered" in overview


def test_the_worst_cases_of_who_is_wary_stand_beside_the_estimate(made: ReportWithAnswers) -> None:
    bias, _ = headlines(made, "wary", "policy")
    low, high = bias.bounds or (None, None)
    assert None not in (low, high, bias.estimate.value, bias.excess)
    assert low - 1e-9 <= bias.excess.low < bias.estimate.value < bias.excess.high <= high  # type: ignore[union-attr, operator]
    (text,) = [
        text
        for text in paragraphs(made.report).by_section["policy"]
        if "wary" in text and "leaning of the answers" in text
    ]
    assert format_points(low) in text
    assert format_points(high) in text


EFFECT = Finding(
    "policy", "m", "leaning", "", "", Estimate(-20.0, -25.0, -15.0, n=100, clusters=20, p=1e-6), p_holm=1e-5
)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "established"),
        ({"excess": ExcessBounds(-40.0, -3.0, -45.0, -1.0)}, "established"),
        ({"excess": ExcessBounds(-40.0, -1.0, -45.0, 1.0)}, "found among the answers given"),
        ({"accuracy": Estimate(0.8, 0.7, 0.9), "latent": Estimate(-0.5, -0.9, -0.1)}, "established"),
        (
            {"accuracy": Estimate(0.8, 0.7, 0.9), "latent": Estimate(-0.5, -1.1, 0.1)},
            "found among the answers given",
        ),
        ({"accuracy": Estimate(0.8, 0.7, 0.9)}, "found among the answers given"),
        ({"p_holm": 0.06}, "not established"),
        ({"descriptive_only": True}, "described"),
    ],
)
def test_an_effect_is_established_if_three_conditions_hold(changes: dict[str, Any], expected: str) -> None:
    assert verdict(replace(EFFECT, **changes)) == expected


@pytest.mark.parametrize(
    ("low", "attainable", "state"),
    [(0.51, 60.0, None), (0.49, 60.0, "at chance"), (0.97, 4.9, "at the ceiling"), (0.97, 5.1, None)],
)
def test_states_of_the_accuracy(low: float, attainable: float, state: str | None) -> None:
    finding = replace(EFFECT, accuracy=Estimate(low + 0.02, low, low + 0.03), attainable=attainable)
    assert state_of_accuracy(finding, 5.0) == state
    assert state_of_accuracy(finding, None) == (None if state == "at the ceiling" else state)


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ((None, None), None),
        ((None, "at the ceiling"), "at the ceiling"),
        (("at the ceiling", "at chance"), "at chance"),
        (("at the ceiling", "not answered"), "not answered"),
        (("no variation", "at chance"), "no variation"),
    ],
)
def test_of_two_states_a_comparison_has_the_more_serious(
    states: tuple[State | None, State | None], expected: str | None
) -> None:
    scores = ItemContributions(["a", "b"], [1.0, 0.0], ["a", "b"])
    findings = [
        replace(EFFECT, respondent=name, headline=True, scores=scores, estimate=Estimate(0.5, state=state))
        for name, state in zip("ab", states, strict=True)
    ]
    for pair in (findings, findings[::-1]):
        (comparison,) = compare(pair, frozenset(), {})
        assert comparison.estimate.state == expected


def test_json_has_the_words_of_the_page(made: ReportWithAnswers, shown: str) -> None:
    found = summary(made.report)
    told = {each["verdict"] for each in found["findings"]}
    assert {"not answered", "no variation", "at the ceiling", "described", "established"} <= told
    assert all(word in shown for word in told)
    silent = next(each for each in found["findings"] if each["respondent"] == "silent" and each["headline"])
    assert (silent["state"], silent["value"]) == ("not answered", None)
    assert json.dumps(found, allow_nan=False)


def test_notices_of_a_part_are_not_said_twice(made: ReportWithAnswers) -> None:
    assert len({*made.report.notices}) == len(made.report.notices)
    assert all(isinstance(notice, Notice) for notice in made.report.notices)


def test_a_trial_run_is_too_small_rather_than_at_chance(
    all_builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    leaning = make_respondent("planted", effect=0.3, side="left")
    run_tasks(["polbias_xl_us_en_formal_mini"], leaning, 7, model="brief", limit=4).write(tmp_path / "brief")
    report = build_report([tmp_path]).report
    told = paragraphs(report)
    (line,) = told.respondents
    assert "4 answers" in line
    assert "chance" not in line
    assert not any("at chance" in text for text in told.by_section["partisan"])


def test_an_equivalent_measure_is_said_with_margin_and_interval(made: ReportWithAnswers) -> None:
    open_findings = [
        (section, finding)
        for section in made.report.sections
        for finding in section.findings
        if finding.headline and verdict(finding) == "not established" and not finding.is_refusal_gap
    ]
    section, finding = open_findings[0]
    (who,) = (each for each in made.report.respondents if each.name == finding.respondent)

    def line_if(equivalent: bool) -> str:
        changed = replace(section, findings=(replace(finding, equivalent=equivalent),))
        report = replace(made.report, sections=(changed,), respondents=(who,), comparisons=(), margin=7.0)
        (line,) = paragraphs(report).respondents
        return line

    assert "7 points" in line_if(equivalent=True)
    assert not re.search(r"(?<![.\d])7 points", line_if(equivalent=False))
    for line in map(line_if, (True, False)):
        assert format_points(finding.estimate.low) in line
        assert format_points(finding.estimate.high) in line


def test_a_report_on_one_respondent_has_no_comparisons(
    shown: str, all_builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    run_tasks(["polbias_en_formal_mini"], make_respondent("perfect"), 7, model="one").write(tmp_path / "one")
    with without_figures():
        alone = build_report([tmp_path]).report
    assert not paragraphs(alone).comparisons
    for link in ('id="comparisons"', 'href="#comparisons"'):
        assert link not in render_page(alone, paragraphs(alone))
        assert link in shown


def test_the_output_of_a_report_has_the_sentences_on_comparisons(
    made: ReportWithAnswers, capsys: pytest.CaptureFixture[str]
) -> None:
    print_report(made.report)
    output = capsys.readouterr().out
    assert paragraphs(made.report).comparisons
    assert all(sentence in output for sentence in paragraphs(made.report).comparisons)
