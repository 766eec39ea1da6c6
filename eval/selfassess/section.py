"""Self-assessment in the report: figures, and the section as a whole."""

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
    finite,
)
from polbias.eval.report.figures import blank_repeats, caption, interval_fields
from polbias.eval.report.reporter import ReportSettings
from polbias.eval.selfassess.analysis import (
    OTHER,
    SelfAssessAnalysis,
    analyse,
    called,
    findings,
    measure_of,
    notice,
    say,
)
from polbias.eval.selfassess.answers import COLUMNS, NAME, SelfAssessAnswers, flatten_samples, read_answers
from polbias.eval.selfassess.shares import SEED
from polbias.eval.selfassess.tables import FULL, full_rows, side_name, tables

# The figures of the instrument, set by set, drawn from its tables.

Rows = Sequence[TableRow]

_COLOURS = {"left": "left", "neutral": "neutral", "right": "right"}

_COMPARED = (
    ("figure2", ("user", "agent"), "question", "preference"),
    ("figure3", ("preference", "least_biased"), "role", "user"),
)
"""Figures 2 and 3: what stands beside each other, and among which judgements."""


def figures(everyone: Sequence[SelfAssessAnalysis], tables: Mapping[str, ReportTable]) -> Iterator[Figure]:
    """Yield the figures: of every set the shares, both comparisons, and the place of what is chosen."""
    for set_name in sorted({name for each in everyone for name in each.wholes}):
        for n_alternatives in (2, 3):
            own = {
                name: [
                    row for row in tables[name].rows if _is(row, set=set_name, n_alternatives=n_alternatives)
                ]
                for name in ("shares", "figure2", "figure3", "positions")
                if name in tables
            }
            if own.get("shares"):  # choices among three where there are none among two
                yield from _of_set(set_name, n_alternatives, own)
                break


def _of_set(set_name: str, n_alternatives: int, own: Mapping[str, Rows]) -> Iterator[Figure]:
    asked = [row for row in own["shares"] if _is(row, question="preference", role="user")]
    draw = partial(_shares, set_name=set_name, n_alternatives=n_alternatives)
    yield from _drawn("figure1", "shares", set_name, asked, draw)
    for name, series, kind, only in _COMPARED:
        rows = [row for row in own.get(name, ()) if row[kind] == called(kind, only)]
        yield from _drawn(name, name, set_name, rows, partial(_bars, series=series))
    places = [row for row in own.get("positions", ()) if _is(row, role="user")]
    yield from _drawn("positions", "positions", set_name, places, _places)


def _drawn(
    name: str, table: str, set_name: str, rows: Rows, draw: Callable[[Rows, Caption], str]
) -> Iterator[Figure]:
    """Yield a figure with its caption, if there is anything to draw."""
    if not rows:
        return
    about = called("set", set_name)
    told = (
        f"{row['respondent']}: "
        + ", ".join(
            f"{name} {cell.value:.2f}"
            for name, cell in row.items()
            if isinstance(cell, Estimate) and cell.value is not None
        )
        for row in rows
    )
    yield Figure(name, draw(rows, caption(NAME, name, told, about, set_name)), table, about)


def _shares(rows: Rows, caption: Caption, set_name: str, n_alternatives: int) -> str:
    """Figure 1: how often each side is preferred, and how often nothing is chosen."""
    sides = [side for side in _COLOURS if n_alternatives == 3 or side != "neutral"]
    names = {side: side_name(set_name, side) for side in sides}
    nothing = say("no_choice")
    lines = []
    for row in rows:
        parts = {names[side]: max(0.0, _number(row[side])) for side in sides}
        left = max(0.0, 1 - math.fsum(parts.values()))
        lines.append(Shares(str(row["respondent"]), parts | {nothing: left}))
    colours = {names[side]: _COLOURS[side] for side in sides} | {
        nothing: "neutral" if n_alternatives == 2 else "line"
    }
    return plot_stacked_shares(lines, caption, say("unit_shares"), colours)


def _bars(rows: Rows, caption: Caption, series: Sequence[str]) -> str:
    """Figures 2 and 3: the bias in two cells beside each other."""
    found = [
        Bar(str(row["respondent"]), called("series", name), *interval_fields(row[name]))
        for row in rows
        for name in series
    ]
    return plot_bars(found, caption, say("unit_points"), reference=0.0)


def _places(rows: Rows, caption: Caption) -> str:
    """How much more often than others the first article is chosen, for both questions."""
    labels = blank_repeats(row["respondent"] for row in rows)
    found = [
        Interval(label, *interval_fields(row["position_bias"]), str(row["question"]))
        for label, row in zip(labels, rows, strict=True)
    ]
    return plot_intervals(found, caption, say("unit_first"), null=0.0)


def _is(row: TableRow, **wanted: str | int) -> bool:
    return all(row[name] == called(name, value) for name, value in wanted.items())


def _number(cell: Cell) -> float:
    return cell.value if isinstance(cell, Estimate) and cell.value is not None else 0.0


# Self-assessment (Kennedy et al. 2025): which of its own articles, from opposed sides, a model prefers.


def build_section(answers: Document, settings: ReportSettings) -> Section:
    """Analyse the answers."""
    everyone = _analysed(answers, settings)
    made = {table.id: table for table in tables(everyone, settings.seed)}
    return Section(
        NAME,
        tuple(each.answers.respondent for each in everyone),
        _findings(everyone),
        tuple(made.values()),
        tuple(figures(everyone, made)),
        tuple(notice for each in everyone for notice in _notices(each.answers)),
        {each.answers.respondent: _summary(each) for each in everyone},
        _full(everyone, settings.seed) if settings.full else {},
    )


def build_findings(answers: Document, settings: ReportSettings) -> tuple[Finding, ...]:
    """Return the findings of :func:`build_section` without its tables and figures."""
    return _findings(_analysed(answers, settings))


def _analysed(answers: Document, settings: ReportSettings) -> list[SelfAssessAnalysis]:
    return analyse([read_answers(name, answers[name]) for name in sorted(answers)], settings.seed)


def _findings(everyone: Sequence[SelfAssessAnalysis]) -> tuple[Finding, ...]:
    return tuple(finding for each in everyone for finding in findings(each))


def _summary(analysis: SelfAssessAnalysis) -> Json:
    """The bias of every set as a whole, and the shares of every cell as the family names them."""
    sets = [
        {"set": name, "unanswered": whole.bias.unanswered}
        | asdict(whole.bias.estimate)
        | {"p_flip": whole.flip.p_value, "smallest_p": whole.flip.smallest_p}
        for name, whole in analysis.wholes.items()
    ]
    shares = [{**cell.names, **cell.shares, "p": cell.flip.p_value} for cell in analysis.cells]
    found: Json = finite({"sets": sets, "shares": shares})
    return found


def _full(everyone: Sequence[SelfAssessAnalysis], seed: int) -> dict[str, list[Json]]:
    records: dict[str, list[Json]] = {name: [] for name in FULL}
    for analysis in everyone:
        for name, listed in full_rows(analysis, SEED + seed).items():
            records[name] += [{"respondent": analysis.answers.respondent} | row for row in listed]
    return records


def _notices(answers: SelfAssessAnswers) -> Iterator[Notice]:
    who = answers.respondent
    if answers.n_duplicates:
        yield notice(who, "repeated", count=answers.n_duplicates)
    if len(answers.articles) and answers.judgements.empty:
        yield notice(who, "articles_only", count=len(answers.articles))
    for name in answers.sets:
        if measure_of(name) == OTHER:
            yield notice(who, "unknown_set", set=name)


__all__ = ["COLUMNS", "build_findings", "build_section", "flatten_samples"]
