"""A dataset cut into shards: which tables have how many, and their order."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from polbias.files import BuildError
from polbias.generators.engine import DatasetSpec, Rows, TableSpec
from polbias.generators.engine.files import MAX_SHARD_ROWS, shard_path, shard_range


@dataclass(frozen=True)
class Slice:
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


def cut(spec: DatasetSpec, shards: int | None = None) -> tuple[Slice, ...]:
    """Cut a dataset into shards.

    Every table gets as many as its rows need, then those with the largest shards get one more in turn.

    Args:
        spec: the dataset.
        shards: how many in all; by default as few as possible, of 1,000,000 rows each at most.

    Raises:
        BuildError: if that is too few, or more than there are rows.
    """
    return cut_tables([TableRows.of(table) for table in spec.tables], shards)


@dataclass(frozen=True)
class TableRows:
    """How many rows a table has.

    Attributes:
        config: its config.
        split: its split.
        rows: their number.
    """

    config: str
    split: str
    rows: int

    @classmethod
    def of(cls, table: TableSpec) -> TableRows:
        """Count the rows of a table."""
        return cls(table.config, table.split, len(Rows(table)))


def cut_tables(tables: Sequence[TableRows], shards: int | None = None) -> tuple[Slice, ...]:
    """Cut tables of which only the number of rows is known; as :func:`cut`."""
    rows = [table.rows for table in tables]
    counts = [max(1, -(-count // MAX_SHARD_ROWS)) for count in rows]
    if shards is not None:
        least, most = sum(counts), sum(max(1, count) for count in rows)
        if not least <= shards <= most:
            raise BuildError(
                f"--shards: found {shards:,}; {sum(rows):,} rows in {len(rows)} tables make {least:,} to "
                f"{most:,} shards of at most {MAX_SHARD_ROWS:,} rows"
            )
        _share_out(shards - least, rows, counts)
    return tuple(
        Slice(index, rank, world, shard_path(tables[index], rank, world), _rows_of(total, rank, world))
        for index, (total, world) in enumerate(zip(rows, counts, strict=True))
        for rank in range(world)
    )


def _share_out(more: int, rows: Sequence[int], counts: list[int]) -> None:
    queue = [(-total / count, index) for index, (total, count) in enumerate(zip(rows, counts, strict=True))]
    heapq.heapify(queue)
    for _ in range(more):
        _, index = heapq.heappop(queue)
        counts[index] += 1
        heapq.heappush(queue, (-rows[index] / counts[index], index))


def _rows_of(rows: int, rank: int, world_size: int) -> int:
    start, stop = shard_range(rows, rank, world_size)
    return stop - start
