"""What a build will take: rows, shards, bytes, time and cost, without building it."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polbias.generators.engine.entries import Entry, Text
from polbias.locations import package_file
from polbias.scaling.calibration import Calibration, calibrate
from polbias.scaling.places import LocalPlace
from polbias.scaling.run import Run
from polbias.scaling.slices import Slice
from polbias.template_files import load_template


class Profile(Entry):
    """What an executor adds to the making of rows.

    Attributes:
        startup: seconds until a worker makes its first shard.
        shard: seconds for every shard beside its rows: begin a task, write the marker, log.
        slowdown: time of a row in a full shard, as a multiple of that in the measurement of a few thousand.
        source: how these were measured.
    """

    startup: float
    shard: float
    slowdown: float
    source: Text


class Profiles(Entry):
    """The file of what is not measured when a plan is made.

    Attributes:
        upload: bytes a second to an address, for one worker.
        upload_source: where that is from.
        executors: by name.
    """

    upload: float
    upload_source: Text
    executors: Mapping[str, Profile]


@dataclass(frozen=True)
class Plan:
    """What a build will take.

    Attributes:
        rows: in all.
        shards: in all.
        size: bytes of all shards.
        rate: rows a second that one worker makes, start-up apart.
        making: seconds until the last shard is there.
        merging: seconds from then to the manifest.
        worker_hours: that workers are busy or starting.
        profile: of the executor.
    """

    rows: int
    shards: int
    size: int
    rate: float
    making: float
    merging: float
    worker_hours: float
    profile: Profile

    def cost(self, price: float) -> float:
        """Return what the workers cost at a price for an hour of one of them."""
        return self.worker_hours * price


def load_profiles() -> Profiles:
    """Read the shipped profiles.

    Raises:
        TemplateError: if the file is unusable.
    """
    return load_template(package_file("templates/scale/executors.yaml"), Profiles)


def plan(run: Run, executor: str, workers: int) -> Plan:
    """Estimate a build from a measurement of its own tables.

    Args:
        run: what would be built.
        executor: its name.
        workers: how many shards are made at a time, if there are as many cores.
    """
    measured = [calibrate(table) for table in run.spec.tables]
    return estimate(run.slices, measured, executor, workers, not isinstance(run.where, LocalPlace))


def estimate(
    slices: Sequence[Slice], measured: Sequence[Calibration], executor: str, workers: int, remote: bool
) -> Plan:
    """Estimate a build from measurements of its tables.

    Args:
        slices: the shards.
        measured: by table.
        executor: its name.
        workers: how many shards are made at a time, if there are as many cores.
        remote: whether shards are uploaded.
    """
    profiles = load_profiles()
    profile = profiles.executors[executor]
    sizes = [each.rows * measured[each.table].row_bytes + measured[each.table].shard_bytes for each in slices]
    seconds = [
        each.rows * measured[each.table].row_seconds * profile.slowdown
        + measured[each.table].shard_seconds
        + profile.shard
        + (size / profiles.upload if remote else 0)
        for each, size in zip(slices, sizes, strict=True)
    ]
    busy = min(workers, len(slices))
    rows = sum(each.rows for each in slices)
    # The seconds of hashing the content of tables of several shards, one row after the other.
    total = 0.0
    for index, table in enumerate(measured):
        own = [each.rows for each in slices if each.table == index]
        total += sum(own) * table.hash_seconds if len(own) > 1 else 0
    return Plan(
        rows=rows,
        shards=len(slices),
        size=math.ceil(sum(sizes)),
        rate=rows / sum(seconds),
        making=profile.startup + _longest(seconds, busy),
        merging=total,
        worker_hours=(sum(seconds) + busy * profile.startup) / 3600,
        profile=profile,
    )


def _longest(seconds: Sequence[float], workers: int) -> float:
    """Return when the last shard is there if each worker takes the next one as soon as it is free."""
    free = [0.0] * workers
    for each in seconds:
        heapq.heapreplace(free, free[0] + each)
    return max(free)
