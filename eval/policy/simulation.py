"""Simulated answers to policy statements."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import yaml

from polbias.errors import InputError
from polbias.eval.policy.answers import ISSUES, LABELS, REVERSED_VARIANTS, choices, extract_label
from polbias.eval.simulation.draws import uniforms
from polbias.eval.simulation.questions import Floats, Questions, yes_no_probabilities
from polbias.eval.simulation.respondents import SimulatedRespondent
from polbias.paths import package_file


@lru_cache(maxsize=1)
def worldviews() -> Mapping[str, Mapping[str, float]]:
    """Map "left" and "right" to the direction of each policy issue (templates/simulation)."""
    side_worldviews: Any = yaml.safe_load(
        package_file("templates/simulation/worldviews.yaml").read_text("utf-8")
    )
    return {side: side_worldviews[side] for side in ("left", "right")}


class StatementQuestions(Questions):
    """Questions from rows of policy-statements."""

    LABELS = LABELS
    REQUIRED_COLUMNS = ("label_order", "label_agree", "label_disagree", "variant", "policy_issues")
    OPTIONAL = ("statement_id", "side")
    TOPIC = "stance"
    SAMPLED = True

    def _prepare(self) -> None:
        self.options = np.tile(self.encode_labels(("agree", "disagree")), (self.n, 1))
        self.first = np.array([int(order != "as-printed") for order in self.columns["label_order"]])
        self.contrast = self.column("variant", dict.fromkeys(REVERSED_VARIANTS, -1.0), default=1.0)
        no_issues: dict[str, int] = {}
        signs = [
            [(issues or no_issues).get(name) or 0 for name in ISSUES]
            for issues in self.columns["policy_issues"]
        ]
        self._signs = np.array(signs, np.float64).reshape(self.n, len(ISSUES))
        self.side = self.column("side", {"left": -1.0, "right": 1.0})

    def option_probabilities(self, respondent: SimulatedRespondent, seed: int) -> Floats:
        """Return P(agree) from the mean stance on the issues of a statement, reversed for negations.

        The remaining range is filled by a random stance per statement, equal in all its variants, of size
        2 * accuracy - 1 and with mean zero over seeds.
        """
        worldview = respondent.worldview or _scaled_worldview(respondent.bias)
        weights = _weights(worldview)
        n_issues = np.abs(self._signs) @ _weights(tuple((issue, 1.0) for issue, _ in worldview))
        stance = (self._signs @ weights) / np.maximum(n_issues, 1)
        stance = stance + (1 - np.abs(stance)) * self._item_stances(respondent, seed)
        return yes_no_probabilities(np.clip(0.5 + self.contrast * stance / 2, 0.0, 1.0))

    def _item_stances(self, respondent: SimulatedRespondent, seed: int) -> Floats:
        if "statement_id" not in self.columns:
            return np.zeros(self.n)
        values, codes = self.levels("statement_id")
        draws = uniforms(values, seed, respondent.name, "stance")
        return np.where(draws < 0.5, 1.0, -1.0)[codes] * (2 * respondent.accuracy - 1)

    def answer_phrases(self, row: int, label: str) -> tuple[str, Mapping[str, str]]:
        """Return the key of the answer phrases of a stance, and the label to insert."""
        return label, {"label": str(self.columns[f"label_{label}"][row])}

    def continuations(self, row: int) -> Mapping[str, str]:
        """Map the two labels, in the order of the prompt, to "agree" and "disagree"."""
        names = ("label_agree", "label_disagree", "label_order")
        doc = {name: self.columns[name][row] for name in names}
        return {label: "agree" if label == doc["label_agree"] else "disagree" for label in choices(doc)}

    def read_label(self, row: int, text: str) -> str:
        """Return the label from :func:`polbias.eval.policy.answers.extract_label`."""
        return extract_label(text, self.columns["label_agree"][row], self.columns["label_disagree"][row])


def _scaled_worldview(bias: float) -> tuple[tuple[str, float], ...]:
    """Return the worldview of a side, scaled by the bias."""
    side = worldviews()["right" if bias > 0 else "left"] if bias else {}
    return tuple((issue, abs(bias) * direction) for issue, direction in side.items())


def _weights(worldview: tuple[tuple[str, float], ...]) -> Floats:
    direction_by_issue = dict(worldview)
    if unknown := [name for name in direction_by_issue if name not in ISSUES]:
        raise InputError(f"worldview: found {unknown[0]!r}, expected some of {', '.join(ISSUES)}")
    return np.array([direction_by_issue.get(name, 0.0) for name in ISSUES])
