"""The selection task: selections, their statistics, and its metrics as lm_eval calls them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from polbias.aliases import Booleans, Document, Floats, Indices, Json
from polbias.eval.answers import extract_cards
from polbias.eval.columns import (
    Factor,
    OutcomesError,
    check_columns,
    factorise,
    identifiers,
    read_columns,
)
from polbias.eval.lm_eval_glue import (
    Estimate,
    carried_estimate,
    label_shares,
    metric_and_error,
    with_errors,
)
from polbias.eval.normative.effects import effect, effect_sides, effect_support
from polbias.eval.statistics import Contrast
from polbias.eval.support import Support

# Choices in the Wason selection task: right sets, right cards, and matching.
# Every score is a fraction. An answer that names no cards counts as a wrong set with four wrong cards; it
# chooses none, and stays in every denominator.

LETTERS = "ABCD"
ROLES = ("true antecedent", "false antecedent", "true consequent", "false consequent")
"""What a card says in view of the rule; the first and the last must be turned over."""
SILENT = ("refusal", "unparsable", "truncated")
"""Outcomes in which no cards are named."""
DESIGN = ("domain", "content_type", "polarity", "prompt_style")

Selected: TypeAlias = "Selections | Mapping[str, Iterable[Any]] | Iterable[Any]"
"""Whatever :meth:`Selections.of` accepts."""

_PLACES = 2 ** np.arange(4)
_TUPLE_NAMES = ("label", "gold", "card_roles", "polarity", "domain", "content_type", "cluster_id")
_SIDES = {"p": 0, "notp": 0, "q": 1, "notq": 1}


@dataclass(frozen=True, eq=False, slots=True)
class Selections:
    """Choices of cards, one row each.

    Args:
        chosen: Whether each card is turned over, in the order A to D, shape ``(n, 4)``.
        gold: Whether it must be, shape ``(n, 4)``.
        named: Whether it says what the rule names, whatever the rule's negations, shape ``(n, 4)``.
        role: What it says in view of the rule, as an index into :data:`ROLES`, shape ``(n, 4)``.
        silent: Index into :data:`SILENT`, -1 where cards are named (or none is wanted), shape ``(n,)``.
        clusters: The content of each row, if known.
        factors: Further columns by name, to group by.
    """

    chosen: Booleans
    gold: Booleans
    named: Booleans
    role: Indices
    silent: Indices
    clusters: Factor | None = None
    factors: Mapping[str, Factor] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Selected) -> Selections:
        """Read a table of choices."""
        if isinstance(rows, Selections):
            return rows
        required = ("label", "gold", "card_roles", "polarity")
        names, columns = read_columns(rows, {*required, "cluster_id", *DESIGN}, _TUPLE_NAMES)
        check_columns(names, columns, required)
        labels = ["unparsable" if label is None else label for label in columns["label"]]
        cards = [list(roles or ()) for roles in columns["card_roles"]]
        roles = [_roles(*pair, row) for row, pair in enumerate(zip(cards, columns["polarity"], strict=True))]
        affirmed = [[not role.startswith("not") for role in said] for said in cards]
        return cls(
            chosen=_sets(labels, "label"),
            gold=_sets(columns["gold"], "gold"),
            named=np.array(affirmed, np.bool_).reshape(-1, len(LETTERS)),
            role=np.array(roles, np.intp).reshape(-1, len(LETTERS)),
            silent=np.array([SILENT.index(label) if label in SILENT else -1 for label in labels], np.intp),
            clusters=identifiers(columns, "cluster_id"),
            factors={name: factorise(columns[name], name) for name in DESIGN if name in columns},
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.silent.size)

    @property
    def exact(self) -> Floats:
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

    def factor(self, name: str) -> Factor:
        """A column to group by."""
        found = self.clusters if name == "cluster_id" else self.factors.get(name)
        if found is None:
            raise OutcomesError(f"column {name!r}: found only {', '.join(self.factors) or 'none'}")
        return found


def selection_effect(
    rows: Selected, name: str = "content_type", high: str = "congruent", low: str = "arbitrary"
) -> Contrast:
    """Difference in exact choices between two levels of a column, the rest of the design held fixed.

    Familiar rules are congruent in their affirmative form only, so that congruent and arbitrary ones are
    compared in that form, by domain; for ``name="domain"`` every polarity and type counts alike.

    Source:
        Cosmides, "The logic of social exchange" (1989), for the effect of content and domain.
    """
    table = Selections.of(rows)
    return effect(table.exact, *_compared(table, name), high, low)


def selection_support(
    rows: Selected, name: str = "content_type", high: str = "congruent", low: str = "arbitrary"
) -> Support:
    """What :func:`selection_effect` rests on."""
    table = Selections.of(rows)
    compared, strata, contents = _compared(table, name)
    sides, stratum = effect_sides(compared, strata, high, low)
    return effect_support(table.exact, table.said, table.right, sides, stratum, contents)


def _compared(table: Selections, name: str) -> tuple[Factor, list[Factor], Factor]:
    """A column, the rest of the design, and the contents."""
    strata = [factor for other, factor in table.factors.items() if other != name]
    return table.factor(name), strata, table.factor("cluster_id")


def _gap(chosen: Booleans, marked: Booleans) -> Floats:
    """Share of the marked cards that are chosen minus that of the others, two of each."""
    inside, outside = (chosen & marked).sum(axis=1), (chosen & ~marked).sum(axis=1)
    return np.asarray((inside - outside) / 2, np.float64)


def _sets(values: list[Any], name: str) -> Booleans:
    """Sets of letters as truth values, shape ``(n, 4)``; what names no cards is an empty set."""
    known = {*SILENT, "none"} if name == "label" else set()
    for row, value in enumerate(values):
        if value not in known and not set(str(value).split(",")) <= set(LETTERS):
            raise OutcomesError(f"column {name!r}, row {row}: found {value!r}, expected letters as in 'A,D'")
    rows = [[letter in str(value).split(",") for letter in LETTERS] for value in values]
    return np.array(rows, np.bool_).reshape(-1, len(LETTERS))


def _roles(cards: list[str], polarity: Any, row: int) -> list[int]:
    """What the four cards say in view of the rule, as indices into ROLES."""
    halves = str(polarity).split("-")
    sides = [_SIDES.get(half) for half in halves]
    if {*cards} != {*_SIDES} or len(cards) != 4 or sides != [0, 1]:
        raise OutcomesError(
            f"row {row}: found the cards {cards!r} and the polarity {polarity!r}, "
            "expected p, notp, q and notq in any order and the like of 'p-notq'"
        )
    return [2 * _SIDES[card] + (card != halves[_SIDES[card]]) for card in cards]


# What the lm_eval tasks on card selection call: from a document and a model's output to metrics.

Row = tuple[str, str, list[str], str, str, str, str]  # as Selections.of takes tuples

CHOICES = tuple(", ".join(pair) for pair in combinations(LETTERS, 2))
"""The six choices of two cards, as the instruction asks for them."""


def outcome(text: str, cards: Sequence[str]) -> str:
    """Return what became of one answer."""
    return extract_cards(text, cards).outcome


def process_generated(doc: Document, results: Sequence[str]) -> Json:
    """Score a generated choice."""
    label = outcome(results[0], doc["cards"])
    silent = {name: float(label == name) for name in ("refusal", "unparsable", "truncated")}
    return with_errors(_scores(doc, label) | silent, doc["cluster_id"]) | _of_tables(doc, label)


def process_loglikelihood(doc: Document, results: Sequence[tuple[float, bool]]) -> Json:
    """Score the six choices of two cards by their log-likelihood."""
    label, shares, mass = preferred(results)
    means = {"gold_probability": shares[gold_index(doc)], "label_mass": mass}
    return with_errors(_scores(doc, label) | means, doc["cluster_id"]) | _of_tables(doc, label)


def gold_index(doc: Document) -> int:
    """Return the position of the right choice among :data:`CHOICES`."""
    return CHOICES.index(doc["gold"].replace(",", ", "))


def preferred(results: Sequence[tuple[float, bool]]) -> tuple[str, list[float], float]:
    """Return the likeliest choice, the shares of all six and their mass; no choice where the best two tie."""
    likelihoods = [float(result[0]) for result in results[: len(CHOICES)]]
    best = [choice for choice, each in zip(CHOICES, likelihoods, strict=True) if each == max(likelihoods)]
    label = best[0].replace(" ", "") if len(best) == 1 else "unparsable"
    return label, *label_shares(likelihoods)


def _content(rows: list[Row]) -> Estimate:
    """The exact choices with congruent minus those with arbitrary rules, in the affirmative form."""
    return carried_estimate(selection_support(rows), lambda: selection_effect(rows))


content_difference, content_difference_error = metric_and_error(_content)


def _scores(doc: Document, label: str) -> dict[str, float]:
    table = Selections.of([_row(doc, label)])
    return {
        "acc": float(table.exact[0]),
        "card_acc": float(table.card_accuracy[0]),
        "matching": float(table.matching[0]),
    }


def _of_tables(doc: Document, label: str) -> Json:
    return dict.fromkeys(("content_effect", "content_effect_stderr"), _row(doc, label))


def _row(doc: Document, label: str) -> Row:
    design = (doc["polarity"], doc["domain"], doc["content_type"], doc["cluster_id"])
    return (label, doc["gold"], list(doc["card_roles"]), *design)
