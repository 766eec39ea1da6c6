"""Outcomes of samples, without files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from polbias.eval.report.file_answers import answer_frame, column_types
from polbias.eval.report.reporter import Reporter
from polbias.eval.samples import SampleFile


def outcomes(
    module: Reporter, samples: Iterable[Mapping[str, Any]], task: str = "task", model: str = "model"
) -> pd.DataFrame:
    """Return what the report reads of the samples of a task; with ``_loglikelihood`` in its name of labels."""
    rows = [*module.flatten_samples(samples, task)]
    return answer_frame(rows, column_types(module), SampleFile(model, task, "", Path()))
