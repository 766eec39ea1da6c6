"""The table of answers to entailment problems: one row per answer, held as columns of small integers.

Like the table of :mod:`polbias.eval.partisan.schema`, without sides: an answer that is no judgement stays a
row, and counts as wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from polbias.aliases import Booleans, Codes
from polbias.eval.columns import (
    Factor,
    VerdictTable,
    check_columns,
    encode,
    factorise,
    identifiers,
    positions,
    read_columns,
)

LABELS = ("non-entailment", "entailment", "refusal", "unparsable", "truncated")
"""Outcomes of an answer; the code of a label is its position, so that the judgements are 0 and 1."""

DESIGN = ("domain", "task", "prompt_style", "pattern", "content_type")
"""The columns that say which cell of the design a row is in."""

Judged: TypeAlias = "Judgements | Mapping[str, Iterable[Any]] | Iterable[Any]"
"""Whatever :meth:`Judgements.of` accepts."""

TUPLE_NAMES = ("label", "gold", "pattern", "content_type", "cluster_id", "consistency_ids")
_LABEL_CODES = positions(LABELS) | {None: LABELS.index("unparsable")}
_GOLD_CODES = positions(LABELS[:2])
_OPTIONAL = {"gold_sdl", "cluster_id", "consistency_ids"}


@dataclass(frozen=True, eq=False, slots=True)
class Judgements(VerdictTable):
    """Answers with what is needed to judge them, one row each.

    Args:
        gold: 1 where the hypothesis follows, 0 where it does not, shape ``(n,)``.
        label: What the model said, as an index into :data:`LABELS`, shape ``(n,)``.
        gold_sdl: The same as ``gold`` by standard deontic logic, if known, shape ``(n,)``.
        clusters: The content of each row (``cluster_id``), if known.
        consistency_ids: The ids of each row, if known; rows that share one should be answered alike.
        factors: Further columns by name, to group by.
    """

    gold_sdl: Codes | None = None
    clusters: Factor | None = None
    consistency_ids: tuple[tuple[str, ...], ...] | None = None
    factors: Mapping[str, Factor] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Judged, factors: Iterable[str] | None = None) -> Judgements:
        """Read a table of answers."""
        if isinstance(rows, Judgements):
            return rows
        wanted = [name for name in (DESIGN if factors is None else factors) if name not in _OWN]
        names, columns = read_columns(rows, {"label", "gold", *_OPTIONAL, *wanted}, TUPLE_NAMES)
        check_columns(names, columns, ("label", "gold", *(() if factors is None else wanted)))
        ids = columns.get("consistency_ids")
        return cls(
            gold=encode(columns["gold"], _GOLD_CODES, "gold"),
            label=encode(columns["label"], _LABEL_CODES, "label"),
            gold_sdl=encode(columns["gold_sdl"], _GOLD_CODES, "gold_sdl") if "gold_sdl" in columns else None,
            clusters=identifiers(columns, "cluster_id"),
            consistency_ids=None if ids is None else tuple(tuple(each or ()) for each in ids),
            factors={name: factorise(columns[name], name) for name in wanted if name in columns},
        )

    @property
    def correct(self) -> Booleans:
        """True where the answer is the gold label, shape ``(n,)``."""
        correct: Booleans = self.label == self.gold
        return correct

    def _columns(self) -> tuple[Mapping[str, Factor | None], Mapping[str, Factor]]:
        own = {
            "gold": Factor(self.gold.astype(np.intp), LABELS[:2]),
            "label": Factor(self.label.astype(np.intp), LABELS),
            "cluster_id": self.clusters,
        }
        return own, self.factors

    def present(self, names: Iterable[str]) -> list[str]:
        """Return those of some columns that the table has."""
        return [name for name in names if name in self.factors]


_OWN = {"gold", "label", "cluster_id"}
