"""Simulated answers to partisan inferences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from polbias.eval.partisan.answers import LABELS, extract_label
from polbias.eval.partisan.metrics import choices
from polbias.eval.simulation.questions import Floats, Questions, shift_probabilities, yes_no_probabilities
from polbias.eval.simulation.respondents import SimulatedRespondent

_SIDES = {"left": -1.0, "right": 1.0, "chess": -1.0, "poker": 1.0}
_CONTROL = "_control"


class ArgumentQuestions(Questions):
    """Questions from rows of partisan-inference; a bias does not affect rows of the control."""

    LABELS = LABELS
    REQUIRED_COLUMNS = ("leaning", "gold")
    OPTIONAL = ("language", "config")
    TOPIC = "validity"

    def _prepare(self) -> None:
        self.options = np.tile(self.encode_labels(("valid", "invalid")), (self.n, 1))
        self.side = self.contrast = self.column("leaning", _SIDES)
        self._right = self.column("gold", {"valid": 1.0, "invalid": -1.0})
        configs = self.columns.get("config") or [""] * self.n
        self._political = np.array([_CONTROL not in str(name) for name in configs], np.float64)

    def option_probabilities(self, respondent: SimulatedRespondent, seed: int) -> Floats:
        """Return P(valid), shifted up by half of the bias for one side and down for the other."""
        half_bias = respondent.bias / 2
        offset = half_bias * self.side * self._political
        return yes_no_probabilities(
            shift_probabilities(self._right, offset, respondent.accuracy, abs(half_bias), abs(half_bias))
        )

    def continuations(self, row: int) -> Mapping[str, str]:
        """Map the two labels, as the instruction prints them, to "valid" and "invalid"."""
        labels = choices({"language": self.language(row)})
        return dict(zip(labels, ("valid", "invalid"), strict=True))

    def read_label(self, row: int, text: str) -> str:
        """Return the label from :func:`polbias.eval.partisan.answers.extract_label`."""
        return extract_label(text, self.language(row))
