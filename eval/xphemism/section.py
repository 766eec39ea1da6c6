"""X-phemisms in the report: figures, and the section as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd

from polbias.eval.plots import Arrow, Caption, Point, plot_arrows, plot_intervals, plot_scatter
from polbias.eval.report.document import (
    Cell,
    Estimate,
    Figure,
    Finding,
    Notice,
    ReportTable,
    Section,
    TableRow,
)
from polbias.eval.report.figures import blank_repeats, caption, estimate_row, group_rows_by_language
from polbias.eval.report.reporter import ReportSettings
from polbias.eval.report.wording import words
from polbias.eval.xphemism.analysis import (
    MEASURE,
    XphemismAnalysis,
    analyse,
    called,
    findings,
    notice,
    say,
)
from polbias.eval.xphemism.answers import COLUMNS, NAME, XphemismAnswers, flatten_samples, read_answers
from polbias.eval.xphemism.tables import tables

# The figures of the instrument, drawn from its findings and tables.

_PERCENT = 100
_NAMED = 8  # points that can have their names beside them; more have the numbers of the table
_AXES = ("both", "social", "economic")
_FIGURE5 = {
    "figure5_judgment": ("judgmental_exchange", {"no": "neutral", "yes": "accent"}),
    "figure5_shift": ("shift", {"left": "left", "right": "right"}),
}
"""Figure to what the arrows are told apart by, and the colour of each."""


def figures(findings: Sequence[Finding], tables: Mapping[str, ReportTable]) -> Iterator[Figure]:
    """Yield the figures."""
    yield from _leaning(findings)
    for language, lines in group_rows_by_language(
        tables["figure5"].rows if "figure5" in tables else ()
    ).items():
        for name in _FIGURE5:
            yield from _truth(name, language, lines)
    for language, lines in group_rows_by_language(
        tables["figure6"].rows if "figure6" in tables else ()
    ).items():
        yield from _axes(language, lines)


def _leaning(findings: Sequence[Finding]) -> Iterator[Figure]:
    """Leaning of every respondent, in all pairs and by axis."""
    shown = [
        (each.respondent, called("axis", each.key or "both"), each)
        for each in findings
        if (each.key or "both") in _AXES and each.estimate.value is not None and not each.is_refusal_gap
    ]
    if shown:
        labels = blank_repeats(who for who, _, _ in shown)
        rows = [
            estimate_row(label, finding.estimate, finding.bounds, axis)
            for label, (_, axis, finding) in zip(labels, shown, strict=True)
        ]
        values = (
            f"{who}, {axis}: {finding.estimate.value_and_interval[0]:+.1f}" for who, axis, finding in shown
        )
        made = caption(NAME, "leaning", values)
        sides = words(NAME).measures[MEASURE].sides
        yield Figure("leaning", plot_intervals(rows, made, say("unit_points"), sides=sides), "leaning")


def _truth(name: str, language: str, rows: Sequence[TableRow]) -> Iterator[Figure]:
    """Share of claims held true before and after the exchange (Figure 5), one half of the paper's figure."""
    kind, levels = _FIGURE5[name]
    colours = {called(kind, level): colour for level, colour in levels.items()}
    found = [
        Arrow(
            label=str(row["respondent"]),
            series=str(row["word"]),
            before=_percent(row["before"]),
            after=_percent(row["after"]),
            broken=row["prompt"] == called("prompt", "objective"),
        )
        for row in rows
        if row["word"] in colours
    ]
    if found:
        found.sort(key=lambda arrow: (arrow.label, [*colours].index(arrow.series), arrow.broken))
        told = (f"{each.label}, {each.series}: {each.before:.1f} to {each.after:.1f}" for each in found)
        yield Figure(
            name,
            plot_arrows(found, _caption(name, language, told), say("unit_true"), colours),
            "figure5",
            language,
        )


def _axes(language: str, rows: Sequence[TableRow]) -> Iterator[Figure]:
    """Coefficients of the shift on both axes (Figure 6)."""
    points: list[Point] = []
    told: list[str] = []
    many = len(rows) > _NAMED
    for row in rows:
        x, y = row["economic"], row["social"]
        if isinstance(x, Estimate) and isinstance(y, Estimate) and math.isfinite(_value(x) + _value(y)):
            told.append(f"{row['respondent']}, {row['prompt']}: {_value(x):+.2f}, {_value(y):+.2f}")
            name = str(row["point"] if many else row["respondent"])
            points.append(Point(name, _value(x), _value(y), _half(x), _half(y), str(row["prompt"])))
    if points:
        made = _caption("figure6", language, told)
        yield Figure(
            "figure6", plot_scatter(points, made, say("economic"), say("social")), "figure6", language
        )


def _caption(name: str, language: str, told: Iterable[str]) -> Caption:
    title = say("by_language", title=words(NAME).figures[name].title, language=language)
    return caption(NAME, name, told, key=language.lower(), title=title)


def _percent(cell: Cell) -> float:
    return _PERCENT * cell if isinstance(cell, float) else math.nan


def _value(cell: Estimate) -> float:
    return math.nan if cell.value is None else cell.value


def _half(cell: Estimate) -> float:
    return math.nan if cell.low is None or cell.high is None else (cell.high - cell.low) / 2


# X-phemisms (Jakob et al. 2025): factual claims, and the same claims with one word of the other camp.


def build_section(answers: Mapping[str, pd.DataFrame], settings: ReportSettings) -> Section:
    """Analyse the answers."""
    analysis = _analyse(answers, settings)
    tested = tuple(findings(analysis))
    table_by_id = {table.id: table for table in tables(analysis)}
    return Section(
        NAME,
        tuple(each.respondent for each in analysis.respondents),
        tested,
        tuple(table_by_id.values()),
        tuple(figures(tested, table_by_id)),
        tuple(
            notice
            for each in analysis.respondents
            for notice in _notices(each, _n_pairs(answers[each.respondent], settings.excluded_pairs))
        ),
    )


def build_findings(answers: Mapping[str, pd.DataFrame], settings: ReportSettings) -> tuple[Finding, ...]:
    """Return the findings of :func:`build_section` without its tables and figures."""
    return tuple(findings(_analyse(answers, settings)))


def _analyse(answers: Mapping[str, pd.DataFrame], settings: ReportSettings) -> XphemismAnalysis:
    everyone = [
        read_answers(respondent, _without_pairs(answers[respondent], settings.excluded_pairs))
        for respondent in sorted(answers)
    ]
    return analyse(everyone, settings.seed)


def _without_pairs(outcomes: pd.DataFrame, pairs: frozenset[str]) -> pd.DataFrame:
    """Leave pairs out before components are found, as those left out must not link word pairs."""
    return outcomes[~outcomes["pair_id"].isin(pairs)] if pairs else outcomes


def _n_pairs(outcomes: pd.DataFrame, pairs: frozenset[str]) -> int:
    """Number of some pairs that a respondent was asked."""
    return len(pairs.intersection(outcomes["pair_id"].unique()))


def _notices(answers: XphemismAnswers, n_excluded: int) -> Iterator[Notice]:
    who = answers.respondent
    if n_excluded:
        yield notice(who, "excluded", serious=True, count=n_excluded)
    if answers.n_incomplete:
        yield notice(who, "alone", serious=True, count=answers.n_incomplete)
    if answers.n_uneven:
        yield notice(who, "uneven", count=answers.n_uneven)
    if answers.n_repeated:
        yield notice(who, "repeated", count=answers.n_repeated)


__all__ = ["COLUMNS", "build_findings", "build_section", "flatten_samples"]
