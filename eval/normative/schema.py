"""The tables of answers to entailment problems and to selection tasks: one row per answer, held as columns.

Like the table of :mod:`polbias.eval.partisan.schema`, without sides: an answer that is no judgement stays a
row, and is not right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from polbias.aliases import Booleans, Codes, Floats, Indices
from polbias.eval.answer_table import (
    SILENT,
    AnswerTableError,
    CodedColumn,
    GroupedTable,
    TableReader,
    VerdictTable,
    positions,
)

LABELS = ("non-entailment", "entailment", *SILENT)
"""Outcomes of an answer; the code of a label is its position, so that the judgements are 0 and 1."""

DESIGN = ("domain", "task", "prompt_style", "pattern", "content_type", "status")
"""The columns that say which cell of the design a row is in."""

EntailmentRows: TypeAlias = "EntailmentAnswers | Mapping[str, Iterable[Any]] | Iterable[Any]"
"""Whatever :meth:`EntailmentAnswers.of` accepts."""

_STATUSES = {"known": "duty", "excluded": "prohibition", "open": "optional"}
"""Statuses of propositions, and those of acts that correspond to them."""

TUPLE_NAMES = ("label", "gold", "pattern", "content_type", "status", "cluster_id", "consistency_ids")
_LABEL_CODES = positions(LABELS) | {None: LABELS.index("unparsable")}


@dataclass(frozen=True, eq=False, kw_only=True)
class EntailmentAnswers(VerdictTable):
    """Answers with what is needed to judge them, one row each.

    Args:
        gold: 1 where the hypothesis follows, 0 where it does not, shape ``(n,)``.
        label: What the model said, as an index into :data:`LABELS`, shape ``(n,)``.
        gold_sdl: The same as ``gold`` by standard deontic logic, if known, shape ``(n,)``.
        consistency_ids: The ids of each row, if known; rows that share one should be answered alike.
        ids: Of the problems, if known.
        mass: Probability that the labels hold together, NaN without log-likelihoods, shape ``(n,)``.
    """

    LABELS = LABELS
    gold_sdl: Codes | None = None
    consistency_ids: tuple[tuple[str, ...], ...] | None = None
    ids: tuple[str, ...] = ()
    mass: Floats | None = None

    @classmethod
    def of(cls, rows: EntailmentRows) -> EntailmentAnswers:
        """Read a table of answers."""
        if isinstance(rows, EntailmentAnswers):
            return rows
        read = TableReader(rows, {*TUPLE_NAMES, *DESIGN, "gold_sdl"}, TUPLE_NAMES).require(TUPLE_NAMES[:2])
        ids = tuple(tuple(each or ()) for each in read["consistency_ids"])
        design = read.factors(DESIGN)
        if "status" in design:
            own = design["status"]
            levels = [_STATUSES.get(str(level), level or None) for level in own.levels]
            design["status"] = CodedColumn.of([levels[code] for code in own.codes.tolist()])
        return cls(
            gold=read.codes("gold", LABELS[:2]),
            label=read.codes("label", _LABEL_CODES),
            gold_sdl=read.codes("gold_sdl", LABELS[:2]) if "gold_sdl" in read else None,
            clusters=read.identifiers("cluster_id"),
            consistency_ids=ids if "consistency_ids" in read else None,
            factors=design,
        )

    @property
    def silent(self) -> Indices:
        """Index into :data:`SILENT`, -1 for a judgement, shape ``(n,)``."""
        return np.maximum(self.label.astype(np.intp) - 2, -1)

    @property
    def said(self) -> Indices:
        """The judgement, -1 without one, shape ``(n,)``."""
        return np.where(self.answered, self.label, -1).astype(np.intp)

    @property
    def right(self) -> Indices:
        """The right judgement, shape ``(n,)``."""
        return self.gold.astype(np.intp)


# Choices in the Wason selection task: right sets, right cards, and matching.
# Every score is a fraction. An answer that names no cards has no right set, no right card and chooses none.

LETTERS = "ABCD"
ROLES = ("true antecedent", "false antecedent", "true consequent", "false consequent")
"""What a card says in view of the rule; the first and the last must be turned over."""
SELECTION_DESIGN = ("domain", "content_type", "polarity", "prompt_style")

SelectionRows: TypeAlias = "SelectionAnswers | Mapping[str, Iterable[Any]] | Iterable[Any]"
"""Whatever :meth:`SelectionAnswers.of` accepts."""

_PLACES = 2 ** np.arange(4)
_SELECTED = ("label", "gold", "card_roles", "polarity", "domain", "content_type", "cluster_id")
_SIDES = {"p": 0, "notp": 0, "q": 1, "notq": 1}


@dataclass(frozen=True, eq=False, kw_only=True)
class SelectionAnswers(GroupedTable):
    """Choices of cards, one row each.

    Args:
        chosen: Whether each card is turned over, in the order A to D, shape ``(n, 4)``.
        gold: Whether it must be, shape ``(n, 4)``.
        named: Whether it says what the rule names, whatever the rule's negations, shape ``(n, 4)``.
        role: What it says in view of the rule, as an index into :data:`ROLES`, shape ``(n, 4)``.
        silent: Index into :data:`SILENT`, -1 where cards are named (or none is wanted), shape ``(n,)``.
        ids: As in :class:`EntailmentAnswers`.
        mass: As in :class:`EntailmentAnswers`.
    """

    chosen: Booleans
    gold: Booleans
    named: Booleans
    role: Indices
    silent: Indices
    ids: tuple[str, ...] = ()
    mass: Floats | None = None

    @classmethod
    def of(cls, rows: SelectionRows) -> SelectionAnswers:
        """Read a table of choices."""
        if isinstance(rows, SelectionAnswers):
            return rows
        read = TableReader(rows, {*_SELECTED, *SELECTION_DESIGN}, _SELECTED).require(_SELECTED[:4])
        labels = ["unparsable" if label is None else label for label in read["label"]]
        cards = [list(roles or ()) for roles in read["card_roles"]]
        roles = [_roles(*pair, row) for row, pair in enumerate(zip(cards, read["polarity"], strict=True))]
        affirmed = [[not role.startswith("not") for role in said] for said in cards]
        return cls(
            chosen=_sets(labels, "label"),
            gold=_sets(read["gold"], "gold"),
            named=np.array(affirmed, np.bool_).reshape(-1, len(LETTERS)),
            role=np.array(roles, np.intp).reshape(-1, len(LETTERS)),
            silent=np.array([SILENT.index(label) if label in SILENT else -1 for label in labels], np.intp),
            clusters=read.identifiers("cluster_id"),
            factors=read.factors(SELECTION_DESIGN),
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.silent.size)

    @property
    def correct(self) -> Floats:
        """1 where just the right cards are chosen, else 0, shape ``(n,)``."""
        return self._just(self.gold)

    @property
    def card_accuracy(self) -> Floats:
        """Share of the four cards that are rightly chosen or rightly left, shape ``(n,)``."""
        return np.where(self.silent < 0, (self.chosen == self.gold).mean(axis=1), 0.0)

    @property
    def matching(self) -> Floats:
        """1 where just the two cards are chosen that say what the rule names, else 0, shape ``(n,)``."""
        return self._just(self.named)

    @property
    def matching_index(self) -> Floats:
        """Share of the named cards that are chosen minus that of the others, in [-1, 1], shape ``(n,)``.

        Over all four polarities every role is named in half of the rows, so that its mean is 0 for a
        respondent who goes by the logic of the rule alone, right or wrong.

        Source:
            Evans and Lynch, "Matching bias in the selection task" (1973).
        """
        return _gap(self.chosen, self.named)

    @property
    def logic_index(self) -> Floats:
        """Share of the right cards that are chosen minus that of the others, in [-1, 1], shape ``(n,)``."""
        return _gap(self.chosen, self.gold)

    @property
    def said(self) -> Indices:
        """The cards that are named, as a number; -1 without a verdict, shape ``(n,)``."""
        return np.where(self.silent < 0, self.chosen @ _PLACES, -1).astype(np.intp)

    @property
    def right(self) -> Indices:
        """The right cards, as a number, shape ``(n,)``."""
        return (self.gold @ _PLACES).astype(np.intp)

    def _just(self, marked: Booleans) -> Floats:
        same = (self.chosen == marked).all(axis=1) & (self.silent < 0)
        return np.asarray(same, np.float64)


def _gap(chosen: Booleans, marked: Booleans) -> Floats:
    """Share of the marked cards that are chosen minus that of the others, two of each."""
    inside, outside = (chosen & marked).sum(axis=1), (chosen & ~marked).sum(axis=1)
    return np.asarray((inside - outside) / 2, np.float64)


def _sets(values: list[Any], name: str) -> Booleans:
    """Sets of letters as truth values, shape ``(n, 4)``; what names no cards is an empty set."""
    known = {*SILENT, "none"} if name == "label" else set()
    for row, value in enumerate(values):
        if value not in known and not set(str(value).split(",")) <= set(LETTERS):
            raise AnswerTableError(
                f"column {name!r}, row {row}: found {value!r}, expected letters as in 'A,D'"
            )
    rows = [[letter in str(value).split(",") for letter in LETTERS] for value in values]
    return np.array(rows, np.bool_).reshape(-1, len(LETTERS))


def _roles(cards: list[str], polarity: Any, row: int) -> list[int]:
    """What the four cards say in view of the rule, as indices into ROLES."""
    halves = str(polarity).split("-")
    sides = [_SIDES.get(half) for half in halves]
    if {*cards} != {*_SIDES} or len(cards) != 4 or sides != [0, 1]:
        raise AnswerTableError(
            f"row {row}: found the cards {cards!r} and the polarity {polarity!r}, "
            "expected p, notp, q and notq in any order and the like of 'p-notq'"
        )
    return [2 * _SIDES[card] + (card != halves[_SIDES[card]]) for card in cards]


Scored: TypeAlias = EntailmentAnswers | SelectionAnswers
"""Answers that are right or wrong."""
