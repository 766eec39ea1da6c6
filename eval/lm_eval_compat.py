"""Patches that let lm_eval 0.5 run tasks written for 0.4, and fix its logging of invalid characters."""

from __future__ import annotations

import subprocess
import sys
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from types import SimpleNamespace
from typing import Any

_PACKAGE = "polbias"


@cache
def is_newer_than_0_4() -> bool:
    """Whether the installed lm_eval is newer than 0.4."""
    try:
        return not version("lm_eval").startswith("0.4.")
    except PackageNotFoundError:
        return False


@cache
def patch_lm_eval() -> None:
    """Patch lm_eval 0.5 so that it runs polbias tasks as 0.4 does and logs the same samples.

    It then accepts ``acc`` of generated answers and metrics without a direction, bootstraps no error of a
    polbias metric, accepts loaded tasks, keeps the name of a polbias task in a group, and needs no target.
    """
    if not is_newer_than_0_4():
        return
    from lm_eval.api import metrics
    from lm_eval.api.group import Group
    from lm_eval.api.metrics import utils
    from lm_eval.api.registry import metric_registry
    from lm_eval.api.task import MultipleChoiceTask, Task
    from lm_eval.tasks import TaskManager

    parse, error_of, load = utils.parse_metric, metrics.stderr_for_metric, TaskManager._load_spec
    qualified_name, process = Task._qualified_name.fget, Task.process_instances
    target = MultipleChoiceTask.doc_to_target

    def parse_metric(cfg: Any, output_type: str | None = None) -> Any:
        metric = parse(cfg, output_type)
        if cfg.get("higher_is_better", True) is None:
            object.__setattr__(metric, "higher_is_better", None)
        return metric

    def process_instances(task: Any) -> None:
        process(task)
        for request in task.instances if _is_ours(task) else ():
            responses = request.filtered_resps
            responses |= {name: values[0] for name, values in responses.items() if len(values) == 1}

    def doc_to_target(task: Any, doc: Any, *arguments: Any) -> Any:
        has_no_target = _is_ours(task) and Task.doc_to_target(task, doc, *arguments) is None
        return str(None) if has_no_target else target(task, doc, *arguments)

    metric_registry.get("acc").output_type.add("generate_until")
    utils.parse_metric = parse_metric
    metrics.stderr_for_metric = lambda metric, bootstrap_iters: (
        None if _is_polbias_function(metric) else error_of(metric, bootstrap_iters)
    )
    TaskManager._load_spec = lambda manager, spec, *more, **overrides: (
        spec if isinstance(spec, Task | Group) else load(manager, spec, *more, **overrides)
    )
    Task._qualified_name = property(lambda task: task.task_name if _is_ours(task) else qualified_name(task))
    Task.process_instances = process_instances
    MultipleChoiceTask.doc_to_target = doc_to_target


def write_halves() -> None:
    """Make lm_eval, if imported, escape unpaired surrogates when it writes samples.

    Without it, lm_eval silently writes no sample after the first with one.
    """
    if "lm_eval" in sys.modules:
        from lm_eval.loggers import evaluation_tracker

        vars(evaluation_tracker)["open"] = partial(open, errors="backslashreplace")


def silence_git() -> None:
    """Make lm_eval, if imported, hide git's message outside a repository: lm_eval asks git for a commit."""
    if "lm_eval" in sys.modules:
        from lm_eval.loggers import utils

        names = {"check_output": partial(subprocess.check_output, stderr=subprocess.DEVNULL)}
        vars(utils)["subprocess"] = SimpleNamespace(**{**vars(subprocess), **names})


def _is_polbias_function(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).startswith(_PACKAGE)


def _is_ours(task: Any) -> bool:
    return _is_polbias_function(task.config.process_results)


def task_class(output_type: str) -> Any:
    """Return lm_eval's class of tasks with this output type."""
    from lm_eval.api.task import ConfigurableTask

    return ConfigurableTask._registry[output_type] if is_newer_than_0_4() else ConfigurableTask


def first_request(requests: Any) -> Any:
    """Return the first request of a row: lm_eval 0.4 returns the request, 0.5 a list."""
    return requests[0] if is_newer_than_0_4() else requests
