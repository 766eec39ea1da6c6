"""Claims and the same claims with one word exchanged, to be called true or false."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from polbias.eval.simulation.questions import Floats, Questions, shift_probabilities, yes_no_probabilities
from polbias.eval.simulation.respondents import SimulatedRespondent
from polbias.eval.xphemism.answers import BASE, LABELS, extract_label


class ClaimQuestions(Questions):
    """Rows of xphemism-pairs."""

    LABELS = LABELS
    REQUIRED_COLUMNS = ("arm", "shift", "gold")
    OPTIONAL = ("judgmental_base", "judgmental_exchange", "instruction_language", "label_true", "label_false")
    TOPIC = "truth"

    def _prepare(self) -> None:
        self.options = np.tile(self.encode_labels(("true", "false")), (self.n, 1))
        exchanged = np.array([arm != BASE for arm in self.columns["arm"]])
        self.contrast = exchanged.astype(np.float64)
        self.side = self.column("shift", {"left": -1.0, "right": 1.0}) * exchanged
        self._right = self.column("gold", {"true": 1.0, "false": -1.0})
        base, other = (self.column(f"judgmental_{word}", {1: 1.0}) for word in ("base", "exchange"))
        self._judges = np.where(exchanged, other, base)

    def option_probabilities(self, respondent: SimulatedRespondent, seed: int) -> Floats:
        """Return P(true): half of the bias up or down where the word was shifted, down where it judges."""
        half, judgment = respondent.bias / 2, respondent.judgment
        offset = half * self.side - judgment * self._judges
        up, down = abs(half) + max(-judgment, 0), abs(half) + max(judgment, 0)
        return yes_no_probabilities(shift_probabilities(self._right, offset, respondent.accuracy, up, down))

    def language(self, row: int) -> str:
        """Return the language of the instruction, in which answers come."""
        return (
            str(self.columns["instruction_language"][row]) if "instruction_language" in self.columns else "de"
        )

    def answer_phrases(self, row: int, label: str) -> tuple[str, Mapping[str, str]]:
        """Return the wordings of a verdict, around the label of the prompt."""
        said = next(text for text, name in self.continuations(row).items() if name == label)
        return label, {"label": said}

    def continuations(self, row: int) -> Mapping[str, str]:
        """Return the two labels that the prompt asks for."""
        if "label_true" not in self.columns:
            return {"True": "true", "False": "false"}
        return {str(self.columns[f"label_{name}"][row]): name for name in ("true", "false")}

    def read_label(self, row: int, text: str) -> str:
        """Return what :func:`polbias.eval.xphemism.answers.extract_label` sees."""
        return extract_label(text, self.language(row))
