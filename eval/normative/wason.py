"""The selection task: roles of cards, scores of choices, and effects."""

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
"""Roles of a card under the rule; the first and the last must be turned over."""


def is_named(role: str) -> bool:
    """Whether a role, such as "notp", has no negation."""
    return not role.startswith("not")


def decode_card_sets(codes: ArrayLike) -> Booleans:
    """Return whether each card from A to D is in a set, shape ``(n, 4)``; a non-answer has no cards.

    Args:
        codes: codes of :data:`polbias.eval.normative.answers.CARD_LABELS`.
    """
    sets = np.asarray(codes, np.intp).reshape(-1, 1)
    in_set: Booleans = (sets < len(CARD_SETS)) & (sets >> np.arange(len(LETTERS)) & 1 == 1)
    return in_set


def match_card_roles(answers: pd.DataFrame, predicate: Callable[[str], bool]) -> Booleans:
    """Return whether the role of each card, such as "notp", meets a predicate, shape ``(n, 4)``."""
    return _match_parts(answers["card_roles"], ",", predicate).reshape(-1, len(LETTERS))


def logical_roles(answers: pd.DataFrame) -> Indices:
    """Return the role of each card under its rule, as an index into :data:`ROLES`, shape ``(n, 4)``."""
    is_consequent = match_card_roles(answers, lambda role: role.endswith("q")).astype(np.intp)
    is_in_rule = np.take_along_axis(_match_parts(answers["polarity"], "-", is_named), is_consequent, axis=1)
    roles: Indices = 2 * is_consequent + (match_card_roles(answers, is_named) != is_in_rule)
    return roles


def _match_parts(column: pd.Series, separator: str, predicate: Callable[[str], bool]) -> Booleans:
    """Return whether each part of the text of each row meets a predicate, shape ``(n, parts)``."""
    by_category = [[*map(predicate, text.split(separator))] for text in column.cat.categories]
    return np.array(by_category, np.bool_)[codes_of(column)]


def score_choices(label: ArrayLike, gold: ArrayLike, is_matching: Booleans) -> dict[str, Floats]:
    """Return the scores of choices, fractions of shape ``(n,)``; a non-answer scores 0 in all.

    - ``accuracy``: 1 if exactly the right cards are chosen;
    - ``card_accuracy``: share of the four cards that are correctly chosen or not chosen;
    - ``matching``: 1 if exactly the two named cards are chosen;
    - ``matching_index``: share of the named cards that are chosen minus the share of the other cards that
      are, in [-1, 1]. Over all four polarities every role is named in half of the rows, so the mean is 0 for
      a respondent who follows the logic of the rule alone, right or wrong;
    - ``logic_index``: share of the right cards that are chosen minus the share of the other cards that are,
      in [-1, 1].

    Args:
        label: codes of :data:`polbias.eval.normative.answers.CARD_LABELS`.
        gold: codes of the right sets.
        is_matching: whether each card is named in the rule, ignoring negations, shape ``(n, 4)``.

    Source:
        The matching index: Evans and Lynch, "Matching bias in the selection task" (1973).
    """
    is_chosen, is_right = decode_card_sets(label), decode_card_sets(gold)
    is_answered = np.asarray(label) < len(CARD_SETS)
    return {
        "accuracy": np.where(is_answered, (is_chosen == is_right).all(axis=1), 0.0),
        "card_accuracy": np.where(is_answered, (is_chosen == is_right).mean(axis=1), 0.0),
        "matching": np.where(is_answered, (is_chosen == is_matching).all(axis=1), 0.0),
        "matching_index": _share_difference(is_chosen, is_matching),
        "logic_index": _share_difference(is_chosen, is_right),
    }


def _share_difference(is_chosen: Booleans, is_marked: Booleans) -> Floats:
    """Return the share of the two marked cards that are chosen minus the share of the other two."""
    n_marked, n_unmarked = (is_chosen & is_marked).sum(axis=1), (is_chosen & ~is_marked).sum(axis=1)
    return np.asarray((n_marked - n_unmarked) / 2, np.float64)


def score_selections(answers: pd.DataFrame) -> dict[str, Floats]:
    """Return the scores (:func:`score_choices`) of answers to selection tasks."""
    is_matching = match_card_roles(answers, is_named)
    return score_choices(codes_of(answers["label"]), codes_of(answers["gold"]), is_matching)


def compare_selections(
    answers: pd.DataFrame, name: str = "content_type", high: Level = "congruent", low: Level = "arbitrary"
) -> ComparedRows:
    """Compare exact choices between two levels of a column; the other factors are held fixed.

    Only answers with a verdict count. Familiar rules are congruent in their affirmative form only, so
    congruent and arbitrary rules are compared in this form, by domain; for ``name="domain"`` all polarities
    and types have equal weights.

    Source:
        Cosmides, "The logic of social exchange" (1989), for the effect of content and domain.
    """
    return ComparedRows(
        answers, name, tuple(column for column in SELECTION_DESIGN if column != name), high, low
    )
