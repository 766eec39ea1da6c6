"""One shard of a run, and the marker that it is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict, ValidationError

from polbias.files import BuildError
from polbias.generators.engine import run_shard
from polbias.scaling.run import FOLDER, Slice, load_run
from polbias.scaling.storage import Place, place, sha256_of

# Completion markers: a small file per shard, written after it, that says what it is.

_DONE, _FAILED = f"{FOLDER}/done/", f"{FOLDER}/failed/"
_THREADS = 8  # hashing and reading from a network both wait without Python's lock


class Marker(BaseModel):
    """A complete shard.

    Attributes:
        path: below the dataset's folder.
        rows: in it.
        size: in bytes.
        sha256: of the file.
        content: hash of the logical content.
        proofs: how often each value of the column ``proof`` stands in it; empty without that column.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    path: str
    rows: int
    size: int
    sha256: str
    content: str
    proofs: Mapping[str, int]


def write_marker(where: Place, marker: Marker) -> None:
    """Say that a shard is complete."""
    where.write(_done(marker.path), (marker.model_dump_json() + "\n").encode())


def forget_marker(where: Place, each: Slice) -> None:
    """Take back that a shard is complete."""
    if where.read(_done(each.path)) is not None:
        where.remove(_done(each.path))


def write_fault(where: Place, path: str, problem: str) -> None:
    """Say why a shard was not made, to whom started the workers."""
    where.write(f"{_FAILED}{path}.txt", problem.encode())


def faults(where: Place) -> list[str]:
    """Return why shards were not made."""
    found = (where.read(path) for path in sorted(where.sizes()) if path.startswith(_FAILED))
    return [text.decode("utf-8", "replace") for text in found if text is not None]


def forget_faults(where: Place) -> None:
    """Remove what earlier attempts said."""
    for path in where.sizes():
        if path.startswith(_FAILED):
            where.remove(path)


def marked(where: Place, slices: Iterable[Slice]) -> list[Slice]:
    """Return the shards that have a marker; their files are not looked at."""
    present = where.sizes().keys()
    return [each for each in slices if _done(each.path) in present]


def intact(
    where: Place, slices: Iterable[Slice], hashed: bool = True, seen: Callable[[], None] = lambda: None
) -> dict[str, Marker]:
    """Return the markers of the shards that are there as their markers say."""
    sizes = where.sizes()

    def check(each: Slice) -> Marker | None:
        marker = _read(where, each) if _done(each.path) in sizes else None
        good = marker is not None and sizes.get(each.path) == marker.size
        if marker is not None and good and hashed:
            good = sha256_of(where, each.path) == marker.sha256
        seen()
        return marker if good else None

    with ThreadPoolExecutor(_THREADS) as pool:
        return {found.path: found for found in pool.map(check, slices) if found is not None}


def _read(where: Place, each: Slice) -> Marker | None:
    data = where.read(_done(each.path))
    try:
        marker = Marker.model_validate_json(data or b"")
    except ValidationError:
        return None
    return marker if (marker.path, marker.rows) == (each.path, each.rows) else None


def _done(path: str) -> str:
    return f"{_DONE}{path}.json"


# What a worker does: make one shard of a run, wherever it runs.

_PROOF = "proof"


def make(out: str, name: str, mark: str, number: int) -> None:
    """Make a shard, put it in its place, and then its marker."""
    spec, slices = load_run(out, name, mark)
    each, where = slices[number], place(out, name)
    with where.workspace() as folder:
        shard = run_shard(spec.tables[each.table], each.rank, each.world_size, folder, content=True)
        proofs = _proofs(shard.path)
        where.keep(folder, each.path)
    marker = Marker(
        path=each.path,
        rows=shard.rows,
        size=shard.size,
        sha256=shard.sha256,
        content=str(shard.content),
        proofs=proofs,
    )
    write_marker(where, marker)


def make_or_say(out: str, name: str, mark: str, number: int) -> None:
    """Make a shard; a problem that a user can mend is written down instead of raised.

    A worker may run where nobody sees its errors, so that they are put where the shard would be.
    """
    try:
        make(out, name, mark, number)
    except BuildError as error:
        _say(place(out, name), number, str(error))


def _say(where: Place, number: int, problem: str) -> None:
    write_fault(where, f"{number:06d}", problem)


def _proofs(path: Path) -> dict[str, int]:
    """Count how the gold labels of a shard are known."""
    if _PROOF not in pq.read_schema(path).names:
        return {}
    column = pq.read_table(path, columns=[_PROOF], read_dictionary=[_PROOF])[_PROOF]
    counts = pc.value_counts(column.combine_chunks().cast("string")).to_pylist()
    return {str(found["values"]): found["counts"] for found in sorted(counts, key=lambda c: str(c["values"]))}
