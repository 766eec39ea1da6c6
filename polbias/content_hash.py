"""Content hashes, which identify tables.

Parquet bytes depend on the writer's version, the rows do not. A hash covers names, types and values in row
order; it does not depend on chunks, row groups, dictionaries or files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from polbias.manifest import LockedSplit


class _ColumnHash:
    """Incremental hash of one column.

    Validity, lengths and values are separate streams, so that the hash does not depend on the batches.
    """

    def __init__(self, data_type: pa.DataType) -> None:
        self.data_type = data_type
        self.validity = hashlib.sha256()
        self.lengths = hashlib.sha256()
        self.values = hashlib.sha256()
        self.children = [_ColumnHash(data_type.field(i).type) for i in range(data_type.num_fields)]

    def update(self, array: Any) -> None:
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if array.null_count:
            valid = pc.is_valid(array).to_numpy(zero_copy_only=False).view(np.uint8)
        else:
            valid = np.ones(len(array), np.uint8)
        self.validity.update(valid)
        if pa.types.is_list(self.data_type):
            self.lengths.update(_little_endian(pc.fill_null(pc.list_value_length(array), 0), np.int64))
            self.children[0].update(array.flatten())
        elif pa.types.is_struct(self.data_type):
            for child, values in zip(self.children, array.flatten(), strict=True):
                child.update(values)
        elif pa.types.is_string(self.data_type):
            offsets, data = _string_buffers(pc.fill_null(array, "") if array.null_count else array)
            self.lengths.update(np.diff(offsets).astype("<i8"))
            self.values.update(data)
        elif pa.types.is_boolean(self.data_type):
            self.values.update(_little_endian(pc.cast(pc.fill_null(array, False), pa.uint8()), np.uint8))
        elif pa.types.is_integer(self.data_type):
            self.values.update(_little_endian(pc.fill_null(array, 0), np.int64))
        elif pa.types.is_null(self.data_type):
            pass
        else:
            raise TypeError(f"no content hash for columns of type {self.data_type}")

    def digest(self) -> bytes:
        column_hash = hashlib.sha256(self.validity.digest() + self.lengths.digest() + self.values.digest())
        for child in self.children:
            column_hash.update(child.digest())
        return column_hash.digest()


def _little_endian(array: Any, dtype: type) -> bytes:
    return (
        np.asarray(array.to_numpy(zero_copy_only=False)).astype(np.dtype(dtype).newbyteorder("<")).tobytes()
    )


def _string_buffers(array: Any) -> tuple[Any, memoryview]:
    """Return the offsets of an array's texts and the UTF-8 bytes of all texts, without a copy."""
    if len(array) == 0:
        return np.zeros(1, np.int32), memoryview(b"")
    offsets = np.frombuffer(array.buffers()[1], dtype=np.int32)[array.offset : array.offset + len(array) + 1]
    data = memoryview(array.buffers()[2] or b"")
    return offsets, data[int(offsets[0]) : int(offsets[-1])]


_BATCH_ROWS = 1 << 12
BLOCK_ROWS = 1 << 14
"""Rows of a block. Each block of a table has a hash, so that shards of whole blocks are hashed separately."""


class ContentHash:
    """Content hash of a table, or of every block of its rows.

    Args:
        schema: of the table.
        block: rows per block; None hashes all rows together.
    """

    def __init__(self, schema: Any, block: int | None = None) -> None:
        self._schema, self._block = schema, block
        self._block_digests: list[str] = []
        self._start_block()

    def _start_block(self) -> None:
        self._columns = [_ColumnHash(field.type) for field in self._schema]
        self._rows = 0

    def update(self, batch: Any) -> None:
        """Add the next rows."""
        start, block = 0, self._block or self._rows + len(batch)
        while start < len(batch):
            if self._rows == block:
                self._block_digests.append(self._digest())
                self._start_block()
            part = batch.slice(start, block - self._rows)
            for index, column in enumerate(self._columns):
                column.update(part.column(index))
            start, self._rows = start + len(part), self._rows + len(part)

    def digests(self) -> list[str]:
        """Return the hash of every block; an empty table has one."""
        return [*self._block_digests, self._digest()]

    def _digest(self) -> str:
        table_hash = hashlib.sha256()
        for field, column in zip(self._schema, self._columns, strict=True):
            table_hash.update(f"{field.name}:{_type_name(field.type)}\n".encode())
            table_hash.update(column.digest())
        return table_hash.hexdigest()


def tree_hash(schema: Any, leaves: Iterable[str]) -> str:
    """Return the hash of a table from the hashes of its blocks."""
    table_hash = hashlib.sha256(f"blocks of {BLOCK_ROWS} rows\n".encode())
    for field in schema:
        table_hash.update(f"{field.name}:{_type_name(field.type)}\n".encode())
    table_hash.update("".join(leaves).encode())
    return table_hash.hexdigest()


def _type_name(data_type: Any) -> str:
    """Return the name of a type, without the names of list items, which differ between Parquet and Arrow."""
    if pa.types.is_list(data_type):
        return f"list<{_type_name(data_type.value_type)}>"
    if pa.types.is_struct(data_type):
        fields = (data_type.field(i) for i in range(data_type.num_fields))
        return "struct<" + ",".join(f"{f.name}:{_type_name(f.type)}" for f in fields) + ">"
    return str(data_type)


def parquet_hashes(paths: Iterable[Path], *blocks: int | None) -> list[list[str]]:
    """Return, for each block size, the hashes of one split's blocks; shards are read in the given order."""
    files = [pq.ParquetFile(path, memory_map=True) for path in paths]
    hashes = [ContentHash(files[0].schema_arrow, block) for block in blocks]
    for file in files:
        # One thread keeps the strings of a few rows in memory, not of a complete row group.
        for batch in file.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
            for content_hash in hashes:
                content_hash.update(batch)
    return [content_hash.digests() for content_hash in hashes]


def parquet_content_hash(paths: Iterable[Path]) -> str:
    """Return the content hash of the shards of one split."""
    return parquet_hashes(paths, None)[0][0]


def has_content(paths: Sequence[Path], expected: LockedSplit) -> bool:
    """Whether the shards of a split have the expected content, by every hash of its entry."""
    block_rows = {"content": None, "tree": BLOCK_ROWS}
    expected_hashes = {name: digest for name in block_rows if (digest := getattr(expected, name))}
    block_hashes = dict(
        zip(
            expected_hashes,
            parquet_hashes(paths, *(block_rows[name] for name in expected_hashes)),
            strict=True,
        )
    )
    schema = pq.read_schema(paths[0])
    actual_hashes = {
        name: tree_hash(schema, digests) if block_rows[name] else digests[0]
        for name, digests in block_hashes.items()
    }
    return bool(expected_hashes) and actual_hashes == expected_hashes
