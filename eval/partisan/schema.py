"""The table that every metric works on: one row per answer, held as columns of small integers.

A metric takes any table that :meth:`Outcomes.of` understands (dictionaries, tuples, columns, Arrow,
a data frame), so that results can be analysed from a file, a notebook or a harness alike. An answer
that is no judgement (a refusal, an unparsable or a truncated one) is an outcome like any other: it
stays a row, and the metric decides by its mode what the row counts for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from polbias.aliases import Codes
from polbias.eval.columns import (
    Factor,
    Level,
    Mode,
    OutcomesError,
    VerdictTable,
    check_columns,
    check_mode,
    encode,
    factorise,
    identifiers,
    positions,
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

_LABEL_CODES = positions(LABELS) | {None: LABELS.index("unparsable")}
_LABEL_NAMES = ("label", "prediction", "pred")
_GOLD_CODES = positions(LABELS[:2])
_SIDE_CODES: dict[object, int] = {"left": -1, "right": 1, "chess": -1, "poker": 1}
_TUPLE_NAMES = ("leaning", "gold", "label", "cluster_id")


@dataclass(frozen=True, eq=False, slots=True)
class Outcomes(VerdictTable):
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
    def errors(self) -> Codes:
        """+1 for a false positive, -1 for a false negative, 0 if correct or unanswered, shape ``(n,)``."""
        return np.where(self.answered, self.label - self.gold, 0).astype(np.int8)

    def _columns(self) -> tuple[Mapping[str, Factor | None], Mapping[str, Factor]]:
        own = {
            "leaning": Factor((self.leaning > 0).astype(np.intp), ("left", "right")),
            "gold": Factor(self.gold.astype(np.intp), LABELS[:2]),
            "label": Factor(self.label.astype(np.intp), LABELS),
            "cluster_id": self.clusters,
            "pair_id": self.pairs,
        }
        return own, self.factors

    def in_mode(self, mode: Mode) -> Outcomes:
        """The rows that a mode considers."""
        check_mode(mode)
        answered = self.answered
        return self if mode == "corrected" or bool(answered.all()) else self.select(answered)


_DERIVED = {"leaning", "gold", "label", "cluster_id", "pair_id"}
