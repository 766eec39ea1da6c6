"""Simulated verdicts on claims, and on the same claims with one word exchanged."""

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
        is_exchanged = np.array([arm != BASE for arm in self.columns["arm"]])
        self.contrast = is_exchanged.astype(np.float64)
        self.side = self.column("shift", {"left": -1.0, "right": 1.0}) * is_exchanged
        self._right = self.column("gold", {"true": 1.0, "false": -1.0})
        judges_base, judges_exchange = (
            self.column(f"judgmental_{word}", {1: 1.0}) for word in ("base", "exchange")
        )
        self._judges = np.where(is_exchanged, judges_exchange, judges_base)

    def option_probabilities(self, respondent: SimulatedRespondent, seed: int) -> Floats:
        """Return P(true): half the bias up or down for a shifted word, `judgment` down for a judging word."""
        half_bias, judgment = respondent.bias / 2, respondent.judgment
        offset = half_bias * self.side - judgment * self._judges
        up, down = abs(half_bias) + max(-judgment, 0), abs(half_bias) + max(judgment, 0)
        return yes_no_probabilities(shift_probabilities(self._right, offset, respondent.accuracy, up, down))

    def language(self, row: int) -> str:
        """Return the language of the instruction and of the answers."""
        return (
            str(self.columns["instruction_language"][row]) if "instruction_language" in self.columns else "de"
        )

    def answer_phrases(self, row: int, label: str) -> tuple[str, Mapping[str, str]]:
        """Return the wording key of a verdict, and the label of the prompt as its value."""
        prompt_label = next(text for text, name in self.continuations(row).items() if name == label)
        return label, {"label": prompt_label}

    def continuations(self, row: int) -> Mapping[str, str]:
        """Return the two labels that the prompt asks for."""
        if "label_true" not in self.columns:
            return {"True": "true", "False": "false"}
        return {str(self.columns[f"label_{name}"][row]): name for name in ("true", "false")}

    def read_label(self, row: int, text: str) -> str:
        """Return the label that :func:`polbias.eval.xphemism.answers.extract_label` extracts."""
        return extract_label(text, self.language(row))
