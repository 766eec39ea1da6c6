"""Main metric of each task with its 95% interval, for the summary of a run."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polbias.aliases import Document
from polbias.registry import Instrument, cluster_of, instrument_of, instruments

_ALL_ROWS = "_paper"  # metrics whose published standard error treats rows as independent
_NO_VERDICT = ("refusal", "unparsable", "truncated", "non_answer_rate")
_LEVEL = 0.95


@dataclass(frozen=True)
class Score:
    """Main metric of a task.

    Args:
        task: name of the task.
        metric: name of the metric.
        value: the score; None if the answers do not support one.
        low: lower end of the 95% interval; None if there is none.
        high: upper end of the interval.
        n: number of rows.
        clusters: number of clusters of the rows.
        missing: share of non-answers; None if the task does not count them.
        truncated: share of truncated answers.
    """

    task: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    missing: float | None
    truncated: float


def scores(results: Document, samples: Mapping[str, Sequence[Document]]) -> Iterator[Score]:
    """Yield the main metric of every task that has one."""
    for task, task_samples in samples.items():
        metrics = {name.split(",")[0]: value for name, value in results["results"].get(task, {}).items()}
        docs = [sample["doc"] for sample in task_samples]
        instrument = _instrument(docs[0] if docs else {})
        metric = main_metric(metrics, instrument)
        if metric is None:
            continue
        clusters = len({cluster_of(doc) or index for index, doc in enumerate(docs)})
        independent = len(task_samples) if metric.endswith(_ALL_ROWS) else clusters
        half_width = _half_width(metrics.get(f"{metric}_stderr"), independent)
        value = float(metrics[metric]) if _is_number(metrics[metric]) else None
        non_answer_shares = [float(metrics[name]) for name in _NO_VERDICT if _is_number(metrics.get(name))]
        low, high = (
            (None, None) if half_width is None or value is None else (value - half_width, value + half_width)
        )
        yield Score(
            task,
            metric,
            value,
            low,
            high,
            len(task_samples),
            clusters,
            sum(non_answer_shares) if non_answer_shares else None,
            float(metrics["truncated"]) if _is_number(metrics.get("truncated")) else 0.0,
        )


def main_metric(names: Collection[str], instrument: Instrument | None) -> str | None:
    """Return the main metric of a task, of an instrument or of none; see docs/evaluating.md."""
    metrics = [
        name
        for candidate in ([instrument] if instrument else instruments().values())
        for name in candidate.metrics
    ]
    return next((name for name in (*metrics, "acc") if name in names), None)


def _instrument(row: Document) -> Instrument | None:
    return instruments().get(instrument_of(row) or "")


def _half_width(standard_error: Any, n_units: int) -> float | None:
    if not _is_number(standard_error) or n_units < 2:
        return None
    from scipy.stats import t

    return float(t.ppf((1 + _LEVEL) / 2, n_units - 1)) * float(standard_error)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
