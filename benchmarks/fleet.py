"""A fleet of workers that makes 10^9 rows, simulated: ``python -m benchmarks.fleet [--inputs FILE]``.

Events are: a worker has started, has made a shard, has uploaded it. Workers take the next shard as soon as
they are free, as datatrove's executors let them; uploads share the store's bandwidth. The inputs are in
``fleet.yaml``.
"""

from __future__ import annotations

import argparse
import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from polbias.generators.engine.entries import Entry, Text
from polbias.generators.engine.templates import load_template

Floats = npt.NDArray[np.float64]
WORKERS = (1, 16, 256)
INPUTS = Path(__file__).with_name("fleet.yaml")
_SEED, _ROUNDS = 1_000_000_000, 25


class Inputs(Entry):
    """The file of inputs; each ``_source`` says where those before it are from.

    Attributes:
        rows: in all.
        shard_rows: rows of a shard.
        row_seconds: of one core, to make, hash and write a row.
        hash_seconds: to read a row back and hash it when shards are merged, by one process.
        row_bytes: of a row in a file.
        shard_seconds: for every shard beside its rows.
        startup_seconds: median time until a worker takes its first shard.
        startup_sigma: of the logarithm of that time.
        straggler_sigma: of the logarithm of the time of a shard, whose mean is kept.
        worker_bandwidth: bytes a second that a worker uploads at most.
        store_bandwidth: bytes a second that the store takes from all.
        hub_bandwidth: bytes a second from the one machine that uploads a finished set to the Hub.
        hub_files_per_commit: files of a commit.
        hub_commit_seconds: the Hub's time for a commit.
    """

    rows: int
    shard_rows: int
    row_seconds: float
    row_seconds_source: Text
    hash_seconds: float
    hash_seconds_source: Text
    row_bytes: float
    row_bytes_source: Text
    shard_seconds: float
    shard_seconds_source: Text
    startup_seconds: float
    startup_seconds_source: Text
    startup_sigma: float
    straggler_sigma: float
    straggler_source: Text
    worker_bandwidth: float
    store_bandwidth: float
    bandwidth_source: Text
    hub_bandwidth: float
    hub_files_per_commit: int
    hub_commit_seconds: float
    hub_source: Text


@dataclass(frozen=True)
class Schedule:
    """Who did what when, in seconds.

    Attributes:
        worker: that made each shard, shape (shards,).
        made: when each was made, shape (shards,).
        ends: when each was in the store, shape (shards,).
    """

    worker: npt.NDArray[np.int64]
    made: Floats
    ends: Floats


@dataclass(frozen=True)
class Outcome:
    """What a fleet takes, in seconds; medians of several rounds.

    Attributes:
        workers: how many.
        making: until the last shard is in the store.
        efficiency: making of rows alone, as a share of the time of all workers.
        uploading: mean share of a worker's time that its uploads take.
        tail: from when the first worker finds no shard left to the last shard.
        merging: hashing all rows as tables, by one process.
        hub: uploading from one machine.
    """

    workers: int
    making: float
    efficiency: float
    uploading: float
    tail: float
    merging: float
    hub: float

    @property
    def makespan(self) -> float:
        """Seconds until the set is in the store, merged."""
        return self.making + self.merging

    @property
    def bottleneck(self) -> str:
        """The longest of making, merging and uploading to the Hub."""
        parts = {"making": self.making, "merging": self.merging, "Hub": self.hub}
        return max(parts, key=lambda part: parts[part])


def schedule(starts: Floats, work: Floats, sizes: Floats, own: float, shared: float) -> Schedule:
    """Let workers make shards in order and upload them.

    Args:
        starts: when each worker is there, shape (workers,).
        work: seconds to make each shard, shape (shards,).
        sizes: bytes to upload of each, shape (shards,); 0 where the place is a shared folder.
        own: bytes a second of a worker at most; finite.
        shared: bytes a second of all at most, divided evenly among those who upload.
    """
    count = len(work)
    worker, made, ends = np.zeros(count, np.int64), np.zeros(count), np.zeros(count)
    waiting = iter(range(count))
    # A worker who has started is one who has made no shard: number -1.
    making = [(float(start), who, -1) for who, start in enumerate(starts)]
    heapq.heapify(making)
    uploads: dict[int, float] = {}
    now = 0.0

    def take(who: int) -> None:
        shard = next(waiting, None)
        if shard is not None:
            worker[shard] = who
            heapq.heappush(making, (now + float(work[shard]), who, shard))

    while making or uploads:
        rate = min(own, shared / max(1, len(uploads)))
        first = min(uploads, key=lambda shard: uploads[shard]) if uploads else -1
        done = now + uploads[first] / rate if uploads else math.inf
        then = min(done, making[0][0] if making else math.inf)
        uploads = {shard: left - rate * (then - now) for shard, left in uploads.items()}
        now = then
        if done <= now and uploads:
            del uploads[first]
            ends[first] = now
            take(int(worker[first]))
        else:
            _, who, shard = heapq.heappop(making)
            if shard < 0:
                take(who)
            else:
                made[shard], uploads[shard] = now, float(sizes[shard])
    return Schedule(worker, made, ends)


def simulate(inputs: Inputs, workers: int, rounds: int = _ROUNDS) -> Outcome:
    """Simulate a fleet several times.

    Args:
        inputs: what is known.
        workers: how many.
        rounds: how often, each with its own seed.
    """
    shards = -(-inputs.rows // inputs.shard_rows)
    rows = np.diff(np.arange(shards + 1) * inputs.rows // shards).astype(float)
    sizes = rows * inputs.row_bytes
    rounded = []
    for seed in np.random.SeedSequence([_SEED, workers]).spawn(rounds):
        random = np.random.default_rng(seed)
        starts = inputs.startup_seconds * random.lognormal(0, inputs.startup_sigma, workers)
        sigma = inputs.straggler_sigma
        stragglers = random.lognormal(-(sigma**2) / 2, sigma, shards)  # of mean 1
        work = (rows * inputs.row_seconds + inputs.shard_seconds) * stragglers
        done = schedule(starts, work, sizes, inputs.worker_bandwidth, inputs.store_bandwidth)
        last = done.ends.max()
        # A worker that starts when no shard is left is free from then on.
        final = np.array([done.ends[done.worker == who].max(initial=starts[who]) for who in range(workers)])
        rounded.append(
            (
                last,
                inputs.rows * inputs.row_seconds / (workers * last),
                (done.ends - done.made).sum() / (workers * last),
                max(0.0, last - final.min()),
            )
        )
    making, efficiency, uploading, tail = np.median(rounded, axis=0)
    commits = -(-shards // inputs.hub_files_per_commit)
    size = float(sizes.sum())
    return Outcome(
        workers,
        float(making),
        float(efficiency),
        float(uploading),
        float(tail),
        merging=inputs.rows * inputs.hash_seconds + size / inputs.worker_bandwidth,
        hub=size / inputs.hub_bandwidth + commits * inputs.hub_commit_seconds,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate and print.

    Args:
        arguments: of the command line; by default those of the process.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fleet", description=__doc__)
    parser.add_argument("--inputs", type=Path, default=INPUTS, metavar="FILE")
    parser.add_argument("--workers", type=int, action="append", metavar="N", help="may be given again")
    options = parser.parse_args(arguments)
    inputs = load_template(options.inputs, Inputs)
    size = inputs.rows * inputs.row_bytes / 1e9
    title = f"{inputs.rows:,} rows, {-(-inputs.rows // inputs.shard_rows):,} shards, {size:,.0f} GB"
    table = Table(title=title, title_justify="left")
    for column in (
        "workers",
        "making",
        "efficiency",
        "uploading",
        "tail",
        "merging",
        "makespan",
        "to the Hub",
    ):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("bottleneck", no_wrap=True)
    for workers in options.workers or WORKERS:
        found = simulate(inputs, workers)
        table.add_row(
            f"{workers:,}",
            _time(found.making),
            f"{100 * found.efficiency:.0f} %",
            f"{100 * found.uploading:.0f} %",
            _time(found.tail),
            _time(found.merging),
            _time(found.makespan),
            _time(found.hub),
            found.bottleneck,
        )
    console = Console()
    if not console.is_terminal:
        console.width = 120
    console.print(table)


def _time(seconds: float) -> str:
    return f"{seconds / 3600:.2f} h" if seconds >= 3600 else f"{seconds / 60:.1f} min"


if __name__ == "__main__":
    main()
