"""Servers that refuse, fail, break off or keep silent, once, at any request of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tests.faults.campaign.outcomes import Trial, tried
from tests.faults.campaign.place import Place

_FEW = 8  # requests of a kind
_VARYING = re.compile(r"[0-9a-f]{40,}|v[0-9.]+$")
SILENCE = 2.5  # seconds, longer than the clients are told to wait
FAULTS: dict[str, dict[str, Any]] = {
    **{f"HTTP {status}": {"kind": "fail", "status": status} for status in (401, 403, 404, 409, 412, 429)},
    "HTTP 429, Retry-After": {"kind": "fail", "status": 429, "headers": {"Retry-After": "1"}},
    **{f"HTTP {status}": {"kind": "fail", "status": status} for status in (500, 503)},
    "connection reset": {"kind": "drop"},
    "half an answer": {"kind": "lose"},
    "silence": {"kind": "stall", "seconds": SILENCE},
}


def chosen(place: Place, rng: np.random.Generator) -> list[int]:
    """Return which requests fail: of each kind the first and the last one, and one in between."""
    kinds: dict[str, list[int]] = {}
    for number, line in enumerate(place.lines, 1):
        kinds.setdefault(_VARYING.sub("*", line), []).append(number)
    found = {number for numbers in kinds.values() for number in (numbers[0], numbers[-1])}
    long = [numbers[1:-1] for numbers in kinds.values() if len(numbers) > _FEW]
    return sorted(found | {int(rng.choice(numbers)) for numbers in long})


def failures(place: Place, requests: Sequence[int], names: Sequence[str] = ()) -> Iterator[Trial]:
    """Let requests fail, one in each run, in every way.

    Args:
        place: a place with a server.
        requests: their numbers, from 1.
        names: of `FAULTS`; all if none.
    """
    meter = place.meter
    assert meter is not None
    for name in names or FAULTS:
        for number in requests:

            def disturb(name: str = name, number: int = number) -> int:
                meter.fail_at(number, **FAULTS[name])
                return place.start(settings=place.impatient).wait()

            yield tried(place, False, name, f"request {number}", disturb)
