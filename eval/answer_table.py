"""Reading a table of answers, whatever it comes in, and its columns of few distinct values.

A metric takes dictionaries, tuples, columns, Arrow, a data frame: anything with named columns.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import chain, compress
from reprlib import repr as brief
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Booleans, Codes, Indices, Json
from polbias.eval.answer_frames import AnalysisMode as AnalysisMode
from polbias.eval.answer_frames import AnswerTableError as AnswerTableError
from polbias.eval.answer_frames import Level as Level

_SPARSE = 8
"""So many times as many codes as rows are better sorted than counted."""


SILENT = ("refusal", "unparsable", "truncated")
"""What becomes of an answer without a verdict: the labels of every family end in these, from the third on."""
SILENCES = ("refusals", "unparsable", "truncated")
"""The names of their numbers."""


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column of few distinct values.

    Args:
        codes: Index into ``levels`` for each row, shape ``(n,)``.
        levels: The distinct values: numbers in order, then strings in order, then ``None``.
    """

    codes: Indices
    levels: tuple[Level, ...]

    @classmethod
    def of(cls, values: Iterable[Any] | CodedColumn) -> CodedColumn:
        """Factorise a column; the levels do not depend on the order of the rows."""
        if isinstance(values, CodedColumn):
            return values
        listed = _listed(values)
        seen = dict.fromkeys(listed)
        if {*map(type, seen)} <= {str}:
            levels: list[Any] = sorted(seen)
        else:
            plain = {value: _plain(value) for value in seen}
            listed = [plain[value] for value in listed]
            levels = sorted({*plain.values()}, key=_level_order)
        position = {level: index for index, level in enumerate(levels)}
        return cls(np.array([position[value] for value in listed], dtype=np.intp), tuple(levels))

    def __iter__(self) -> Iterator[Level]:
        return iter([self.levels[code] for code in self.codes.tolist()])

    @property
    def names(self) -> list[str]:
        """The level of each row as a text."""
        return [str(self.levels[code]) for code in self.codes.tolist()]

    @property
    def distinct(self) -> int:
        """Number of levels that rows have."""
        return int(np.count_nonzero(np.bincount(self.codes)))

    def select(self, rows: Booleans | Indices) -> CodedColumn:
        """Keep some rows, those that are true or those at some places."""
        return CodedColumn(self.codes[rows], self.levels)

    def compact(self) -> CodedColumn:
        """Forget the levels that no row has."""
        codes, index = _compact(self.codes, len(self.levels))
        return CodedColumn(index, tuple(self.levels[code] for code in codes.tolist()))


@dataclass(frozen=True, eq=False, kw_only=True)
class AnswerTable:
    """A table with a row per answer; its fields are columns, or None where a column is not known."""

    @property
    def n(self) -> int:
        """Number of rows."""
        raise NotImplementedError

    def select(self, mask: Booleans) -> Self:
        """Keep some rows."""
        return type(self)(**{each.name: _kept(getattr(self, each.name), mask) for each in fields(self)})


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupedTable(AnswerTable):
    """A table of answers whose rows come in clusters and in cells of a design.

    Args:
        clusters: The rows that are not independent of each other (``cluster_id``), if known.
        factors: Further columns by name, to group by.
    """

    clusters: CodedColumn | None = None
    factors: Mapping[str, CodedColumn] = field(default_factory=dict)

    def coded(self) -> Mapping[str, CodedColumn]:
        """The columns of codes that rows can be grouped by."""
        return {}

    def factor(self, name: str) -> CodedColumn:
        """A column to group by."""
        own = self.coded()
        found = self.clusters if name == "cluster_id" else own.get(name) or self.factors.get(name)
        if found is None:
            has = ", ".join([*own, *self.factors]) or "none"
            raise AnswerTableError(
                f"column {name!r}: found only {has}; read the table with factors=[{name!r}]"
            )
        return found

    def present(self, names: Iterable[str]) -> list[str]:
        """Return those of some columns that the table has."""
        return [name for name in names if name in self.factors]

    def where(self, **wanted: Level) -> Self:
        """Keep the rows in one cell of the design."""
        kept = np.ones(self.n, np.bool_)
        for name, level in wanted.items():
            factor = self.factor(name)
            kept &= factor.codes == (factor.levels.index(level) if level in factor.levels else -1)
        return self.select(kept)


@dataclass(frozen=True, eq=False, kw_only=True)
class VerdictTable(GroupedTable):
    """A table of answers with a gold label, whose labels are two verdicts, 0 and 1, and then what is none."""

    LABELS: ClassVar[tuple[str, ...]]
    gold: Codes
    label: Codes

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.label.size)

    @property
    def answered(self) -> Booleans:
        """True where the answer is a verdict, shape ``(n,)``."""
        return self.label <= 1

    @property
    def correct(self) -> Booleans:
        """True where the answer is the gold label, shape ``(n,)``."""
        return np.asarray(self.label == self.gold)

    def coded(self) -> Mapping[str, CodedColumn]:
        """Gold and label."""
        gold = CodedColumn(self.gold.astype(np.intp), self.LABELS[:2])
        return {"gold": gold, "label": CodedColumn(self.label.astype(np.intp), self.LABELS)}


def silences(labels: ArrayLike, first: int = 2) -> Json:
    """Count the answers of each kind without a verdict among codes of labels, as of an estimate."""
    codes = np.asarray(labels, np.intp) - first
    return {name: int(np.count_nonzero(codes == code)) for code, name in enumerate(SILENCES)}


def check_mode(mode: str) -> None:
    """Refuse a mode that there is not."""
    if mode not in ("corrected", "paper"):
        raise AnswerTableError(f"mode: found {mode!r}, expected 'corrected' or 'paper'")


class TableReader:
    """Columns of a table of any kind: dictionaries, tuples, columns, Arrow, a data frame."""

    def __init__(self, rows: Any, wanted: Collection[str], tuple_names: Sequence[str] = ()) -> None:
        names = list(rows) if isinstance(rows, Mapping) else getattr(rows, "column_names", None)
        names = getattr(rows, "columns", None) if names is None else names
        self.n = 0
        if names is not None:
            self._names = list(names)
            self.values = {name: _listed(rows[name]) for name in self._names if name in wanted}
        elif isinstance(rows, str) or not isinstance(rows, Iterable):
            raise AnswerTableError(f"rows: found {type(rows).__name__}, expected a table of answers")
        elif records := list(rows):
            self._names, self.values = _record_columns(records, wanted, tuple_names)
        else:
            self._names, self.values = [], {name: [] for name in wanted}

    def require(self, names: Sequence[str], aliases: str = "") -> Self:
        """See to it that columns are there, and all as long as the first that must be."""
        for name in names:
            if name not in self:
                said = aliases if name == "label" else ""
                found = ", ".join(map(str, self._names)) or "none"
                raise AnswerTableError(f"column {name!r}{said}: missing, found only {found}")
        self.n = len(self[names[0]])
        for name, values in self.values.items():
            if len(values) != self.n:
                raise AnswerTableError(
                    f"column {name!r}: found {len(values)} rows, expected {self.n} as in {names[0]}"
                )
        return self

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def __getitem__(self, name: str) -> list[Any]:
        """A column; None in every row where it is not there."""
        return self.values.get(name, [None] * self.n)

    def codes(self, name: str, codes: Mapping[object, int] | Sequence[str]) -> Codes:
        """A column as codes, by default the places of its values."""
        return encode(self[name], codes, name)

    def factor(self, name: str) -> CodedColumn:
        """A column as a factor."""
        try:
            return CodedColumn.of(self[name])
        except TypeError:
            values = self[name]
            index = next(index for index, value in enumerate(values) if not isinstance(value, Hashable))
            found = f"column {name!r}, row {index}: found {brief(values[index])}"
            raise AnswerTableError(f"{found}, expected a single value") from None

    def factors(self, names: Iterable[str]) -> dict[str, CodedColumn]:
        """Those of some columns that are there, as factors."""
        return {name: self.factor(name) for name in names if name in self}

    def identifiers(self, name: str) -> Any:
        """A column of identifiers, of which none may be missing, as a factor; None if it is not there."""
        if name not in self:
            return None
        factor = self.factor(name)
        if None in factor.levels:
            index = int(np.argmax(factor.codes == factor.levels.index(None)))
            raise AnswerTableError(f"column {name!r}, row {index}: found None, expected an identifier")
        return factor


def encode(values: list[Any], codes: Mapping[object, int] | Sequence[str], name: str) -> Codes:
    """Turn a column into codes; whatever a library has for a missing value is looked up as None."""
    if not isinstance(codes, Mapping):
        codes = positions(codes)
    try:
        return np.array([codes[value] for value in values], dtype=np.int8)
    except (KeyError, TypeError):
        plain = [_plain(value) for value in values]
    for row, value in enumerate(plain):
        _check_code(value, codes, name, row)
    return np.array([codes[value] for value in plain], dtype=np.int8)


def _check_code(value: Any, codes: Mapping[Any, int], name: str, row: int) -> None:
    if not isinstance(value, Hashable) or value not in codes:
        expected = " or ".join(map(str, codes))
        raise AnswerTableError(f"column {name!r}, row {row}: found {brief(value)}, expected {expected}")


def tallied(answers: Sequence[Sequence[Any]], codes: Mapping[Any, int], width: int, name: str) -> Indices:
    """Count the answers of each row by their code, shape ``(n, width)``."""
    n = len(answers)
    sizes = np.fromiter(map(len, answers), np.intp, n)
    try:
        found = np.fromiter(map(codes.__getitem__, chain.from_iterable(answers)), np.intp, int(sizes.sum()))
    except (KeyError, TypeError):
        for row, listed in enumerate(answers):
            for each in listed:
                _check_code(each, codes, name, row)
        raise
    keys = np.repeat(np.arange(n, dtype=np.intp), sizes) * width + found
    return np.bincount(keys, minlength=n * width).reshape(n, width)


def positions(names: Iterable[str]) -> dict[object, int]:
    """The codes of a column whose values stand in an order."""
    return {name: code for code, name in enumerate(names)}


def crossed(factors: Sequence[CodedColumn]) -> tuple[list[tuple[Level, ...]], Indices]:
    """Cross factors."""
    shape = [max(len(factor.levels), 1) for factor in factors]
    keys = np.ravel_multi_index([factor.codes for factor in factors], shape)
    found, index = _compact(keys, math.prod(shape))
    columns = [
        [factor.levels[code] for code in codes.tolist()]
        for factor, codes in zip(factors, np.unravel_index(found, shape), strict=True)
    ]
    return list(zip(*columns, strict=True)), index


def _compact(codes: Indices, size: int) -> tuple[Indices, Indices]:
    """The distinct codes of some below a size, in order, and the place of each row among them."""
    if size > _SPARSE * codes.size:
        return np.unique(codes, return_inverse=True)
    found = np.flatnonzero(np.bincount(codes, minlength=size))
    place = np.empty(size, np.intp)
    place[found] = np.arange(found.size)
    return found, place[codes]


def _kept(column: Any, mask: Booleans) -> Any:
    if isinstance(column, CodedColumn):
        return column.select(mask)
    if isinstance(column, Mapping):
        return {name: factor.select(mask) for name, factor in column.items()}
    if isinstance(column, tuple):
        return tuple(compress(column, mask))
    return None if column is None else column[mask]


def _record_columns(
    records: list[Any], wanted: Collection[str], tuple_names: Sequence[str]
) -> tuple[list[str], dict[str, list[Any]]]:
    """The same for mappings or tuples, of which all must be like the first."""
    first = records[0]
    if isinstance(first, Mapping):
        names, expected = list(first), "a mapping with the columns of the first row"
        keys: Json = {name: name for name in names if name in wanted}
    else:
        names = list(tuple_names)
        expected = f"({', '.join(names[:-1])}[, {names[-1]}]) as in all rows"
        names = names if isinstance(first, Sequence) and len(first) == len(names) else names[:-1]
        keys = {name: position for position, name in enumerate(names)}
    width = None if isinstance(first, Mapping) else len(names)
    try:
        if width is None or {*map(len, records)} == {width}:
            return names, {name: [record[key] for record in records] for name, key in keys.items()}
    except (KeyError, TypeError):
        pass  # the rows are not alike: say which is the first of them
    index = next(index for index, record in enumerate(records) if not _fits(record, keys.values(), width))
    raise AnswerTableError(f"row {index}: found {brief(records[index])}, expected {expected}")


def _fits(record: Any, keys: Iterable[Any], width: int | None) -> bool:
    """Whether a record has all keys, and this many of them if that is given."""
    try:
        return bool([record[key] for key in keys]) and width in (None, len(record))
    except (KeyError, IndexError, TypeError):
        return False


def _listed(values: Any) -> list[Any]:
    """A column of any kind as a list of Python values."""
    convert = getattr(values, "to_pylist", None) or getattr(values, "tolist", None)
    if convert is None and (isinstance(values, str) or not isinstance(values, Iterable)):
        raise AnswerTableError(f"rows: found {brief(values)} for a column, expected one value per row")
    return list(convert() if convert else values)


def _plain(value: Any) -> Any:
    """The value, or None where it is some library's missing value."""
    missing = type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    return None if missing else value


def _level_order(level: Any) -> tuple[int, Any]:
    if level is None:
        return (2, "")
    return (0, level) if isinstance(level, int | float) else (1, str(level))


def finite(value: Any) -> Any:
    """Make a value of any depth fit for JSON: None for NaN and infinities, lists for tuples."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
