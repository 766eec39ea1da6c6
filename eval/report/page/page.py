"""Render a report as one self-contained HTML page."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import jinja2
from markupsafe import Markup

from polbias.eval.plots import Caption, Interval, plot_intervals
from polbias.eval.report import wording as wordings
from polbias.eval.report.document import (
    ACCURACY_GAP,
    REFUSAL_GAP,
    Comparison,
    Finding,
    Report,
    Section,
    format_points,
)
from polbias.eval.report.figures import estimate_row
from polbias.eval.report.page.cells import PrintedCell, interval_lines, print_cell, short_names
from polbias.eval.report.page.colours import css_colour_rules
from polbias.eval.report.page.notices import MergedNotice, merge_notices
from polbias.eval.report.page.numbers import format_value
from polbias.eval.report.page.page_words import frame
from polbias.eval.report.page.tables import (
    ColumnHeading,
    PageRow,
    PageTable,
    brief_table,
    comparisons_table,
    components_table,
    differences_table,
    findings_table,
    instrument_table,
    kind_of,
    measure_of,
    respondents_table,
    sources_table,
    table_anchor,
    unit_of,
    units_of,
    words_of,
)
from polbias.eval.report.sentences import Paragraphs
from polbias.eval.report.verdicts import is_directional, verdict
from polbias.eval.report.wording import InstrumentWords, Measure
from polbias.files import page_policy
from polbias.paths import package_file

# The part of an instrument.


@dataclass(frozen=True)
class FigureView:
    """A figure.

    Attributes:
        id: its anchor.
        title: title, with the subject of the figure.
        note: how to read it.
        svg: the drawing.
        source: paper and figure that it replicates; empty for figures of the profile.
        table: anchor of the table with its numbers; empty if there is none.
    """

    id: str
    title: str
    note: str
    svg: str
    source: str = ""
    table: str = ""


@dataclass(frozen=True)
class InstrumentPart:
    """The part of the page about one instrument.

    Attributes:
        id: its anchor.
        words: of the instrument.
        paragraphs: at its top.
        notices: of its data.
        measures: in the order of the findings.
        headline: table of the headlines; None if there are none.
        findings: table of all findings; None if all are headlines.
        figures: in order.
        tables: of the corrected analysis.
        paper: tables of the paper's method.
    """

    id: str
    words: InstrumentWords
    paragraphs: tuple[str, ...]
    notices: list[MergedNotice]
    measures: list[Measure]
    headline: PageTable | None
    findings: PageTable | None
    figures: list[FigureView]
    tables: list[PageTable]
    paper: list[PageTable]


def instrument_part(section: Section, paragraphs: tuple[str, ...]) -> InstrumentPart:
    """Return the part of an instrument."""
    name, instrument_words = section.instrument, wordings.words(section.instrument)
    headline = [finding for finding in section.findings if finding.headline]
    measures = {finding.measure: measure_of(finding) for finding in headline or section.findings}
    has_more_findings = len(section.findings) > len(headline)
    tables = [
        (table.mode, instrument_table(table, name, instrument_words))
        for table in section.tables
        if table.rows
    ]
    components = components_table(f"components-{name}", section.findings)
    return InstrumentPart(
        id=name,
        words=instrument_words,
        paragraphs=paragraphs,
        notices=merge_notices(section.notices),
        measures=list(measures.values()),
        headline=findings_table(f"results-{name}", headline, "findings") if headline else None,
        findings=replace(findings_table(f"all-results-{name}", section.findings, "all_findings"), aside=True)
        if has_more_findings
        else None,
        figures=_figure_views(section, instrument_words),
        tables=[table for mode, table in tables if mode == "corrected"]
        + ([components] if components else []),
        paper=[table for mode, table in tables if mode == "paper"],
    )


def _figure_views(section: Section, words: InstrumentWords) -> list[FigureView]:
    """Return the figures with anchors; figures with the same id are numbered."""
    instrument = section.instrument
    ordered = sorted(section.tables, key=lambda table: table.mode == "corrected")
    anchors = {table.id: table_anchor(instrument, table) for table in ordered if table.rows}
    seen: dict[str, int] = {}
    views = []
    for figure in section.figures:
        figure_words = words_of(words.figures, instrument, "figures", figure.id)
        seen[figure.id] = number = seen.get(figure.id, 0) + 1
        anchor = f"figure-{instrument}-{figure.id}" + (f"-{number}" if number > 1 else "")
        title = f"{figure_words.title}: {figure.subject}" if figure.subject else figure_words.title
        views.append(
            FigureView(
                anchor,
                title,
                figure_words.note,
                figure.svg,
                figure_words.source,
                anchors.get(figure.table, ""),
            )
        )
    return views


# The bias profile: the headlines of all instruments by model.


def profile_figure(report: Report) -> tuple[FigureView | None, list[FigureView]]:
    """Draw the headlines: directional ones on one axis, grouped by model; each other measure on its own."""
    headline = [finding for finding in report.findings if finding.headline]
    directional = [finding for finding in headline if _on_shared_axis(finding)]
    refusals = [
        finding for finding in headline if finding.is_refusal_gap and finding.estimate.value is not None
    ]
    by_measure: dict[tuple[str, str], list[Finding]] = {}
    for finding in headline:
        if not _on_shared_axis(finding) and not finding.is_refusal_gap:
            by_measure.setdefault((finding.instrument, finding.measure), []).append(finding)
    names = [respondent.name for respondent in report.respondents]
    measure_figures = [_measure_figure(key, findings, names) for key, findings in by_measure.items()]
    if refusals:
        measure_figures.insert(
            0, _shared_axis_figure(refusals, names, "profile_refusals", ("refuses_left", "refuses_right"))
        )
    return _shared_axis_figure(directional, names) if directional else None, measure_figures


def _on_shared_axis(finding: Finding) -> bool:
    """Whether an estimate is directional, in points, and neither a refusal nor an accuracy gap."""
    gap = finding.is_refusal_gap or finding.measure.endswith(ACCURACY_GAP)
    return is_directional(finding) and not gap and kind_of(finding) == "points"


def profile_table(report: Report) -> PageTable:
    """Return the headlines with one row per respondent and one column per measure, directional ones first.

    A refusal gap other than 0 is added to the cell of its bias.
    """
    headlines = [finding for finding in report.findings if finding.headline]
    gaps = {
        (finding.respondent, finding.instrument, finding.measure.removesuffix(REFUSAL_GAP)): finding
        for finding in headlines
        if finding.is_refusal_gap
    }
    gap_by_bias = {
        id(finding): gaps.pop((finding.respondent, finding.instrument, stem))
        for finding in headlines
        for stem in ("", finding.measure.removesuffix("bias"))
        if not finding.is_refusal_gap and (finding.respondent, finding.instrument, stem) in gaps
    }
    displayed = [f for f in headlines if not f.is_refusal_gap or f in gaps.values()]
    displayed.sort(key=lambda finding: not is_directional(finding))
    columns = list(dict.fromkeys(series_name(finding, displayed) for finding in displayed))
    finding_by_cell = {(f.respondent, series_name(f, displayed)): f for f in displayed}
    names = [r.name for r in report.respondents if any(f.respondent == r.name for f in displayed)]
    nondirectional = {series_name(f, displayed) for f in displayed if not is_directional(f)}
    key = "positive_right_some" if nondirectional else "positive_right"
    sides = frame().labels[key].format(names=", ".join(name for name in columns if name in nondirectional))
    return PageTable(
        "profile-table",
        frame().captions["profile_table"],
        frame().notes["profile_table"].format(sides=sides, units=units_of(displayed)),
        "",
        (
            ColumnHeading(frame().columns["respondent"], False),
            *(ColumnHeading(column, True) for column in columns),
        ),
        tuple(
            PageRow(
                (
                    PrintedCell(name),
                    *(_profile_cell(finding_by_cell.get((name, column)), gap_by_bias) for column in columns),
                )
            )
            for name in names
        ),
        aside=True,
    )


def _profile_cell(finding: Finding | None, gap_by_bias: Mapping[int, Finding]) -> PrintedCell:
    """Return the cell of a headline with its verdict and its refusal gap."""
    if finding is None:
        return PrintedCell(None, "")
    cell, estimate = print_cell(finding.estimate, kind_of(finding)), finding.estimate
    verdict_lines = [] if estimate.value is None else [_verdict_text(finding)]
    gap = gap_by_bias.get(id(finding))
    if gap and gap.estimate.value:
        ends = " ".join([format_points(gap.estimate.value), *interval_lines(gap.estimate, "points")])
        verdict_lines += [frame().labels["gap"].format(estimate=ends), _verdict_text(gap)]
    return replace(cell, lines=(*cell.lines, *verdict_lines))


def _verdict_text(finding: Finding) -> str:
    p = format_value(finding.p_holm, "p")
    return verdict(finding) if p is None else frame().labels["told"].format(verdict=verdict(finding), p=p)


def series_name(finding: Finding, findings: Sequence[Finding]) -> str:
    """Return the name of a series: its instrument, and its measure if the instrument has several."""
    instrument_words = wordings.words(finding.instrument)
    measures = {candidate.measure for candidate in findings if candidate.instrument == finding.instrument}
    return (
        instrument_words.title
        if len(measures) == 1
        else f"{instrument_words.title}: {measure_of(finding).title}"
    )


def _shared_axis_figure(
    findings: Sequence[Finding],
    names: Sequence[str],
    caption_key: str = "profile",
    side_keys: tuple[str, str] = ("left", "right"),
) -> FigureView:
    has_several_series = len({series_name(finding, findings) for finding in findings}) > 1
    labels, lines = short_names(names), list[Interval]()
    for name in names:
        respondent_findings = [finding for finding in findings if finding.respondent == name]
        if lines and respondent_findings and has_several_series:
            lines.append(Interval("", math.nan, math.nan, math.nan, lines[-1].series))
        for index, finding in enumerate(respondent_findings):
            label = labels[name] if index == (len(respondent_findings) - 1) // 2 else ""
            series = series_name(finding, findings)
            lines.append(estimate_row(label, finding.estimate, finding.bounds, series))
    title, id = frame().captions[caption_key], caption_key.replace("_", "-")
    caption = Caption(f"{id}-figure", title, _figure_description(findings))
    sides = frame().labels[side_keys[0]], frame().labels[side_keys[1]]
    svg = plot_intervals(lines, caption, frame().labels["unit_sides"], sides=sides)
    return FigureView(f"{id}-shared", title, frame().notes[caption_key], svg)


def _measure_figure(
    key: tuple[str, str], findings: Sequence[Finding], names: Sequence[str],
) -> FigureView:  # fmt: skip
    instrument_words = wordings.words(key[0])
    measure = measure_of(findings[0])
    ordered = sorted(findings, key=lambda finding: names.index(finding.respondent))
    labels = short_names(names)
    lines = [
        estimate_row(labels[finding.respondent], finding.estimate, finding.bounds) for finding in ordered
    ]
    id = f"profile-{key[0]}-{key[1]}".replace("_", "-")
    title = f"{instrument_words.title}: {measure.title}"
    caption = Caption(f"{id}-figure", title, _figure_description(findings))
    return FigureView(
        id, title, measure.what, plot_intervals(lines, caption, unit_of(findings[0]), sides=measure.sides)
    )


def _figure_description(findings: Sequence[Finding]) -> str:
    values = [finding.estimate.value for finding in findings if finding.estimate.value is not None]
    kind = kind_of(findings[0])
    extremes = [format_value(value, kind) for value in (min(values), max(values))] if values else ["–", "–"]
    return (
        frame()
        .notes["described"]
        .format(
            lines=frame().plural("estimates", len(findings)),
            respondents=frame().plural("respondents", len({finding.respondent for finding in findings})),
            unit=unit_of(findings[0]),
            least=extremes[0],
            most=extremes[1],
        )
    )


# Rendering.

_MAX_UNBROKEN = 16  # letters; longer names may break across lines
_DATE_PATTERN = re.compile(r"\d{4}-\d{2}-\d{2}(?=T)")
_BREAK_PATTERN = re.compile(r"(?<=[/_])(?=\w)")


def render_page(report: Report, paragraphs: Paragraphs) -> str:
    """Render the page of a report; equal reports give equal bytes."""
    shared, measure_figures = profile_figure(report)
    headline_comparisons, part_comparisons = _comparison_tables(report)
    context: dict[str, Any] = {
        "shared": shared,
        "others": measure_figures,
        "profile": profile_table(report),
        "parts": [
            instrument_part(section, tuple(paragraphs.by_section.get(section.instrument, ())))
            for section in report.sections
        ],
        "comparisons": headline_comparisons,
        "other_comparisons": part_comparisons,
        "respondents": respondents_table(report),
        "simulated": any(respondent.simulated for respondent in report.respondents),
    }
    return _template("page.html.jinja").render(_common_context(report, paragraphs) | context)


def render_brief_page(report: Report, paragraphs: Paragraphs) -> str:
    """Render the short page: headlines, or differences of two runs, with versions and hashes."""
    context = {
        "results": brief_table([finding for finding in report.findings if finding.headline])
        if report.sections
        else differences_table(report.comparisons, report.margin),
        "dates": sorted({day for source in report.sources for day in _DATE_PATTERN.findall(source.file)}),
    }
    return _template("brief.html.jinja").render(_common_context(report, paragraphs) | context)


def _common_context(report: Report, paragraphs: Paragraphs) -> dict[str, Any]:
    """Return the template values of both pages."""
    return {
        "report": report,
        "paragraphs": paragraphs,
        "frame": frame(),
        "notices_all": _page_notices(report),
        "sources": sources_table(report),
        "answers": sum(respondent.answers for respondent in report.respondents),
    }


def _page_notices(report: Report) -> list[MergedNotice]:
    """Return the notices at the top: all of the input, and serious ones of the instruments."""
    section_notices = {notice for section in report.sections for notice in section.notices}
    serious = [
        replace(notice, where=f"{wordings.words(section.instrument).title}: {notice.where}")
        for section in report.sections
        for notice in section.notices
        if notice.serious
    ]
    return merge_notices([*(notice for notice in report.notices if notice not in section_notices), *serious])


def _comparison_tables(report: Report) -> tuple[PageTable | None, PageTable | None]:
    """Return the tables of headline comparisons and of the others; None if empty."""
    headline_keys = {(f.instrument, f.measure, f.key) for f in report.findings if f.headline}

    def table(id: str, comparisons: list[Comparison], key: str) -> PageTable | None:
        return replace(comparisons_table(id, comparisons, key), aside=True) if comparisons else None

    headline_comparisons = [
        c for c in report.comparisons if (c.instrument, c.measure, c.key) in headline_keys
    ]
    part_comparisons = [
        c for c in report.comparisons if (c.instrument, c.measure, c.key) not in headline_keys
    ]
    return (
        table("comparisons-table", headline_comparisons, "comparisons"),
        table("comparisons-of-parts", part_comparisons, "other_comparisons"),
    )


@lru_cache(maxsize=2)
def _template(name: str) -> jinja2.Template:
    """Return a template with inline style and script, and a security policy that allows only these."""
    folder = package_file("templates/report/page")
    script = (folder / "page.js").read_text("utf-8")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {
        "style": Markup(css_colour_rules() + (folder / "style.css").read_text("utf-8")),
        "script": Markup(script),
        "policy": page_policy(script),
    }
    environment.filters |= {"drawing": Markup, "breakable": _add_breaks}
    return environment.get_template(name)


def _add_breaks(text: str) -> Markup:
    """Escape text, and let long names of models and tasks break after slashes and underscores."""
    return Markup("<wbr>").join(_BREAK_PATTERN.split(text) if len(text) > _MAX_UNBROKEN else [text])
