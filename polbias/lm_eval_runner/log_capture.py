"""What lm_eval and the loaders log while they run."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from polbias.safe_text import safe_logs

PrintLine = Callable[[str], None]


_LOADER_LOGGER = "lm-eval.polbias"  # the logger of our loaders
_EVALUATOR_LOGGER = "lm_eval.evaluator"
_CLIENT_LOGGER = "lm_eval.models.api_models"
# Requests that were under way when a run failed report their errors as the process ends; what servers reply
# is shown once; lm_eval praises --metadata for every task, and 0.5 every metric that it does not compute.
_LEVELS = {
    "asyncio": logging.CRITICAL,
    _CLIENT_LOGGER: logging.CRITICAL,
    "httpx": logging.WARNING,
} | dict.fromkeys(("lm_eval.api.task", "lm_eval.api.metrics.utils"), logging.ERROR)
_OVERRIDE_WARNING = "generation_kwargs:"  # lm_eval warns of what the user has just typed


class _SourceHandler(logging.Handler):
    """Takes down and shows what the loaders say, each line once."""

    def __init__(self, print_line: PrintLine) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._print_line = print_line

    def emit(self, record: logging.LogRecord) -> None:
        """Show a line that is new."""
        line = record.getMessage()
        if line not in self.lines:
            self.lines.append(line)
            self._print_line(line)


def _is_not_override(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith(_OVERRIDE_WARNING)


@contextmanager
def capture_logs(print_line: PrintLine, verbosity: str | None) -> Iterator[list[str]]:
    """Listen to lm_eval and the loaders; what is left of its messages is shown from WARNING on.

    Yields:
        Where rows come from, a line for each config.
    """
    from lm_eval.utils import setup_logging

    setup_logging(getattr(logging, verbosity or "", logging.WARNING))
    sources, evaluator = map(logging.getLogger, (_LOADER_LOGGER, _EVALUATOR_LOGGER))
    handler = _SourceHandler(print_line)
    propagated = sources.propagate
    sources.addHandler(handler)
    sources.propagate = False
    evaluator.addFilter(_is_not_override)
    if os.environ.get("LMEVAL_LOG_LEVEL", "").upper() != "DEBUG":
        for name, level in _LEVELS.items():
            logging.getLogger(name).setLevel(level)
    try:
        with safe_logs():
            yield handler.lines
    finally:
        sources.removeHandler(handler)
        sources.propagate = propagated
        evaluator.removeFilter(_is_not_override)
