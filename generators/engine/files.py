"""Shards: a slice of a table, written to one Parquet file."""

from __future__ import annotations

import hashlib
import io
import os
import platform
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from polbias.atomic_write import write_failure
from polbias.content_hash import BLOCK_ROWS, ContentHash
from polbias.errors import BuildError
from polbias.generators.engine.rows import TableRows
from polbias.generators.engine.spec import Concatenation, FilledTemplate, TableSpec

# A file that Arrow writes to: it hashes what it is given, and keeps an error until it is asked for it.


class HashingSink(io.RawIOBase):
    """A new file and the SHA-256 of its bytes.

    Arrow's Parquet writer aborts the whole process if a write fails while it cuts content-defined chunks (a
    full disk, say). Therefore `write` never fails: the first error is kept, later bytes are dropped, and
    `check` raises the error where Python can deal with it.

    Args:
        path: the file to create or overwrite.

    Raises:
        OSError: if it cannot be created.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=0)
        self._hash = hashlib.sha256()
        self._error: OSError | None = None
        self.size = 0

    def writable(self) -> bool:
        """Tell Arrow that this is a file to write to."""
        return True

    def tell(self) -> int:
        """Return the number of bytes that were given."""
        return self.size

    def write(self, data: Any, /) -> int:
        """Write all of the data, unless a write has failed before."""
        view = memoryview(data).cast("B")
        self.size += len(view)
        self._hash.update(view)
        try:
            n_done = 0
            while self._error is None and n_done < len(view):
                n_done += self._file.write(view[n_done:]) or 0
        except OSError as error:
            self._error = error
        return len(view)

    def check(self) -> None:
        """Raise the error of the first write that failed."""
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Close the file; an error on closing is kept like one on writing."""
        try:
            self._file.close()
        except OSError as error:
            self._error = self._error or error
        super().close()

    @property
    def sha256(self) -> str:
        """The hash of the bytes in hexadecimal."""
        return self._hash.hexdigest()


# The one contract for scale: `run_shard` writes one slice of a table to one Parquet file.

MAX_SHARD_ROWS = 64 * BLOCK_ROWS


@dataclass(frozen=True)
class WrittenShard:
    """What was written.

    Attributes:
        path: the file.
        rows: number of rows in it.
        size: bytes.
        sha256: of the file, in hexadecimal.
        content: hash of the logical content, if it was asked for.
        leaves: the same of every block of its rows, if they were asked for.
    """

    path: Path
    rows: int
    size: int
    sha256: str
    content: str | None = None
    leaves: tuple[str, ...] = ()


def shard_range(rows: int, rank: int, world_size: int) -> tuple[int, int]:
    """Return the rows [start, stop) of one shard: whole blocks, of which shards differ by one at most."""
    if not 0 <= rank < world_size:
        raise ValueError(f"rank must be in [0, {world_size}), found {rank}")
    blocks = -(-rows // BLOCK_ROWS)
    start, stop = (min(rows, blocks * shard // world_size * BLOCK_ROWS) for shard in (rank, rank + 1))
    return start, stop


def parquet_options(spec: TableSpec) -> dict[str, Any]:
    """Return how the files of a table are written.

    Content-defined chunks let the Hub store only what changed, and the page index lets its viewer seek. A
    dictionary and the extremes of a page pay where values recur; a joined column has a value of its own in
    nearly every row.
    """
    recurring = [
        leaf
        for field in spec.arrow_schema()
        if not isinstance(spec.columns[field.name], Concatenation | FilledTemplate)
        for leaf in _leaves(field.name, field.type)
    ]
    return {
        "compression": "zstd",
        # The chunker hashes nothing before the least size of a chunk.
        "use_content_defined_chunking": {"min_chunk_size": 768 << 10, "max_chunk_size": 1 << 20},
        "write_batch_size": BLOCK_ROWS,  # as many rows at a time; a page ends with its chunk
        "write_page_index": True,
        "use_dictionary": recurring or False,
        "write_statistics": recurring or False,
        "store_schema": False,  # it would name codes, which are no part of the content
    }


def _leaves(path: str, kind: Any) -> list[str]:
    """Return the paths of the Parquet columns that hold a column of a type."""
    if pa.types.is_list(kind):
        return _leaves(f"{path}.list.element", kind.value_type)
    if pa.types.is_struct(kind):
        return [leaf for field in kind for leaf in _leaves(f"{path}.{field.name}", field.type)]
    return [path]


def run_shard(
    spec: TableSpec, rank: int, world_size: int, out: Path, content: bool = False, leaves: bool = False
) -> WrittenShard:
    """Write one shard of a table.

    A pure function of its arguments: any shard can be made alone, in any process, in any order. The file
    appears under its name only when it is complete.

    Args:
        spec: the table.
        rank: which shard, from 0.
        world_size: how many shards the table is cut into; a shard holds at most 1,048,576 rows.
        out: the dataset's folder; the file is ``<config>/<split>-<rank>-of-<world_size>.parquet`` below it.
        content: whether to hash the logical content too, of the rows as they are written, and of every block.
        leaves: whether to hash that of every block of rows alone.

    Returns:
        Where the shard is, its rows, size and hash.

    Raises:
        ValueError: if the rank is outside the world.
        BuildError: if the shard would be too large or cannot be written (disk full, no permission).
    """
    rows = TableRows(spec)
    start, stop = shard_range(len(rows), rank, world_size)
    if stop - start > MAX_SHARD_ROWS:
        raise BuildError(
            f"{spec.config}/{spec.split}: shard {rank} of {world_size} would hold {stop - start:,} rows, "
            f"at most {MAX_SHARD_ROWS:,} are allowed; use at least {-(-len(rows) // MAX_SHARD_ROWS)} shards"
        )
    path = Path(out) / shard_path(spec, rank, world_size)
    # Several machines may share the folder, and the number of a process.
    partial_path = path.with_suffix(f".{platform.node()}-{os.getpid()}.partial")
    sizes: list[int | None] = [BLOCK_ROWS] * (leaves or content)
    if content and stop - start > BLOCK_ROWS:  # else it is the hash of the one block
        sizes.append(None)
    hashes = [ContentHash(rows.schema, size) for size in sizes]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with (
            HashingSink(partial_path) as sink,
            pq.ParquetWriter(sink, rows.stored_schema, **parquet_options(spec)) as writer,
        ):
            for batch in rows.batches(start, stop, stored=True):
                writer.write_batch(batch)
                sink.check()
                for content_hash in hashes:
                    content_hash.update(batch)
        sink.check()
        partial_path.replace(path)
    except OSError as error:
        raise write_failure(path, error) from error
    finally:
        with suppress(OSError):
            partial_path.unlink()
        pa.default_memory_pool().release_unused()  # shards that follow in this process begin with as little
    digests = [tuple(content_hash.digests()) for content_hash in hashes]
    return WrittenShard(
        path,
        stop - start,
        sink.size,
        sink.sha256,
        digests[-1][0] if content else None,
        digests[0] if digests else (),
    )


def shard_path(table: TableSpec, rank: int, world_size: int) -> str:
    """Return where a shard is below the dataset's folder."""
    return f"{table.config}/{table.split}-{rank:05d}-of-{world_size:05d}.parquet"
