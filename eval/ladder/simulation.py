"""Simulated answers to the ladder."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from polbias.eval.ladder.answers import CHOICES, LABELS, extract_label
from polbias.eval.simulation.questions import Floats, Questions
from polbias.eval.simulation.respondents import SimulatedRespondent

SLOPE = 0.9
"""Change of the log odds of solving an item per level."""
LAPSE = 0.005
"""Share of items that no ability solves."""
_OPTIONS = ("follows", "open", "excluded")


def solved_share(ability: float, level: Floats, slope: float = SLOPE) -> Floats:
    """Return the probability of solving items of a difficulty, in levels."""
    shares: Floats = (1 - LAPSE) / (1 + np.exp(-slope * (ability - level)))
    return shares


class LadderQuestions(Questions):
    """Questions from rows of the ladder.

    Without an ability, a respondent gives the gold label with its accuracy at every level, else one of the
    other labels; its bias moves half of itself from excluded to follows for one side, and back for the other.
    With an ability it solves an item with a probability that falls with the level; what it does not solve it
    guesses, and only guesses have the bias.
    """

    LABELS = LABELS
    REQUIRED_COLUMNS = ("leaning", "gold", "level", "skeleton_id")
    OPTIONAL = ("language", *(f"label_{verdict}" for verdict in CHOICES))
    TOPIC = "conclusion"

    def _prepare(self) -> None:
        self.options = np.tile(self.encode_labels(_OPTIONS), (self.n, 1))
        self.side = self.contrast = self.column("leaning", {"left": -1.0, "right": 1.0})
        gold = np.array([_OPTIONS.index(label) for label in self.columns["gold"]])
        self._is_gold = gold[:, None] == np.arange(len(_OPTIONS))
        self._level = np.array(self.columns["level"], np.float64)

    def option_probabilities(self, respondent: SimulatedRespondent, seed: int) -> Floats:
        """Return the probabilities of follows, open and excluded, whose difference has the bias."""
        half_bias = respondent.bias / 2
        tilt = half_bias * self.side[:, None] * np.array([1.0, 0.0, -1.0])
        if respondent.ability is not None:
            guesses = 1 / len(_OPTIONS) + np.clip(tilt, -1 / len(_OPTIONS), 1 / len(_OPTIONS))
            solved = solved_share(respondent.ability, self._level)[:, None]
            return np.asarray(solved * self._is_gold + (1 - solved) * guesses)
        accuracy = min(respondent.accuracy, 1 - abs(respondent.bias))
        shares = np.where(self._is_gold, accuracy, (1 - accuracy) / (len(_OPTIONS) - 1)) + tilt
        clipped = np.clip(shares, 0, 1)
        probabilities: Floats = clipped / clipped.sum(axis=1, keepdims=True)
        return probabilities

    def continuations(self, row: int) -> Mapping[str, str]:
        """Map the labels, as the instruction prints them, to the verdicts."""
        return {f"**{self._word(row, verdict)}**": verdict for verdict in CHOICES}

    def answer_phrases(self, row: int, label: str) -> tuple[str, Mapping[str, str]]:
        """Return the wording key of a verdict, and the label of the prompt as its value."""
        return label, {"label": self._word(row, label)}

    def _word(self, row: int, verdict: str) -> str:
        return str(self.columns[f"label_{verdict}"][row])

    def read_label(self, row: int, text: str) -> str:
        """Return the label from :func:`polbias.eval.ladder.answers.extract_label`."""
        return extract_label(text, self.language(row))
