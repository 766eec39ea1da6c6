"""Run of a build: its dataset, its shards, and the files that identify it."""

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

# Shards of a dataset, by table.


@dataclass(frozen=True)
class PlannedShard:
    """Shard of a table.

    Attributes:
        table: index of the table in the dataset.
        rank: index of the shard in its table.
        world_size: number of shards of the table.
        path: path of the shard below the dataset's folder.
        rows: number of rows.
    """

    table: int
    rank: int
    world_size: int
    path: str
    rows: int


def plan_shards(spec: DatasetSpec, shards: int | None = None) -> tuple[PlannedShard, ...]:
    """Split a dataset into shards.

    Every table gets the fewest shards for its rows; further shards go to the table with the largest shards.
    """
    n_rows = [len(TableRows(table)) for table in spec.tables]
    n_shards = [max(1, -(-n // MAX_SHARD_ROWS)) for n in n_rows]
    n_blocks = [max(1, -(-n // BLOCK_ROWS)) for n in n_rows]
    min_shards, max_shards = sum(n_shards), sum(n_blocks)
    if not min_shards <= (shards or min_shards) <= max_shards:
        raise BuildError(
            f"--shards: found {shards:,}; {sum(n_rows):,} rows in {len(n_rows)} tables make "
            f"{min_shards:,} to {max_shards:,} shards of {BLOCK_ROWS:,} to {MAX_SHARD_ROWS:,} rows"
        )
    for _ in range((shards or min_shards) - min_shards):
        n_shards[max(range(len(n_rows)), key=lambda table: n_blocks[table] / n_shards[table])] += 1
    slices = []
    for index, (table, total, world_size) in enumerate(zip(spec.tables, n_rows, n_shards, strict=True)):
        for rank in range(world_size):
            start, stop = shard_range(total, rank, world_size)
            slices.append(
                PlannedShard(index, rank, world_size, shard_path(table, rank, world_size), stop - start)
            )
    return tuple(slices)


def require_scalable(name: str) -> Publication:
    """Return the publication of a dataset of any size; raise for a dataset of fixed size."""
    publication = registry.publication(name)
    if publication.max_rows is None:
        names = [
            candidate for candidate in registry.dataset_names() if registry.publication(candidate).max_rows
        ]
        raise PolbiasError(
            f"{name} has a fixed size; build it with `polbias build {name}` without the options for scale "
            f"(datasets of any size: {', '.join(names)})"
        )
    return publication


# A run and its files, from which it is resumed and which workers read.

FOLDER = ".run"
_RUN = f"{FOLDER}/run.json"
_SOURCES = "made from"
_SAMPLE_ROWS = 4096


@dataclass(frozen=True)
class ScaledRun:
    """Build of a dataset in shards.

    Attributes:
        url: folder or address of the dataset.
        spec: specification of the dataset.
        slices: shards of the dataset.
        identity: contents of ``.run/run.json``, which differ between runs.
    """

    url: str
    spec: DatasetSpec
    slices: tuple[PlannedShard, ...]
    identity: Mapping[str, Any]

    @property
    def storage(self) -> Storage:
        """Storage of the dataset."""
        return Storage(self.url)

    @property
    def run_hash(self) -> str:
        """Hash of the identity, 16 hexadecimal digits."""
        return hashlib.sha256(json.dumps(self.identity).encode()).hexdigest()[:16]

    @property
    def rows(self) -> int:
        """Number of rows of all shards."""
        return sum(shard.rows for shard in self.slices)

    def size(self) -> int:
        """Estimate the bytes of all shards from the first rows of each table."""
        total = 0.0
        for shard in self.slices:
            if not shard.rank:
                table = self.spec.tables[shard.table]
                rows, buffer = TableRows(table), io.BytesIO()
                count = min(_SAMPLE_ROWS, shard.rows)
                with pq.ParquetWriter(buffer, rows.stored_schema, **parquet_options(table)) as writer:
                    writer.write_batch(rows.batch(0, count, stored=True))
                total += buffer.tell() * len(rows) / max(1, count)
        return math.ceil(total)


def plan_run(
    out: str,
    spec: DatasetSpec,
    rows: int | None = None,
    unpublished: bool = False,
    shards: int | None = None,
) -> ScaledRun:
    """Return the run of a dataset with its shards; no file is written."""
    slices = plan_shards(spec, shards)
    identity: dict[str, Any] = {
        "version": spec.version,
        "rows": rows,
        "unpublished": unpublished,
        "writer": _writer(),
    }
    for index, table in enumerate(spec.tables):
        shard_rows = [shard.rows for shard in slices if shard.table == index]
        identity[f"{table.config}/{table.split}"] = f"{sum(shard_rows):,} rows in {len(shard_rows)} shards"
    return ScaledRun(
        f"{out.rstrip('/')}/{spec.name}", spec, slices, identity | {_SOURCES: _hash_sources(spec)}
    )


def open_run(run: ScaledRun) -> None:
    """Write the files of a run, or check that existing ones match; raise if the folder has another run."""
    storage = run.storage
    content = storage.read(_RUN)
    if content is None and storage.read(MANIFEST) is not None:
        raise BuildError(f"{storage.url}: found another build; remove it or use another --output")
    if content is None:
        metadata = {"slices": [asdict(shard) for shard in run.slices], "asked": run.identity}
        storage.write(_spec_path(run.run_hash), write_spec(run.spec, metadata))
        storage.write(_RUN, json.dumps(run.identity, indent=1).encode())
    elif difference := _difference(content, run.identity):
        raise BuildError(
            f"{storage.url}: found another run ({difference}); use the same options to "
            "resume it, remove it, or use another --output"
        )


@lru_cache(maxsize=2)
def load_run(url: str, run_hash: str) -> ScaledRun:
    """Load a run in a worker; cached per process."""
    path = _spec_path(run_hash)
    content = Storage(url).read(path)
    if content is None:
        raise BuildError(f"{url}: no run found (no {path}); all workers need access to the same folder")
    try:
        spec, metadata = read_spec(content)
        run = ScaledRun(
            url, spec, tuple(PlannedShard(**shard) for shard in metadata["slices"]), metadata["asked"]
        )
        is_other_run = run.run_hash != run_hash
    except (ValueError, TypeError, LookupError) as error:
        raise BuildError(f"{url}/{path}: not readable ({error}); remove {FOLDER} and run again") from None
    if is_other_run:
        raise BuildError(f"{url}/{path}: found another run; remove {FOLDER} and run again")
    if run.identity[_SOURCES] != _hash_sources(run.spec):
        raise BuildError(
            f"{url}: was started with {run.identity['writer']} and another version of polbias than this "
            f"machine's ({_writer()}); use one environment on all machines"
        )
    return run


def _spec_path(run_hash: str) -> str:
    return f"{FOLDER}/{run_hash}.arrow"


def _writer() -> str:
    return f"pyarrow {pa.__version__}"


def _hash_sources(spec: DatasetSpec) -> str:
    return hashlib.sha256("".join(map(fingerprint, spec.tables)).encode()).hexdigest()


def _difference(content: bytes, identity: Mapping[str, Any]) -> str | None:
    try:
        existing = dict(json.loads(content))
    except ValueError:
        return f"{_RUN} is not readable"
    for key in [*identity, *existing]:
        if existing.get(key) != identity.get(key):
            if key == _SOURCES:
                return "the templates or polbias have changed since"
            return f"{key}: {existing.get(key)} there, {identity.get(key)} here"
    return None
