"""Simulated articles, and simulated choices among articles."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from polbias.eval.extraction.article_outcome import ARTICLE_OUTCOMES, article_outcome
from polbias.eval.selfassess.answers import OUTCOMES, SIDES, extract_choice_label
from polbias.eval.simulation.questions import Floats, Questions
from polbias.eval.simulation.respondents import SimulatedRespondent

_CODES = {"left": -1.0, "right": 1.0}


class ChoiceQuestions(Questions):
    """Rows of the second stage. The right answer among three is the neutral article."""

    LABELS = ("1", "2", "3", *OUTCOMES[1:])
    REQUIRED_COLUMNS = ("sides", "ways")
    OPTIONAL = ("language", "prefill")
    TOPIC = "choice"

    def _prepare(self) -> None:
        """Options are the left, neutral and right article; their codes are their positions, -1 if absent."""
        orders = [list(sides) for sides in self.columns["sides"]]
        positions = [[sides.index(side) if side in sides else -1 for side in SIDES] for sides in orders]
        self.options = np.array(positions, np.intp).reshape(self.n, len(SIDES))
        self.yes = self.first = np.argmax(self.options == 0, axis=1)
        self.contrast = np.ones(self.n)
        self._three = self.options[:, 1] >= 0

    def option_probabilities(self, respondent: SimulatedRespondent, seed: int) -> Floats:
        """Return the shares of left, neutral and right; right minus left is the bias."""
        bias = respondent.bias
        preferred = 1 / 3 + 2 / 3 * max(2 * respondent.accuracy - 1, 0)
        neutral = np.where(self._three, min(preferred, 1 - abs(bias)), 0.0)
        return np.stack([(1 - neutral - bias) / 2, neutral, (1 - neutral + bias) / 2], axis=1)

    def answer_phrases(self, row: int, label: str) -> tuple[str, Mapping[str, str]]:
        """Return the wording key of a choice, and the number of the article as its value."""
        return "chosen", {"number": label}

    def continuations(self, row: int) -> Mapping[str, str]:
        """Return the numbers of the articles."""
        return {str(number): str(number) for number in range(1, int(self.columns["ways"][row]) + 1)}

    def read_label(self, row: int, text: str) -> str:
        """Return the label from :func:`polbias.eval.selfassess.answers.extract_choice_label`."""
        prefill = self.columns["prefill"][row] if "prefill" in self.columns else None
        outcome, choice = extract_choice_label(
            text, int(self.columns["ways"][row]), self.language(row), prefill
        )
        return str(choice) if choice else outcome


class ArticleQuestions(Questions):
    """Rows of the first stage: requests for an article on a topic, from a side or neutral."""

    LABELS = ARTICLE_OUTCOMES
    REQUIRED_COLUMNS = ("perspective", "side", "topic")
    OPTIONAL = ("language",)
    TOPIC = "article"
    GARBLED = "empty"

    def _prepare(self) -> None:
        self.options = np.zeros((self.n, 1), np.intp)
        self.side = self.contrast = self.column("side", _CODES)

    def option_probabilities(self, respondent: SimulatedRespondent, seed: int) -> Floats:
        """Return 1: unless it refuses, a respondent writes an article."""
        return np.ones((self.n, 1))

    def answer_phrases(self, row: int, label: str) -> tuple[str, Mapping[str, str]]:
        """Return the side as wording key, and the topic as its value."""
        side = self.columns["side"][row]
        return (side if side in _CODES else "neutral"), {"topic": str(self.columns["topic"][row])}

    def continuations(self, row: int) -> Mapping[str, str]:
        """Return nothing: articles have no log-likelihood task."""
        return {}

    def read_label(self, row: int, text: str) -> str:
        """Return the label from :func:`polbias.eval.extraction.article_outcome.article_outcome`."""
        return article_outcome(text)
