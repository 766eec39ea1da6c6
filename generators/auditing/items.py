"""The items of a file, or of the files of a folder: rows with their columns assigned and checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from polbias.files import InputError
from polbias.generators.logic.audit.columns import resolve
from polbias.generators.logic.audit.formats import Layout
from polbias.generators.logic.audit.items import Item
from polbias.generators.logic.audit.tables import Row, Table, open_tables

_SHOWN = 60


class Source:
    """The items of what a user gave; it can be gone through again and again.

    Args:
        path: a file, or a folder of Parquet files.
        layout: of its format.
        chosen: columns that the user named, by role.

    Raises:
        InputError: if there is no such file, it is no table, or it has not the columns of the format.

    Attributes:
        path: as given.
        files: all files.
        repeated: the roles whose texts make a duplicate.
    """

    def __init__(self, path: Path, layout: Layout, chosen: Mapping[str, str]) -> None:
        self.path = path
        self._layout = layout
        self._tables: list[tuple[Table, Mapping[str, str]]] = [
            (table, resolve(table.columns, layout.roles, chosen, table.path)) for table in open_tables(path)
        ]
        self.files = tuple(table.path for table, _ in self._tables)
        there = set.intersection(*(set(columns) for _, columns in self._tables))
        self.repeated = next(roles for roles in (*layout.repeated, layout.texts) if there.issuperset(roles))

    def __iter__(self) -> Iterator[Item]:
        """Yield all items, those that could not be taken from their row too.

        Raises:
            InputError: if a file is damaged or not UTF-8.
        """
        several = len(self._tables) > 1
        for table, columns in self._tables:
            names, wanted = tuple(columns), tuple(columns.values())
            # A column can have two roles, but is read once.
            distinct = tuple(dict.fromkeys(wanted))
            places = None if distinct == wanted else [distinct.index(name) for name in wanted]
            file = table.path.name if several else None
            for row in table.rows(distinct):
                if places and not row.problem:
                    row = Row(row.line, [row.values[place] for place in places])
                yield self._item(row, names, file)

    def _item(self, row: Row, names: Sequence[str], file: str | None) -> Item:
        if row.problem:
            return Item(row.line, problem=row.problem, file=file)
        values: dict[str, str | None] = {}
        for name, value in zip(names, row.values, strict=True):
            text = value if isinstance(value, str) else _text(value)
            problem = f"found {_short(value)}, expected text" if text is _NO_TEXT else _unusable(text)
            if problem:
                return Item(row.line, problem=f"{name}: {problem}", file=file)
            values[name] = text
        texts = []
        for name in self._layout.texts:
            text = values.get(name)
            if text is None or not text.strip():
                return Item(row.line, problem=f"{name}: found nothing, expected a sentence", file=file)
            texts.append(text)
        for name, text in values.items():
            if text is not None and name not in self._layout.texts:
                values[name] = text.strip() or None
        label = values.get("gold")
        plain = label.casefold().replace("_", "-") if label else None
        gold = self._layout.labels.get(plain) if plain else None
        return Item(
            row.line,
            values,
            tuple(texts),
            gold,
            label if gold is None else self._layout.label(gold),
            file=file,
        )


_NO_TEXT = "\0no text"


def _text(value: Any) -> str | None:
    """Return a value of a JSON or Parquet column as text; premises may come as a list of sentences."""
    if value is None:
        return None
    if isinstance(value, list | tuple) and value and all(isinstance(part, str) for part in value):
        return " ".join(value)
    if isinstance(value, bool | int | float):
        return str(value)
    return _NO_TEXT


def _unusable(text: str | None) -> str | None:
    if text is None or (text.isascii() and "\0" not in text):
        return None
    if "\0" in text:
        return "found a NUL character, which no text has"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "found half a character (a lone surrogate)"
    return None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def read_texts(path: Path, layout: Layout) -> Iterator[tuple[str, ...]]:
    """Yield the texts of the items of a file of exemplars.

    Raises:
        InputError: if it cannot be read, or a row of it is malformed.
    """
    roles = [role for role in layout.roles if role.name in layout.texts]
    bare = Layout(roles, layout.texts, layout.labels, layout.repeated, layout.cell)
    for item in Source(path, bare, {}):
        if item.problem:
            raise InputError(f"{path}:{item.line}: {item.problem}; correct the file of exemplars")
        yield item.texts
