"""Frames of answers: a row per answer, texts and design as categorical columns, checked as they are read.

A metric takes dictionaries, tuples, columns, Arrow or a data frame: anything with named columns.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from reprlib import repr as brief
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from polbias.aliases import Indices, Json
from polbias.errors import PolbiasError

Level: TypeAlias = str | int | float | bool | None
AnalysisMode: TypeAlias = Literal["corrected", "paper"]

NON_ANSWER_LABELS = ("refusal", "unparsable", "truncated")
"""Outcomes of an answer without a verdict: the labels of every family end in these, from the third on."""
NON_ANSWER_COUNTS = ("refusals", "unparsable", "truncated")
"""The names of their numbers."""


class AnswerTableError(PolbiasError, ValueError):
    """A table of answers lacks a column, or a column holds something that it must not hold."""


def count_silences(labels: ArrayLike, first: int = 2) -> Json:
    """Count the answers of each kind without a verdict among codes of labels, as of an estimate."""
    codes = np.asarray(labels, np.intp) - first
    return {name: int(np.count_nonzero(codes == code)) for code, name in enumerate(NON_ANSWER_COUNTS)}


def check_mode(mode: str) -> None:
    """Refuse a mode that there is not."""
    if mode not in ("corrected", "paper"):
        raise AnswerTableError(f"mode: found {mode!r}, expected 'corrected' or 'paper'")


# From any table to a frame.


def read_frame(rows: Any, required: Sequence[str] = (), tuple_names: Sequence[str] = ()) -> pd.DataFrame:
    """Read a table of any kind.

    Args:
        rows: a data frame, an Arrow table, columns by name, mappings, or tuples.
        required: columns that must be there.
        tuple_names: columns of tuples, and of a table without rows; the last may be left out.

    Raises:
        AnswerTableError: if the rows are no table, differ in their columns, or lack one that is required.
    """
    names = getattr(rows, "column_names", None) or getattr(rows, "columns", None)
    if isinstance(rows, pd.DataFrame):
        frame = rows
    elif isinstance(rows, Mapping) or names is not None:
        frame = _frame_of_columns(rows if names is None else {name: rows[name] for name in names})
    elif isinstance(rows, str) or not isinstance(rows, Iterable):
        raise AnswerTableError(f"rows: found {type(rows).__name__}, expected a table of answers")
    else:
        records = list(rows)
        columns = dict.fromkeys((*required, *tuple_names))
        frame = _frame_of_records(records, tuple_names) if records else pd.DataFrame(columns=[*columns])
    require_columns(frame, required)
    return frame


def require_columns(frame: pd.DataFrame, names: Iterable[str], hint: str = "") -> None:
    """Refuse a frame without some columns."""
    for name in names:
        if name not in frame:
            present = ", ".join(map(str, frame.columns)) or "none"
            raise AnswerTableError(f"column {name!r}{hint}: missing, found only {present}")


def _frame_of_columns(columns: Mapping[str, Any]) -> pd.DataFrame:
    lists = {name: _column_values(values) for name, values in columns.items()}
    first = next(iter(lists), "")
    for name, values in lists.items():
        if len(values) != len(lists[first]):
            raise AnswerTableError(
                f"column {name!r}: found {len(values)} rows, expected {len(lists[first])} as in {first}"
            )
    return pd.DataFrame({name: _series(values) for name, values in lists.items()})


def _frame_of_records(records: Sequence[Any], tuple_names: Sequence[str]) -> pd.DataFrame:
    """Mappings or tuples, of which all must be like the first."""
    first = records[0]
    if isinstance(first, Mapping):
        names, keys = list(first), list(first)
        expected, width = "a mapping with the columns of the first row", None
    else:
        if not tuple_names:
            raise AnswerTableError(f"row 0: found {brief(first)}, expected a mapping of columns")
        whole = isinstance(first, Sequence) and len(first) == len(tuple_names)
        names = list(tuple_names) if whole else list(tuple_names[:-1])
        expected = f"({', '.join(tuple_names[:-1])}[, {tuple_names[-1]}]) as in all rows"
        keys, width = list(range(len(names))), len(names)
    try:
        if width is None or {*map(len, records)} == {width}:
            values = {name: [row[key] for row in records] for name, key in zip(names, keys, strict=True)}
            return pd.DataFrame({name: _series(column) for name, column in values.items()})
    except (KeyError, TypeError):
        pass  # the rows are not alike: name the first that differs
    row = next(row for row, record in enumerate(records) if not _fits(record, keys, width))
    raise AnswerTableError(f"row {row}: found {brief(records[row])}, expected {expected}")


def _fits(record: Any, keys: Iterable[Any], width: int | None) -> bool:
    """Whether a record has all keys, and this many of them if that is given."""
    try:
        return bool([record[key] for key in keys]) and width in (None, len(record))
    except (KeyError, IndexError, TypeError):
        return False


def _series(values: Any) -> Any:
    """A column; lists in it stay lists, and None stays None."""
    if isinstance(values, list):
        return pd.Series(values, dtype=object)
    return values


def _column_values(values: Any) -> Any:
    if isinstance(values, pd.Series):
        return values.array  # rows are compared by their position, whatever the index
    if isinstance(values, pd.Categorical | np.ndarray):
        return values if np.ndim(values) == 1 else list(values)
    convert = getattr(values, "to_pylist", None) or getattr(values, "tolist", None)
    if convert is None and (isinstance(values, str) or not isinstance(values, Iterable)):
        raise AnswerTableError(f"rows: found {brief(values)} for a column, expected one value per row")
    return list(convert() if convert else values)


# Columns of few distinct values.


def as_categories(values: Iterable[Any], name: str = "") -> pd.Categorical:
    """Factorise a column: categories in order, whatever the order of the rows; missing values have none.

    Args:
        values: of the rows; a categorical column stays as it is.
        name: of the column, for an error.
    """
    column = values.array if isinstance(values, pd.Series) else values
    if isinstance(column, pd.Categorical):
        return column
    if isinstance(values, pd.Series):
        column = values.tolist()  # which is fast where going through the array is not
    listed = column if isinstance(column, np.ndarray) else [*column]
    try:
        categories = pd.Categorical(listed)
    except TypeError:
        row = next((row for row, value in enumerate(listed) if not isinstance(value, Hashable)), 0)
        found = f"column {name!r}, row {row}: found {brief(listed[row])}"
        raise AnswerTableError(f"{found}, expected a single value") from None
    if len(categories.categories):
        return categories
    return pd.Categorical.from_codes(categories.codes, pd.Index([], dtype="str"))


def with_levels(
    values: Iterable[Any],
    levels: Sequence[Level],
    name: str,
    meanings: Mapping[Any, Level] | None = None,
) -> pd.Categorical:
    """A column whose values are of a list, as a categorical column with these categories.

    Args:
        values: of the rows.
        levels: the categories, in their order.
        name: of the column, for an error.
        meanings: levels by other values that stand for them; None is whatever a library has for a missing
            value.

    Raises:
        AnswerTableError: if a value is neither.
    """
    column = as_categories(values, name)
    known = {level: code for code, level in enumerate(levels)}
    known |= {value: known[level] for value, level in (meanings or {}).items()}
    categories = column.categories.tolist()
    code_of = np.array([*(known.get(level, -1) for level in categories), known.get(None, -1)], np.int8)
    codes = code_of[column.codes]
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        value = None if column.codes[row] < 0 else categories[column.codes[row]]
        raise AnswerTableError(
            f"column {name!r}, row {row}: found {brief(value)}, expected {' or '.join(map(str, known))}"
        )
    return pd.Categorical.from_codes(codes, list(levels))


def identifiers(values: Iterable[Any], name: str) -> pd.Categorical:
    """A column of identifiers, of which none may be missing."""
    column = as_categories(values, name)
    if (column.codes < 0).any():
        row = int(np.argmax(column.codes < 0))
        raise AnswerTableError(f"column {name!r}, row {row}: found None, expected an identifier")
    return column


def factorize(column: Iterable[Any]) -> tuple[Indices, list[Any]]:
    """The code of each row, and the levels in order, those without a row too; a missing value is the last."""
    categories = as_categories(column)
    codes, levels = categories.codes.astype(np.intp), categories.categories.tolist()
    if codes.size and int(codes.min()) < 0:
        return np.where(codes < 0, len(levels), codes), [*levels, None]
    return codes, levels


def codes_of(column: Iterable[Any]) -> Indices:
    """The code of the level of each row (:func:`factorize`), shape ``(n,)``."""
    categories = as_categories(column)  # which may be many, and are not listed here
    codes: Indices = categories.codes.astype(np.intp)
    codes[codes < 0] = len(categories.categories)
    return codes


def count_levels(column: Iterable[Any]) -> int:
    """Number of levels that rows have."""
    return int(np.unique(codes_of(column)).size)


def levels_of(column: Iterable[Any]) -> list[Any]:
    """The levels that rows have, in order."""
    codes, levels = factorize(column)
    return [levels[code] for code in np.unique(codes).tolist()]


def cross(columns: Sequence[Iterable[Any]]) -> tuple[list[tuple[Level, ...]], Indices]:
    """The combinations of levels that rows have, in order, and that of each row, shape ``(n,)``."""
    factors = [factorize(column) for column in columns]
    shape = [max(len(levels), 1) for _, levels in factors]
    keys = np.ravel_multi_index([codes for codes, _ in factors], shape)
    present, index = np.unique(keys, return_inverse=True)
    names = [
        [levels[code] for code in codes.tolist()]
        for (_, levels), codes in zip(factors, np.unravel_index(present, shape), strict=True)
    ]
    return list(zip(*names, strict=True)), index


def concat_answers(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put frames with the same columns below each other; categories stay categories, in order."""
    first = frames[0]
    if len(frames) == 1:
        return first
    columns = {}
    for name in first.columns:
        parts = [frame[name] for frame in frames]
        if isinstance(first[name].dtype, pd.CategoricalDtype):
            if all(part.dtype == first[name].dtype for part in parts):
                columns[name] = pd.concat(parts, ignore_index=True)
            else:
                columns[name] = pd.api.types.union_categoricals(parts, sort_categories=True)
        else:
            columns[name] = pd.concat(parts, ignore_index=True)
    return pd.DataFrame(columns)
