"""Tables as the page prints them, whatever they are of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Generic, TypeVar

from polbias.eval.report.document import Cell, Kind, Table
from polbias.eval.report.flat import name_of
from polbias.eval.report.page.cells import Shown, cell
from polbias.eval.report.page.frame import Frame
from polbias.eval.report.words import Shown as Titled
from polbias.eval.report.words import Words
from polbias.files import TemplateError

LONG = 24
"""Rows beyond which a table is folded."""

_WIDE = 20  # letters in a line of a column of text

Item = TypeVar("Item")


@dataclass(frozen=True)
class Head:
    """Heading of a column.

    Attributes:
        title: its text.
        numeric: whether it stands over numbers.
    """

    title: str
    numeric: bool


@dataclass(frozen=True)
class Filter:
    """A choice among the rows.

    Attributes:
        label: of the control.
        options: what can be chosen; a row names those that it belongs to by their place.
    """

    label: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """A row.

    Attributes:
        cells: from left to right; the first is its heading.
        tags: for each filter the places of the options that it belongs to, with blanks between.
    """

    cells: tuple[Shown, ...]
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Grid:
    """A table.

    Attributes:
        id: its anchor.
        title: its caption.
        note: what it shows; may be empty.
        source: what it follows; may be empty.
        heads: headings.
        rows: from top to bottom.
        filters: choices among the rows.
        aside: whether it is folded however short it is.
    """

    id: str
    title: str
    note: str
    source: str
    heads: tuple[Head, ...]
    rows: tuple[Row, ...]
    filters: tuple[Filter, ...] = ()
    aside: bool = False

    @property
    def folded(self) -> bool:
        """Whether it is folded."""
        return self.aside or len(self.rows) > LONG

    def width(self, column: int) -> int:
        """Return how many letters a column needs at least, so that its texts are not broken too often.

        Args:
            column: its place.
        """
        texts = (row.cells[column].text or "" for row in self.rows)
        return 0 if self.heads[column].numeric else min(_WIDE, max(map(len, texts), default=0))


@dataclass(frozen=True)
class Field(Generic[Item]):
    """A column of the page's own tables.

    Attributes:
        name: key of its heading in the words of the page.
        kind: how it is shown.
        value: of an item; by default its attribute of that name.
        kept: whether it stays where no item has a value.
    """

    name: str
    kind: Kind
    value: Callable[[Item], Cell | Shown] | None = None
    kept: bool = False


def own_table(
    id: str,
    fields: Sequence[Field[Item]],
    items: Sequence[Item],
    frame: Frame,
    about: tuple[str, str],
    filters: Mapping[Filter, Callable[[Item], Iterable[str]]] | None = None,
) -> Grid:
    """Return a table of findings, comparisons or the like; columns without any value are left out.

    Args:
        id: its anchor.
        fields: its columns.
        items: its rows.
        frame: words of the page.
        about: caption and note.
        filters: choices, and which of their options an item belongs to.
    """
    columns = []
    for field in fields:
        values = map(field.value or attrgetter(field.name), items)
        shown = [value if isinstance(value, Shown) else cell(value, field.kind, frame) for value in values]
        if field.kept or any(each.text is not None for each in shown):
            columns.append((Head(frame.columns[field.name], field.kind != "text"), shown))
    chosen = filters or {}
    tags = [
        tuple(
            " ".join(str(choice.options.index(option)) for option in members(item))
            for choice, members in chosen.items()
        )
        for item in items
    ]
    rows = zip(zip(*(shown for _, shown in columns), strict=True), tags, strict=True)
    return Grid(
        id, *about, "", tuple(head for head, _ in columns), tuple(Row(*row) for row in rows), tuple(chosen)
    )


def instrument_table(table: Table, instrument: str, words: Words, frame: Frame) -> Grid:
    """Return a table of an instrument.

    Args:
        table: the table.
        instrument: name of the instrument.
        words: of the instrument.
        frame: words of the page.

    Raises:
        TemplateError: if the instrument has no words for the table.
    """
    titled = titled_in(words.tables, instrument, "tables", table.id)
    heads = tuple(
        Head(
            column.title or titled.columns.get(column.name) or frame.columns.get(column.name) or column.name,
            column.kind != "text",
        )
        for column in table.columns
    )
    rows = tuple(
        Row(tuple(cell(row.get(column.name), column.kind, frame) for column in table.columns))
        for row in table.rows
    )
    return Grid(anchor(instrument, table), titled.title, titled.note, titled.source, heads, rows)


def anchor(instrument: str, table: Table) -> str:
    """Return the anchor of a table: the name of its CSV, apart from the ids that figures have.

    Args:
        instrument: name of the instrument.
        table: the table.
    """
    return f"table-{name_of(instrument, table)}"


def titled_in(group: Mapping[str, Titled], instrument: str, name: str, id: str) -> Titled:
    """Return the words of a table or figure.

    Args:
        group: words by id.
        instrument: name of the instrument.
        name: of the group.
        id: of the table or figure.

    Raises:
        TemplateError: if there are none.
    """
    if id not in group:
        raise TemplateError(
            f"templates/report/{instrument}.yaml: {name}.{id}: missing; give title, note and source"
        )
    return group[id]
