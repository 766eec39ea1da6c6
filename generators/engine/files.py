"""The one contract for scale: `run_shard` writes one slice of a table to one Parquet file."""

from __future__ import annotations

import errno
import os
import platform
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from polbias.content import content_hash
from polbias.files import BuildError
from polbias.generators.engine.rows import Rows
from polbias.generators.engine.sink import HashingSink
from polbias.generators.engine.spec import Join, TableSpec

MAX_SHARD_ROWS = 1_000_000


@dataclass(frozen=True)
class Shard:
    """What was written.

    Attributes:
        path: the file.
        rows: number of rows in it.
        size: bytes.
        sha256: of the file, in hexadecimal.
        content: hash of the logical content, if it was asked for.
    """

    path: Path
    rows: int
    size: int
    sha256: str
    content: str | None = None


def shard_range(rows: int, rank: int, world_size: int) -> tuple[int, int]:
    """Return the rows [start, stop) of one shard; shards differ by one row at most."""
    if not 0 <= rank < world_size:
        raise ValueError(f"rank must be in [0, {world_size}), found {rank}")
    return rows * rank // world_size, rows * (rank + 1) // world_size


def parquet_options(spec: TableSpec) -> dict[str, Any]:
    """Return how the files of a table are written.

    Content-defined chunks let the Hub store only what changed, and the page index lets its viewer seek. A
    dictionary pays where values recur; a joined column has a value of its own in nearly every row.

    Args:
        spec: the table.

    Returns:
        Keyword arguments of `pyarrow.parquet.ParquetWriter`.
    """
    recurring = [
        leaf
        for field in spec.arrow_schema()
        if not isinstance(spec.columns[field.name], Join)
        for leaf in _leaves(field.name, field.type)
    ]
    return {
        "compression": "zstd",
        "use_content_defined_chunking": True,
        "write_page_index": True,
        "use_dictionary": recurring or False,
    }


def _leaves(path: str, kind: Any) -> list[str]:
    """Return the paths of the Parquet columns that hold a column of a type."""
    if pa.types.is_list(kind):
        return _leaves(f"{path}.list.element", kind.value_type)
    if pa.types.is_struct(kind):
        return [leaf for field in kind for leaf in _leaves(f"{path}.{field.name}", field.type)]
    return [path]


def run_shard(spec: TableSpec, rank: int, world_size: int, out: Path, content: bool = False) -> Shard:
    """Write one shard of a table.

    A pure function of its arguments: any shard can be made alone, in any process, in any order. The file
    appears under its name only when it is complete.

    Args:
        spec: the table.
        rank: which shard, from 0.
        world_size: how many shards the table is cut into; a shard holds at most 1,000,000 rows.
        out: the dataset's folder; the file is ``<config>/<split>-<rank>-of-<world_size>.parquet`` below it.
        content: whether to hash the logical content too, of the rows as they are written.

    Returns:
        Where the shard is, its rows, size and hash.

    Raises:
        ValueError: if the rank is outside the world.
        BuildError: if the shard would be too large or cannot be written (disk full, no permission).
    """
    rows = Rows(spec)
    start, stop = shard_range(len(rows), rank, world_size)
    if stop - start > MAX_SHARD_ROWS:
        raise BuildError(
            f"{spec.config}/{spec.split}: shard {rank} of {world_size} would hold {stop - start:,} rows, "
            f"at most {MAX_SHARD_ROWS:,} are allowed; use at least {-(-len(rows) // MAX_SHARD_ROWS)} shards"
        )
    path = Path(out) / shard_path(spec, rank, world_size)
    # Several machines may share the folder, and the number of a process.
    partial = path.with_suffix(f".{platform.node()}-{os.getpid()}.partial")
    logical = None
    options = parquet_options(spec)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with HashingSink(partial) as sink, pq.ParquetWriter(sink, rows.schema, **options) as writer:
            batches = rows.batches(start, stop)
            ahead = batches if stop - start <= rows.batch_rows else one_ahead(batches)
            written = _written(ahead, writer, sink)
            if content:
                logical = content_hash(written, rows.schema)
            else:
                deque(written, maxlen=0)
        sink.check()
        partial.replace(path)
    except OSError as error:
        raise write_failure(path, error) from error
    finally:
        with suppress(OSError):
            partial.unlink()
        pa.default_memory_pool().release_unused()  # shards that follow in this process begin with as little
    return Shard(path, stop - start, sink.size, sink.sha256, logical)


class Split(Protocol):
    """A split of a config."""

    @property
    def config(self) -> str:
        """The config."""

    @property
    def split(self) -> str:
        """The split."""


def shard_path(table: Split, rank: int, world_size: int) -> str:
    """Return where a shard is below the dataset's folder."""
    return f"{table.config}/{table.split}-{rank:05d}-of-{world_size:05d}.parquet"


def _written(batches: Iterable[Any], writer: Any, sink: HashingSink) -> Iterator[Any]:
    """Yield batches when they have been written."""
    for batch in batches:
        writer.write_batch(batch)
        sink.check()
        yield batch


def write_failure(path: Path, error: OSError) -> BuildError:
    """Say in one line why a file could not be written and what to do."""
    if error.errno == errno.ENOSPC:
        return BuildError(f"{path}: the disk is full; free some space or build elsewhere with --out DIR")
    if error.errno in (errno.ENOTDIR, errno.EEXIST, errno.EISDIR):
        return BuildError(
            f"{path}: cannot be written (something else is in its place); remove it, "
            "or build elsewhere with --out DIR"
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return BuildError(f"{path}: no permission to write here; build elsewhere with --out DIR")
    return BuildError(
        f"{path}: cannot be written ({error.strerror or error}); build elsewhere with --out DIR"
    )


def one_ahead(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield batches while the next one is made in a second thread (Arrow releases the interpreter lock)."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        upcoming = pool.submit(next, batches, None)
        while (batch := upcoming.result()) is not None:
            upcoming = pool.submit(next, batches, None)
            yield batch
