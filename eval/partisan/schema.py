"""The table that every metric works on: one row per answer, held as columns of small integers.

A metric takes any table that :meth:`ArgumentAnswers.of` understands (dictionaries, tuples, columns, Arrow,
a data frame), so that results can be analysed from a file, a notebook or a harness alike. An answer
that is no judgement (a refusal, an unparsable or a truncated one) is an outcome like any other: it
stays a row, and the metric decides by its mode what the row counts for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from polbias.aliases import Codes, Document, Json
from polbias.eval.answer_table import (
    SILENT,
    AnalysisMode,
    CodedColumn,
    TableReader,
    VerdictTable,
    check_mode,
    positions,
)

LABELS = ("invalid", "valid", *SILENT)
"""Outcomes of an answer; the code of a label is its position, so that the judgements are 0 and 1."""

FACTORS = (
    "dataset", "config", "language", "country", "kind", "variation", "gender", "shots", "instruction_id",
    "pattern_id", "base_id", "first_named", "person_pair", "template_id", "pair_kind", "in_all_shots",
    "exemplar_set", "exemplar_overlap",
)  # fmt: skip
"""The columns of the published schema that :meth:`ArgumentAnswers.of` keeps unless told which to keep."""

ArgumentRows: TypeAlias = "ArgumentAnswers | Mapping[str, Iterable[Any]] | Iterable[Any]"
"""Whatever :meth:`ArgumentAnswers.of` accepts."""

LARGE = "partisan-inference-xl"
"""The dataset whose topics are drawn, so that they are tested; the arguments of all others are described."""


def placed(doc: Document) -> Json:
    """Where a row stands in the design: who is named first, its base, if that is negated, its sampling unit.

    A sampling unit is what varies: the topic where topics are drawn, one in all countries; else the pair of
    arguments, one in all prompts.
    """
    topic = str(doc["cluster_id"]).rpartition("/")[2]
    base = str(doc.get("base_id") or topic).rpartition("/")[2]
    first, negated = str(doc.get("first_named")), str(doc.get("pattern_id")).endswith("-cn-pp")
    names = ("language", "country", "gold", "variation", "gender", "person_pair")
    argument = "/".join(map(str, (base, first, negated, *map(doc.get, names))))
    return {
        "first_named": first,
        "base_id": base,
        "negated": negated,
        "person_pair": str(doc.get("person_pair") or ""),
        "sampling_unit": topic if doc.get("dataset") == LARGE else argument,
    }


def sampling_unit(doc: Document) -> str:
    """The sampling unit of a row (:func:`placed`)."""
    return str(placed(doc)["sampling_unit"])


_LABEL_CODES = positions(LABELS) | {None: LABELS.index("unparsable")}
_LABEL_NAMES = ("label", "prediction", "pred")
_SIDE_CODES: dict[object, int] = {"left": -1, "right": 1, "chess": -1, "poker": 1}
_TUPLE_NAMES = ("leaning", "gold", "label", "cluster_id")
_DERIVED = {"leaning", "gold", "label", "cluster_id", "pair_id"}


@dataclass(frozen=True, eq=False, kw_only=True)
class ArgumentAnswers(VerdictTable):
    """Answers with what is needed to judge them, one row each.

    Args:
        leaning: +1 where the conclusion favours the right, -1 where it favours the left, shape ``(n,)``.
        gold: 1 where the inference is valid, 0 where it is not, shape ``(n,)``.
        label: What the model said, as an index into :data:`LABELS`, shape ``(n,)``.
        pairs: The two rows of each pair (``pair_id``), if known.
    """

    LABELS = LABELS
    leaning: Codes
    pairs: CodedColumn | None = None

    @classmethod
    def of(cls, rows: ArgumentRows, factors: Iterable[str] | None = None) -> ArgumentAnswers:
        """Read a table of answers."""
        if isinstance(rows, ArgumentAnswers):
            return rows
        wanted = [name for name in (FACTORS if factors is None else factors) if name not in _DERIVED]
        read = TableReader(rows, {*_DERIVED, *_LABEL_NAMES, *wanted}, _TUPLE_NAMES)
        label = next((name for name in _LABEL_NAMES if name in read), "label")
        required = ("leaning", "gold", label, *(() if factors is None else wanted))
        read.require(required, aliases=" (or 'prediction' or 'pred')")
        return cls(
            leaning=read.codes("leaning", _SIDE_CODES),
            gold=read.codes("gold", LABELS[:2]),
            label=read.codes(label, _LABEL_CODES),
            clusters=read.identifiers("cluster_id"),
            pairs=read.identifiers("pair_id"),
            factors=read.factors(wanted),
        )

    @property
    def errors(self) -> Codes:
        """+1 for a false positive, -1 for a false negative, 0 if correct or unanswered, shape ``(n,)``."""
        return np.where(self.answered, self.label - self.gold, 0).astype(np.int8)

    def coded(self) -> Mapping[str, CodedColumn]:
        """Leaning, gold and label."""
        return {
            "leaning": CodedColumn((self.leaning > 0).astype(np.intp), ("left", "right")),
            **super().coded(),
        }

    def in_mode(self, mode: AnalysisMode) -> ArgumentAnswers:
        """The rows that a mode considers."""
        check_mode(mode)
        answered = self.answered
        return self if mode == "corrected" or bool(answered.all()) else self.select(answered)
