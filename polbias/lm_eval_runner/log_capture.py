"""What lm_eval and the loaders log while they run."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from polbias.safe_text import safe_logs

PrintLine = Callable[[str], None]


_SOURCES = "lm-eval.polbias"  # the logger of our loaders
_EVALUATOR = "lm_eval.evaluator"
_CLIENT = "lm_eval.models.api_models"
# Requests that were under way when a run failed report their errors as the process ends; what servers reply
# is shown once; lm_eval praises --metadata for every task, and 0.5 every metric that it does not compute.
_QUIET = {"asyncio": logging.CRITICAL, _CLIENT: logging.CRITICAL, "httpx": logging.WARNING} | dict.fromkeys(
    ("lm_eval.api.task", "lm_eval.api.metrics.utils"), logging.ERROR
)
_OVERRIDES = "generation_kwargs:"  # lm_eval warns of what the user has just typed


class _Sources(logging.Handler):
    """Takes down and shows what the loaders say, each line once."""

    def __init__(self, tell: PrintLine) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """Show a line that is new."""
        line = record.getMessage()
        if line not in self.lines:
            self.lines.append(line)
            self._tell(line)


def _not_typed(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith(_OVERRIDES)


@contextmanager
def capture_logs(tell: PrintLine, verbosity: str | None) -> Iterator[list[str]]:
    """Listen to lm_eval and the loaders; what is left of its messages is shown from WARNING on.

    Yields:
        Where rows come from, a line for each config.
    """
    from lm_eval.utils import setup_logging

    setup_logging(getattr(logging, verbosity or "", logging.WARNING))
    sources, evaluator = map(logging.getLogger, (_SOURCES, _EVALUATOR))
    handler = _Sources(tell)
    propagated = sources.propagate
    sources.addHandler(handler)
    sources.propagate = False
    evaluator.addFilter(_not_typed)
    if os.environ.get("LMEVAL_LOG_LEVEL", "").upper() != "DEBUG":
        for name, level in _QUIET.items():
            logging.getLogger(name).setLevel(level)
    try:
        with safe_logs():
            yield handler.lines
    finally:
        sources.removeHandler(handler)
        sources.propagate = propagated
        evaluator.removeFilter(_not_typed)
