"""Build shards of a run, and check that shards are complete by their records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq
from pydantic import ValidationError

from polbias.errors import BuildError
from polbias.generators.engine import run_shard
from polbias.manifest import FileEntry
from polbias.scaling.run import FOLDER, ScaledRun, load_run
from polbias.scaling.storage import Storage

_THREADS = 8  # hashing and network reads release Python's lock
_PROOF = "proof"


class ShardRecord(FileEntry):
    """Record of a complete shard, written after its file.

    Attributes:
        leaves: content hash of every block of rows.
        proofs: counts of the values in the column ``proof``; empty without this column.
    """

    leaves: tuple[str, ...]
    proofs: Mapping[str, int]


def _record_path(number: int) -> str:
    return f"{FOLDER}/shards/{number:06d}.json"


def recorded_shards(run: ScaledRun) -> set[int]:
    """Return the shards with a record; their files are not checked."""
    present = run.storage.sizes()
    return {number for number in range(len(run.slices)) if _record_path(number) in present}


def remove_records(run: ScaledRun, numbers: Iterable[int]) -> None:
    """Remove the records of shards to build."""
    for number in recorded_shards(run).intersection(numbers):
        run.storage.remove(_record_path(number))


def read_intact(run: ScaledRun, numbers: Iterable[int], check_hashes: bool = True) -> dict[int, ShardRecord]:
    """Return the records of the shards whose files match them in size and, if `check_hashes`, SHA-256."""
    storage = run.storage
    sizes = storage.sizes()

    def check(number: int) -> ShardRecord | None:
        shard = run.slices[number]
        if shard.path not in sizes or _record_path(number) not in sizes:
            return None
        try:
            record = ShardRecord.model_validate_json(storage.read(_record_path(number)) or b"")
        except ValidationError:
            return None
        is_unchanged = (record.path, record.rows, record.size) == (shard.path, shard.rows, sizes[shard.path])
        return (
            record
            if is_unchanged and (not check_hashes or storage.sha256(shard.path) == record.sha256)
            else None
        )

    numbers = list(numbers)
    with ThreadPoolExecutor(_THREADS) as pool:
        records = zip(numbers, pool.map(check, numbers), strict=True)
        return {number: record for number, record in records if record}


def read_first_error(run: ScaledRun, numbers: Iterable[int]) -> str | None:
    """Return the error that a worker recorded for the first of these shards, or None."""
    recorded = recorded_shards(run).intersection(numbers)
    return (
        (run.storage.read(_record_path(min(recorded))) or b"").decode("utf-8", "replace")
        if recorded
        else None
    )


def build_shard(run: ScaledRun, number: int) -> None:
    """Build a shard, store it, and then write its record."""
    shard, storage = run.slices[number], run.storage
    with storage.workspace(shard.path) as folder:
        shard_file = run_shard(
            run.spec.tables[shard.table], shard.rank, shard.world_size, folder, leaves=True
        )
        proofs = _count_proofs(shard_file.path)
    record = ShardRecord(
        path=shard.path,
        rows=shard_file.rows,
        size=shard_file.size,
        sha256=shard_file.sha256,
        leaves=shard_file.leaves,
        proofs=proofs,
    )
    storage.write(_record_path(number), record.model_dump_json().encode())


def build_shard_or_record_error(url: str, run_hash: str, number: int) -> None:
    """Build a shard; write a `BuildError` into the file of its record instead of raising it.

    Errors of a worker on another machine may not reach the user.
    """
    try:
        build_shard(load_run(url, run_hash), number)
    except BuildError as error:
        Storage(url).write(_record_path(number), str(error).encode())


def _count_proofs(path: Path) -> dict[str, int]:
    """Count the values in the column ``proof`` of a shard."""
    if _PROOF not in pq.read_schema(path).names:
        return {}
    counts = pq.read_table(path, columns=[_PROOF])[_PROOF].value_counts().to_pylist()
    return dict(sorted((str(entry["values"]), entry["counts"]) for entry in counts))
