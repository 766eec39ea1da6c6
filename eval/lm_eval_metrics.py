"""Metrics of lm_eval tasks: means of rows and estimates from all rows, each with a clustered error.

A task file has one line per metric. Its ``process_results`` scores the answers to a prompt
(:class:`ScoredAnswers`): values of the metrics that are means, and the row from which all others are
computed. :func:`metric_lines` adds a line for each error, :func:`metric_values` returns the values that
lm_eval collects.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from operator import is_
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Document, Json
from polbias.eval.estimability import Estimability
from polbias.eval.statistics import ClusterInterval, Contrast, cluster_interval

_Row = TypeVar("_Row", bound=tuple[Any, ...])
_Answers = TypeVar("_Answers")
_ERROR = "_stderr"

MetricEstimate: TypeAlias = tuple[float | None, float | str]
"""A metric and its error; None and "N/A" if missing."""
NO_ESTIMATE: MetricEstimate = None, "N/A"


class ScoredAnswers(NamedTuple):
    """The scored answers to a prompt.

    Attributes:
        means: value by metric, for metrics that are a mean over prompts.
        row: input of all other metrics.
        cluster: cluster of the prompt, for the errors of the means.
        further_rows: input by metric, for metrics computed from another row.
    """

    means: Mapping[str, float]
    row: Any = None
    cluster: str | None = None
    further_rows: Mapping[str, Any] = MappingProxyType({})


def metric_lines(lines: Sequence[Document]) -> list[Json]:
    """Add the line of its error after each metric line, as lm_eval requires.

    A mean with ``error: lm_eval`` gets none: lm_eval computes its error.
    """
    expanded: list[Json] = []
    for line in lines:
        aggregation, error = line["aggregation"], f"{line['metric']}{_ERROR}"
        compute = clustered_stderr if aggregation == "mean" else getattr(aggregation, "error", None)
        expanded.append({key: value for key, value in line.items() if key != "error"})
        if compute and line.get("error") != "lm_eval":
            expanded.append({"metric": error, "aggregation": compute, "higher_is_better": False})
    return expanded


def metric_values(scored: ScoredAnswers | Json, lines: Sequence[Document]) -> Json:
    """Return the values that lm_eval collects from the answers to a prompt, by metric.

    Args:
        scored: the scored answers; a custom instrument may return the values directly.
        lines: metric lines of the task (:func:`metric_lines`).
    """
    if not isinstance(scored, ScoredAnswers):
        return scored
    values: Json = {}
    for line in lines:
        name, aggregation = line["metric"], line["aggregation"]
        metric = name.removesuffix(_ERROR)
        mean = scored.means.get(metric)
        if mean is None:
            if aggregation not in ("mean", clustered_stderr):
                values[name] = scored.further_rows.get(metric, scored.row)
        elif name == metric:
            values[name] = mean
        else:
            values[name] = (mean, scored.cluster)
    return values


class FrameMetrics(Generic[_Answers]):
    """Metrics computed from all rows of a task; the rows are parsed once for all metrics.

    Args:
        read: function that parses the rows (:attr:`ScoredAnswers.row`) into the argument of the metrics.
    """

    def __init__(self, read: Callable[[list[Any]], _Answers]) -> None:
        self._read = read
        self._rows: list[Any] = []
        self._answers: _Answers | None = None

    def estimate(self, compute: Callable[[_Answers], MetricEstimate]) -> Callable[[Iterable[Any]], Any]:
        """Return an aggregation of the estimate; its attribute ``error`` is the aggregation of the error."""
        cached: tuple[Any, MetricEstimate] = None, NO_ESTIMATE

        def compute_cached(rows: Iterable[Any]) -> MetricEstimate:
            nonlocal cached
            answers = self.answers(rows)
            if cached[0] is not answers:
                cached = answers, compute(answers)
            return cached[1]

        @wraps(compute)
        def value(rows: Iterable[Any]) -> float | None:
            return compute_cached(rows)[0]

        @wraps(compute)
        def error(rows: Iterable[Any]) -> float | str:
            return compute_cached(rows)[1]

        value.error = error  # type: ignore[attr-defined]
        return value

    def figure(self, compute: Callable[[_Answers], float]) -> Callable[[Iterable[Any]], float]:
        """Return an aggregation without an error."""

        @wraps(compute)
        def value(rows: Iterable[Any]) -> float:
            return compute(self.answers(rows))

        return value

    def answers(self, rows: Iterable[Any]) -> _Answers:
        """Parse the rows, or return the cached answers if the rows are the last ones."""
        new_rows = list(rows)
        if (
            self._answers is None
            or len(new_rows) != len(self._rows)
            or not all(map(is_, new_rows, self._rows))
        ):
            self._rows, self._answers = new_rows, self._read(new_rows)
        return self._answers


def make_metric_row(kind: type[_Row], doc: Document, **answered: Any) -> _Row:
    """Build a row of a named tuple from the fields of a document and of its answer."""
    return kind(**{name: doc.get(name) for name in kind.__annotations__} | answered)


def estimate_if_supported(
    estimability: Estimability, compute: Callable[[], ClusterInterval | Contrast]
) -> MetricEstimate:
    """Return the estimate, NaN if the answers support none, and its error if they support an interval."""
    if not estimability.estimable:
        return math.nan, "N/A"
    estimate = compute()
    return estimate.estimate, stderr_or_na(estimate.standard_error) if estimability.has_interval else "N/A"


def clustered_mean(values: ArrayLike, clusters: Iterable[Any]) -> MetricEstimate:
    """Return a mean and its clustered error: None without values, "N/A" with a single cluster."""
    numbers = np.asarray(values, np.float64)
    if not numbers.size:
        return NO_ESTIMATE
    interval = cluster_interval(numbers, clusters)
    return float(interval.estimate), stderr_or_na(interval.standard_error)


def clustered_stderr(items: Iterable[tuple[float, str]]) -> float | str:
    """Return the cluster-robust standard error of a mean; "N/A" with a single cluster."""
    values, clusters = zip(*items, strict=True)
    return clustered_mean(values, clusters)[1]


def stderr_or_na(error: float) -> float | str:
    """Return a standard error, or lm_eval's "N/A" if it is missing or 0 (which would claim certainty)."""
    return float(error) if error > 0 else "N/A"
