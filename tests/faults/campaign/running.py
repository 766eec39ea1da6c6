"""The campaign: every fault at every place, from one seed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from tests.faults.campaign import clocks, disk, http, kills, races
from tests.faults.campaign.asking import Evaluate, Variants
from tests.faults.campaign.outcomes import Trial
from tests.faults.campaign.place import Place
from tests.faults.campaign.places import Annotate, Build, LargeReport, Push, Report, ScaledBuild
from tests.faults.campaign.zygote import Zygote

PLACES: tuple[type[Place], ...] = (
    Build, ScaledBuild, Push, Evaluate, Report, LargeReport, Variants, Annotate,
)  # fmt: skip
FAULTS = ("kill", "http", "disk", "race", "clock")


def campaign(
    seed: int, count: int, places: Collection[str], faults: Collection[str], say: Callable[[str], None]
) -> Iterator[Trial]:
    """Yield all trials.

    Args:
        seed: of all that is drawn; a place draws the same whatever other places are tried.
        count: how often each place is killed.
        places: their names; all if none.
        faults: kinds; all if none.
        say: shows a line.
    """
    with tempfile.TemporaryDirectory(prefix="polbias-faults-") as name, ExitStack() as opened:
        folder = Path(name)
        zygote = opened.enter_context(Zygote())
        mounts = disk.can_mount(folder / "disk")
        if not mounts and (not faults or "disk" in faults):
            say("no full disks: mounting one needs the rights of root")
        for number, kind in enumerate(PLACES):
            if places and kind.name not in places:
                continue
            place = kind(folder / kind.name.replace(" ", "-"), zygote)
            try:
                place.prepare()
                say(
                    f"{place.name}: {place.seconds:.2f} s, {place.changes} changes, {len(place.lines)} requests"
                )
                for fault in faults or FAULTS:
                    rng = np.random.default_rng([seed, number, FAULTS.index(fault)])
                    yield from _trials(place, fault, count, rng, mounts)
            finally:
                place.close()


def _trials(
    place: Place,
    fault: str,
    count: int,
    rng: np.random.Generator,
    mounts: bool,
) -> Iterator[Trial]:
    few = max(2, count // 8)
    if fault == "kill":
        yield from kills.kills(place, count, rng)
    elif fault == "http" and place.meter:
        yield from http.failures(place, http.chosen(place, rng))
    elif fault == "disk" and place.written:
        yield from disk.short_files(place, few, rng)
        if mounts:
            yield from disk.full_disks(place, few, rng)
        if mounts or os.geteuid():
            yield from disk.sealed(place)
    elif fault == "race":
        yield from races.races(place, few, rng)
    elif fault == "clock":
        yield from clocks.jumps(place, 2, rng)
