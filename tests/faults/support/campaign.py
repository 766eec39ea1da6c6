"""Many inputs for one target: how many, how long, and what must hold for each.

Every test runs twice through the same function: with a few inputs in the normal suite, and, marked ``faults``,
with ``POLBIAS_FUZZ_EXAMPLES`` of them (10,000 by default).
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from polbias.errors import PolbiasError
from polbias.safe_text import visible

FEW = 3
MANY = int(os.environ.get("POLBIAS_FUZZ_EXAMPLES", "10000"))
_SEED = 1  # the inputs do not change with the code around them
_STUCK = 60.0
"""Seconds after which an input counts as never ending, however busy the machine."""
_BUDGET = float(os.environ.get("POLBIAS_FUZZ_SECONDS", "1800"))
"""Seconds for all inputs of a target; a campaign that takes longer fails and says how far it came."""

sizes = pytest.mark.parametrize("examples", [FEW, pytest.param(MANY, marks=pytest.mark.faults)])
"""Run a test with a few inputs, and in the campaign with many."""


@dataclass
class Tally:
    """What became of the inputs of a target."""

    inputs: int = 0
    results: int = 0
    errors: int = 0


class Stuck(BaseException):
    """An input took far too long; no ``except Exception`` swallows this."""


def fuzz(inputs: SearchStrategy[Any], check: Callable[[Any], bool], examples: int) -> Tally:
    """Put inputs to a target; the same ones in every run.

    Args:
        inputs: of the target.
        check: fails unless what must hold does; returns whether there was a result rather than an error.
        examples: how many inputs.
    """
    tally, end = Tally(), time.monotonic() + _BUDGET

    @seed(_SEED)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(inputs)
    def attempt(value: Any) -> None:
        if time.monotonic() > end:
            pytest.fail(f"{tally.inputs} of {examples} inputs in {_BUDGET:g} s")
        with bounded():
            result = check(value)
        tally.inputs += 1
        tally.results += result
        tally.errors += not result

    attempt()
    print(f"{tally.inputs} inputs: {tally.results} results, {tally.errors} errors")  # noqa: T201
    return tally


@contextmanager
def bounded() -> Iterator[None]:
    """Interrupt what is inside if it does not end."""

    def interrupt(*_: object) -> None:
        raise Stuck(f"still running after {_STUCK:g} s")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, _STUCK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def ends_cleanly(act: Callable[[], Any], *places: str) -> bool:
    """Do something that either works or ends in an error that a user can act on.

    Args:
        act: what is tried.
        places: one of which the message must name: files or fields.

    Returns:
        Whether it worked. Any other exception than a `PolbiasError` goes through and fails the test.
    """
    try:
        act()
    except PolbiasError as error:
        message = str(error)
        assert message.strip(), "an error without a message"
        assert not places or any(place in message for place in places), message
        assert len(message) < 20_000, f"an error of {len(message):,} characters: {message[:200]}"
        message.encode()  # can be printed
        assert message == visible(message), "an error that a terminal obeys"
        return False
    return True
