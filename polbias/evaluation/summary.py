"""What to show at the end of a run: the main metric of every task with its interval, and what to do next."""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polbias.registry import Instrument, instrument_of, instruments, resolve

_OTHERWISE = 'statistics of {folder}: "Analysing answers" in docs/evaluating.md'
_ALL_ROWS = "_paper"  # metrics whose printed error takes rows for independent
_NO_VERDICT = ("refusal", "unparsable", "truncated", "discarded")
_LEVEL = 0.95


@dataclass(frozen=True)
class Score:
    """The main metric of a task.

    Args:
        task: its name.
        metric: name of the metric.
        value: the score; None where the answers carry none.
        low: lower end of its 95% interval, None if there is none.
        high: upper end.
        n: number of rows.
        clusters: number of clusters of these rows.
        missing: share of answers without a verdict, None if the task does not count them.
        truncated: share of answers that were cut off.
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


def scores(results: Mapping[str, Any], samples: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[Score]:
    """Yield the main metric of every task that has one.

    Args:
        results: of lm_eval.
        samples: by task.

    Yields:
        A score; its interval is that of t with one degree of freedom less than there are clusters, and of
        the error that the task itself states.
    """
    for task, logged in samples.items():
        found = {name.split(",")[0]: value for name, value in results["results"].get(task, {}).items()}
        metric = main_metric(found, logged[0]["doc"] if logged else {})
        if metric is None:
            continue
        clusters = len({sample["doc"].get("cluster_id", index) for index, sample in enumerate(logged)})
        independent = len(logged) if metric.endswith(_ALL_ROWS) else clusters
        half = _half_width(found.get(f"{metric}_stderr"), independent)
        value = float(found[metric]) if _is_number(found[metric]) else None
        without = [float(found[name]) for name in _NO_VERDICT if _is_number(found.get(name))]
        yield Score(
            task,
            metric,
            value,
            None if half is None or value is None else value - half,
            None if half is None or value is None else value + half,
            len(logged),
            clusters,
            sum(without) if without else None,
            float(found["truncated"]) if _is_number(found.get("truncated")) else 0.0,
        )


def main_metric(names: Collection[str], row: Mapping[str, Any]) -> str | None:
    """Return what a task is about; see docs/evaluating.md.

    Args:
        names: of the metrics of the task.
        row: of the task; a task of no instrument is about what any of them is about.
    """
    own = _instrument(row)
    metrics = [name for each in ([own] if own else instruments().values()) for name in each.metrics]
    return next((name for name in (*metrics, "acc") if name in names), None)


def next_steps(folder: Path, samples: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """Return what a user may do with the samples of a run, a line each.

    Args:
        folder: that holds them.
        samples: by task.
    """
    place = shlex.quote(str(folder))
    lines = (_next_step(logged[0]["doc"] if logged else {}) for logged in samples.values())
    return list(dict.fromkeys(line.format(folder=place) for line in lines))


def _next_step(row: Mapping[str, Any]) -> str:
    own = _instrument(row)
    if own is None or own.analysis is None or (own.analysed and not resolve(own.analysed)(row)):
        return _OTHERWISE
    return own.analysis


def _instrument(row: Mapping[str, Any]) -> Instrument | None:
    return instruments().get(instrument_of(row) or "")


def _half_width(error: Any, units: int) -> float | None:
    if not _is_number(error) or units < 2:
        return None
    from scipy.stats import t

    return float(t.ppf((1 + _LEVEL) / 2, units - 1)) * float(error)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
