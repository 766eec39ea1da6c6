"""Question types of the instruments, by the columns of their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from polbias.aliases import Document
from polbias.errors import InputError
from polbias.eval.simulation.questions import Questions
from polbias.registry import import_reference, instrument_names, instruments

_KEY_COLUMNS = ("prompt", "id")
_MAX_DISPLAYED = 200


def find_kind(names: Iterable[str], dataset: str | None = None) -> type[Questions] | None:
    """Return the question type of rows with these columns; None for no instrument."""
    columns = set(names)
    return next((kind for kind in _sorted_kinds(dataset) if columns.issuperset(kind.REQUIRED_COLUMNS)), None)


@lru_cache(maxsize=64)
def _sorted_kinds(dataset: str | None) -> list[type[Questions]]:
    sorted_instruments = sorted(
        instruments().values(),
        key=lambda instrument: dataset not in (*instrument.datasets, *instrument.evaluated_datasets),
    )
    return [import_reference(kind) for instrument in sorted_instruments for kind in instrument.simulation]


def unknown_rows_error(names: Iterable[Any]) -> str:
    """Return the error text for rows whose columns fit no instrument."""
    columns = ", ".join(map(str, names))[:_MAX_DISPLAYED] or "nothing"
    expected = ", ".join(instrument_names())
    return f"found the columns {columns}; expected the columns of an instrument ({expected})"


def questions(rows: Sequence[Document], keep: Iterable[str] = ()) -> Questions:
    """Return the questions of rows of one instrument; `keep` names further columns."""
    first = next(iter(rows), {})
    kind = find_kind(first, str(first.get("dataset")))
    if kind is None:
        raise InputError(f"rows: {unknown_rows_error(first)}")
    return build_questions(kind, rows, keep)


def build_questions(kind: type[Questions], rows: Any, keep: Iterable[str]) -> Questions:
    """Return the questions of rows of a type.

    Args:
        kind: Question type of the rows.
        rows: An Arrow table, or mappings that all have the columns of the first.
        keep: Further columns to read, in addition to the columns of the type.
    """
    names = [*dict.fromkeys((*kind.REQUIRED_COLUMNS, *kind.OPTIONAL, *_KEY_COLUMNS, *keep))]
    if hasattr(rows, "column_names"):
        return kind(rows.select([name for name in names if name in rows.column_names]).to_pydict())
    present = [name for name in names if name in rows[0]]
    for number, row in enumerate(rows):
        if missing := [name for name in present if name not in row]:
            raise InputError(f"rows: row {number} has no {missing[0]!r}; expected the columns of the first")
    return kind({name: [row[name] for row in rows] for name in present})
