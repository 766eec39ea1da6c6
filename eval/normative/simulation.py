"""Entailment problems and card selections."""

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

_ALL = CARD_SETS[-1]


def _right(respondent: SimulatedRespondent, contrast: Floats) -> Floats:
    """P(right): half of the content effect up where content helps, and half down where it misleads."""
    half = respondent.content / 2
    accuracy = float(np.clip(respondent.accuracy, abs(half), 1 - abs(half)))
    return accuracy + half * contrast


class ProblemQuestions(Questions):
    """Rows of normative-reasoning, their entailment configs."""

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
        return yes_no_probabilities(_right(respondent, self.contrast))

    def continuations(self, row: int) -> Mapping[str, str]:
        """Return the two labels."""
        return {label: label for label in CHOICES}

    def read_label(self, row: int, text: str) -> str:
        """Return what :func:`polbias.eval.normative.answers.extract_label` sees."""
        return extract_label(text)


class SelectionQuestions(Questions):
    """Rows of the config wason. Who errs turns over the cards that the rule names, whatever it denies."""

    LABELS = CARD_LABELS
    REQUIRED_COLUMNS = ("card_roles", "gold", "content_type")
    OPTIONAL = ("cards",)
    TOPIC = "cards"
    ENGLISH = True

    def _prepare(self) -> None:
        gold = [str(label) for label in self.columns["gold"]]
        named = [
            ",".join(letter for letter, role in zip(LETTERS, roles, strict=True) if role in ("p", "q"))
            for roles in self.columns["card_roles"]
        ]
        wrong = [_ALL if each == right else each for each, right in zip(named, gold, strict=True)]
        given = (gold, wrong, [_ALL] * self.n, [LETTERS[0]] * self.n)
        self.options = np.stack([self.encode_labels(labels) for labels in given], axis=1)
        self.yes, self.first = np.full(self.n, 2), np.full(self.n, 3)
        self.contrast = self.column("content_type", {"congruent": 1.0, "arbitrary": -1.0})

    def option_probabilities(self, respondent: SimulatedRespondent, seed: int) -> Floats:
        """Return P(right) and P(wrong); the other options are those of yes and first."""
        right = yes_no_probabilities(_right(respondent, self.contrast))
        return np.concatenate([right, np.zeros((self.n, 2))], axis=1)

    def answer_phrases(self, row: int, label: str) -> tuple[str, Mapping[str, str]]:
        """Return the wordings of a choice, for one card or for several."""
        chosen = label.split(",")
        return ("one" if len(chosen) == 1 else "several"), {"cards": ", ".join(chosen)}

    def continuations(self, row: int) -> Mapping[str, str]:
        """Return the choices of two cards."""
        return {choice: choice.replace(" ", "") for choice in CARD_CHOICES}

    def read_label(self, row: int, text: str) -> str:
        """Return what :func:`polbias.eval.normative.answers.extract_card_label` sees."""
        return extract_card_label(text, self.columns["cards"][row])
