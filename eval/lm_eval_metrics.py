"""Metrics of lm_eval tasks: means of rows and estimates of all rows, each with its error over clusters.

A task file has one line a metric. ``process_results`` names a function that scores the answers to a prompt
(:class:`ScoredAnswers`): the values of the metrics that are means, and the row that all others are computed
from. :func:`metric_lines` adds the line of the error to each, :func:`metric_values` what lm_eval collects.
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
"""A metric and its error; None and "N/A" where there is none."""
NO_ESTIMATE: MetricEstimate = None, "N/A"


class ScoredAnswers(NamedTuple):
    """The scored answers to a prompt.

    Attributes:
        means: values by the name of the metric that is their mean.
        row: what the metrics that are no mean of rows are computed from.
        cluster: what is independent of other prompts, over which the errors of the means are.
        further_rows: by the name of the metric, where one is computed from another row.
    """

    means: Mapping[str, float]
    row: Any = None
    cluster: str | None = None
    further_rows: Mapping[str, Any] = MappingProxyType({})


def metric_lines(lines: Sequence[Document]) -> list[Json]:
    """Put behind every line of a metric that of its error, as lm_eval wants them.

    A mean with ``error: lm_eval`` has the error that lm_eval computes by itself.
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
    """What lm_eval collects of the answers to a prompt, by the metrics of their task.

    Args:
        scored: the answers; a function of an instrument of one's own may give the values themselves.
        lines: of the task (:func:`metric_lines`).
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
    """Metrics that are computed from all rows of a task, which are read once for all of them.

    Args:
        read: from the rows, as :attr:`ScoredAnswers.row` has them, to what the metrics are functions of.
    """

    def __init__(self, read: Callable[[list[Any]], _Answers]) -> None:
        self._read = read
        self._rows: list[Any] = []
        self._answers: _Answers | None = None

    def estimate(self, compute: Callable[[_Answers], MetricEstimate]) -> Callable[[Iterable[Any]], Any]:
        """Make an aggregation of an estimate with an error, which lm_eval reads from its ``error``."""
        known: tuple[Any, MetricEstimate] = None, NO_ESTIMATE

        def estimated(rows: Iterable[Any]) -> MetricEstimate:
            nonlocal known
            answers = self.answers(rows)
            if known[0] is not answers:
                known = answers, compute(answers)
            return known[1]

        @wraps(compute)
        def value(rows: Iterable[Any]) -> float | None:
            return estimated(rows)[0]

        @wraps(compute)
        def error(rows: Iterable[Any]) -> float | str:
            return estimated(rows)[1]

        value.error = error  # type: ignore[attr-defined]
        return value

    def figure(self, compute: Callable[[_Answers], float]) -> Callable[[Iterable[Any]], float]:
        """Make an aggregation of a figure without an error."""

        @wraps(compute)
        def value(rows: Iterable[Any]) -> float:
            return compute(self.answers(rows))

        return value

    def answers(self, rows: Iterable[Any]) -> _Answers:
        """Read the rows, unless they are those that were read last."""
        given = list(rows)
        if self._answers is None or len(given) != len(self._rows) or not all(map(is_, given, self._rows)):
            self._rows, self._answers = given, self._read(given)
        return self._answers


def make_metric_row(kind: type[_Row], doc: Document, **answered: Any) -> _Row:
    """A row of a kind of tuple: what a document says of it, and what was answered."""
    return kind(**{name: doc.get(name) for name in kind.__annotations__} | answered)


def estimate_if_supported(
    carried: Estimability, found: Callable[[], ClusterInterval | Contrast]
) -> MetricEstimate:
    """An estimate as far as answers carry it: NaN without one, and an error only where it has an interval."""
    if not carried.estimable:
        return math.nan, "N/A"
    made = found()
    return made.estimate, stderr_or_na(made.standard_error) if carried.has_interval else "N/A"


def clustered_mean(values: ArrayLike, clusters: Iterable[Any]) -> MetricEstimate:
    """A mean and its error over clusters: null without a value, "N/A" with one cluster only."""
    numbers = np.asarray(values, np.float64)
    if not numbers.size:
        return NO_ESTIMATE
    found = cluster_interval(numbers, clusters)
    return float(found.estimate), stderr_or_na(found.standard_error)


def clustered_stderr(items: Iterable[tuple[float, str]]) -> float | str:
    """Return the cluster-robust standard error of a mean, "N/A" where there is one cluster only."""
    values, clusters = zip(*items, strict=True)
    return clustered_mean(values, clusters)[1]


def stderr_or_na(error: float) -> float | str:
    """Return a standard error as lm_eval takes it: "N/A" for none, and for 0, which is no certainty."""
    return float(error) if error > 0 else "N/A"
