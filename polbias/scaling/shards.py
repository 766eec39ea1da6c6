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


def _record(number: int) -> str:
    return f"{FOLDER}/shards/{number:06d}.json"


def recorded_shards(run: ScaledRun) -> set[int]:
    """Return the shards that have a record; their files are not looked at."""
    present = run.where.sizes()
    return {number for number in range(len(run.slices)) if _record(number) in present}


def forget(run: ScaledRun, numbers: Iterable[int]) -> None:
    """Remove the records of shards that are to be made."""
    for number in recorded_shards(run).intersection(numbers):
        run.where.remove(_record(number))


def intact(run: ScaledRun, numbers: Iterable[int], hashed: bool = True) -> dict[int, ShardRecord]:
    """Return the records of the shards that are there as their records say."""
    where = run.where
    sizes = where.sizes()

    def check(number: int) -> ShardRecord | None:
        each = run.slices[number]
        if each.path not in sizes or _record(number) not in sizes:
            return None
        try:
            found = ShardRecord.model_validate_json(where.read(_record(number)) or b"")
        except ValidationError:
            return None
        same = (found.path, found.rows, found.size) == (each.path, each.rows, sizes[each.path])
        return found if same and (not hashed or where.sha256(each.path) == found.sha256) else None

    numbers = list(numbers)
    with ThreadPoolExecutor(_THREADS) as pool:
        checked = zip(numbers, pool.map(check, numbers), strict=True)
        return {number: record for number, record in checked if record}


def problem(run: ScaledRun, numbers: Iterable[int]) -> str | None:
    """Return why the first of these shards was not made, if its worker could say so."""
    found = recorded_shards(run).intersection(numbers)
    return (run.where.read(_record(min(found))) or b"").decode("utf-8", "replace") if found else None


def make(run: ScaledRun, number: int) -> None:
    """Make a shard, put it in its place, and then its record."""
    each, where = run.slices[number], run.where
    with where.workspace(each.path) as folder:
        shard = run_shard(run.spec.tables[each.table], each.rank, each.world_size, folder, leaves=True)
        proofs = _proofs(shard.path)
    record = ShardRecord(
        path=each.path,
        rows=shard.rows,
        size=shard.size,
        sha256=shard.sha256,
        leaves=shard.leaves,
        proofs=proofs,
    )
    where.write(_record(number), record.model_dump_json().encode())


def make_or_record_error(url: str, mark: str, number: int) -> None:
    """Make a shard; a problem that a user can mend is put in the place of its record instead of raised.

    A worker may run where nobody sees its errors.
    """
    try:
        make(load_run(url, mark), number)
    except BuildError as error:
        Storage(url).write(_record(number), str(error).encode())


def _proofs(path: Path) -> dict[str, int]:
    """Count how the gold labels of a shard are known."""
    if _PROOF not in pq.read_schema(path).names:
        return {}
    counts = pq.read_table(path, columns=[_PROOF])[_PROOF].value_counts().to_pylist()
    return dict(sorted((str(found["values"]), found["counts"]) for found in counts))
