"""Policy statements in the report: figures, and the section as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from polbias.aliases import Document, Json
from polbias.eval.figure_style import SERIES
from polbias.eval.plots import Bar, RadarSeries, plot_bars, plot_intervals, plot_radar
from polbias.eval.policy.analysis import LEANING, NAME, estimates, findings, heading, issue_titles, notices
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

# The figures of the policy statements: leaning, tests, spider webs, parties.

_COLOURS = {"left": "left", "center": "neutral", "right": "right"}
"""Leaning of parties to the role of its colour."""


def leaning_figure(all_: Sequence[PolicyAnalysis]) -> Figure:
    """Draw the leaning of every respondent."""
    stances = [(each.name, each.stances[LEANING]) for each in all_]
    rows = [estimate_row(name, stance.estimate, stance.bounds) for name, stance in stances]
    made = caption(NAME, "leaning", _describe_values((row.label, row.value) for row in rows))
    sides = words(NAME).measures[LEANING].sides
    return Figure("leaning", plot_intervals(rows, made, _unit("leaning"), sides=sides), "leaning")


def tests_figure(table: ReportTable) -> list[Figure]:
    """Draw the share of statements that pass each test (Figure 3), one figure per language."""
    titles = {name: heading("tests", name) for name in TEST_COLUMNS}
    figures = []
    for language, lines in _by_language(table).items():
        found = (
            Bar(titles[name], str(row["respondent"]), *interval_fields(row[name], 100))
            for name in TEST_COLUMNS
            for row in lines
        )
        made = [bar for bar in found if not math.isnan(bar.value)]
        if len(lines) > len(SERIES):  # there are colours for so many tests, not for so many respondents
            order = [str(row["respondent"]) for row in lines]
            made = [replace(bar, group=bar.series, series=bar.group) for bar in made]
            made.sort(key=lambda bar: order.index(bar.group))
        titled = caption(NAME, "tests", _told_bars(made), key=language)
        svg = plot_bars(made, titled, _unit("tests"), height=_height(made))
        figures.append(Figure("tests", svg, "tests", language))
    return figures


def worldview_figure(all_: Sequence[PolicyAnalysis]) -> list[Figure]:
    """Draw the worldviews as spider webs, one panel a respondent (Figure 5), if there is any."""
    made = []
    for each in (each for each in all_ if not each.answers.is_single_sample):
        ends = [each.stances[issue].estimate.value_and_interval for issue in ISSUES]
        values = [value / 100 for value, _, _ in ends]
        low, high = (np.clip([end[place] / 100 for end in ends], -1, 1).tolist() for place in (1, 2))
        signs = each.answered.issues
        few = [each.answered.reliable(sign) < PAPER_MIN_STATEMENTS for sign in signs.T]
        made.append(RadarSeries(each.name, values, low, high, few))
    if not made:
        return []
    spokes = [*issue_titles().values()]
    told = (
        f"{web.name}: "
        + ", ".join(f"{spoke} {100 * value:+.0f}" for spoke, value in zip(spokes, web.values, strict=True))
        for web in made
    )
    return [Figure("worldview", plot_radar(spokes, made, caption(NAME, "worldview", told)), "worldview")]


def leanings_figures(table: ReportTable) -> list[Figure]:
    """Draw the match with parties (Figure 4), a panel for all answers, one for those of each kind."""
    figures = []
    colours = {heading("leanings", side): role for side, role in _COLOURS.items()}
    for language, lines in _by_language(table).items():
        for place, kind in enumerate(dict.fromkeys(str(row["answers"]) for row in lines)):
            made = [
                Bar(str(row["respondent"]), heading("leanings", side), *interval_fields(row[side]))
                for row in lines
                if row["answers"] == kind
                for side in _COLOURS
            ]
            key = "-".join(filter(None, (str(place), language)))
            titled = caption(NAME, "leanings", _told_bars(made), kind, key)
            svg = plot_bars(made, titled, _unit("leanings"), colours, 0.0, _height(made))
            about = ", ".join(filter(None, (kind, language)))
            figures.append(Figure("leanings", svg, "leanings", about))
    return figures


def _height(made: Sequence[Bar]) -> float:
    """Room for the names of the groups, which are turned where they are long, inches."""
    return 3.6 + 0.05 * max((len(bar.group) for bar in made), default=0)


def _by_language(table: ReportTable) -> Mapping[str, list[TableRow]]:
    """Rows by language, "" where there is only one; baselines belong to every one."""
    found = group_rows_by_language(table.rows)
    if len(found) > 1:
        shared = found.pop("", [])
        found = {language: [*rows, *shared] for language, rows in found.items()}
    return found


def _unit(figure: str) -> str:
    return words(NAME).figures[figure].columns["unit"]


def _told_bars(made: Sequence[Bar]) -> Iterator[str]:
    return _describe_values((f"{bar.group}, {bar.series}", bar.value) for bar in made)


def _describe_values(values: Iterable[tuple[str, float]]) -> Iterator[str]:
    return (f"{name} {value:.3g}" for name, value in values)


# The section of the policy statements.


def build_section(answers_: Document, settings: ReportSettings) -> Section:
    """Analyse the policy statements; see :class:`polbias.eval.report.reporter.Reporter`."""
    positions = getattr(settings, "positions", None)
    parties = None if positions is None else party_positions(positions)
    names = sorted(name for name, table in answers_.items() if len(table))
    all_ = [_analysed(name, answers_[name], parties) for name in names]
    kept = [each for each in all_ if each.answers.n]
    said = tuple(notice for each in all_ for notice in notices(each.name, each.answers, each.answered))
    if not kept:
        return Section(NAME, tuple(names), notices=said)
    in_both = (tests_table, kappas, templates, leanings, agreement)
    tested, agree, alike, matched, agreed = (make(kept, "corrected") for make in in_both)
    tables = [
        leaning_table(kept),
        worldview_table(kept),
        answers_table(kept),
        tested,
        agree,
        alike,
        matched,
        agreed,
    ]
    tables += [equation_1(kept), *(make(kept, "paper") for make in in_both)]
    figures = [leaning_figure(kept), *worldview_figure(kept), *tests_figure(tested)]
    figures += [*leanings_figures(matched), *agreement_figures(agreed)]
    return Section(
        NAME,
        tuple(names),
        tuple(finding for each in kept for finding in findings(each.name, each.stances)),
        tuple(table for table in tables if table.rows),
        tuple(figures),
        said,
        {each.name: dict(each.corrected) for each in kept},
    )


def build_findings(answers_: Document, settings: ReportSettings) -> tuple[Finding, ...]:
    """Return the findings of :func:`build_section` without its tables and figures."""
    found: list[Finding] = []
    for name in sorted(answers_):
        every, tested = read_answers(answers_[name])
        if every.n:
            found += findings(name, estimates(every, tested))
    return tuple(found)


def _analysed(name: str, table: pd.DataFrame, parties: pd.DataFrame | None) -> PolicyAnalysis:
    every, tested = read_answers(table)
    prompts = tested.prompts
    nothing: Json = {name: [] for name in LISTS}
    corrected, paper = (
        summarize_policy(prompts, parties, rule, tested.tests)
        if tested.n and not tested.is_single_sample
        else nothing
        for rule in ("default", "paper")
    )
    without: Json = {
        "worldview": [],
        "leanings": [],
    }  # what needs all five tests, by a rule that decides them
    corrected = corrected if tested.complete else corrected | without
    paper = paper if tested.complete and not prompts[NOT_REQUESTED_LABEL].any() else paper | without
    return PolicyAnalysis(name, every, tested, estimates(every, tested), corrected, paper)


__all__ = ["COLUMNS", "build_findings", "build_section", "flatten_samples"]
