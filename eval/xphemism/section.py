"""Report section on X-phemisms, and its figures."""

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
    iter_findings,
    label_of,
    notice,
    sentence,
)
from polbias.eval.xphemism.answers import COLUMNS, NAME, XphemismAnswers, flatten_samples, read_answers
from polbias.eval.xphemism.tables import tables

# Figures, drawn from findings and tables.

_PERCENT = 100
_MAX_NAMED_POINTS = 8  # more points are labelled by their numbers in the table
_AXES = ("both", "social", "economic")
_FIGURE5 = {
    "figure5_judgment": ("judgmental_exchange", {"no": "neutral", "yes": "accent"}),
    "figure5_shift": ("shift", {"left": "left", "right": "right"}),
}
"""Figure to the column that distinguishes the arrows, and the colour of each level."""


def figures(findings: Sequence[Finding], table_by_id: Mapping[str, ReportTable]) -> Iterator[Figure]:
    """Yield the figures."""
    yield from _leaning_figure(findings)
    for language, rows in group_rows_by_language(
        table_by_id["figure5"].rows if "figure5" in table_by_id else ()
    ).items():
        for name in _FIGURE5:
            yield from _truth_figure(name, language, rows)
    for language, rows in group_rows_by_language(
        table_by_id["figure6"].rows if "figure6" in table_by_id else ()
    ).items():
        yield from _axis_figure(language, rows)


def _leaning_figure(findings: Sequence[Finding]) -> Iterator[Figure]:
    """Leaning of every respondent, in all pairs and by axis."""
    entries = [
        (finding.respondent, label_of("axis", finding.key or "both"), finding)
        for finding in findings
        if (finding.key or "both") in _AXES
        and finding.estimate.value is not None
        and not finding.is_refusal_gap
    ]
    if entries:
        labels = blank_repeats(respondent for respondent, _, _ in entries)
        rows = [
            estimate_row(label, finding.estimate, finding.bounds, axis)
            for label, (_, axis, finding) in zip(labels, entries, strict=True)
        ]
        values = (
            f"{respondent}, {axis}: {finding.estimate.value_and_interval[0]:+.1f}"
            for respondent, axis, finding in entries
        )
        figure_caption = caption(NAME, "leaning", values)
        sides = words(NAME).measures[MEASURE].sides
        yield Figure(
            "leaning", plot_intervals(rows, figure_caption, sentence("unit_points"), sides=sides), "leaning"
        )


def _truth_figure(name: str, language: str, rows: Sequence[TableRow]) -> Iterator[Figure]:
    """Share of claims held true before and after the exchange: half of Figure 5 of the paper."""
    kind, levels = _FIGURE5[name]
    colours = {label_of(kind, level): colour for level, colour in levels.items()}
    arrows = [
        Arrow(
            label=str(row["respondent"]),
            series=str(row["word"]),
            before=_percent(row["before"]),
            after=_percent(row["after"]),
            broken=row["prompt"] == label_of("prompt", "objective"),
        )
        for row in rows
        if row["word"] in colours
    ]
    if arrows:
        arrows.sort(key=lambda arrow: (arrow.label, [*colours].index(arrow.series), arrow.broken))
        descriptions = (
            f"{arrow.label}, {arrow.series}: {arrow.before:.1f} to {arrow.after:.1f}" for arrow in arrows
        )
        yield Figure(
            name,
            plot_arrows(arrows, _caption(name, language, descriptions), sentence("unit_true"), colours),
            "figure5",
            language,
        )


def _axis_figure(language: str, rows: Sequence[TableRow]) -> Iterator[Figure]:
    """Coefficients of the shift on both axes (Figure 6)."""
    points: list[Point] = []
    descriptions: list[str] = []
    is_numbered = len(rows) > _MAX_NAMED_POINTS
    for row in rows:
        x, y = row["economic"], row["social"]
        if isinstance(x, Estimate) and isinstance(y, Estimate) and math.isfinite(_value(x) + _value(y)):
            descriptions.append(f"{row['respondent']}, {row['prompt']}: {_value(x):+.2f}, {_value(y):+.2f}")
            name = str(row["point"] if is_numbered else row["respondent"])
            points.append(
                Point(name, _value(x), _value(y), _half_width(x), _half_width(y), str(row["prompt"]))
            )
    if points:
        figure_caption = _caption("figure6", language, descriptions)
        yield Figure(
            "figure6",
            plot_scatter(points, figure_caption, sentence("economic"), sentence("social")),
            "figure6",
            language,
        )


def _caption(name: str, language: str, descriptions: Iterable[str]) -> Caption:
    title = sentence("by_language", title=words(NAME).figures[name].title, language=language)
    return caption(NAME, name, descriptions, key=language.lower(), title=title)


def _percent(cell: Cell) -> float:
    return _PERCENT * cell if isinstance(cell, float) else math.nan


def _value(cell: Estimate) -> float:
    return math.nan if cell.value is None else cell.value


def _half_width(cell: Estimate) -> float:
    return math.nan if cell.low is None or cell.high is None else (cell.high - cell.low) / 2


# The section: factual claims, and the same claims with one word of the other camp (Jakob et al. 2025).


def build_section(answers: Mapping[str, pd.DataFrame], settings: ReportSettings) -> Section:
    """Analyse the answers."""
    analysis = _analyse(answers, settings)
    findings = tuple(iter_findings(analysis))
    table_by_id = {table.id: table for table in tables(analysis)}
    return Section(
        NAME,
        tuple(respondent_answers.respondent for respondent_answers in analysis.respondents),
        findings,
        tuple(table_by_id.values()),
        tuple(figures(findings, table_by_id)),
        tuple(
            entry
            for respondent_answers in analysis.respondents
            for entry in _notices(
                respondent_answers, _n_pairs(answers[respondent_answers.respondent], settings.excluded_pairs)
            )
        ),
    )


def build_findings(answers: Mapping[str, pd.DataFrame], settings: ReportSettings) -> tuple[Finding, ...]:
    """Return the findings of :func:`build_section` without its tables and figures."""
    return tuple(iter_findings(_analyse(answers, settings)))


def _analyse(answers: Mapping[str, pd.DataFrame], settings: ReportSettings) -> XphemismAnalysis:
    respondents = [
        read_answers(respondent, _without_pairs(answers[respondent], settings.excluded_pairs))
        for respondent in sorted(answers)
    ]
    return analyse(respondents, settings.seed)


def _without_pairs(outcomes: pd.DataFrame, pairs: frozenset[str]) -> pd.DataFrame:
    """Exclude pairs before components are computed: excluded pairs must not link word pairs."""
    return outcomes[~outcomes["pair_id"].isin(pairs)] if pairs else outcomes


def _n_pairs(outcomes: pd.DataFrame, pairs: frozenset[str]) -> int:
    """Count the pairs that occur in the outcomes."""
    return len(pairs.intersection(outcomes["pair_id"].unique()))


def _notices(answers: XphemismAnswers, n_excluded: int) -> Iterator[Notice]:
    respondent = answers.respondent
    if n_excluded:
        yield notice(respondent, "excluded", serious=True, count=n_excluded)
    if answers.n_incomplete:
        yield notice(respondent, "alone", serious=True, count=answers.n_incomplete)
    if answers.n_uneven:
        yield notice(respondent, "uneven", count=answers.n_uneven)
    if answers.n_repeated:
        yield notice(respondent, "repeated", count=answers.n_repeated)


__all__ = ["COLUMNS", "build_findings", "build_section", "flatten_samples"]
