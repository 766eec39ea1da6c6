"""The page: complete, well-formed, safe, accessible, the same every time."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from itertools import pairwise

import pytest

from polbias.errors import TemplateError
from polbias.eval.report.document import (
    Column,
    Estimate,
    Figure,
    Finding,
    Notice,
    Report,
    ReportTable,
    Section,
    format_points,
)
from polbias.eval.report.page.cells import short_names
from polbias.eval.report.page.notices import merge_notices
from polbias.eval.report.page.page import render_page
from polbias.eval.report.sentences import Paragraphs
from tests.report.page import builders
from tests.report.page.markup import Markup
from tests.support.process import run_python

EMPTY = Report("0.1.0", 0, (), (), ())


def test_same_report_same_bytes(large: Report, large_text: str) -> None:
    assert render_page(large, builders.paragraphs()) == large_text


def test_bytes_do_not_depend_on_hash_order() -> None:
    program = (
        "import hashlib; from tests.report.page import builders; from polbias.eval.report.page.page import render_page;"
        "from polbias.eval.report import wording; wording.words = builders.words;"
        "r = builders.report(2, rows=3, instruments=('policy',));"
        "print(hashlib.sha256(render_page(r, builders.paragraphs()).encode()).hexdigest())"
    )
    here = render_page(builders.report(2, rows=3, instruments=("policy",)), builders.paragraphs())
    there = run_python(program, env={"PYTHONHASHSEED": "1"}).stdout.strip()
    assert there == hashlib.sha256(here.encode()).hexdigest()


def test_size_of_ten_models_and_five_instruments(large_text: str) -> None:
    assert len(large_text.encode()) < 5_000_000


def test_nothing_is_fetched(markup: Markup) -> None:
    for element in markup.elements:
        for name in ("href", "src", "xlink:href", "action", "srcset", "data"):
            value = element.attributes.get(name, "#")
            assert value.startswith("#") or (element.tag == "link" and value == "data:,"), (
                element.tag,
                value,
            )
    assert not {e.tag for e in markup.elements} & {"img", "iframe", "object", "embed", "form", "base"}
    style = "".join(e.text for e in markup.of("style"))
    assert "@import" not in style
    assert set(re.findall(r"url\(([^)]*)\)", style)) == set()


def test_policy_allows_the_one_script_only(markup: Markup, large_text: str) -> None:
    policy = next(e for e in markup.of("meta") if "http-equiv" in e.attributes).attributes["content"]
    assert policy.startswith("default-src 'none';")
    (script,) = re.findall(r"<script>(.*?)</script>", large_text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "unsafe-eval" not in policy
    assert not any(name.startswith("on") for e in markup.elements for name in e.attributes)


def test_ids_are_unique_and_links_lead_somewhere(markup: Markup) -> None:
    ids = [e.attributes["id"] for e in markup.elements if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    pointers = [
        (name, target)
        for e in markup.elements
        for name in ("href", "aria-labelledby", "aria-describedby", "xlink:href")
        for target in e.attributes.get(name, "").split()
        if target != "data:,"
    ]
    assert len(pointers) > 100
    assert [each for each in pointers if each[1].lstrip("#") not in set(ids)] == []


def test_headings_are_in_order(markup: Markup) -> None:
    levels = [int(e.tag[1]) for e in markup.of("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_landmarks_and_language(markup: Markup) -> None:
    assert markup.of("html")[0].attributes["lang"] == "en"
    for tag in ("header", "nav", "main", "footer"):
        assert len(markup.of(tag)) == 1
    first = markup.of("a")[0]
    assert first.attributes["href"] == "#main"
    assert all("aria-labelledby" in e.attributes for e in markup.of("section"))


def test_tables_have_captions_and_scopes(markup: Markup) -> None:
    tables = markup.of("table")
    assert len(tables) > 20
    for table in tables:
        assert table.children[0].tag == "caption"
        assert table.children[0].text.strip()
        widths = {len(row.children) for part in table.children[1:] for row in part.children}
        assert len(widths) == 1
    for head in markup.of("th"):
        assert head.attributes["scope"] == ("col" if "thead" in head.ancestors else "row")


def test_figures_have_text_alternatives(markup: Markup) -> None:
    figures = [e for e in markup.of("svg") if "figure" in e.ancestors]
    # of instruments; the shared one, refusals, accuracy gap, margin, two of the normative instrument
    assert len(figures) == 5 * 5 + 6
    assert all(e.attributes["role"] == "img" and e.attributes["aria-labelledby"] for e in figures)


def test_controls_are_labelled(markup: Markup) -> None:
    for control in markup.of("input", "select"):
        assert "label" in control.ancestors
    assert all(e.text.strip() for e in markup.of("button", "label", "summary"))


def test_all_findings_of_an_instrument_are_there(large: Report, markup: Markup) -> None:
    rows = markup.id("all-results-policy").children[2].children
    section = large.sections[1]
    assert len(rows) == len(section.findings)
    finding = section.findings[3]
    cells = [cell.text for cell in rows[3].children]
    assert cells[:3] == [finding.respondent, "Difference", finding.part_label]
    value = finding.estimate.value or 0.0
    assert cells[3] == f"{value:+.1f}".replace("-", "−")


def test_profile_has_a_column_per_headline_measure(markup: Markup) -> None:
    heads = [head.text for head in markup.id("profile-table").children[1].children[0].children]
    assert heads == [
        "Model",
        *(f"Partisan inferences: {name}" for name in ("Weighted bias", "Accuracy gap", "Margin")),
        *("Policy stances", "Loaded words", "Self-assessment"),
        "Normative reasoning: Difference",
        "Normative reasoning: Effect of the domain",
    ]
    assert len(markup.id("profile-table").children[2].children) == 10


def test_refusals_of_one_side_stand_beside_the_bias_and_in_a_figure(large: Report, markup: Markup) -> None:
    bias, gap = (
        next(finding for finding in large.findings if finding.headline and finding.measure == measure)
        for measure in ("bias", "refusal_gap")
    )
    row = markup.id("profile-table").children[2].children[0]
    assert (bias.respondent, gap.respondent) == (row.children[0].text, row.children[0].text)
    cells = [cell.text for cell in row.children]
    assert f"refusal gap {format_points(gap.estimate.value)} [{format_points(gap.estimate.low)}" in cells[1]
    assert not any("refusal gap" in cells[column] for column in (2, 3, 7, 8))
    figure = markup.id("profile-refusals-figure")
    assert "details" in figure.ancestors
    assert "40 estimates of 10 respondents in percentage points" in figure.text


def test_a_margin_is_in_standard_deviations_wherever_it_stands(large: Report, markup: Markup) -> None:
    (margin,) = (finding for finding in large.findings if finding.measure == "margin")
    unit = "standard deviations of the log odds"
    figure = markup.id("profile-partisan-margin-figure")
    assert unit in figure.text
    assert "percentage points" not in figure.text
    described = {name: markup.id(f"results-{name}-note").text for name in ("partisan", "policy")}
    described["profile"] = markup.id("profile-table-note").text
    assert [name for name, note in described.items() if unit in note] == ["partisan", "profile"]
    rows = [
        [cell.text for cell in row.children] for row in markup.id("results-partisan").children[2].children
    ]
    (cells,) = (row for row in rows if row[1] == "Margin")
    assert cells[2] == f"{margin.estimate.value:.3f}".replace("-", "−")


def test_measures_without_sides_are_not_on_the_shared_axis(large_text: str) -> None:
    shared = large_text[large_text.index('id="profile-shared"') : large_text.index("</figure>")]
    assert "Partisan inferences" in shared
    assert "Normative" not in shared


def test_only_a_leaning_in_points_is_on_the_shared_axis(large: Report, markup: Markup) -> None:
    figure = markup.id("profile-figure").text
    values = [
        finding.estimate.value
        for finding in large.findings
        if finding.headline and finding.measure == "bias" and finding.instrument != "normative"
    ]
    assert "40 estimates of 10 respondents" in figure
    known = [value for value in values if value is not None]
    assert f"between {format_points(min(known))} and {format_points(max(known))}" in figure


def test_the_estimate_stands_before_the_bounds(large: Report) -> None:
    silent = replace(large.sections[0].findings[0].estimate, missing=0.4)
    finding = replace(large.sections[0].findings[0], estimate=silent)
    found = Markup(
        render_page(replace(EMPTY, sections=(Section("partisan", ("m",), (finding,)),)), Paragraphs())
    )
    heads = [head.text for head in found.id("results-partisan").children[1].children[0].children]
    assert heads[1:4] == ["Estimate", "95% interval", "Verdict"]
    beside = ["On the latent scale", "Accuracy", "Excess bounds", "Worst-case bounds", "Refusal gap"]
    assert [head for head in heads[4:] if head in beside] == beside


@pytest.mark.parametrize(
    ("ends", "shown"),
    [
        ((-0.1, 0.3), "0.100[−0.100, 0.300]"),
        ((None, 0.3), "0.100[−∞, 0.300]"),
        ((None, None), "0.100[−∞, +∞]"),
    ],
)
def test_a_latent_shift_without_a_bound_is_unbounded(
    large: Report, ends: tuple[float | None, float | None], shown: str
) -> None:
    finding = replace(large.sections[0].findings[0], latent=Estimate(0.1, *ends))
    found = Markup(
        render_page(replace(EMPTY, sections=(Section("partisan", ("m",), (finding,)),)), Paragraphs())
    )
    heads, (row,) = (part.children for part in found.id("results-partisan").children[1:])
    (column,) = (n for n, head in enumerate(heads[0].children) if head.text == "On the latent scale")
    assert row.children[column].text == shown


def test_paper_tables_stand_in_a_box_of_their_own(large_text: str) -> None:
    box = large_text.index('<div class="paper"')
    assert (
        large_text.index('id="table-partisan-overview"')
        < box
        < large_text.index('id="table-partisan-paper-paper"')
    )
    assert "Paper&#39;s method" in large_text


def test_long_tables_are_folded(markup: Markup) -> None:
    assert "details" in markup.id("comparisons-table").ancestors
    assert "details" in markup.id("table-partisan-long").ancestors
    assert "details" in markup.id("all-results-partisan").ancestors
    assert "details" in markup.id("results-partisan").ancestors  # two measures of ten models, and a margin
    assert "details" not in markup.id("results-policy").ancestors


def test_serious_notices_come_first_and_equal_words_once() -> None:
    notices = [
        Notice("a", "x", "y"),
        Notice("b", "s", "y", serious=True),
        Notice("c", "x", "y"),
        Notice("a", "x", "y"),
    ]
    assert [(each.problem, each.where, each.serious) for each in merge_notices(notices)] == [
        ("s", ("b",), True),
        ("x", ("a", "c"), False),
    ]


def test_hostile_text_is_text(hostile_text: str) -> None:
    assert "<script>alert" not in hostile_text
    assert "&lt;script&gt;alert(1)" in hostile_text
    assert "{{ 7*7 }}" in hostile_text
    found = Markup(hostile_text)
    assert len(found.of("script")) == 1
    heads = [row.children[0].text for row in found.id("profile-table").children[2].children]
    assert builders.HOSTILE in heads
    svg = next(e for e in found.of("svg") if e.attributes["id"] == "profile-figure")
    assert "$" in svg.text


def test_machine_paths_and_dates_are_not_in_the_page(large_text: str) -> None:
    assert not re.search(r"/(?:work|home|tmp|usr)/", large_text)
    assert not re.search(r"\b20\d\d-\d\d-\d\dT", large_text)


def test_an_empty_report() -> None:
    found = Markup(render_page(EMPTY, Paragraphs()))
    assert "No instrument of this report has a headline result." in found.id("summary").text
    assert found.of("svg") == []


def test_a_model_about_which_nothing_is_known() -> None:
    nothing = Estimate(None)
    finding = Finding("policy", "m", "bias", "", "", nothing, headline=True)
    other = replace(finding, instrument="normative", headline=False, key="k", part_label="part")
    made = replace(
        EMPTY, sections=(Section("policy", ("m",), (finding,)), Section("normative", ("m",), (other,)))
    )
    found = Markup(render_page(made, Paragraphs()))
    assert found.id("results-policy").children[2].children[0].children[1].text == "–"
    assert found.id("all-results-normative")


@pytest.mark.parametrize(
    ("section", "missing"),
    [
        (Section("policy", (), tables=(ReportTable("nowhere", (), ({},)),)), "tables.nowhere"),
        (Section("policy", (), figures=(Figure("nowhere", "<svg></svg>"),)), "figures.nowhere"),
        (Section("policy", (), findings=(Finding("policy", "m", "nowhere", "", "", Estimate(1.0)),)), "measures.nowhere"),
    ],
)  # fmt: skip
def test_missing_words_are_named(section: Section, missing: str) -> None:
    with pytest.raises(TemplateError, match=rf"templates/report/policy\.yaml: {missing}: missing"):
        render_page(replace(EMPTY, sections=(section,)), Paragraphs())


def test_short_names_stay_distinct() -> None:
    long = "x" * 40
    assert short_names(["a/b", "c"]) == {"a/b": "a/b", "c": "c"}
    assert short_names([f"owner-{long}/model"]) == {f"owner-{long}/model": "model"}
    twins = [f"{long}/model", f"{'y' * 40}/model"]
    assert len(set(short_names(twins).values())) == 2
    same = [f"{long}{i}{long}" for i in range(2)]
    assert short_names(same) == {name: name for name in same}


def test_a_table_without_rows_is_left_out() -> None:
    empty = replace(EMPTY, sections=(Section("policy", (), tables=(ReportTable("overview", (), ()),)),))
    assert not Markup(render_page(empty, Paragraphs())).id("policy").text.count("Estimates")


def test_a_table_of_both_modes_has_two_anchors() -> None:
    columns, rows = (Column("respondent"),), ({"respondent": "m"},)
    tables = tuple(ReportTable("overview", columns, rows, mode) for mode in ("corrected", "paper"))
    figure = Figure("web", "<svg></svg>", "overview")
    made = replace(EMPTY, sections=(Section("policy", (), tables=tables, figures=(figure,)),))
    found = Markup(render_page(made, Paragraphs()))
    assert found.id("table-policy-overview-paper").tag == found.id("table-policy-overview").tag == "table"
    assert "#table-policy-overview" in [e.attributes["href"] for e in found.of("a")]
