"""Every difference between lm_eval 0.4, for which the tasks are written, and 0.5; and what both write."""

from __future__ import annotations

import sys
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

_OURS = "polbias"


@cache
def is_newer_than_0_4() -> bool:
    """Say whether the installed lm_eval is newer than 0.4."""
    try:
        return not version("lm_eval").startswith("0.4.")
    except PackageNotFoundError:
        return False


@cache
def patch_lm_eval() -> None:
    """Let lm_eval 0.5 take our tasks as 0.4 does, and log their samples alike.

    ``acc`` may be of generated answers, a metric may have no direction, no error of ours is bootstrapped, and
    what is loaded is taken for a task. A task of ours keeps its name in a group; its rows need no target.
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
    named, process = Task._qualified_name.fget, Task.process_instances
    target = MultipleChoiceTask.doc_to_target

    def parse_metric(cfg: Any, output_type: str | None = None) -> Any:
        made = parse(cfg, output_type)
        if cfg.get("higher_is_better", True) is None:
            object.__setattr__(made, "higher_is_better", None)
        return made

    def process_instances(task: Any) -> None:
        process(task)
        for request in task.instances if _is_ours(task) else ():
            found = request.filtered_resps
            found |= {name: each[0] for name, each in found.items() if len(each) == 1}

    def doc_to_target(task: Any, doc: Any, *given: Any) -> Any:
        without = _is_ours(task) and Task.doc_to_target(task, doc, *given) is None
        return str(None) if without else target(task, doc, *given)

    metric_registry.get("acc").output_type.add("generate_until")
    utils.parse_metric = parse_metric
    metrics.stderr_for_metric = lambda metric, bootstrap_iters: (
        None if _ours(metric) else error_of(metric, bootstrap_iters)
    )
    TaskManager._load_spec = lambda manager, spec, *more, **overrides: (
        spec if isinstance(spec, Task | Group) else load(manager, spec, *more, **overrides)
    )
    Task._qualified_name = property(lambda task: task.task_name if _is_ours(task) else named(task))
    Task.process_instances = process_instances
    MultipleChoiceTask.doc_to_target = doc_to_target


def write_halves() -> None:
    """Let lm_eval, where it runs, write half a character in an answer as JSON escapes it.

    It would write no sample from this one on, and go on.
    """
    if "lm_eval" in sys.modules:
        from lm_eval.loggers import evaluation_tracker

        vars(evaluation_tracker)["open"] = partial(open, errors="backslashreplace")


def _ours(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).startswith(_OURS)


def _is_ours(task: Any) -> bool:
    return _ours(task.config.process_results)


def task_class(output_type: str) -> Any:
    """Return the class of lm_eval for tasks of a kind."""
    from lm_eval.api.task import ConfigurableTask

    return ConfigurableTask._registry[output_type] if is_newer_than_0_4() else ConfigurableTask


def first_request(requests: Any) -> Any:
    """Return the request of a row that lm_eval 0.4 gives as it is, 0.5 in a list."""
    return requests[0] if is_newer_than_0_4() else requests
