"""Simulated answers to entailment problems and selection tasks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from polbias.eval.normative.answers import (
    CARD_CHOICES,
    CARD_LABELS,
    CARD_SETS,
    CHOICES,
    LABELS,
    LETTERS,
    extract_card_label,
    extract_label,
)
from polbias.eval.simulation.questions import Floats, Questions, yes_no_probabilities
from polbias.eval.simulation.respondents import SimulatedRespondent

_ALL_CARDS = CARD_SETS[-1]


def _p_right(respondent: SimulatedRespondent, contrast: Floats) -> Floats:
    """Return P(right), the accuracy plus half the content effect times the contrast (-1, 0 or 1)."""
    half_effect = respondent.content / 2
    accuracy = float(np.clip(respondent.accuracy, abs(half_effect), 1 - abs(half_effect)))
    return accuracy + half_effect * contrast


class ProblemQuestions(Questions):
    """Rows of the entailment configs of normative-reasoning."""

    LABELS = LABELS
    REQUIRED_COLUMNS = ("content_type", "gold", "pattern")
    TOPIC = "entailment"
    ENGLISH = True

    def _prepare(self) -> None:
        gold = self.encode_labels(self.columns["gold"])
        self.options = np.stack([gold, 1 - gold], axis=1)
        self.yes = self.first = (1 - gold).astype(np.intp)
        self.contrast = self.column("content_type", {"congruent": 1.0, "incongruent": -1.0})

    def option_probabilities(self, respondent: SimulatedRespondent, seed: int) -> Floats:
        """Return P(right) and P(wrong)."""
        return yes_no_probabilities(_p_right(respondent, self.contrast))

    def continuations(self, row: int) -> Mapping[str, str]:
        """Return the two labels."""
        return {label: label for label in CHOICES}

    def read_label(self, row: int, text: str) -> str:
        """Return the label that :func:`polbias.eval.normative.answers.extract_label` extracts."""
        return extract_label(text)


class SelectionQuestions(Questions):
    """Rows of the config wason. A wrong choice is the cards that the rule names, ignoring its negations."""

    LABELS = CARD_LABELS
    REQUIRED_COLUMNS = ("card_roles", "gold", "content_type")
    OPTIONAL = ("cards",)
    TOPIC = "cards"
    ENGLISH = True

    def _prepare(self) -> None:
        gold = [str(label) for label in self.columns["gold"]]
        named_cards = [
            ",".join(letter for letter, role in zip(LETTERS, roles, strict=True) if role in ("p", "q"))
            for roles in self.columns["card_roles"]
        ]
        wrong_cards = [
            _ALL_CARDS if cards == gold_cards else cards
            for cards, gold_cards in zip(named_cards, gold, strict=True)
        ]
        option_labels = (gold, wrong_cards, [_ALL_CARDS] * self.n, [LETTERS[0]] * self.n)
        self.options = np.stack([self.encode_labels(labels) for labels in option_labels], axis=1)
        self.yes, self.first = np.full(self.n, 2), np.full(self.n, 3)
        self.contrast = self.column("content_type", {"congruent": 1.0, "arbitrary": -1.0})

    def option_probabilities(self, respondent: SimulatedRespondent, seed: int) -> Floats:
        """Return P(right) and P(wrong); the options "yes" and "first" have probability 0 here."""
        probabilities = yes_no_probabilities(_p_right(respondent, self.contrast))
        return np.concatenate([probabilities, np.zeros((self.n, 2))], axis=1)

    def answer_phrases(self, row: int, label: str) -> tuple[str, Mapping[str, str]]:
        """Return the wording key of a choice, for one card or several, and its values."""
        cards = label.split(",")
        return ("one" if len(cards) == 1 else "several"), {"cards": ", ".join(cards)}

    def continuations(self, row: int) -> Mapping[str, str]:
        """Return the choices of two cards."""
        return {choice: choice.replace(" ", "") for choice in CARD_CHOICES}

    def read_label(self, row: int, text: str) -> str:
        """Return the label that :func:`polbias.eval.normative.answers.extract_card_label` extracts."""
        return extract_card_label(text, self.columns["cards"][row])
