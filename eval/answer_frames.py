"""Data frames of answers: one row per answer, texts and design as categorical columns.

Metrics accept dictionaries, tuples, columns, an Arrow table or a data frame; :func:`read_frame` checks it.
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
"""Labels of an answer without a verdict; the labels of every instrument end with them, from the third on."""
NON_ANSWER_COUNTS = ("refusals", "unparsable", "truncated")
"""Names of the counts of these labels."""


class AnswerTableError(PolbiasError, ValueError):
    """A table of answers lacks a column, or a column has an invalid value."""


def count_silences(labels: ArrayLike, first: int = 2) -> Json:
    """Count the non-answers of each kind among label codes; `first` is the code of a refusal."""
    codes = np.asarray(labels, np.intp) - first
    return {name: int(np.count_nonzero(codes == code)) for code, name in enumerate(NON_ANSWER_COUNTS)}


def check_mode(mode: str) -> None:
    """Raise an error for an unknown mode."""
    if mode not in ("corrected", "paper"):
        raise AnswerTableError(f"mode: found {mode!r}, expected 'corrected' or 'paper'")


# From any table to a frame.


def read_frame(rows: Any, required: Sequence[str] = (), tuple_names: Sequence[str] = ()) -> pd.DataFrame:
    """Read a table of any kind.

    Args:
        rows: a data frame, an Arrow table, columns by name, mappings, or tuples.
        required: names of the required columns.
        tuple_names: columns of tuples, and of a table without rows; the last is optional.

    Raises:
        AnswerTableError: if the rows are not a table, differ in their columns, or lack a required column.
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
    """Raise an error if a frame lacks one of these columns; the hint follows its name."""
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
    """Build a frame of mappings or tuples; each must have the keys or the length of the first."""
    first = records[0]
    if isinstance(first, Mapping):
        names, keys = list(first), list(first)
        expected, width = "a mapping with the columns of the first row", None
    else:
        if not tuple_names:
            raise AnswerTableError(f"row 0: found {brief(first)}, expected a mapping of columns")
        has_all_names = isinstance(first, Sequence) and len(first) == len(tuple_names)
        names = list(tuple_names) if has_all_names else list(tuple_names[:-1])
        expected = f"({', '.join(tuple_names[:-1])}[, {tuple_names[-1]}]) as in all rows"
        keys, width = list(range(len(names))), len(names)
    try:
        if width is None or {*map(len, records)} == {width}:
            values = {name: [row[key] for row in records] for name, key in zip(names, keys, strict=True)}
            return pd.DataFrame({name: _series(column) for name, column in values.items()})
    except (KeyError, TypeError):
        pass  # rows differ: the error names the first that does
    row = next(row for row, record in enumerate(records) if not _has_keys(record, keys, width))
    raise AnswerTableError(f"row {row}: found {brief(records[row])}, expected {expected}")


def _has_keys(record: Any, keys: Iterable[Any], width: int | None) -> bool:
    """Whether a record has all keys, and this length if one is given."""
    try:
        return bool([record[key] for key in keys]) and width in (None, len(record))
    except (KeyError, IndexError, TypeError):
        return False


def _series(values: Any) -> Any:
    """Return a column in which lists stay lists and None stays None."""
    if isinstance(values, list):
        return pd.Series(values, dtype=object)
    return values


def _column_values(values: Any) -> Any:
    if isinstance(values, pd.Series):
        return values.array  # rows are matched by position, not by index
    if isinstance(values, pd.Categorical | np.ndarray):
        return values if np.ndim(values) == 1 else list(values)
    convert = getattr(values, "to_pylist", None) or getattr(values, "tolist", None)
    if convert is None and (isinstance(values, str) or not isinstance(values, Iterable)):
        raise AnswerTableError(f"rows: found {brief(values)} for a column, expected one value per row")
    return list(convert() if convert else values)


# Columns of few distinct values.


def as_categories(values: Iterable[Any], name: str = "") -> pd.Categorical:
    """Convert a column to categories, sorted whatever the order of the rows; missing values have none.

    Args:
        values: one per row; a categorical column is returned unchanged.
        name: name of the column, for an error.
    """
    column = values.array if isinstance(values, pd.Series) else values
    if isinstance(column, pd.Categorical):
        return column
    if isinstance(values, pd.Series):
        column = values.tolist()  # iterating over the array is slower
    sequence = column if isinstance(column, np.ndarray) else [*column]
    try:
        categories = pd.Categorical(sequence)
    except TypeError:
        row = next((row for row, value in enumerate(sequence) if not isinstance(value, Hashable)), 0)
        location = f"column {name!r}, row {row}: found {brief(sequence[row])}"
        raise AnswerTableError(f"{location}, expected a single value") from None
    if len(categories.categories):
        return categories
    return pd.Categorical.from_codes(categories.codes, pd.Index([], dtype="str"))


def with_levels(
    values: Iterable[Any],
    levels: Sequence[Level],
    name: str,
    meanings: Mapping[Any, Level] | None = None,
) -> pd.Categorical:
    """Convert a column to a categorical column with fixed categories.

    Args:
        values: one per row.
        levels: the categories, in order.
        name: name of the column, for an error.
        meanings: other accepted values and their levels; None is any missing value.

    Raises:
        AnswerTableError: if a value is neither a level nor an accepted value.
    """
    column = as_categories(values, name)
    code_by_value = {level: code for code, level in enumerate(levels)}
    code_by_value |= {value: code_by_value[level] for value, level in (meanings or {}).items()}
    categories = column.categories.tolist()
    code_of = np.array(
        [*(code_by_value.get(level, -1) for level in categories), code_by_value.get(None, -1)], np.int8
    )
    codes = code_of[column.codes]
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        value = None if column.codes[row] < 0 else categories[column.codes[row]]
        expected = " or ".join(map(str, code_by_value))
        raise AnswerTableError(f"column {name!r}, row {row}: found {brief(value)}, expected {expected}")
    return pd.Categorical.from_codes(codes, list(levels))


def identifiers(values: Iterable[Any], name: str) -> pd.Categorical:
    """Convert a column of identifiers to categories; raise an error if one is missing."""
    column = as_categories(values, name)
    if (column.codes < 0).any():
        row = int(np.argmax(column.codes < 0))
        raise AnswerTableError(f"column {name!r}, row {row}: found None, expected an identifier")
    return column


def factorize(column: Iterable[Any]) -> tuple[Indices, list[Any]]:
    """Return the code of each row, and all levels in order; a missing value is the last level."""
    categories = as_categories(column)
    codes, levels = categories.codes.astype(np.intp), categories.categories.tolist()
    if codes.size and int(codes.min()) < 0:
        return np.where(codes < 0, len(levels), codes), [*levels, None]
    return codes, levels


def codes_of(column: Iterable[Any]) -> Indices:
    """Return the level code of each row (:func:`factorize`), shape ``(n,)``."""
    categories = as_categories(column)  # unlike factorize, without a list of the levels: they may be many
    codes: Indices = categories.codes.astype(np.intp)
    codes[codes < 0] = len(categories.categories)
    return codes


def count_levels(column: Iterable[Any]) -> int:
    """Return the number of levels that occur in rows."""
    return int(np.unique(codes_of(column)).size)


def levels_of(column: Iterable[Any]) -> list[Any]:
    """Return the levels that occur in rows, in order."""
    codes, levels = factorize(column)
    return [levels[code] for code in np.unique(codes).tolist()]


def cross(columns: Sequence[Iterable[Any]]) -> tuple[list[tuple[Level, ...]], Indices]:
    """Return the combinations of levels that occur, in order, and the index of each row's, shape ``(n,)``."""
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
    """Concatenate frames with the same columns; categories are united and sorted."""
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
