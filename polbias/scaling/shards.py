"""One shard of a run, and the record of what it is, by which it is known to be whole."""

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

_THREADS = 8  # hashing and reading from a network both wait without Python's lock
_PROOF = "proof"


class ShardRecord(FileEntry):
    """A shard, as written after it: a file, and what is known of its rows.

    Attributes:
        leaves: hash of the logical content of every block of its rows.
        proofs: how often each value of the column ``proof`` stands in it; empty without that column.
    """

    leaves: tuple[str, ...]
    proofs: Mapping[str, int]


def _record_path(number: int) -> str:
    return f"{FOLDER}/shards/{number:06d}.json"


def recorded_shards(run: ScaledRun) -> set[int]:
    """Return the shards that have a record; their files are not looked at."""
    present = run.storage.sizes()
    return {number for number in range(len(run.slices)) if _record_path(number) in present}


def remove_records(run: ScaledRun, numbers: Iterable[int]) -> None:
    """Remove the records of shards that are to be made."""
    for number in recorded_shards(run).intersection(numbers):
        run.storage.remove(_record_path(number))


def read_intact(run: ScaledRun, numbers: Iterable[int], check_hashes: bool = True) -> dict[int, ShardRecord]:
    """Return the records of the shards that are there as their records say."""
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
    """Return why the first of these shards was not made, if its worker could say so."""
    recorded = recorded_shards(run).intersection(numbers)
    return (
        (run.storage.read(_record_path(min(recorded))) or b"").decode("utf-8", "replace")
        if recorded
        else None
    )


def build_shard(run: ScaledRun, number: int) -> None:
    """Make a shard, put it in its place, and then its record."""
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
    """Make a shard; a problem that a user can mend is put in the place of its record instead of raised.

    A worker may run where nobody sees its errors.
    """
    try:
        build_shard(load_run(url, run_hash), number)
    except BuildError as error:
        Storage(url).write(_record_path(number), str(error).encode())


def _count_proofs(path: Path) -> dict[str, int]:
    """Count how the gold labels of a shard are known."""
    if _PROOF not in pq.read_schema(path).names:
        return {}
    counts = pq.read_table(path, columns=[_PROOF])[_PROOF].value_counts().to_pylist()
    return dict(sorted((str(entry["values"]), entry["counts"]) for entry in counts))
