"""Answers to the entailment and selection tasks as the reader of a report hands them over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from polbias.eval.normative.section import COLUMNS, flatten_samples
from polbias.eval.report.reporter import COMMON
from polbias.eval.simulation import SimulatedAnswers, SimulatedRespondent, questions
from tests.eval.normative.normative_rows import CONFIGS, entailment_rows, wason_rows

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


def table(asked: Iterable[Row], answer: Callable[[Row], Any], form: str = "") -> pa.Table:
    """What the reader makes of the answers of one respondent."""
    method = "log-likelihood" if form else "generated"
    read: list[dict[str, Any]] = []
    for sample in samples(asked, answer):
        task = task_of(sample["doc"], form)
        about = {"respondent": "m", "model": "m", "method": method, "task": task}
        read += [about | row for row in flatten_samples([sample], task)]
    added = ("respondent", "model", "method", "task")
    types = dict.fromkeys((*added, *COMMON), pa.string()) | {"repeat": pa.int32()} | dict(COLUMNS)
    columns = {name: pa.array([row.get(name) for row in read], kind) for name, kind in types.items()}
    for name in ("label", "pattern", "reasoning", "consistency_ids"):
        columns[name] = columns[name].dictionary_encode()  # as the reader does with texts that recur
    return pa.table(columns)


def simulated(who: SimulatedRespondent, contents: int = 20, seed: int = 0) -> pa.Table:
    """The answers of a simulated respondent to all configs and the selection task."""
    texts: dict[str, str] = {}
    for asked in (problems(contents), wason_rows(contents)):
        said = SimulatedAnswers(questions(asked), who, seed).texts(0, np.arange(len(asked)), None)
        texts |= {row["id"]: text for row, text in zip(asked, said, strict=True)}
    return table([*problems(contents), *wason_rows(contents)], lambda row: texts[row["id"]])
