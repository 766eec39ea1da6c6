"""What lm_eval 0.5 wants of tasks that are written for 0.4."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

_OURS = "polbias"


def adapt() -> None:
    """Where lm_eval 0.5 is imported, let it take our metrics as 0.4 does.

    ``acc`` may be of generated answers, a metric may have no direction, and no error of ours is bootstrapped.
    """
    if "lm_eval" not in sys.modules or not version("lm_eval").startswith("0.5"):
        return
    from lm_eval.api import metrics
    from lm_eval.api.metrics import utils
    from lm_eval.api.registry import metric_registry

    if getattr(utils.parse_metric, "__module__", "") == __name__:
        return
    metric_registry.get("acc").output_type.add("generate_until")
    utils.parse_metric = _without_direction(utils.parse_metric)
    metrics.stderr_for_metric = _without_bootstrap(metrics.stderr_for_metric)


def _without_direction(parse: Callable[..., Any]) -> Callable[..., Any]:
    def parse_metric(cfg: Any, output_type: str | None = None) -> Any:
        made = parse(cfg, output_type)
        if cfg.get("higher_is_better", True) is None:
            object.__setattr__(made, "higher_is_better", None)
        return made

    return parse_metric


def _without_bootstrap(error_of: Callable[..., Any]) -> Callable[..., Any]:
    def stderr_for_metric(metric: Callable[..., Any], bootstrap_iters: int) -> Any:
        ours = str(getattr(metric, "__module__", "")).startswith(_OURS)
        return None if ours else error_of(metric, bootstrap_iters)

    return stderr_for_metric
