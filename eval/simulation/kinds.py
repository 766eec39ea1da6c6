"""Which instrument rows are of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from polbias.eval.columns import Columns
from polbias.eval.simulation.questions import Questions
from polbias.files import InputError
from polbias.registry import instrument_names, instruments, resolve

_KEYS = ("prompt", "id")
_SHOWN = 200


def kind_of(names: Iterable[str], dataset: str | None = None) -> type[Questions] | None:
    """Return the kind of rows, None if they are of no instrument."""
    there = set(names)
    return next((kind for kind in _kinds(dataset) if there.issuperset(kind.NEEDED)), None)


@lru_cache(maxsize=64)
def _kinds(dataset: str | None) -> list[type[Questions]]:
    own = sorted(instruments().values(), key=lambda each: dataset not in (*each.datasets, *each.asked))
    return [resolve(kind) for each in own for kind in each.simulation]


def no_kind(names: Iterable[Any]) -> str:
    """Say that rows with columns of these names are of no instrument."""
    found = ", ".join(map(str, names))[:_SHOWN] or "nothing"
    return f"found the columns {found}; expected those of an instrument ({', '.join(instrument_names())})"


def questions(rows: Any, keep: Iterable[str] = ()) -> Questions:
    """Read rows of one instrument; questions are returned as they are."""
    if isinstance(rows, Questions):
        return rows
    if isinstance(rows, Mapping) or hasattr(rows, "column_names") or hasattr(rows, "columns"):
        names = list(
            rows if isinstance(rows, Mapping) else getattr(rows, "column_names", None) or rows.columns
        )
        named = rows["dataset"] if "dataset" in names else ()
    else:
        rows = list(rows)
        names = list(rows[0]) if rows and isinstance(rows[0], Mapping) else []
        named = [rows[0]["dataset"]] if "dataset" in names else []
    kind = kind_of(names, *map(str, islice(named, 1)))
    if kind is None:
        raise InputError(f"rows: {no_kind(names)}")
    wanted = {*kind.NEEDED, *kind.OPTIONAL, *_KEYS, *keep}
    return kind(Columns(rows, wanted).require(kind.NEEDED).values)
