"""Capture the logs of lm_eval and of our loaders during a run."""

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
# asyncio reports requests in flight at a failure when the process ends; polbias prints errors of servers
# itself, once; lm_eval logs --metadata for every task, and 0.5 also every metric that it does not compute.
_LEVELS = {
    "asyncio": logging.CRITICAL,
    _CLIENT_LOGGER: logging.CRITICAL,
    "httpx": logging.WARNING,
} | dict.fromkeys(("lm_eval.api.task", "lm_eval.api.metrics.utils"), logging.ERROR)
_OVERRIDE_WARNING = "generation_kwargs:"  # lm_eval's warning repeats the user's option


class _SourceHandler(logging.Handler):
    """Handler that collects and prints the log lines of the loaders, each once."""

    def __init__(self, print_line: PrintLine) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._print_line = print_line

    def emit(self, record: logging.LogRecord) -> None:
        """Collect and print a new line."""
        line = record.getMessage()
        if line not in self.lines:
            self.lines.append(line)
            self._print_line(line)


def _is_not_override(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith(_OVERRIDE_WARNING)


@contextmanager
def capture_logs(print_line: PrintLine, verbosity: str | None) -> Iterator[list[str]]:
    """Print the logs of the loaders, and lm_eval's from level WARNING on, without its noise.

    Yields:
        List of the loaders' lines: the source of the rows of each config.
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
