"""The closing lines of a run: main metric, interval, next steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polbias.eval.lm_eval_metrics import clustered_stderr, metric_lines
from polbias.eval.statistics import cluster_interval
from polbias.lm_eval_runner.scores import main_metric, scores
from polbias.lm_eval_runner.tasks import catalogue, import_task_function
from polbias.registry import instrument_of, instruments


def test_every_task_of_ours_has_a_main_metric_with_an_error() -> None:
    for task in catalogue().tasks.values():
        lines = [
            line
            if line["aggregation"] == "mean"
            else line | {"aggregation": import_task_function(line["aggregation"], task.name)}
            for line in task.settings["metric_list"]
        ]
        metrics = [line["metric"] for line in metric_lines(lines)]
        main = main_metric(metrics, instruments().get(instrument_of(task.data) or ""))
        assert f"{main}_stderr" in metrics, task.name


def test_the_interval_is_that_of_the_clusters() -> None:
    values = np.random.default_rng(1).normal(size=60)
    clusters = [f"c{index % 6}" for index in range(60)]
    logged = [{"doc": {"cluster_id": cluster}} for cluster in clusters]
    error = clustered_stderr(list(zip(values, clusters, strict=True)))
    found = {"weighted_bias,none": float(values.mean()), "weighted_bias_stderr,none": error, "acc,none": 0.5}
    found |= {"refusal,none": 0.1, "truncated,none": 0.05, "unparsable,none": 0.0}
    (score,) = scores({"results": {"t": found}}, {"t": logged})
    expected = cluster_interval(values, clusters)
    assert (score.task, score.metric, score.n, score.clusters) == ("t", "weighted_bias", 60, 6)
    assert (score.low, score.high) == (pytest.approx(expected.low), pytest.approx(expected.high))
    assert (score.missing, score.truncated) == (pytest.approx(0.15), 0.05)


def test_the_error_of_the_paper_takes_rows_for_independent() -> None:
    logged: list[dict[str, Any]] = [{"doc": {"cluster_id": "c"}}] * 400
    found = {"weighted_bias_paper,none": 0.1, "weighted_bias_paper_stderr,none": 0.05}
    (score,) = scores({"results": {"t": found}}, {"t": logged})
    assert score.high - score.low == pytest.approx(2 * 1.966 * 0.05, rel=1e-3)


@pytest.mark.parametrize("error", ["N/A", float("nan"), None])
def test_no_interval_where_there_is_no_error(error: Any) -> None:
    found = {"acc,none": 0.5, "acc_stderr,none": error}
    (score,) = scores({"results": {"t": found}}, {"t": [{"doc": {}}] * 3})
    assert (score.low, score.high, score.missing) == (None, None, None)
