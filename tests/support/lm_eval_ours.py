"""lm_eval's command line over our tasks alone: it indexes 14,000 task files of its own at every start."""

from __future__ import annotations

import sys
from functools import partial

import pytest


def lm_eval(offline: bool = True) -> None:
    """Run it in this process, which has its imports."""
    from lm_eval.__main__ import cli_evaluate
    from lm_eval.tasks import TaskManager

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lm_eval.tasks.TaskManager", partial(TaskManager, include_defaults=False))
        patch.setattr("torch.utils.collect_env.get_pretty_env_info", lambda: "a machine")  # asks pip
        if offline:
            patch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        cli_evaluate()


if __name__ == "__main__":
    sys.argv.insert(1, "run")
    lm_eval(offline=False)
