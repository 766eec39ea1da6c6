"""What a build will take: rows, shards, bytes, time and cost."""

from __future__ import annotations

import heapq
import io
import math
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from polbias import registry
from polbias.files import package_file
from polbias.generators.engine import Rows, TableSpec
from polbias.generators.engine.files import parquet_options
from polbias.generators.engine.spec import shares
from polbias.manifest import content_hash
from polbias.scaling.run import Run, Size, Slice, TableRows, scalable
from polbias.scaling.storage import LocalPlace
from polbias.template_files import Entry, Text, Version, load_template

# How fast a table is made and how large it is, measured on a few thousand of its rows.

_FIRST, _ROWS = 1024, 4096


@dataclass(frozen=True)
class Calibration:
    """What was measured of a table.

    Attributes:
        row_seconds: of a core, to make, hash and write a row.
        hash_seconds: of these, to hash its content.
        shard_seconds: to begin a shard.
        row_bytes: of a row in a Parquet file.
        shard_bytes: of a Parquet file beside its rows.
    """

    row_seconds: float
    hash_seconds: float
    shard_seconds: float
    row_bytes: float
    shard_bytes: float


def calibrate(table: TableSpec) -> Calibration:
    """Measure a table on rows from its middle.

    A first, smaller batch loads what is loaded once; the difference in bytes of the two is that of rows
    alone.
    """
    seconds, rows = _timed(lambda: Rows(table))
    count = min(_ROWS, len(rows))
    first = min(_FIRST, max(1, count // 4))
    small = _written(rows.batch(0, first), table)
    start = (len(rows) - count) // 2
    making, batch = _timed(lambda: rows.batch(start, start + count))
    writing, size = _timed(lambda: _written(batch, table))
    hashing, _ = _timed(lambda: content_hash([batch], rows.schema))
    row_bytes = (size - small) / (count - first) if count > first else size / count
    return Calibration(
        row_seconds=(making + writing + hashing) / count,
        hash_seconds=hashing / count,
        shard_seconds=seconds,
        row_bytes=row_bytes,
        shard_bytes=max(0.0, size - count * row_bytes),
    )


def _written(batch: Any, table: TableSpec) -> int:
    """Return the bytes of a Parquet file with a batch."""
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, batch.schema, **parquet_options(table)) as writer:
        writer.write_batch(batch)
    return sink.tell()


def _timed(action: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()  # of this process alone, whatever else the machine does
    result = action()
    return time.process_time() - began, result


# What a build will take: rows, shards, bytes, time and cost, without building it.


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
    """Read the shipped profiles."""
    return load_template(package_file("templates/scale/executors.yaml"), Profiles)


def plan(run: Run, executor: str, workers: int) -> Plan:
    """Estimate a build from a measurement of its own tables."""
    measured = [calibrate(table) for table in run.spec.tables]
    return estimate(run.slices, measured, executor, workers, not isinstance(run.where, LocalPlace))


def estimate(
    slices: Sequence[Slice], measured: Sequence[Calibration], executor: str, workers: int, remote: bool
) -> Plan:
    """Estimate a build from measurements of its tables."""
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


# The shipped calibration: how fast the tables of large datasets are made, measured once, for plans at once.
# A specification proves every gold label, which takes seconds; a plan needs only how many rows there are and
# what one of them costs. ``python -m polbias.scaling.plan`` measures anew and writes the file.

_FILE = "templates/scale/calibration.yaml"
_SPLIT = "test"
_HEADER = """\
# How fast the tables of large datasets are made and how large they are, for `polbias build --plan`.
# Written by `python -m polbias.scaling.plan`; a test compares rows and sizes with the templates.
"""


class Measured(Entry):
    """One config.

    Attributes:
        default: rows that are built if none are asked for.
        most: rows that can be drawn.
        row_seconds: as in `Calibration`, and so are the others.
    """

    default: int
    most: int
    row_seconds: float
    hash_seconds: float
    shard_seconds: float
    row_bytes: float
    shard_bytes: float

    @property
    def calibration(self) -> Calibration:
        """What was measured."""
        return Calibration(**self.model_dump(exclude={"default", "most"}))


class Stored(Entry):
    """One dataset.

    Attributes:
        version: of the data.
        pair: rows that are always drawn together.
        tables: config to what was measured.
        fresh: the same for fresh rows; empty where there are none.
    """

    version: Version
    pair: int
    tables: Mapping[str, Measured]
    fresh: Mapping[str, Measured]


class StoredFile(Entry):
    """The file.

    Attributes:
        conditions: of the measurement.
        datasets: by name.
    """

    conditions: Text
    datasets: Mapping[str, Stored]


def load_stored() -> StoredFile:
    """Read the shipped calibration."""
    return load_template(package_file(_FILE), StoredFile)


def tables(stored: Stored, size: Size) -> tuple[list[TableRows], list[Calibration]]:
    """Return the tables of a build with what was measured of each."""
    chosen = stored.fresh if size.fresh else stored.tables
    rows = [each.default for each in chosen.values()]
    if size.rows is not None:
        rows = shares(size.rows, [each.most for each in chosen.values()], stored.pair)
    made = [TableRows(name, _SPLIT, count) for name, count in zip(chosen, rows, strict=True)]
    return made, [each.calibration for each in chosen.values()]


def measure(name: str) -> Stored:
    """Measure the tables of a dataset."""
    publication = scalable(name)
    found: dict[bool, dict[str, Measured]] = {False: {}, True: {}}
    version = ""
    for fresh, own in found.items():
        most = publication.most(fresh=fresh) if publication.most else {}
        if not most:
            continue
        spec = publication.specify(fresh=fresh)
        version = spec.version
        for table in spec.tables:
            own[table.config] = Measured(
                default=TableRows.of(table).rows, most=most[table.config], **asdict(calibrate(table))
            )
    return Stored(version=version, pair=publication.pair, tables=found[False], fresh=found[True])


def main() -> None:
    """Measure all datasets that come in any size, and write the file."""
    names = [name for name in registry.names() if name.endswith("-xl")]
    system = f"{platform.machine()}, Python {platform.python_version()}, one core"
    datasets = {name: measure(name).model_dump(mode="json") for name in names}
    text = yaml.safe_dump({"conditions": system, "datasets": datasets}, sort_keys=False)
    Path(package_file(_FILE)).write_text(_HEADER + text, "utf-8")


if __name__ == "__main__":
    main()
