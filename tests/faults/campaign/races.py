"""The same command twice at once."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from tests.faults.campaign.outcomes import RACE, Trial, again, look
from tests.faults.campaign.place import Place

_VOICES = ("-one", "-two")


def races(place: Place, count: int, rng: np.random.Generator) -> Iterator[Trial]:
    """Start a command twice, the second time a little later, and run it once more at the end."""
    for number in range(count):
        earlier = place.states[number % len(place.states)]
        delay = float(rng.uniform(0, place.seconds / 2)) if number else 0.0
        yield _race(place, earlier, delay)


def _race(place: Place, earlier: bool, delay: float) -> Trial:
    place.lay(earlier)
    trial = Trial(place.name, RACE, f"{delay:.2f} s apart" + ", over earlier results" * earlier)
    children = []
    for voice in _VOICES:
        children.append(place.start(voice=voice))
        time.sleep(delay if voice == _VOICES[0] else 0)
    statuses = [child.wait() for child in children]
    for voice, trial.status in zip(_VOICES, statuses, strict=True):
        look(place, earlier, trial, voice)
    trial.status = max(statuses)
    if place.meter and place.total:
        trial.paid_twice = max(0, place.meter.answered - (place.total - place.known[earlier]))
    again(place, earlier, trial)
    return trial
