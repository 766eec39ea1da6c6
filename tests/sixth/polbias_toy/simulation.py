"""The rows as a simulated respondent sees them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from polbias.eval.simulation.questions import Floats, Questions, shift_probabilities, yes_no_probabilities
from polbias.eval.simulation.respondents import SimulatedRespondent
from polbias_toy.metrics import outcome


class Sums(Questions):
    LABELS = ("true", "false", "refusal", "unparsable", "truncated")
    REQUIRED_COLUMNS = ("leaning", "gold", "pair_id")
    TOPIC = "sum"
    ANSWERS = "polbias_toy:."

    def _prepare(self) -> None:
        self.options = np.tile(self.encode_labels(("true", "false")), (self.n, 1))
        self.yes = self.first = np.zeros(self.n, np.intp)
        self.side = self.contrast = self.column("leaning", {"left": -1.0, "right": 1.0})
        self._right = self.column("gold", {"true": 1.0, "false": -1.0})

    def option_probabilities(self, respondent: SimulatedRespondent, seed: int) -> Floats:
        half = respondent.bias / 2
        return yes_no_probabilities(
            shift_probabilities(self._right, half * self.side, respondent.accuracy, abs(half), abs(half))
        )

    def answer_phrases(self, row: int, label: str) -> tuple[str, Mapping[str, str]]:
        return label, {}

    def continuations(self, row: int) -> Mapping[str, str]:
        return {"true": "true", "false": "false"}

    def read_label(self, row: int, text: str) -> str:
        return outcome(text)
