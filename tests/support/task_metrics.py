"""The metrics of a task file as lm_eval has them."""

from __future__ import annotations

from polbias.eval.lm_eval_metrics import metric_lines
from polbias.lm_eval_runner.tasks import TaskFile, function


def metric_names(task: TaskFile) -> list[str]:
    """Return the metrics of a task in their order; where its class adds errors, each with its error."""
    lines = [
        line
        if line["aggregation"] == "mean"
        else {**line, "aggregation": function(line["aggregation"], task.name)}
        for line in task.settings["metric_list"]
    ]
    return [line["metric"] for line in (metric_lines(lines) if "class" in task.settings else lines)]
