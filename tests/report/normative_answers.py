"""Answers to the entailment and selection tasks as the reader of a report hands them over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from polbias.eval.answer_frames import concat_answers
from polbias.eval.report.reporter import load_reporter
from polbias.eval.simulation import SimulatedAnswers, SimulatedRespondent, questions
from tests.eval.normative.normative_rows import CONFIGS, entailment_rows, wason_rows
from tests.support.outcomes import outcomes

Row = Mapping[str, Any]
STYLES = ("zero", "few")


def problems(contents: int = 3, styles: Sequence[str] = STYLES) -> list[dict[str, Any]]:
    """The rows of all entailment configs."""
    return [row for config in CONFIGS for row in entailment_rows(config, styles, contents)]


def samples(asked: Iterable[Row], answer: Callable[[Row], Any]) -> list[dict[str, Any]]:
    """Samples with what is answered: a text, a list of texts, or a list of log-likelihoods."""
    given = ((row, answer(row)) for row in asked)
    return [{"doc": row, "filtered_resps": said if isinstance(said, list) else [said]} for row, said in given]


def task_of(row: Row, form: str = "") -> str:
    config = row["config"] if row["config"] == "wason" else f"{row['config']}_{row['prompt_style']}"
    return f"polbias_{config}{form}"


def table(asked: Iterable[Row], answer: Callable[[Row], Any], form: str = "") -> pd.DataFrame:
    """What the reader makes of the answers of one respondent."""
    by_task: dict[str, list[dict[str, Any]]] = {f"polbias_deontic_logic_zero{form}": []}
    for sample in samples(asked, answer):
        by_task.setdefault(task_of(sample["doc"], form), []).append(sample)
    module = load_reporter("normative")
    return concat_answers([outcomes(module, given, task, "m") for task, given in by_task.items()])


def simulated(who: SimulatedRespondent, contents: int = 20, seed: int = 0) -> pd.DataFrame:
    """The answers of a simulated respondent to all configs and the selection task."""
    texts: dict[str, str] = {}
    for asked in (problems(contents), wason_rows(contents)):
        said = SimulatedAnswers(questions(asked), who, seed).draw_texts(0, np.arange(len(asked)), None)
        texts |= {row["id"]: text for row, text in zip(asked, said, strict=True)}
    return table([*problems(contents), *wason_rows(contents)], lambda row: texts[row["id"]])
