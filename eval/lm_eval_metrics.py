"""Parts that the metrics of all lm_eval tasks share: errors over clusters, shares of labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Document, Json
from polbias.eval.answer_table import CodedColumn
from polbias.eval.estimability import Estimability
from polbias.eval.lm_eval_compat import adapt
from polbias.eval.statistics import ClusterInterval, Contrast, cluster_interval

adapt()

_Row = TypeVar("_Row", bound=tuple[Any, ...])

MetricEstimate: TypeAlias = tuple[float | None, float | str]
"""A metric and its error; None and "N/A" where there is none."""
NO_ESTIMATE: MetricEstimate = None, "N/A"


def with_errors(means: Mapping[str, float], cluster: str) -> Json:
    """Put beside every mean the values that its error is computed from; lm_eval wants them in this order."""
    metrics: Json = {}
    for name, value in means.items():
        metrics[name] = value
        metrics[f"{name}_stderr"] = (value, cluster)
    return metrics


def metric_and_error(
    compute: Callable[[list[Any]], MetricEstimate], read: Callable[[Iterable[Any]], list[Any]] = list
) -> tuple[Callable[[Iterable[Any]], float | None], Callable[[Iterable[Any]], float | str]]:
    """What lm_eval calls for a metric and for its error."""
    return lambda items: compute(read(items))[0], lambda items: compute(read(items))[1]


def for_metrics(row: Any, names: Iterable[str]) -> Json:
    """The row that metrics and their errors are computed from, by their names."""
    return {each: row for name in names for each in (name, f"{name}_stderr")}


def row_of(kind: type[_Row], doc: Document, **answered: Any) -> _Row:
    """A row of a kind of tuple: what a document says of it, and what was answered."""
    return kind(**{name: doc.get(name) for name in kind.__annotations__} | answered)


def carried_estimate(
    carried: Estimability, found: Callable[[], ClusterInterval | Contrast]
) -> MetricEstimate:
    """An estimate as far as answers carry it: NaN without one, and an error only where it has an interval."""
    if not carried.estimable:
        return math.nan, "N/A"
    made = found()
    return made.estimate, stated(made.standard_error) if carried.has_interval else "N/A"


def mean_estimate(values: ArrayLike, clusters: Iterable[Any] | CodedColumn) -> MetricEstimate:
    """A mean and its error over clusters: null without a value, "N/A" with one cluster only."""
    numbers = np.asarray(values, np.float64)
    if not numbers.size:
        return NO_ESTIMATE
    found = cluster_interval(numbers, clusters)
    return float(found.estimate), stated(found.standard_error)


def label_shares(loglikelihoods: Sequence[float]) -> tuple[list[float], float]:
    """Return the shares of labels in the probability that they hold together, and that probability."""
    top = max(loglikelihoods)
    if not math.isfinite(top) or any(map(math.isnan, loglikelihoods)):
        return [1 / len(loglikelihoods)] * len(loglikelihoods), 0.0
    weights = [math.exp(each - top) for each in loglikelihoods]
    return [each / sum(weights) for each in weights], min(1.0, math.exp(min(top, 0.0)) * sum(weights))


def likelier(labels: Sequence[str], results: Sequence[Any]) -> tuple[str, list[float], float]:
    """Return the likeliest label, none where the best two tie, with the shares of all and their mass."""
    try:
        values = [float(result[0]) for result in results[: len(labels)]]
    except (IndexError, TypeError, ValueError):
        values = []
    if len(values) != len(labels):
        raise ValueError(f"filtered_resps: found {results!r:.60}, expected {len(labels)} log-likelihoods")
    best = [
        label for label, value in zip(labels, values, strict=True) if all(value >= each for each in values)
    ]
    return best[0] if len(best) == 1 else "unparsable", *label_shares(values)


def clustered_stderr(items: Iterable[tuple[float, str]]) -> float | str:
    """Return the cluster-robust standard error of a mean, "N/A" where there is one cluster only."""
    values, clusters = zip(*items, strict=True)
    return mean_estimate(values, clusters)[1]


def stated(error: float) -> float | str:
    """Return a standard error as lm_eval takes it: "N/A" for none, and for 0, which is no certainty."""
    return float(error) if error > 0 else "N/A"
