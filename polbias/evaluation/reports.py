"""What lm_eval and the loaders say while they run: the source of the rows is kept, repeated faults are told once."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Tell = Callable[[str], None]

_SOURCES = "lm-eval.polbias"  # the logger of our loaders
_CLIENT = "lm_eval.models.api_models"
_FAULT = re.compile(r"Status code: (?P<status>\d+), Response text: (?P<text>.*?)\. Retrying", re.DOTALL)
_REPLY = re.compile(r"error message: (?P<text>.*?)\. Retrying", re.DOTALL)
_LOST = re.compile(r"Exception:(?P<text>.*?), (?:\(no outputs\)|\{)", re.DOTALL)


@dataclass
class Reports:
    """What was said.

    Args:
        sources: where rows came from, a line for each config.
        faults: what the server said when it failed, in order; never a key.
    """

    sources: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class _Sources(logging.Handler):
    """Takes down and shows what the loaders say, each line once."""

    def __init__(self, reports: Reports, tell: Tell) -> None:
        super().__init__()
        self._reports, self._tell = reports, tell

    def emit(self, record: logging.LogRecord) -> None:
        """Show a line that is new."""
        line = record.getMessage()
        if line not in self._reports.sources:
            self._reports.sources.append(line)
            self._tell(line)


class _Faults(logging.Filter):
    """Takes down what a server says when it fails; shows each kind of fault once instead of for every request."""

    def __init__(self, reports: Reports, tell: Tell) -> None:
        super().__init__()
        self._reports, self._tell = reports, tell

    def filter(self, record: logging.LogRecord) -> bool:
        """Let through what is no fault."""
        from polbias.generators.services.keys import scrub

        message = record.getMessage()
        found = _FAULT.search(message) or _REPLY.search(message) or _LOST.match(message)
        if found is None:
            return True
        text = scrub(found["text"])
        if "Session is closed" in text or "ClientResponseError" in text:
            return False  # what follows from a fault that was told
        if text not in self._reports.faults:
            self._tell(f"the server fails ({text}); asking again")
        self._reports.faults.append(text)
        return False


@contextmanager
def listening(tell: Tell, verbosity: str | None = None) -> Iterator[Reports]:
    """Listen to lm_eval and the loaders; what is left of its messages is shown from WARNING on.

    Args:
        tell: shows a line.
        verbosity: level of what lm_eval shows, unless ``LMEVAL_LOG_LEVEL`` is set.
    """
    from lm_eval.utils import setup_logging

    reports = Reports()
    setup_logging(getattr(logging, verbosity or "", logging.WARNING))
    sources, client = logging.getLogger(_SOURCES), logging.getLogger(_CLIENT)
    handler, faults = _Sources(reports, tell), _Faults(reports, tell)
    quiet = [logging.getLogger(name) for name in ("asyncio", "httpx")]
    levels = [logger.level for logger in quiet]
    propagated = sources.propagate
    sources.addHandler(handler)
    sources.propagate = False
    client.addFilter(faults)
    for logger in quiet if os.environ.get("LMEVAL_LOG_LEVEL", "").upper() != "DEBUG" else ():
        logger.setLevel(logging.CRITICAL)
    try:
        yield reports
    finally:
        sources.removeHandler(handler)
        sources.propagate = propagated
        client.removeFilter(faults)
        for logger, level in zip(quiet, levels, strict=True):
            logger.setLevel(level)
