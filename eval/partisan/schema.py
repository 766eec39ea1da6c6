"""The table that every metric works on: one row per answer, held as columns of small integers.

A metric takes any table that :meth:`Outcomes.of` understands (dictionaries, tuples, columns, Arrow,
a data frame), so that results can be analysed from a file, a notebook or a harness alike. An answer
that is no judgement (a refusal, an unparsable or a truncated one) is an outcome like any other: it
stays a row, and the metric decides by its mode what the row counts for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from polbias.aliases import Booleans, Codes
from polbias.eval.columns import (
    AnswerTable,
    Factor,
    Level,
    Mode,
    OutcomesError,
    check_columns,
    encode,
    factorise,
    identifiers,
    read_columns,
)

__all__ = ["FACTORS", "LABELS", "Factor", "Level", "Mode", "Outcomes", "OutcomesError", "Rows"]

LABELS = ("invalid", "valid", "refusal", "unparsable", "truncated")
"""Outcomes of an answer; the code of a label is its position, so that the judgements are 0 and 1."""

FACTORS = (
    "dataset", "config", "language", "country", "kind", "variation", "gender", "shots", "instruction_id",
    "pattern_id", "template_id", "pair_kind", "in_all_shots", "exemplar_overlap",
)  # fmt: skip
"""The columns of the published schema that :meth:`Outcomes.of` keeps unless told which to keep."""

Rows: TypeAlias = "Outcomes | Mapping[str, Iterable[Any]] | Iterable[Any]"
"""Whatever :meth:`Outcomes.of` accepts."""

_LABEL_CODES: dict[object, int] = {label: code for code, label in enumerate(LABELS)}
_LABEL_CODES[None] = _LABEL_CODES["unparsable"]
_LABEL_NAMES = ("label", "prediction", "pred")
_GOLD_CODES: dict[object, int] = {"invalid": 0, "valid": 1}
_SIDE_CODES: dict[object, int] = {"left": -1, "right": 1, "chess": -1, "poker": 1}
_TUPLE_NAMES = ("leaning", "gold", "label", "cluster_id")


@dataclass(frozen=True, eq=False, slots=True)
class Outcomes(AnswerTable):
    """Answers with what is needed to judge them, one row each.

    Args:
        leaning: +1 where the conclusion favours the right, -1 where it favours the left, shape ``(n,)``.
        gold: 1 where the inference is valid, 0 where it is not, shape ``(n,)``.
        label: What the model said, as an index into :data:`LABELS`, shape ``(n,)``.
        clusters: The rows that are not independent of each other (``cluster_id``), if known.
        pairs: The two rows of each pair (``pair_id``), if known.
        factors: Further columns by name, to group by.
    """

    leaning: Codes
    gold: Codes
    label: Codes
    clusters: Factor | None = None
    pairs: Factor | None = None
    factors: Mapping[str, Factor] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Rows, factors: Iterable[str] | None = None) -> Outcomes:
        """Read a table of answers."""
        if isinstance(rows, Outcomes):
            return rows
        wanted = [name for name in (FACTORS if factors is None else factors) if name not in _DERIVED]
        read = {"leaning", "gold", *_LABEL_NAMES, "cluster_id", "pair_id", *wanted}
        names, columns = read_columns(rows, read, _TUPLE_NAMES)
        label = next((name for name in _LABEL_NAMES if name in columns), "label")
        required = ("leaning", "gold", label, *(() if factors is None else wanted))
        check_columns(names, columns, required, aliases=" (or 'prediction' or 'pred')")
        return cls(
            leaning=encode(columns["leaning"], _SIDE_CODES, "leaning"),
            gold=encode(columns["gold"], _GOLD_CODES, "gold"),
            label=encode(columns[label], _LABEL_CODES, label),
            clusters=identifiers(columns, "cluster_id"),
            pairs=identifiers(columns, "pair_id"),
            factors={name: factorise(columns[name], name) for name in wanted if name in columns},
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.label.size)

    @property
    def answered(self) -> Booleans:
        """True where the answer is a judgement, valid or invalid, shape ``(n,)``."""
        return self.label <= 1

    @property
    def errors(self) -> Codes:
        """+1 for a false positive, -1 for a false negative, 0 if correct or unanswered, shape ``(n,)``."""
        return np.where(self.answered, self.label - self.gold, 0).astype(np.int8)

    def factor(self, name: str) -> Factor:
        """A column to group by."""
        found = _DERIVED[name](self) if name in _DERIVED else self.factors.get(name)
        if found is None:
            has = ", ".join(["leaning", "gold", "label", *self.factors])
            raise OutcomesError(f"column {name!r}: found only {has}; read the table with factors=[{name!r}]")
        return found

    def in_mode(self, mode: Mode) -> Outcomes:
        """The rows that a mode considers."""
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
