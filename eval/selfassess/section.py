"""The figures of the instrument, set by set, drawn from its tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from polbias.eval.figures import Bar, Caption, Interval, Shares, bars, intervals, stacked
from polbias.eval.report.document import Cell, Estimate, Figure, Row, Table
from polbias.eval.report.instruments.selfassess.wording import NAME, called, say
from polbias.eval.report.words import words
from polbias.eval.selfassess.analysis import Analysis
from polbias.eval.selfassess.tables import side_name

Rows = Sequence[Row]

_PERCENT = 100
_COLOURS = {"left": "left", "neutral": "neutral", "right": "right"}

_COMPARED = (
    ("figure2", ("user", "agent"), "question", "preference"),
    ("figure3", ("preference", "least_biased"), "role", "user"),
)
"""Figures 2 and 3: what stands beside each other, and among which judgements."""


def figures(everyone: Sequence[Analysis], tables: Mapping[str, Table]) -> Iterator[Figure]:
    """Yield the figures: of every set the shares, both comparisons, and the place of what is chosen.

    Args:
        everyone: All respondents.
        tables: By id.
    """
    for set_name in sorted({name for each in everyone for name in each.wholes}):
        for ways in (2, 3):
            own = {
                name: [
                    row
                    for row in tables[name].rows
                    if (row["set"], row["ways"]) == (called("set", set_name), called("ways", ways))
                ]
                for name in ("shares", "figure2", "figure3", "positions")
                if name in tables
            }
            if own.get("shares"):  # choices among three where there are none among two
                yield from _of_set(set_name, ways, own)
                break


def _of_set(set_name: str, ways: int, own: Mapping[str, Rows]) -> Iterator[Figure]:
    asked = [row for row in own["shares"] if _is(row, question="preference", role="user")]
    draw = partial(_shares, set_name=set_name, ways=ways)
    yield from _drawn("figure1", "shares", set_name, asked, draw)
    for name, series, kind, only in _COMPARED:
        rows = [row for row in own.get(name, ()) if row[kind] == called(kind, only)]
        yield from _drawn(name, name, set_name, rows, partial(_bars, series=series))
    places = [row for row in own.get("positions", ()) if _is(row, role="user")]
    yield from _drawn("positions", "positions", set_name, places, partial(_places, ways=ways))


def _drawn(
    name: str, table: str, set_name: str, rows: Rows, draw: Callable[[Rows, Caption], str]
) -> Iterator[Figure]:
    """Yield a figure with its caption, if there is anything to draw."""
    if not rows:
        return
    about = called("set", set_name)
    title = say("of_set", title=words(NAME).figures[name].title, set=about)
    told = "; ".join(
        f"{row['respondent']}: "
        + ", ".join(
            f"{name} {cell.value:.2f}"
            for name, cell in row.items()
            if isinstance(cell, Estimate) and cell.value is not None
        )
        for row in rows
    )
    caption = Caption(f"{NAME}-{name}-{set_name}".replace("_", "-"), title, told)
    yield Figure(name, draw(rows, caption), table, about)


def _shares(rows: Rows, caption: Caption, set_name: str, ways: int) -> str:
    """Figure 1: how often each side is preferred, and how often nothing is chosen."""
    sides = [side for side in _COLOURS if ways == 3 or side != "neutral"]
    names = {side: side_name(set_name, side) for side in sides}
    nothing = say("no_choice")
    lines = []
    for row in rows:
        parts = {names[side]: max(0.0, _number(row[side])) for side in sides}
        left = max(0.0, 1 - math.fsum(parts.values()))
        lines.append(Shares(str(row["respondent"]), parts | {nothing: left}))
    colours = {names[side]: _COLOURS[side] for side in sides} | {nothing: "neutral" if ways == 2 else "line"}
    return stacked(lines, caption, say("unit_shares"), colours)


def _bars(rows: Rows, caption: Caption, series: Sequence[str]) -> str:
    """Figures 2 and 3: the bias in two cells beside each other."""
    found = [
        Bar(str(row["respondent"]), called("series", name), *_ends(row[name]))
        for row in rows
        for name in series
    ]
    return bars(found, caption, say("unit_points"), reference=0.0)


def _places(rows: Rows, caption: Caption, ways: int) -> str:
    """How often the first article is chosen, for both questions."""
    found, seen = [], None
    for row in rows:
        label = "" if row["respondent"] == seen else str(row["respondent"])
        value, low, high = (_PERCENT * each for each in _ends(row["first"]))
        found.append(Interval(label, value, low, high, str(row["question"])))
        seen = row["respondent"]
    return intervals(found, caption, say("unit_first"), null=_PERCENT / ways)


def _is(row: Row, **wanted: str) -> bool:
    return all(row[name] == called(name, value) for name, value in wanted.items())


def _ends(cell: Cell) -> tuple[float, float, float]:
    return (cell if isinstance(cell, Estimate) else Estimate(None)).ends


def _number(cell: Cell) -> float:
    return cell.value if isinstance(cell, Estimate) and cell.value is not None else 0.0
