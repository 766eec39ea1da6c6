"""SIGKILL at random moments, before a random change to a file, and at a random request."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import cycle, islice

import numpy as np

from tests.faults.campaign.outcomes import Disturb, Trial, tried
from tests.faults.campaign.place import Place

FAULT = "kill -9"


def kills(place: Place, count: int, rng: np.random.Generator) -> Iterator[Trial]:
    """Kill a command many times, each time anew, and run it again.

    A third of the kills comes before one of its changes to files, a third at a random moment of the time that
    an undisturbed run takes, a third at one of its requests, before or after the server has carried it out.
    """
    kinds = [*([_change] if place.changes else []), _moment, *([_request] if place.meter else [])]
    for earlier, kind in islice(zip(cycle(_spread(place.states, len(kinds))), cycle(kinds)), count):
        detail, disturb = kind(place, rng)
        yield tried(place, earlier, FAULT, detail, disturb)


def _spread(states: list[bool], kinds: int) -> list[bool]:
    return [state for state in states for _ in range(kinds)]


def _moment(place: Place, rng: np.random.Generator) -> tuple[str, Disturb]:
    delay = float(rng.uniform(0, place.seconds))

    def disturb() -> int:
        child = place.start()
        time.sleep(delay)
        child.kill()
        return child.wait()

    return f"after {delay:.2f} of {place.seconds:.2f} s", disturb


def _change(place: Place, rng: np.random.Generator) -> tuple[str, Disturb]:
    number = int(rng.integers(1, place.changes + 1))
    return f"before change {number} of {place.changes}", lambda: place.start(kill_at=number).wait()


def _request(place: Place, rng: np.random.Generator) -> tuple[str, Disturb]:
    number, after = int(rng.integers(1, place.requests + 1)), bool(rng.integers(2))

    def disturb() -> int:
        assert place.meter is not None
        started = threading.Event()

        def kill() -> None:
            if started.wait(20):
                place.child.kill()

        place.meter.trap(number, after, kill)
        child = place.start()
        started.set()
        return child.wait()

    return f"{'after' if after else 'before'} request {number} of {place.requests}", disturb
