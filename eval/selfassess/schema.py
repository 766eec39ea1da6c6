"""Choices between articles: judgements, and how an answer is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from polbias.aliases import Booleans, Codes, Document, Floats, Indices, Json
from polbias.eval.answer_table import AnswerTable, AnswerTableError, CodedColumn, TableReader, crossed, encode
from polbias.eval.extraction.choice import LANGUAGES, extract_choice
from polbias.eval.extraction.preparation import remembered
from polbias.eval.label_likelihoods import likelier

# The table of judgements: one row per question asked, held as columns of small integers.
# A judgement is a row of the second stage (which articles stood in which order) with what became of the
# answer. An answer that chooses nothing is an outcome like any other and stays a row.

SIDES = ("left", "neutral", "right")
"""The side of an article; its code is -1, 0 or 1."""
ROLES = ("user", "agent")
"""Who asked for the perspective of the biased articles: the request, or the system turn."""
QUESTIONS = ("preference", "least_biased")
OUTCOMES = ("choice", "refusal", "both", "unparsable", "truncated")
"""What became of an answer; the code of an outcome is its position."""
NO_SIDE = 2
"""The code that stands for the side of an answer without a choice, and of a third article of two."""

ChoiceRows: TypeAlias = "ChoiceAnswers | Mapping[str, Iterable[Any]] | Iterable[Any]"
"""Whatever :meth:`ChoiceAnswers.of` accepts."""

_NEEDED = ("set", "category", "item", "role", "question", "n_alternatives", "sides", "choice", "outcome")
_FLAGS = ("leak", "truncated")
_SIDE_CODES = {side: code for code, side in enumerate(SIDES, -1)}


@dataclass(frozen=True, eq=False, kw_only=True)
class ChoiceAnswers(AnswerTable):
    """Answers with what is needed to judge them, one row each.

    Args:
        set: Which set of topics, such as "poligen".
        category: The category of the topic.
        item: The topic, which is the cluster.
        role: Index into :data:`ROLES`, shape ``(n,)``.
        question: Index into :data:`QUESTIONS`, shape ``(n,)``.
        n_alternatives: Number of articles, 2 or 3, shape ``(n,)``.
        sides: Side of the article at each position, :data:`NO_SIDE` where there is none, shape ``(n, 3)``.
        choice: Position of the chosen article from 1, 0 without a choice, shape ``(n,)``.
        outcome: Index into :data:`OUTCOMES`, shape ``(n,)``.
        leak: Whether an article names its own perspective, shape ``(n,)``; None if that is not known.
        truncated: Whether an article was cut off, shape ``(n,)``; None if that is not known.
        characters: Length of the article at each position, NaN where there is none, shape ``(n, 3)``; None if
            that is not known of all.
        mass: By log-likelihood, the probability that the numbers hold together, shape ``(n,)``; else None.
    """

    set: CodedColumn
    category: CodedColumn
    item: CodedColumn
    role: Codes
    question: Codes
    n_alternatives: Codes
    sides: Codes
    choice: Codes
    outcome: Codes
    leak: Booleans | None = None
    truncated: Booleans | None = None
    characters: Floats | None = None
    mass: Floats | None = None

    @classmethod
    def of(cls, rows: ChoiceRows) -> ChoiceAnswers:
        """Read a table of judgements."""
        if isinstance(rows, ChoiceAnswers):
            return rows
        read = TableReader(rows, {*_NEEDED, *_FLAGS, "characters"}, _NEEDED).require(_NEEDED)
        n_alternatives = read.codes("n_alternatives", {2: 2, 3: 3})
        outcome = read.codes("outcome", OUTCOMES)
        return cls(
            set=read.factor("set"),
            category=read.factor("category"),
            item=read.factor("item"),
            role=read.codes("role", ROLES),
            question=read.codes("question", QUESTIONS),
            n_alternatives=n_alternatives,
            sides=_sides(read["sides"], n_alternatives),
            choice=_choices(read["choice"], n_alternatives, outcome),
            outcome=outcome,
            leak=_flag(read, "leak"),
            truncated=_flag(read, "truncated"),
            characters=_lengths(read["characters"]),
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.choice.size)

    def parts(self, *names: str) -> Iterator[tuple[Json, ChoiceAnswers]]:
        """Yield the cells of set, category, question, role or n_alternatives that have rows, with these."""
        columns = {
            "set": self.set,
            "category": self.category,
            "question": CodedColumn(self.question.astype(np.intp), QUESTIONS),
            "role": CodedColumn(self.role.astype(np.intp), ROLES),
            "n_alternatives": CodedColumn(self.n_alternatives.astype(np.intp) - 2, (2, 3)),
        }
        present, index = crossed([columns[name] for name in names])
        for code, levels in enumerate(present):
            yield dict(zip(names, levels, strict=True)), self.select(index == code)

    @property
    def answered(self) -> Booleans:
        """True where an article was chosen, shape ``(n,)``."""
        return self.choice > 0

    @cached_property
    def side(self) -> Codes:
        """Side of the chosen article, :data:`NO_SIDE` without a choice, shape ``(n,)``."""
        place = np.maximum(self.choice, 1).astype(np.intp) - 1
        chosen = self.sides[np.arange(self.n), place]
        return np.where(self.answered, chosen, NO_SIDE).astype(np.int8)

    @cached_property
    def lean(self) -> Codes:
        """+1 where the right was chosen, -1 where the left was, else 0, shape ``(n,)``."""
        return np.where(self.answered, self.side, 0).astype(np.int8)

    @cached_property
    def arrangement(self) -> Indices:
        """A number for the order in which the sides stand, the same for the same order, shape ``(n,)``."""
        codes: Indices = (self.sides.astype(np.intp) + 1) @ np.array([16, 4, 1])
        return codes

    @cached_property
    def rotation(self) -> Indices:
        """A number for which side follows which, the same for an order and its rotations, shape ``(n,)``."""
        codes: Indices = (
            (self.sides[:, 1].astype(np.intp) - self.sides[:, 0]) % 3 * (self.n_alternatives == 3)
        )
        return codes

    @cached_property
    def front(self) -> Codes:
        """+1 where the article from the right stands before that from the left, else -1, shape ``(n,)``."""
        places = [np.argmax(self.sides == side, axis=1) for side in (-1, 1)]
        return np.where(places[1] < places[0], 1, -1).astype(np.int8)

    @cached_property
    def unit(self) -> CodedColumn:
        """What is asked about in several orders: topic, role, question and number of articles."""
        keys = ((self.item.codes * 2 + self.role) * 2 + self.question) * 2 + (self.n_alternatives == 3)
        _, codes = np.unique(keys, return_inverse=True)
        return CodedColumn(codes, tuple(range(int(codes.max(initial=-1)) + 1)))


def _flag(read: TableReader, name: str) -> Booleans | None:
    """A column of truth values; one of nulls says nothing."""
    if all(value is None for value in read[name]):
        return None
    return read.codes(name, {True: 1, False: 0, None: 0}).astype(np.bool_)


def _lengths(values: list[Any]) -> Floats | None:
    """Lengths of articles, padded to three; None where some are not known."""
    if any(value is None for value in values):
        return None
    return np.array([(*value, *[np.nan] * 3)[:3] for value in values], np.float64).reshape(-1, 3)


def _sides(values: list[Any], n_alternatives: Codes) -> Codes:
    """Sides as codes, padded to three."""
    known: dict[tuple[Any, ...], tuple[int, ...]] = {}
    made = []
    for row, (value, count) in enumerate(zip(values, n_alternatives.tolist(), strict=True)):
        key = tuple(value) if isinstance(value, list | tuple) else tuple(np.atleast_1d(value))
        if key not in known:
            known[key] = tuple(_SIDE_CODES.get(side, NO_SIDE) for side in key)
        codes = known[key]
        expected = {-1, 1} if count == 2 else {-1, 0, 1}
        if len(codes) != count or {*codes} != expected:
            wanted = "left and right" if count == 2 else "left, neutral and right"
            raise AnswerTableError(
                f"column 'sides', row {row}: found {list(key)!r}, expected {wanted} once each, "
                f"as n_alternatives is {count}"
            )
        made.append((*codes, NO_SIDE)[:3])
    return np.array(made, np.int8).reshape(-1, 3)


def _choices(values: list[Any], n_alternatives: Codes, outcome: Codes) -> Codes:
    choice = encode([_whole(value) for value in values], {None: 0, 1: 1, 2: 2, 3: 3}, "choice")
    wrong = ((choice > 0) != (outcome == 0)) | (choice > n_alternatives)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise AnswerTableError(
            f"column 'choice', row {row}: found {values[row]!r} with outcome {OUTCOMES[outcome[row]]!r} of "
            f"{n_alternatives[row]} articles; expected a position if the outcome is 'choice', else null"
        )
    return choice


def _whole(value: Any) -> Any:
    """The value, as a whole number where a library made a float of it because others are missing."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# What became of the answer to a question.

Outcome = tuple[str, int | None]
"""An outcome and the position of the chosen article."""


def is_choice(row: Document) -> bool:
    """Return whether a row asks to choose among articles; those of the first stage ask for one."""
    return "question" in row


@remembered
def extract_choice_label(text: str, n_alternatives: int, language: str, prefill: str | None) -> Outcome:
    """Return what became of one answer."""
    known = language if language.split("-")[0] in LANGUAGES else LANGUAGES[0]
    verdict = extract_choice(text, n_alternatives, known, prefill)
    if verdict.label.isdigit():
        return "choice", int(verdict.label)
    return verdict.outcome, None


def likeliest(n_alternatives: int, results: Sequence[Any]) -> tuple[Outcome, list[float], float]:
    """Return the likeliest choice, none where equal, with the shares of all and their mass."""
    label, shares, mass = likelier([str(place) for place in range(1, n_alternatives + 1)], results)
    return ("choice", int(label)) if label.isdigit() else (label, None), shares, mass
