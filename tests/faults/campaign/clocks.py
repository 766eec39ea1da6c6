"""Clocks that jump by a year, back or forth, while a command runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.faults.campaign.outcomes import Trial, tried
from tests.faults.campaign.place import Place

_YEAR = 365 * 86_400.0
JUMPS = {"clock back a year": -_YEAR, "clock forth a year": _YEAR}


def jumps(place: Place, count: int, rng: np.random.Generator) -> Iterator[Trial]:
    """Let the clock jump at random moments of a run; it is right again when the command is run anew.

    Args:
        place: where.
        count: how often for each kind of jump.
        rng: draws the moments.
    """
    for name, by in JUMPS.items():
        for number in range(count):
            delay = float(rng.uniform(0, place.seconds))
            earlier = place.states[number % len(place.states)]

            def disturb(delay: float = delay, by: float = by) -> int:
                return place.start(jump=(delay, by)).wait()

            yield tried(place, earlier, name, f"after {delay:.2f} s", disturb)
