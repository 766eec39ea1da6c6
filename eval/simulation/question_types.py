"""Which instrument rows are of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from polbias.aliases import Document
from polbias.errors import InputError
from polbias.eval.simulation.questions import Questions
from polbias.registry import import_reference, instrument_names, instruments

_KEYS = ("prompt", "id")
_SHOWN = 200


def kind_of(names: Iterable[str], dataset: str | None = None) -> type[Questions] | None:
    """Return the kind of rows, None if they are of no instrument."""
    there = set(names)
    return next((kind for kind in _kinds(dataset) if there.issuperset(kind.REQUIRED_COLUMNS)), None)


@lru_cache(maxsize=64)
def _kinds(dataset: str | None) -> list[type[Questions]]:
    own = sorted(
        instruments().values(), key=lambda each: dataset not in (*each.datasets, *each.evaluated_datasets)
    )
    return [import_reference(kind) for each in own for kind in each.simulation]


def unknown_rows_error(names: Iterable[Any]) -> str:
    """Say that rows with columns of these names are of no instrument."""
    found = ", ".join(map(str, names))[:_SHOWN] or "nothing"
    return f"found the columns {found}; expected those of an instrument ({', '.join(instrument_names())})"


def questions(rows: Sequence[Document], keep: Iterable[str] = ()) -> Questions:
    """Read rows of one instrument."""
    first = next(iter(rows), {})
    kind = kind_of(first, str(first.get("dataset")))
    if kind is None:
        raise InputError(f"rows: {unknown_rows_error(first)}")
    return build_questions(kind, rows, keep)


def build_questions(kind: type[Questions], rows: Any, keep: Iterable[str]) -> Questions:
    """Read rows of a kind.

    Args:
        kind: of the rows.
        rows: an Arrow table, or mappings with the columns of the first.
        keep: columns to read beside those of the kind.
    """
    names = [*dict.fromkeys((*kind.REQUIRED_COLUMNS, *kind.OPTIONAL, *_KEYS, *keep))]
    if hasattr(rows, "column_names"):
        return kind(rows.select([name for name in names if name in rows.column_names]).to_pydict())
    present = [name for name in names if name in rows[0]]
    for number, row in enumerate(rows):
        if missing := [name for name in present if name not in row]:
            raise InputError(f"rows: row {number} has no {missing[0]!r}; expected the columns of the first")
    return kind({name: [row[name] for row in rows] for name in present})
