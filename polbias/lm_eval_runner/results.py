"""What lm_eval and the loaders say while they run: where rows come from, and a fault told once."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Tell = Callable[[str], None]

_SOURCES = "lm-eval.polbias"  # the logger of our loaders
_EVALUATOR = "lm_eval.evaluator"
_CLIENT = "lm_eval.models.api_models"
# Requests that were under way when a run failed report their errors as the process ends; lm_eval praises
# --metadata for every task.
_QUIET = {"asyncio": logging.CRITICAL, "httpx": logging.WARNING, "lm_eval.api.task": logging.ERROR}
_FAULT = re.compile(r"Status code: (?P<status>\d+), Response text: (?P<text>.*?)\. Retrying", re.DOTALL)
_REPLY = re.compile(r"error message: (?P<text>.*?)\. Retrying", re.DOTALL)
# What follows from a fault that was told, and what the client mends by itself.
_FOLLOWING = ("Session is closed", "ClientResponseError", "CancelledError", "ServerDisconnectedError")
_USELESS = "Cannot determine EOS string"  # no stop string is wanted
_OVERRIDES = "generation_kwargs:"  # lm_eval warns of what the user has just typed
_LOST = re.compile(r"Exception:(?P<text>.*?), (?:\(no outputs\)|\{)", re.DOTALL)


@dataclass
class Reports:
    """What was said.

    Args:
        sources: where rows came from, a line for each config.
        faults: what the server replied when it failed, in order; never a key.
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
    """Takes down what a server says when it fails; shows each kind of fault once, not for every request."""

    def __init__(self, reports: Reports, tell: Tell) -> None:
        super().__init__()
        self._reports, self._tell = reports, tell
        self._told: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Let through what is no fault."""
        from polbias.generators.services.keys import scrub

        message = record.getMessage()
        said = _FAULT.search(message) or _REPLY.search(message)
        found = said or _LOST.match(message)
        if found is None:
            return not message.startswith(_USELESS)
        text = scrub(_message(found["text"]))
        if any(name in text for name in _FOLLOWING):
            return False
        if text not in self._told:
            self._told.add(text)
            self._tell(f"the server fails: {text}")
        if said:
            self._reports.faults.append(text)
        return False


def _message(text: str) -> str:
    """The message in a server's JSON, or what it sent."""
    try:
        error = json.loads(text)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, LookupError, TypeError):
        return text


def _not_typed(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith(_OVERRIDES)


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
    sources, client, evaluator = map(logging.getLogger, (_SOURCES, _CLIENT, _EVALUATOR))
    handler, faults = _Sources(reports, tell), _Faults(reports, tell)
    propagated = sources.propagate
    sources.addHandler(handler)
    sources.propagate = False
    client.addFilter(faults)
    evaluator.addFilter(_not_typed)
    if os.environ.get("LMEVAL_LOG_LEVEL", "").upper() != "DEBUG":
        for name, level in _QUIET.items():
            logging.getLogger(name).setLevel(level)
    try:
        yield reports
    finally:
        sources.removeHandler(handler)
        sources.propagate = propagated
        client.removeFilter(faults)
        evaluator.removeFilter(_not_typed)
