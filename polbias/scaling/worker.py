"""What a worker does: make one shard of a run, wherever it runs."""

from __future__ import annotations

from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from polbias.files import BuildError
from polbias.generators.engine import run_shard
from polbias.scaling.places import Place, place
from polbias.scaling.run import load_run
from polbias.scaling.shards import Marker, write_fault, write_marker

_PROOF = "proof"


def make(out: str, name: str, mark: str, number: int) -> None:
    """Make a shard, put it in its place, and then its marker.

    Args:
        out: the folder or address that holds one folder per dataset.
        name: the dataset.
        mark: the run's.
        number: of the shard among all shards of the run.

    Raises:
        BuildError: if it cannot be made or written.
    """
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
