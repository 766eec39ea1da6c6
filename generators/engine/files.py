"""Write shards: one Parquet file for a range of a table's rows."""

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

from polbias.atomic_write import make_write_error
from polbias.content_hash import BLOCK_ROWS, ContentHash
from polbias.errors import BuildError
from polbias.generators.engine.rows import TableRows
from polbias.generators.engine.spec import Concatenation, FilledTemplate, TableSpec

# A file for Arrow that hashes its bytes and defers errors.


class HashingSink(io.RawIOBase):
    """Output file that computes the SHA-256 of its bytes.

    Arrow's Parquet writer aborts the whole process if a write fails during content-defined chunking (for
    example on a full disk). Therefore `write` never fails: it stores the first error and drops later bytes;
    `check` raises the error in Python.

    Args:
        path: the file to create or overwrite.

    Raises:
        OSError: if the file cannot be created.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=0)
        self._hash = hashlib.sha256()
        self._error: OSError | None = None
        self.size = 0

    def writable(self) -> bool:
        """Return True; Arrow requires it."""
        return True

    def tell(self) -> int:
        """Return the number of received bytes."""
        return self.size

    def write(self, data: Any, /) -> int:
        """Write all data, unless an earlier write failed."""
        view = memoryview(data).cast("B")
        self.size += len(view)
        self._hash.update(view)
        try:
            n_written = 0
            while self._error is None and n_written < len(view):
                n_written += self._file.write(view[n_written:]) or 0
        except OSError as error:
            self._error = error
        return len(view)

    def check(self) -> None:
        """Raise the error of the first failed write."""
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Close the file; store any error, as `write` does."""
        try:
            self._file.close()
        except OSError as error:
            self._error = self._error or error
        super().close()

    @property
    def sha256(self) -> str:
        """SHA-256 of the bytes, in hexadecimal."""
        return self._hash.hexdigest()


MAX_SHARD_ROWS = 64 * BLOCK_ROWS


@dataclass(frozen=True)
class WrittenShard:
    """A written shard.

    Attributes:
        path: the file.
        rows: number of rows.
        size: size in bytes.
        sha256: SHA-256 of the file, in hexadecimal.
        content: hash of the values, whatever their Parquet encoding, if requested.
        leaves: hashes of the values of the blocks of rows, if requested.
    """

    path: Path
    rows: int
    size: int
    sha256: str
    content: str | None = None
    leaves: tuple[str, ...] = ()


def shard_range(rows: int, rank: int, world_size: int) -> tuple[int, int]:
    """Return the rows [start, stop) of one shard: whole blocks; shards differ by one block at most."""
    if not 0 <= rank < world_size:
        raise ValueError(f"rank must be in [0, {world_size}), found {rank}")
    blocks = -(-rows // BLOCK_ROWS)
    start, stop = (min(rows, blocks * shard // world_size * BLOCK_ROWS) for shard in (rank, rank + 1))
    return start, stop


def parquet_options(spec: TableSpec) -> dict[str, Any]:
    """Return the options of the Parquet writer for a table.

    Content-defined chunks let the Hub store only changed chunks, and the page index lets its viewer read
    single pages. Dictionaries and page statistics are for columns with repeated values; the values of columns
    built from several others are nearly all distinct.
    """
    recurring = [
        leaf
        for field in spec.arrow_schema()
        if not isinstance(spec.columns[field.name], Concatenation | FilledTemplate)
        for leaf in _leaf_columns(field.name, field.type)
    ]
    return {
        "compression": "zstd",
        # The chunker skips hashing below the minimum size of a chunk.
        "use_content_defined_chunking": {"min_chunk_size": 768 << 10, "max_chunk_size": 1 << 20},
        "write_batch_size": BLOCK_ROWS,  # rows; a page ends with its chunk
        "write_page_index": True,
        "use_dictionary": recurring or False,
        "write_statistics": recurring or False,
        "store_schema": False,  # the schema has dictionary codes, which are not part of the content
    }


def _leaf_columns(path: str, data_type: Any) -> list[str]:
    """Return the paths of the leaf columns that Parquet stores for a column of this type."""
    if pa.types.is_list(data_type):
        return _leaf_columns(f"{path}.list.element", data_type.value_type)
    if pa.types.is_struct(data_type):
        return [leaf for field in data_type for leaf in _leaf_columns(f"{path}.{field.name}", field.type)]
    return [path]


def run_shard(
    spec: TableSpec, rank: int, world_size: int, out: Path, content: bool = False, leaves: bool = False
) -> WrittenShard:
    """Write one shard of a table.

    The file depends only on the arguments, so that shards can be written in any order by any process. It gets
    its name when it is complete.

    Args:
        spec: the table.
        rank: index of the shard, from 0.
        world_size: number of shards of the table; a shard has at most MAX_SHARD_ROWS rows.
        out: the dataset's folder; the file is ``<config>/<split>-<rank>-of-<world_size>.parquet`` below it.
        content: whether to hash the values of the shard and of every block.
        leaves: whether to hash the values of every block; implied by `content`.

    Returns:
        The path, number of rows, size and hashes of the shard.

    Raises:
        ValueError: if the rank is not in [0, world_size).
        BuildError: if the shard would be too large or cannot be written (disk full, no permission).
    """
    rows = TableRows(spec)
    start, stop = shard_range(len(rows), rank, world_size)
    if stop - start > MAX_SHARD_ROWS:
        raise BuildError(
            f"{spec.config}/{spec.split}: found {stop - start:,} rows in shard {rank} of {world_size}, "
            f"expected at most {MAX_SHARD_ROWS:,}; use at least {-(-len(rows) // MAX_SHARD_ROWS)} shards"
        )
    path = Path(out) / shard_path(spec, rank, world_size)
    # Processes on machines that share the folder can have the same process id.
    partial_path = path.with_suffix(f".{platform.node()}-{os.getpid()}.partial")
    sizes: list[int | None] = [BLOCK_ROWS] * (leaves or content)
    if content and stop - start > BLOCK_ROWS:  # a single block has the hash of the shard
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
        raise make_write_error(path, error) from error
    finally:
        with suppress(OSError):
            partial_path.unlink()
        pa.default_memory_pool().release_unused()  # for the next shards of this process
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
    """Return the path of a shard, relative to the dataset's folder."""
    return f"{table.config}/{table.split}-{rank:05d}-of-{world_size:05d}.parquet"
