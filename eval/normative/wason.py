"""The selection task: cards by their role, what a choice of cards scores, and its effects."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from polbias.aliases import Booleans, Floats, Indices
from polbias.eval.answer_frames import Level, codes_of
from polbias.eval.normative.answers import CARD_SETS, LETTERS, SELECTION_DESIGN
from polbias.eval.normative.effects import ComparedRows

ROLES = ("true antecedent", "false antecedent", "true consequent", "false consequent")
"""What a card says in view of the rule; the first and the last must be turned over."""


def is_named(role: str) -> bool:
    """Whether a card says what the rule names, whatever the rule's negations."""
    return not role.startswith("not")


def cards_in(codes: ArrayLike) -> Booleans:
    """Whether each card from A to D is in a set, shape ``(n, 4)``; a non-answer chooses none.

    Args:
        codes: of :data:`polbias.eval.normative.answers.CARD_LABELS`.
    """
    sets = np.asarray(codes, np.intp).reshape(-1, 1)
    in_set: Booleans = (sets < len(CARD_SETS)) & (sets >> np.arange(len(LETTERS)) & 1 == 1)
    return in_set


def cards_with(answers: pd.DataFrame, has: Callable[[str], bool]) -> Booleans:
    """Whether the role of each card, such as "notp", has a property, shape ``(n, 4)``."""
    return _by_part(answers["card_roles"], ",", has).reshape(-1, len(LETTERS))


def roles_of_cards(answers: pd.DataFrame) -> Indices:
    """What each card says in view of the rule, as an index into :data:`ROLES`, shape ``(n, 4)``."""
    is_consequent = cards_with(answers, lambda role: role.endswith("q")).astype(np.intp)
    rule_names = np.take_along_axis(_by_part(answers["polarity"], "-", is_named), is_consequent, axis=1)
    roles: Indices = 2 * is_consequent + (cards_with(answers, is_named) != rule_names)
    return roles


def _by_part(column: pd.Series, separator: str, has: Callable[[str], bool]) -> Booleans:
    """Whether each part of a text has a property, by row."""
    by_category = [[*map(has, text.split(separator))] for text in column.cat.categories]
    return np.array(by_category, np.bool_)[codes_of(column)]


def score_choices(label: ArrayLike, gold: ArrayLike, named: Booleans) -> dict[str, Floats]:
    """Return the scores of choices, fractions of shape ``(n,)``; a non-answer has 0 in all.

    - ``accuracy``: 1 where just the right cards are chosen;
    - ``card_accuracy``: share of the four cards that are rightly chosen or rightly left;
    - ``matching``: 1 where just the two named cards are chosen;
    - ``matching_index``: share of the named cards that are chosen minus that of the others, in [-1, 1]. Over
      all four polarities every role is named in half of the rows, so that its mean is 0 for a respondent who
      goes by the logic of the rule alone, right or wrong;
    - ``logic_index``: share of the right cards that are chosen minus that of the others, in [-1, 1].

    Args:
        label: codes of :data:`polbias.eval.normative.answers.CARD_LABELS`.
        gold: codes of the right sets.
        named: whether each card is named, shape ``(n, 4)``.

    Source:
        The matching index: Evans and Lynch, "Matching bias in the selection task" (1973).
    """
    chosen, right = cards_in(label), cards_in(gold)
    is_answered = np.asarray(label) < len(CARD_SETS)
    return {
        "accuracy": np.where(is_answered, (chosen == right).all(axis=1), 0.0),
        "card_accuracy": np.where(is_answered, (chosen == right).mean(axis=1), 0.0),
        "matching": np.where(is_answered, (chosen == named).all(axis=1), 0.0),
        "matching_index": _index(chosen, named),
        "logic_index": _index(chosen, right),
    }


def _index(chosen: Booleans, marked: Booleans) -> Floats:
    """Share of the marked cards that are chosen minus that of the others, two of each."""
    inside, outside = (chosen & marked).sum(axis=1), (chosen & ~marked).sum(axis=1)
    return np.asarray((inside - outside) / 2, np.float64)


def score_selections(answers: pd.DataFrame) -> dict[str, Floats]:
    """Return the scores of answers to selection tasks, as :func:`score_choices` does."""
    named = cards_with(answers, is_named)
    return score_choices(codes_of(answers["label"]), codes_of(answers["gold"]), named)


def compare_selections(
    answers: pd.DataFrame, name: str = "content_type", high: Level = "congruent", low: Level = "arbitrary"
) -> ComparedRows:
    """Compare exact choices between two levels of a column, the rest of the design held fixed.

    Answers count that name cards. Familiar rules are congruent in their affirmative form only, so that
    congruent and arbitrary ones are compared in that form, by domain; for ``name="domain"`` every polarity
    and type counts alike.

    Source:
        Cosmides, "The logic of social exchange" (1989), for the effect of content and domain.
    """
    return ComparedRows(answers, name, tuple(each for each in SELECTION_DESIGN if each != name), high, low)
