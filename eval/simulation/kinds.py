"""Which instrument rows are of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from polbias.errors import InputError
from polbias.eval.simulation.normative import Problems, Selections
from polbias.eval.simulation.partisan import Arguments
from polbias.eval.simulation.policy import Statements
from polbias.eval.simulation.questions import Questions
from polbias.eval.simulation.selfassess import Articles, Choices
from polbias.eval.simulation.xphemism import Claims
from polbias.eval.tables import check_columns, read_columns

KINDS: tuple[type[Questions], ...] = (
    Arguments,
    Selections,
    Problems,
    Statements,
    Claims,
    Choices,
    Articles,
)
_KEYS = ("prompt", "id")


def kind_of(names: Iterable[str]) -> type[Questions] | None:
    """Return the kind of rows with columns of these names, None if they are of no instrument."""
    there = set(names)
    return next((kind for kind in KINDS if there.issuperset(kind.NEEDED)), None)


def questions(rows: Any, keep: Iterable[str] = ()) -> Questions:
    """Read rows of one instrument; questions are returned as they are.

    Args:
        rows: An iterable of mappings, or anything with named columns (Arrow, a data frame), with the
            published columns of any of the five instruments.
        keep: Further columns that random effects go by.

    Raises:
        InputError: If the rows are of no instrument.
        OutcomesError: If a column is missing or shorter than another.
    """
    if isinstance(rows, Questions):
        return rows
    if not isinstance(rows, Mapping) and not hasattr(rows, "column_names") and not hasattr(rows, "columns"):
        rows = list(rows)
        names = list(rows[0]) if rows and isinstance(rows[0], Mapping) else []
    else:
        names = list(
            rows if isinstance(rows, Mapping) else getattr(rows, "column_names", None) or rows.columns
        )
    kind = kind_of(names)
    if kind is None:
        found = ", ".join(map(str, names)) or "nothing"
        raise InputError(f"rows: found the columns {found}; expected those of one of the five instruments")
    wanted = {*kind.NEEDED, *kind.OPTIONAL, *_KEYS, *keep}
    names, columns = read_columns(rows, wanted, ())
    check_columns(names, columns, kind.NEEDED)
    return kind(columns)
