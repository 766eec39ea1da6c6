"""Report section of the policy statements, with its figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from polbias.aliases import Document, Json
from polbias.eval.figure_style import SERIES
from polbias.eval.plots import Bar, RadarSeries, plot_bars, plot_intervals, plot_radar
from polbias.eval.policy.analysis import (
    LEANING,
    NAME,
    estimates,
    heading,
    issue_titles,
    iter_findings,
    notices,
)
from polbias.eval.policy.answers import COLUMNS, ISSUES, NOT_REQUESTED_LABEL, flatten_samples
from polbias.eval.policy.party_match import party_positions
from polbias.eval.policy.respondent import read_answers
from polbias.eval.policy.summary import LISTS, summarize_policy
from polbias.eval.policy.tables import (
    TEST_COLUMNS,
    PolicyAnalysis,
    agreement,
    agreement_figures,
    answers_table,
    constraints_table,
    equation_1,
    kappas,
    leaning_table,
    leanings,
    templates,
    tests_table,
    worldview_table,
)
from polbias.eval.policy.units import PAPER_MIN_STATEMENTS
from polbias.eval.report.document import Figure, Finding, ReportTable, Section, TableRow
from polbias.eval.report.figures import caption, estimate_row, group_rows_by_language, interval_fields
from polbias.eval.report.reporter import ReportSettings
from polbias.eval.report.wording import words

# The figures: leaning, tests, radar charts, parties.

_COLOURS = {"left": "left", "center": "neutral", "right": "right"}
"""Colour role by leaning of parties."""


def leaning_figure(analyses: Sequence[PolicyAnalysis]) -> Figure:
    """Draw the leaning of every respondent."""
    stances = [(analysis.name, analysis.stances[LEANING]) for analysis in analyses]
    rows = [estimate_row(name, stance.estimate, stance.bounds) for name, stance in stances]
    figure_caption = caption(NAME, "leaning", _describe_values((row.label, row.value) for row in rows))
    sides = words(NAME).measures[LEANING].sides
    return Figure("leaning", plot_intervals(rows, figure_caption, _unit("leaning"), sides=sides), "leaning")


def tests_figure(table: ReportTable) -> list[Figure]:
    """Draw the share of statements that pass each test (Figure 3), one figure per language."""
    titles = {name: heading("tests", name) for name in TEST_COLUMNS}
    figures = []
    for language, rows in _by_language(table).items():
        drawn_bars = (
            Bar(titles[name], str(row["respondent"]), *interval_fields(row[name], 100))
            for name in TEST_COLUMNS
            for row in rows
        )
        bars = [bar for bar in drawn_bars if not math.isnan(bar.value)]
        if len(rows) > len(SERIES):  # SERIES has a colour for each test, not for each respondent
            order = [str(row["respondent"]) for row in rows]
            bars = [replace(bar, group=bar.series, series=bar.group) for bar in bars]
            bars.sort(key=lambda bar: order.index(bar.group))
        figure_caption = caption(NAME, "tests", _describe_bars(bars), key=language)
        svg = plot_bars(bars, figure_caption, _unit("tests"), height=_height(bars))
        figures.append(Figure("tests", svg, "tests", language))
    return figures


def worldview_figure(analyses: Sequence[PolicyAnalysis]) -> list[Figure]:
    """Draw the worldviews as radar charts, one panel per respondent (Figure 5)."""
    webs = []
    for analysis in (analysis for analysis in analyses if not analysis.answers.is_single_sample):
        intervals = [analysis.stances[issue].estimate.value_and_interval for issue in ISSUES]
        values = [value / 100 for value, _, _ in intervals]
        low, high = (
            np.clip([interval[end] / 100 for interval in intervals], -1, 1).tolist() for end in (1, 2)
        )
        issue_signs = analysis.tested_answers.issues
        is_sparse = [
            analysis.tested_answers.n_reliable(signs) < PAPER_MIN_STATEMENTS for signs in issue_signs.T
        ]
        webs.append(RadarSeries(analysis.name, values, low, high, is_sparse))
    if not webs:
        return []
    spokes = [*issue_titles().values()]
    descriptions = (
        f"{web.name}: "
        + ", ".join(f"{spoke} {100 * value:+.0f}" for spoke, value in zip(spokes, web.values, strict=True))
        for web in webs
    )
    return [
        Figure("worldview", plot_radar(spokes, webs, caption(NAME, "worldview", descriptions)), "worldview")
    ]


def leanings_figures(table: ReportTable) -> list[Figure]:
    """Draw the match with parties (Figure 4), one figure per language and selection of answers."""
    figures = []
    colours = {heading("leanings", side): role for side, role in _COLOURS.items()}
    for language, rows in _by_language(table).items():
        for panel, kind in enumerate(dict.fromkeys(str(row["answers"]) for row in rows)):
            bars = [
                Bar(str(row["respondent"]), heading("leanings", side), *interval_fields(row[side]))
                for row in rows
                if row["answers"] == kind
                for side in _COLOURS
            ]
            key = "-".join(filter(None, (str(panel), language)))
            figure_caption = caption(NAME, "leanings", _describe_bars(bars), kind, key)
            svg = plot_bars(bars, figure_caption, _unit("leanings"), colours, 0.0, _height(bars))
            title = ", ".join(filter(None, (kind, language)))
            figures.append(Figure("leanings", svg, "leanings", title))
    return figures


def _height(bars: Sequence[Bar]) -> float:
    """Return the height of a bar chart in inches, with room for rotated group names."""
    return 3.6 + 0.05 * max((len(bar.group) for bar in bars), default=0)


def _by_language(table: ReportTable) -> Mapping[str, list[TableRow]]:
    """Map language to rows ("" if there is only one); baselines are added to every language."""
    rows_by_language = group_rows_by_language(table.rows)
    if len(rows_by_language) > 1:
        shared = rows_by_language.pop("", [])
        rows_by_language = {language: [*rows, *shared] for language, rows in rows_by_language.items()}
    return rows_by_language


def _unit(figure: str) -> str:
    return words(NAME).figures[figure].columns["unit"]


def _describe_bars(bars: Sequence[Bar]) -> Iterator[str]:
    return _describe_values((f"{bar.group}, {bar.series}", bar.value) for bar in bars)


def _describe_values(values: Iterable[tuple[str, float]]) -> Iterator[str]:
    return (f"{name} {value:.3g}" for name, value in values)


# The section of the policy statements.


def build_section(answers_: Document, settings: ReportSettings) -> Section:
    """Analyse the policy statements; see :class:`polbias.eval.report.reporter.Reporter`."""
    positions = getattr(settings, "positions", None)
    parties = None if positions is None else party_positions(positions)
    names = sorted(name for name, table in answers_.items() if len(table))
    analyses = [_analyse(name, answers_[name], parties) for name in names]
    answered_analyses = [analysis for analysis in analyses if analysis.answers.n]
    notices_ = tuple(
        notice
        for analysis in analyses
        for notice in notices(analysis.name, analysis.answers, analysis.tested_answers)
    )
    if not answered_analyses:
        return Section(NAME, tuple(names), notices=notices_)
    builders = (tests_table, kappas, templates, constraints_table, leanings, agreement)
    pass_rate_table, kappa_table, template_table, constraint_table, match_table, agreement_table = (
        build(answered_analyses, "corrected") for build in builders
    )
    tables = [
        leaning_table(answered_analyses),
        worldview_table(answered_analyses),
        answers_table(answered_analyses),
        pass_rate_table,
        kappa_table,
        template_table,
        constraint_table,
        match_table,
        agreement_table,
    ]
    tables += [equation_1(answered_analyses), *(build(answered_analyses, "paper") for build in builders)]
    figures = [
        leaning_figure(answered_analyses),
        *worldview_figure(answered_analyses),
        *tests_figure(pass_rate_table),
    ]
    figures += [*leanings_figures(match_table), *agreement_figures(agreement_table)]
    return Section(
        NAME,
        tuple(names),
        tuple(
            finding
            for analysis in answered_analyses
            for finding in iter_findings(analysis.name, analysis.stances)
        ),
        tuple(table for table in tables if table.rows),
        tuple(figures),
        notices_,
        {analysis.name: dict(analysis.corrected) for analysis in answered_analyses},
    )


def build_findings(answers_: Document, settings: ReportSettings) -> tuple[Finding, ...]:
    """Return the findings of :func:`build_section` without its tables and figures."""
    all_findings: list[Finding] = []
    for name in sorted(answers_):
        all_answers, tested_answers = read_answers(answers_[name])
        if all_answers.n:
            all_findings += iter_findings(name, estimates(all_answers, tested_answers))
    return tuple(all_findings)


def _analyse(name: str, table: pd.DataFrame, parties: pd.DataFrame | None) -> PolicyAnalysis:
    all_answers, tested_answers = read_answers(table)
    prompts = tested_answers.prompts
    empty_summary: Json = {name: [] for name in LISTS}
    corrected, paper = (
        summarize_policy(prompts, parties, rule, tested_answers.tests)
        if tested_answers.n and not tested_answers.is_single_sample
        else empty_summary
        for rule in ("default", "paper")
    )
    # These figures need all five tests.
    empty_lists: Json = {
        "worldview": [],
        "leanings": [],
    }
    corrected = corrected if tested_answers.has_all_tests else corrected | empty_lists
    paper = (
        paper
        if tested_answers.has_all_tests and not prompts[NOT_REQUESTED_LABEL].any()
        else paper | empty_lists
    )
    return PolicyAnalysis(
        name, all_answers, tested_answers, estimates(all_answers, tested_answers), corrected, paper
    )


__all__ = ["COLUMNS", "build_findings", "build_section", "flatten_samples"]
