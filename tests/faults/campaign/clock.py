"""A clock that jumps, in the process of a run: the time of day, as Python code sees it."""

from __future__ import annotations

import datetime as calendar
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any


def jump(after: float, by: float) -> None:
    """Let the time of day jump in this process; the monotonic clock goes on, as it does on a real machine.

    Args:
        after: seconds from now.
        by: seconds, negative to go back.
    """
    start, measured = time.monotonic(), time.time

    def shift() -> float:
        return by if time.monotonic() - start >= after else 0.0

    def now() -> float:
        return measured() + shift()

    for name in ("localtime", "gmtime"):
        setattr(time, name, _at(getattr(time, name), now))
    formatted = time.strftime
    time.strftime = lambda form, *given: formatted(form, *(given or (time.localtime(),)))
    _replace(time.time_ns, lambda: int(now() * 1e9))
    _replace(measured, now)
    _replace(calendar.datetime, _shifted(shift))


def _at(real: Callable[..., Any], now: Callable[[], float]) -> Callable[..., Any]:
    return lambda seconds=None: real(now() if seconds is None else seconds)


def _shifted(shift: Callable[[], float]) -> type:
    real = calendar.datetime

    class Kind(type(real)):  # type: ignore[misc]
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, real)

    class Datetime(real, metaclass=Kind):  # type: ignore[misc,valid-type]
        @classmethod
        def now(cls, tz: calendar.tzinfo | None = None) -> calendar.datetime:
            return real.now(tz) + calendar.timedelta(seconds=shift())

        @classmethod
        def utcnow(cls) -> calendar.datetime:
            return real.now(calendar.UTC).replace(tzinfo=None) + calendar.timedelta(seconds=shift())

        today = now

    return Datetime


def _replace(real: object, other: object) -> None:
    """Put something in the place of another thing in every module that has it by a name of its own."""
    for module in [*sys.modules.values()]:
        with suppress(Exception):
            for name in [name for name, value in vars(module).items() if value is real]:
                if module.__name__ != __name__:
                    setattr(module, name, other)
