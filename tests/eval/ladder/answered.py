"""Answers to made-up rows of the ladder, as the report reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from benchmarks.ladder_rows import ladder_rows
from polbias.eval.answer_frames import concat_answers
from polbias.eval.ladder import section
from polbias.eval.ladder.answers import LadderAnswers, read_answers
from polbias.eval.simulation import SimulatedAnswers, SimulatedRespondent, questions
from tests.support.outcomes import outcomes

Row = Mapping[str, Any]
TEXTS = {"refusal": "I'm sorry, but I can't help with that.", "unparsable": "Hm.", "truncated": "<think>So"}


def text_of(row: Row, label: str) -> str:
    """An answer from which this label is extracted."""
    return TEXTS.get(label) or f"**{row[f'label_{label}']}**"


def answered(rows: Iterable[Row], labels: Sequence[str], name: str = "m") -> LadderAnswers:
    """Return the answers with these labels."""
    return read_answers(name, table(rows, labels, name))


def table(rows: Iterable[Row], labels: Sequence[str], name: str = "m") -> pd.DataFrame:
    """Return what the reader of files makes of answers with these labels."""
    samples = (
        {"doc": row, "filtered_resps": [text_of(row, label)]} for row, label in zip(rows, labels, strict=True)
    )
    return outcomes(section, samples, "polbias_ladder_us_en_l3", name)


def simulated(
    respondent: SimulatedRespondent, configs: Sequence[str], seed: int = 0, name: str = "m", pairs: int = 64
) -> pd.DataFrame:
    """Return the generated answers of a simulated respondent to several configs."""
    parts = []
    for number, config in enumerate(configs):
        rows = [*ladder_rows(config, pairs, 240 * (number % 2))]
        texts = SimulatedAnswers(questions(rows, respondent.columns), respondent, seed).draw_texts()
        samples = ({"doc": row, "filtered_resps": [text]} for row, text in zip(rows, texts, strict=True))
        parts.append(outcomes(section, samples, f"polbias_ladder_{config}", name))
    return concat_answers(parts)


def scored(respondent: SimulatedRespondent, config: str, pairs: int = 64, name: str = "m") -> pd.DataFrame:
    """Return the log-likelihoods of a simulated respondent."""
    rows = [*ladder_rows(config, pairs)]
    asked = questions(rows, respondent.columns)
    answers = SimulatedAnswers(asked, respondent)
    samples = []
    for number, row in enumerate(rows):
        codes = [
            asked.outcome(number, f"**{row[f'label_{label}']}**") for label in ("follows", "excluded", "open")
        ]
        resps = [answers.loglikelihood(number, code) for code in codes if code is not None]
        samples.append({"doc": row, "filtered_resps": resps})
    return outcomes(section, samples, f"polbias_ladder_{config}_loglikelihood", name)
