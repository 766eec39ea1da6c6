"""What a respondent answers to rows: as codes, and in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from polbias.aliases import Codes
from polbias.eval.simulation import Questions, SimulatedAnswers, SimulatedRespondent, questions


def outcomes(rows: Any, respondent: SimulatedRespondent, seed: int = 0, samples: int | None = None) -> Codes:
    """Return what a respondent answers, as codes."""
    made = _simulation(rows, respondent, seed)
    if samples is None:
        return made.draw_outcomes()
    return np.stack([made.draw_outcomes(sample) for sample in range(samples)], axis=1)


def simulate(
    rows: Any, respondent: SimulatedRespondent, seed: int = 0, sample: int = 0, limit: int | None = None
) -> list[str]:
    """Return what a respondent answers, in words that the tasks read as :func:`outcomes` of the same."""
    return _simulation(rows, respondent, seed).draw_texts(sample, limit=limit)


def _simulation(rows: Any, respondent: SimulatedRespondent, seed: int) -> SimulatedAnswers:
    asked = rows if isinstance(rows, Questions) else questions(rows, respondent.columns)
    return SimulatedAnswers(asked, respondent, seed)
