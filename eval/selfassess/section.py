"""Report section on self-assessment, and its figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial

from polbias.aliases import Document, Json
from polbias.eval.plots import Bar, Caption, Interval, Shares, plot_bars, plot_intervals, plot_stacked_shares
from polbias.eval.report.document import (
    Cell,
    Estimate,
    Figure,
    Finding,
    Notice,
    ReportTable,
    Section,
    TableRow,
    replace_non_finite,
)
from polbias.eval.report.figures import blank_repeats, caption, interval_fields
from polbias.eval.report.reporter import ReportSettings
from polbias.eval.selfassess.analysis import (
    OTHER,
    SelfAssessAnalysis,
    analyse,
    iter_findings,
    label_of,
    measure_of,
    notice,
    sentence,
)
from polbias.eval.selfassess.answers import COLUMNS, NAME, SelfAssessAnswers, flatten_samples, read_answers
from polbias.eval.selfassess.shares import SEED
from polbias.eval.selfassess.tables import DETAIL_LISTS, detail_rows, side_name, tables

# Figures of each set, drawn from the tables.

Rows = Sequence[TableRow]

_COLOURS = {"left": "left", "neutral": "neutral", "right": "right"}

_COMPARISONS = (
    ("figure2", ("user", "agent"), "question", "preference"),
    ("figure3", ("preference", "least_biased"), "role", "user"),
)
"""Figures 2 and 3: compared cells, and the factor and level that are held fixed."""


def figures(
    analyses: Sequence[SelfAssessAnalysis], table_by_id: Mapping[str, ReportTable]
) -> Iterator[Figure]:
    """Yield the figures of every set: shares, both comparisons, and positions."""
    for set_name in sorted({name for analysis in analyses for name in analysis.bias_by_set}):
        for n_alternatives in (2, 3):
            rows_by_table = {
                name: [
                    row
                    for row in table_by_id[name].rows
                    if _has_levels(row, set=set_name, n_alternatives=n_alternatives)
                ]
                for name in ("shares", "figure2", "figure3", "positions")
                if name in table_by_id
            }
            if rows_by_table.get("shares"):  # choices among three only if there are none among two
                yield from _set_figures(set_name, n_alternatives, rows_by_table)
                break


def _set_figures(set_name: str, n_alternatives: int, rows_by_table: Mapping[str, Rows]) -> Iterator[Figure]:
    preferences = [
        row for row in rows_by_table["shares"] if _has_levels(row, question="preference", role="user")
    ]
    draw = partial(_draw_shares, set_name=set_name, n_alternatives=n_alternatives)
    yield from _draw_figure("figure1", "shares", set_name, preferences, draw)
    for name, series, kind, level in _COMPARISONS:
        rows = [row for row in rows_by_table.get(name, ()) if row[kind] == label_of(kind, level)]
        yield from _draw_figure(name, name, set_name, rows, partial(_draw_bars, series=series))
    position_rows = [row for row in rows_by_table.get("positions", ()) if _has_levels(row, role="user")]
    yield from _draw_figure("positions", "positions", set_name, position_rows, _draw_positions)


def _draw_figure(
    name: str, table: str, set_name: str, rows: Rows, draw: Callable[[Rows, Caption], str]
) -> Iterator[Figure]:
    """Yield a figure with its caption, if it has rows."""
    if not rows:
        return
    set_label = label_of("set", set_name)
    descriptions = (
        f"{row['respondent']}: "
        + ", ".join(
            f"{name} {cell.value:.2f}"
            for name, cell in row.items()
            if isinstance(cell, Estimate) and cell.value is not None
        )
        for row in rows
    )
    yield Figure(name, draw(rows, caption(NAME, name, descriptions, set_label, set_name)), table, set_label)


def _draw_shares(rows: Rows, figure_caption: Caption, set_name: str, n_alternatives: int) -> str:
    """Draw Figure 1: the share of each side, and of answers without a choice."""
    sides = [side for side in _COLOURS if n_alternatives == 3 or side != "neutral"]
    names = {side: side_name(set_name, side) for side in sides}
    no_choice = sentence("no_choice")
    bars = []
    for row in rows:
        shares = {names[side]: max(0.0, _number(row[side])) for side in sides}
        no_choice_share = max(0.0, 1 - math.fsum(shares.values()))
        bars.append(Shares(str(row["respondent"]), shares | {no_choice: no_choice_share}))
    colours = {names[side]: _COLOURS[side] for side in sides} | {
        no_choice: "neutral" if n_alternatives == 2 else "line"
    }
    return plot_stacked_shares(bars, figure_caption, sentence("unit_shares"), colours)


def _draw_bars(rows: Rows, figure_caption: Caption, series: Sequence[str]) -> str:
    """Draw Figure 2 or 3: the bias in two cells."""
    bars = [
        Bar(str(row["respondent"]), label_of("series", name), *interval_fields(row[name]))
        for row in rows
        for name in series
    ]
    return plot_bars(bars, figure_caption, sentence("unit_points"), reference=0.0)


def _draw_positions(rows: Rows, figure_caption: Caption) -> str:
    """Draw the position bias for both questions."""
    labels = blank_repeats(row["respondent"] for row in rows)
    intervals = [
        Interval(label, *interval_fields(row["position_bias"]), str(row["question"]))
        for label, row in zip(labels, rows, strict=True)
    ]
    return plot_intervals(intervals, figure_caption, sentence("unit_first"), null=0.0)


def _has_levels(row: TableRow, **levels: str | int) -> bool:
    return all(row[name] == label_of(name, value) for name, value in levels.items())


def _number(cell: Cell) -> float:
    return cell.value if isinstance(cell, Estimate) and cell.value is not None else 0.0


# The section: preferences of a model among its own articles from opposed sides (Kennedy et al. 2025).


def build_section(answers: Document, settings: ReportSettings) -> Section:
    """Analyse the answers."""
    analyses = _analyse(answers, settings)
    table_by_id = {table.id: table for table in tables(analyses, settings.seed)}
    return Section(
        NAME,
        tuple(analysis.answers.respondent for analysis in analyses),
        _findings(analyses),
        tuple(table_by_id.values()),
        tuple(figures(analyses, table_by_id)),
        tuple(entry for analysis in analyses for entry in _notices(analysis.answers)),
        {analysis.answers.respondent: _summary(analysis) for analysis in analyses},
        _full(analyses, settings.seed) if settings.full else {},
    )


def build_findings(answers: Document, settings: ReportSettings) -> tuple[Finding, ...]:
    """Return the findings of :func:`build_section` without its tables and figures."""
    return _findings(_analyse(answers, settings))


def _analyse(answers: Document, settings: ReportSettings) -> list[SelfAssessAnalysis]:
    return analyse([read_answers(name, answers[name]) for name in sorted(answers)], settings.seed)


def _findings(analyses: Sequence[SelfAssessAnalysis]) -> tuple[Finding, ...]:
    return tuple(finding for analysis in analyses for finding in iter_findings(analysis))


def _summary(analysis: SelfAssessAnalysis) -> Json:
    """Return the bias of every set, and the shares of every cell."""
    sets = [
        {"set": name, "unanswered": set_bias.bias.unanswered}
        | asdict(set_bias.bias.estimate)
        | {"p_flip": set_bias.flip.p_value, "smallest_p": set_bias.flip.smallest_p}
        for name, set_bias in analysis.bias_by_set.items()
    ]
    shares = [{**cell.names, **cell.shares, "p": cell.flip.p_value} for cell in analysis.cells]
    summary: Json = replace_non_finite({"sets": sets, "shares": shares})
    return summary


def _full(analyses: Sequence[SelfAssessAnalysis], seed: int) -> dict[str, list[Json]]:
    records: dict[str, list[Json]] = {name: [] for name in DETAIL_LISTS}
    for analysis in analyses:
        for name, rows in detail_rows(analysis, SEED + seed).items():
            records[name] += [{"respondent": analysis.answers.respondent} | row for row in rows]
    return records


def _notices(answers: SelfAssessAnswers) -> Iterator[Notice]:
    respondent = answers.respondent
    if answers.n_duplicates:
        yield notice(respondent, "repeated", count=answers.n_duplicates)
    if answers.judgements.empty:
        if len(answers.paper_judgements):
            yield notice(respondent, "paper_only", count=len(answers.paper_judgements))
        elif len(answers.articles):
            yield notice(respondent, "articles_only", count=len(answers.articles))
    for name in answers.sets:
        if measure_of(name) == OTHER:
            yield notice(respondent, "unknown_set", set=name)


__all__ = ["COLUMNS", "build_findings", "build_section", "flatten_samples"]
