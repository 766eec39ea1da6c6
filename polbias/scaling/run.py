"""What a run builds, cut into shards, and written down where it is built."""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from polbias import registry
from polbias.content_hash import BLOCK_ROWS
from polbias.errors import BuildError, PolbiasError
from polbias.generators.engine import DatasetSpec, TableRows
from polbias.generators.engine.build import fingerprint
from polbias.generators.engine.files import MAX_SHARD_ROWS, parquet_options, shard_path, shard_range
from polbias.generators.engine.publication import Publication
from polbias.manifest import MANIFEST
from polbias.scaling.spec_file import read_spec, write_spec
from polbias.scaling.storage import Storage

# A dataset cut into shards: which tables have how many, and their order.


@dataclass(frozen=True)
class PlannedShard:
    """One shard to be made.

    Attributes:
        table: index of the table in the dataset.
        rank: of the shard in its table.
        world_size: shards of the table.
        path: of the shard below the dataset's folder.
        rows: number of rows.
    """

    table: int
    rank: int
    world_size: int
    path: str
    rows: int


def plan_shards(spec: DatasetSpec, shards: int | None = None) -> tuple[PlannedShard, ...]:
    """Cut a dataset into shards.

    Every table gets as many as its rows need, then those with the largest shards get one more in turn.
    """
    rows = [len(TableRows(table)) for table in spec.tables]
    counts = [max(1, -(-count // MAX_SHARD_ROWS)) for count in rows]
    blocks = [max(1, -(-count // BLOCK_ROWS)) for count in rows]
    least, most = sum(counts), sum(blocks)
    if not least <= (shards or least) <= most:
        raise BuildError(
            f"--shards: found {shards:,}; {sum(rows):,} rows in {len(rows)} tables make {least:,} to "
            f"{most:,} shards of {BLOCK_ROWS:,} to {MAX_SHARD_ROWS:,} rows"
        )
    for _ in range((shards or least) - least):
        counts[max(range(len(rows)), key=lambda table: blocks[table] / counts[table])] += 1
    slices = []
    for index, (table, total, world) in enumerate(zip(spec.tables, rows, counts, strict=True)):
        for rank in range(world):
            start, stop = shard_range(total, rank, world)
            slices.append(PlannedShard(index, rank, world, shard_path(table, rank, world), stop - start))
    return tuple(slices)


def require_scalable(name: str) -> Publication:
    """Return the publication of a dataset that comes in any size."""
    found = registry.publication(name)
    if found.max_rows is None:
        able = [other for other in registry.dataset_names() if registry.publication(other).max_rows]
        raise PolbiasError(
            f"{name} comes in one size; build it with `polbias build {name}` and no options of scale "
            f"(datasets of any size: {', '.join(able)})"
        )
    return found


# What a run builds, written down where it is built, so that it can be resumed and workers can read it.

FOLDER = ".run"
_RUN = f"{FOLDER}/run.json"
_MADE_FROM = "made from"
_SAMPLE = 4096


@dataclass(frozen=True)
class ScaledRun:
    """A dataset being built in a place.

    Attributes:
        url: the folder or address of the dataset.
        spec: the dataset.
        slices: its shards.
        asked: what tells it from other runs, as ``.run/run.json`` holds it.
    """

    url: str
    spec: DatasetSpec
    slices: tuple[PlannedShard, ...]
    identity: Mapping[str, Any]

    @property
    def where(self) -> Storage:
        """The place of the dataset."""
        return Storage(self.url)

    @property
    def mark(self) -> str:
        """A hash of what tells this run from others."""
        return hashlib.sha256(json.dumps(self.identity).encode()).hexdigest()[:16]

    @property
    def rows(self) -> int:
        """Number of rows of all shards."""
        return sum(each.rows for each in self.slices)

    def size(self) -> int:
        """Estimate the bytes of all shards from the first rows of one shard a table."""
        total = 0.0
        for each in self.slices:
            if not each.rank:
                table = self.spec.tables[each.table]
                rows, sink = TableRows(table), io.BytesIO()
                count = min(_SAMPLE, each.rows)
                with pq.ParquetWriter(sink, rows.stored_schema, **parquet_options(table)) as writer:
                    writer.write_batch(rows.batch(0, count, stored=True))
                total += sink.tell() * len(rows) / max(1, count)
        return math.ceil(total)


def plan_run(
    out: str,
    spec: DatasetSpec,
    rows: int | None = None,
    unpublished: bool = False,
    shards: int | None = None,
) -> ScaledRun:
    """Cut a dataset into shards; nothing is written."""
    slices = plan_shards(spec, shards)
    asked: dict[str, Any] = {
        "version": spec.version,
        "rows": rows,
        "unpublished": unpublished,
        "writer": _writer(),
    }
    for index, table in enumerate(spec.tables):
        own = [each.rows for each in slices if each.table == index]
        asked[f"{table.config}/{table.split}"] = f"{sum(own):,} rows in {len(own)} shards"
    return ScaledRun(f"{out.rstrip('/')}/{spec.name}", spec, slices, asked | {_MADE_FROM: _made_from(spec)})


def open_run(run: ScaledRun) -> None:
    """Write a run's files down, or find that they are there."""
    where = run.where
    found = where.read(_RUN)
    if found is None and where.read(MANIFEST) is not None:
        raise BuildError(f"{where.url}: holds another build; remove it or use another --output")
    if found is None:
        about = {"slices": [asdict(each) for each in run.slices], "asked": run.identity}
        where.write(_spec_file(run.mark), write_spec(run.spec, about))
        where.write(_RUN, json.dumps(run.identity, indent=1).encode())
    elif difference := _difference(found, run.identity):
        raise BuildError(
            f"{where.url}: holds another run ({difference}); give the same options to "
            "continue it, or remove it, or use another --output"
        )


@lru_cache(maxsize=2)
def load_run(url: str, mark: str) -> ScaledRun:
    """Read a run as a worker does; once in a process."""
    path = _spec_file(mark)
    content = Storage(url).read(path)
    if content is None:
        raise BuildError(f"{url}: no run found (no {path}); all workers must reach the same place")
    try:
        spec, about = read_spec(content)
        run = ScaledRun(url, spec, tuple(PlannedShard(**each) for each in about["slices"]), about["asked"])
        other = run.mark != mark
    except (ValueError, TypeError, LookupError) as error:
        raise BuildError(f"{url}/{path}: not readable ({error}); remove {FOLDER} and begin again") from None
    if other:
        raise BuildError(f"{url}/{path}: found another run there; remove {FOLDER} and begin again")
    if run.identity[_MADE_FROM] != _made_from(run.spec):
        raise BuildError(
            f"{url}: was begun with {run.identity['writer']} and another version of polbias than this "
            f"machine's ({_writer()}); use one environment on all machines"
        )
    return run


def _spec_file(mark: str) -> str:
    return f"{FOLDER}/{mark}.arrow"


def _writer() -> str:
    return f"pyarrow {pa.__version__}"


def _made_from(spec: DatasetSpec) -> str:
    return hashlib.sha256("".join(map(fingerprint, spec.tables)).encode()).hexdigest()


def _difference(found: bytes, asked: Mapping[str, Any]) -> str | None:
    try:
        other = dict(json.loads(found))
    except ValueError:
        return f"{_RUN} is not readable"
    for what in [*asked, *other]:
        if other.get(what) != asked.get(what):
            if what == _MADE_FROM:
                return "the templates or polbias itself have changed since"
            return f"{what}: {other.get(what)} there, {asked.get(what)} here"
    return None
