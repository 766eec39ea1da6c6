"""Tables of one line per respondent and part of the design, and one column per further part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

from polbias.eval.partisan.analysis import Cell
from polbias.eval.partisan.answers import Asked
from polbias.eval.report.document import Cell as Shown
from polbias.eval.report.document import Column, Estimate, Kind, Row, Table, table_of
from polbias.eval.report.instruments.partisan.wording import called, say

Chosen = Mapping[str, Any]
"""Factor to level or levels, as for :meth:`Asked.where`."""
Mode = Literal["corrected", "paper"]


@dataclass(frozen=True)
class Line:
    """A part of the design that has a line for each respondent.

    Attributes:
        labels: what stands in front, column to text or number.
        chosen: what it is about.
        whole: whether all configs count, not only those that stand for the scope.
    """

    labels: Row
    chosen: Chosen
    whole: bool = False

    def cell(self, asked: Asked, further: Chosen) -> Cell:
        """Return the answers of a respondent.

        Args:
            asked: what it was asked.
            further: what a column is about.
        """
        mask = asked.where(**{**self.chosen, **further})
        if not self.whole:
            mask &= asked.where(config=asked.pooled(self.chosen["scope"]))
        return Cell(asked, mask)


def levels(everyone: Iterable[Asked], name: str, **chosen: Any) -> list[Any]:
    """Return the levels of a factor that occur with any respondent; English and the default first.

    Args:
        everyone: the respondents.
        name: of the factor.
        chosen: among which answers.
    """
    found = {level for each in everyone for level in each.levels(name, **chosen)}
    return sorted(found, key=lambda level: (str(level).split("-")[0] not in ("en", "default"), level))


def language_name(level: str) -> str:
    """Return what a language is called, with its country.

    Args:
        level: such as "en-US", or "en" where there is no country.
    """
    tag, _, country = level.partition("-")
    name = called("language", tag)
    return say("language_of_country", language=name, country=country) if country else name


def config_name(asked: Asked, config: str) -> str:
    """Return what a config is called, by the language, country and kind of its rows.

    Args:
        asked: with answers to it.
        config: its name.
    """
    scope, language, part = (asked.levels(name, config=config)[0] for name in ("scope", "language", "part"))
    return say(f"config_{scope}", language=language_name(language), kind=called("kind", part))


def by_language(everyone: Iterable[Asked], scope: str) -> list[Line]:
    """Return a line for each language and country of a scope.

    Args:
        everyone: the respondents.
        scope: what is pooled.
    """
    return [
        Line(
            {"items": called("items", scope), "language": language_name(language)},
            {"scope": scope, "language": language},
        )
        for language in levels(everyone, "language", scope=scope)
    ]


def wide(
    id: str,
    everyone: Sequence[Asked],
    lines: Sequence[Line],
    parts: Sequence[tuple[str, str, Chosen]],
    value: Callable[[Cell], Shown],
    kind: Kind,
    mode: Mode,
) -> Table | None:
    """Return a table with one column per part, and the mean over respondents below.

    Args:
        id: of the table in corrected mode.
        everyone: the respondents.
        lines: of each respondent.
        parts: name, title and what it is about, of each column of numbers.
        value: of a cell that has answers.
        kind: of the numbers.
        mode: of the table.

    Returns:
        The table; None if it would be empty.
    """
    rows: list[dict[str, Shown]] = []
    for line in lines:
        block: list[tuple[str, dict[str, Shown]]] = []
        for asked in everyone:
            cells = {name: line.cell(asked, chosen) for name, _, chosen in parts}
            if any(cell.n for cell in cells.values()):
                found = {name: value(cell) if cell.n else None for name, cell in cells.items()}
                block.append((asked.method, {"respondent": asked.name, **line.labels, **found}))
        rows += [row for _, row in block]
        if kind != "count":
            rows += _means(block, [name for name, _, _ in parts], line.labels)
    if not rows:
        return None
    front = [Column("respondent"), *(Column(name, _front(name)) for name in lines[0].labels)]
    columns = (*front, *(Column(name, kind, title) for name, title, _ in parts))
    return table_of(id, columns, rows, mode)


def long(
    id: str,
    everyone: Sequence[Asked],
    lines: Sequence[Line],
    columns: Sequence[Column],
    values: Callable[[Cell], Row],
    mode: Mode,
) -> Table | None:
    """Return a table with one column per statistic.

    Args:
        id: of the table in corrected mode.
        everyone: the respondents.
        lines: of each respondent.
        columns: the statistics.
        values: of a cell that has answers, by column.
        mode: of the table.

    Returns:
        The table; None if it would be empty.
    """
    made = [
        {"respondent": asked.name, **line.labels, **values(cell)}
        for asked in everyone
        for line in lines
        if (cell := line.cell(asked, {})).n
    ]
    if not made:
        return None
    front = [Column("respondent"), *(Column(name, _front(name)) for name in lines[0].labels)]
    return table_of(id, (*front, *columns), made, mode)


def _front(name: str) -> Kind:
    return "count" if name == "shots" else "text"


def _means(block: Sequence[tuple[str, Row]], names: Sequence[str], labels: Row) -> list[dict[str, Shown]]:
    """The mean over respondents of each method that has several; answers and log-likelihoods stay apart."""
    made: list[dict[str, Shown]] = []
    for method in sorted({method for method, _ in block}):
        own = [row for found, row in block if found == method]
        if len(own) > 1:
            name = say("average", method=called("method", method), count=len(own))
            means = {each: Estimate(_mean([row[each] for row in own])) for each in names}
            made.append({"respondent": name, **labels, **means})
    return made


def _mean(cells: Iterable[Shown]) -> float | None:
    values = [cell.value for cell in cells if isinstance(cell, Estimate) and cell.value is not None]
    return fmean(values) if values else None
