"""The table that every metric works on: one row per answer, held as columns of small integers.

A metric takes any table that :meth:`Outcomes.of` understands (dictionaries, tuples, columns, Arrow,
a data frame), so that results can be analysed from a file, a notebook or a harness alike. An answer
that is no judgement (a refusal, an unparsable or a truncated one) is an outcome like any other: it
stays a row, and the metric decides by its mode what the row counts for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from reprlib import repr as brief
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polbias.errors import PolbiasError

LABELS = ("invalid", "valid", "refusal", "unparsable", "truncated")
"""Outcomes of an answer; the code of a label is its position, so that the judgements are 0 and 1."""

FACTORS = (
    "dataset", "config", "language", "country", "kind", "variation", "gender", "shots", "instruction_id",
    "pattern_id", "template_id", "pair_kind", "in_all_shots", "exemplar_overlap",
)  # fmt: skip
"""The columns of the published schema that :meth:`Outcomes.of` keeps unless told which to keep."""

Mode: TypeAlias = Literal["corrected", "paper"]
Level: TypeAlias = str | int | float | bool | None
Rows: TypeAlias = "Outcomes | Mapping[str, Iterable[Any]] | Iterable[Any]"
"""Whatever :meth:`Outcomes.of` accepts."""

_LABEL_CODES: dict[object, int] = {label: code for code, label in enumerate(LABELS)}
_LABEL_CODES[None] = _LABEL_CODES["unparsable"]
_LABEL_NAMES = ("label", "prediction", "pred")
_GOLD_CODES: dict[object, int] = {"invalid": 0, "valid": 1}
_SIDE_CODES: dict[object, int] = {"left": -1, "right": 1, "chess": -1, "poker": 1}
_TUPLE_NAMES = ("leaning", "gold", "label", "cluster_id")


class OutcomesError(PolbiasError, ValueError):
    """A table of answers lacks a column, or a column holds something that it must not hold."""


@dataclass(frozen=True, eq=False, slots=True)
class Factor:
    """A column of few distinct values.

    Args:
        codes: Index into ``levels`` for each row, shape ``(n,)``.
        levels: The distinct values: numbers in order, then strings in order, then ``None``.
    """

    codes: NDArray[np.intp]
    levels: tuple[Level, ...]

    @classmethod
    def of(cls, values: Iterable[Any] | Factor) -> Factor:
        """Factorise a column; the levels do not depend on the order of the rows.

        Args:
            values: One hashable value per row; NaN counts as ``None``. A factor is returned as it is.

        Returns:
            The factor, of as many rows as there are values.

        Raises:
            TypeError: If a value is not hashable.
        """
        if isinstance(values, Factor):
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

    def select(self, mask: NDArray[np.bool_]) -> Factor:
        """Keep some rows.

        Args:
            mask: True for each row to keep, shape ``(n,)``.

        Returns:
            A factor of those rows, with the same levels.
        """
        return Factor(self.codes[mask], self.levels)


@dataclass(frozen=True, eq=False, slots=True)
class Outcomes:
    """Answers with what is needed to judge them, one row each.

    Args:
        leaning: +1 where the conclusion favours the right, -1 where it favours the left, shape ``(n,)``.
        gold: 1 where the inference is valid, 0 where it is not, shape ``(n,)``.
        label: What the model said, as an index into :data:`LABELS`, shape ``(n,)``.
        clusters: The rows that are not independent of each other (``cluster_id``), if known.
        pairs: The two rows of each pair (``pair_id``), if known.
        factors: Further columns by name, to group by.
    """

    leaning: NDArray[np.int8]
    gold: NDArray[np.int8]
    label: NDArray[np.int8]
    clusters: Factor | None = None
    pairs: Factor | None = None
    factors: Mapping[str, Factor] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Rows, factors: Iterable[str] | None = None) -> Outcomes:
        """Read a table of answers.

        Args:
            rows: An iterable of mappings, or of tuples (leaning, gold, label[, cluster_id]); or a mapping
                of columns, an Arrow table, a data frame, or anything else with named columns. Columns:
                ``leaning`` "left" or "right" (in the control: "chess" counts as left, "poker" as right),
                ``gold`` "valid" or "invalid", ``label`` (else ``prediction``, else ``pred``) one of
                :data:`LABELS` or ``None`` for "unparsable"; optionally ``cluster_id`` and ``pair_id``.
            factors: Further columns to keep; by default those of :data:`FACTORS` that are there.

        Returns:
            The table; the argument itself if it is one already.

        Raises:
            OutcomesError: If a column is missing, shorter than another, or holds an unknown value.
        """
        if isinstance(rows, Outcomes):
            return rows
        wanted = [name for name in (FACTORS if factors is None else factors) if name not in _DERIVED]
        names, columns = _columns(rows, {"leaning", "gold", *_LABEL_NAMES, "cluster_id", "pair_id", *wanted})
        label = next((name for name in _LABEL_NAMES if name in columns), "label")
        for name in ("leaning", "gold", label, *(() if factors is None else wanted)):
            if name not in columns:
                aliases = " (or 'prediction' or 'pred')" if name == "label" else ""
                found = ", ".join(map(str, names)) or "none"
                raise OutcomesError(f"column {name!r}{aliases}: missing, found only {found}")
        size = len(columns["leaning"])
        for name, values in columns.items():
            if len(values) != size:
                raise OutcomesError(
                    f"column {name!r}: found {len(values)} rows, expected {size} as in leaning"
                )
        return cls(
            leaning=_encoded(columns["leaning"], _SIDE_CODES, "leaning"),
            gold=_encoded(columns["gold"], _GOLD_CODES, "gold"),
            label=_encoded(columns[label], _LABEL_CODES, label),
            clusters=_identifiers(columns, "cluster_id"),
            pairs=_identifiers(columns, "pair_id"),
            factors={name: _factor(columns[name], name) for name in wanted if name in columns},
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.label.size)

    @property
    def answered(self) -> NDArray[np.bool_]:
        """True where the answer is a judgement, valid or invalid, shape ``(n,)``."""
        return self.label <= 1

    @property
    def errors(self) -> NDArray[np.int8]:
        """+1 for a false positive, -1 for a false negative, 0 if correct or unanswered, shape ``(n,)``."""
        return np.where(self.answered, self.label - self.gold, 0).astype(np.int8)

    def factor(self, name: str) -> Factor:
        """A column to group by.

        Args:
            name: "leaning", "gold", "label", "cluster_id", "pair_id" or one of ``factors``.

        Returns:
            The factor; those of the first three names have all their levels, present or not.

        Raises:
            OutcomesError: If the table was read without this column.
        """
        found = _DERIVED[name](self) if name in _DERIVED else self.factors.get(name)
        if found is None:
            has = ", ".join(["leaning", "gold", "label", *self.factors])
            raise OutcomesError(f"column {name!r}: found only {has}; read the table with factors=[{name!r}]")
        return found

    def select(self, mask: NDArray[np.bool_]) -> Outcomes:
        """Keep some rows.

        Args:
            mask: True for each row to keep, shape ``(n,)``.

        Returns:
            A table of those rows.
        """
        return Outcomes(
            self.leaning[mask],
            self.gold[mask],
            self.label[mask],
            self.clusters and self.clusters.select(mask),
            self.pairs and self.pairs.select(mask),
            {name: factor.select(mask) for name, factor in self.factors.items()},
        )

    def in_mode(self, mode: Mode) -> Outcomes:
        """The rows that a mode considers.

        Args:
            mode: "corrected": all of them; "paper": those with a judgement, since the paper discards the
                others (Gubelmann and Karray, section 4 "Postprocessing", appendix B).

        Returns:
            This table, or one of the answered rows.

        Raises:
            OutcomesError: If the mode is neither.
        """
        if mode not in ("corrected", "paper"):
            raise OutcomesError(f"mode: found {mode!r}, expected 'corrected' or 'paper'")
        answered = self.answered
        return self if mode == "corrected" or bool(answered.all()) else self.select(answered)


_DERIVED: dict[str, Callable[[Outcomes], Factor | None]] = {
    "leaning": lambda rows: Factor((rows.leaning > 0).astype(np.intp), ("left", "right")),
    "gold": lambda rows: Factor(rows.gold.astype(np.intp), ("invalid", "valid")),
    "label": lambda rows: Factor(rows.label.astype(np.intp), LABELS),
    "cluster_id": lambda rows: rows.clusters,
    "pair_id": lambda rows: rows.pairs,
}


def _columns(rows: Any, wanted: Collection[str]) -> tuple[list[str], dict[str, list[Any]]]:
    """The names of all columns of a table, and those that are wanted of them as lists."""
    names = list(rows) if isinstance(rows, Mapping) else getattr(rows, "column_names", None)
    names = getattr(rows, "columns", None) if names is None else names
    if names is not None:
        return list(names), {name: _listed(rows[name]) for name in names if name in wanted}
    if isinstance(rows, str) or not isinstance(rows, Iterable):
        raise OutcomesError(f"rows: found {type(rows).__name__}, expected a table of answers")
    records = list(rows)
    return _record_columns(records, wanted) if records else ([], {name: [] for name in wanted})


def _record_columns(records: list[Any], wanted: Collection[str]) -> tuple[list[str], dict[str, list[Any]]]:
    """The same for mappings or tuples, of which all must be like the first."""
    first = records[0]
    if isinstance(first, Mapping):
        names, expected = list(first), "a mapping with the columns of the first row"
        keys: dict[str, Any] = {name: name for name in names if name in wanted}
    else:
        names, expected = list(_TUPLE_NAMES), "(leaning, gold, label[, cluster_id]) as in all rows"
        names = names if isinstance(first, Sequence) and len(first) == len(names) else names[:3]
        keys = {name: position for position, name in enumerate(names)}
    width = None if isinstance(first, Mapping) else len(names)
    try:
        if width is None or {*map(len, records)} == {width}:
            return names, {name: [record[key] for record in records] for name, key in keys.items()}
    except (KeyError, TypeError):
        pass  # the rows are not alike: say which is the first of them
    index = next(index for index, record in enumerate(records) if not _fits(record, keys.values(), width))
    raise OutcomesError(f"row {index}: found {brief(records[index])}, expected {expected}")


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
        raise OutcomesError(f"rows: found {brief(values)} for a column, expected one value per row")
    return list(convert() if convert else values)


def _encoded(values: list[Any], codes: Mapping[object, int], name: str) -> NDArray[np.int8]:
    """A column as codes; whatever a library has for a missing value is looked up as None."""
    try:
        return np.array([codes[value] for value in values], dtype=np.int8)
    except (KeyError, TypeError):
        plain = [_plain(value) for value in values]
    for index, value in enumerate(plain):
        if not isinstance(value, Hashable) or value not in codes:
            expected = " or ".join(map(str, codes))
            raise OutcomesError(f"column {name!r}, row {index}: found {brief(value)}, expected {expected}")
    return np.array([codes[value] for value in plain], dtype=np.int8)


def _factor(values: list[Any], name: str) -> Factor:
    try:
        return Factor.of(values)
    except TypeError:
        index = next(index for index, value in enumerate(values) if not isinstance(value, Hashable))
        found = f"column {name!r}, row {index}: found {brief(values[index])}"
        raise OutcomesError(f"{found}, expected a single value") from None


def _identifiers(columns: Mapping[str, list[Any]], name: str) -> Factor | None:
    factor = _factor(columns[name], name) if name in columns else None
    if factor is not None and None in factor.levels:
        index = int(np.argmax(factor.codes == factor.levels.index(None)))
        raise OutcomesError(f"column {name!r}, row {index}: found None, expected an identifier")
    return factor


def _plain(value: Any) -> Any:
    """The value, or None where it is some library's missing value."""
    missing = type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    return None if missing else value


def _level_order(level: Any) -> tuple[int, Any]:
    if level is None:
        return (2, "")
    return (0, level) if isinstance(level, int | float) else (1, str(level))
