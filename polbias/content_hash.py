"""The identity of a table: a hash of its logical content.

Parquet bytes change with the writer's version, the rows do not. The hash is over names, types and values in
row order, whatever the chunks, row groups, dictionaries or files that they were read from.
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
    """Rolling hash of one column.

    Validity, lengths and values are separate streams, so that it does not matter where batches begin.
    """

    def __init__(self, kind: pa.DataType) -> None:
        self.kind = kind
        self.validity = hashlib.sha256()
        self.lengths = hashlib.sha256()
        self.values = hashlib.sha256()
        self.children = [_ColumnHash(kind.field(i).type) for i in range(kind.num_fields)]

    def update(self, array: Any) -> None:
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if array.null_count:
            valid = pc.is_valid(array).to_numpy(zero_copy_only=False).view(np.uint8)
        else:
            valid = np.ones(len(array), np.uint8)
        self.validity.update(valid)
        if pa.types.is_list(self.kind):
            self.lengths.update(_little_endian(pc.fill_null(pc.list_value_length(array), 0), np.int64))
            self.children[0].update(array.flatten())
        elif pa.types.is_struct(self.kind):
            for child, values in zip(self.children, array.flatten(), strict=True):
                child.update(values)
        elif pa.types.is_string(self.kind):
            offsets, data = _string_buffers(pc.fill_null(array, "") if array.null_count else array)
            self.lengths.update(np.diff(offsets).astype("<i8"))
            self.values.update(data)
        elif pa.types.is_boolean(self.kind):
            self.values.update(_little_endian(pc.cast(pc.fill_null(array, False), pa.uint8()), np.uint8))
        elif pa.types.is_integer(self.kind):
            self.values.update(_little_endian(pc.fill_null(array, 0), np.int64))
        elif pa.types.is_null(self.kind):
            pass
        else:
            raise TypeError(f"no content hash for columns of type {self.kind}")

    def digest(self) -> bytes:
        own = hashlib.sha256(self.validity.digest() + self.lengths.digest() + self.values.digest())
        for child in self.children:
            own.update(child.digest())
        return own.digest()


def _little_endian(array: Any, dtype: type) -> bytes:
    return (
        np.asarray(array.to_numpy(zero_copy_only=False)).astype(np.dtype(dtype).newbyteorder("<")).tobytes()
    )


def _string_buffers(array: Any) -> tuple[Any, memoryview]:
    """Return where the texts of an array begin and end, and the UTF-8 bytes of all, without a copy."""
    if len(array) == 0:
        return np.zeros(1, np.int32), memoryview(b"")
    offsets = np.frombuffer(array.buffers()[1], dtype=np.int32)[array.offset : array.offset + len(array) + 1]
    data = memoryview(array.buffers()[2] or b"")
    return offsets, data[int(offsets[0]) : int(offsets[-1])]


_BATCH_ROWS = 1 << 12
BLOCK_ROWS = 1 << 14
"""Rows of a block. Each block of a table has a hash, so that shards of whole blocks are hashed apart."""


class ContentHash:
    """The hash of the logical content of a table, or of every block of its rows.

    Args:
        schema: of the table.
        block: rows of a block; None for all rows.
    """

    def __init__(self, schema: Any, block: int | None = None) -> None:
        self._schema, self._block = schema, block
        self._done: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self._columns = [_ColumnHash(field.type) for field in self._schema]
        self._rows = 0

    def update(self, batch: Any) -> None:
        """Take in the rows that follow."""
        start, block = 0, self._block or self._rows + len(batch)
        while start < len(batch):
            if self._rows == block:
                self._done.append(self._digest())
                self._begin()
            part = batch.slice(start, block - self._rows)
            for index, column in enumerate(self._columns):
                column.update(part.column(index))
            start, self._rows = start + len(part), self._rows + len(part)

    def digests(self) -> list[str]:
        """Return the hashes of all blocks; a table without rows has one."""
        return [*self._done, self._digest()]

    def _digest(self) -> str:
        whole = hashlib.sha256()
        for field, column in zip(self._schema, self._columns, strict=True):
            whole.update(f"{field.name}:{_type_name(field.type)}\n".encode())
            whole.update(column.digest())
        return whole.hexdigest()


def tree_hash(schema: Any, leaves: Iterable[str]) -> str:
    """Hash a table from the hashes of its blocks."""
    whole = hashlib.sha256(f"blocks of {BLOCK_ROWS} rows\n".encode())
    for field in schema:
        whole.update(f"{field.name}:{_type_name(field.type)}\n".encode())
    whole.update("".join(leaves).encode())
    return whole.hexdigest()


def _type_name(kind: Any) -> str:
    """Name a type without the field names that Parquet and Arrow choose differently for list items."""
    if pa.types.is_list(kind):
        return f"list<{_type_name(kind.value_type)}>"
    if pa.types.is_struct(kind):
        fields = (kind.field(i) for i in range(kind.num_fields))
        return "struct<" + ",".join(f"{f.name}:{_type_name(f.type)}" for f in fields) + ">"
    return str(kind)


def parquet_hashes(paths: Iterable[Path], *blocks: int | None) -> list[list[str]]:
    """Hash the content of the shards of one split, read in the order given, by blocks of such sizes."""
    files = [pq.ParquetFile(path, memory_map=True) for path in paths]
    hashes = [ContentHash(files[0].schema_arrow, block) for block in blocks]
    for file in files:
        # In one thread: the strings of some rows at a time, not of a whole row group.
        for batch in file.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
            for each in hashes:
                each.update(batch)
    return [each.digests() for each in hashes]


def parquet_content_hash(paths: Iterable[Path]) -> str:
    """Hash the logical content of the shards of one split."""
    return parquet_hashes(paths, None)[0][0]


def holds(paths: Sequence[Path], said: LockedSplit) -> bool:
    """Whether the shards of one split have the content that is said of it, by every hash that is."""
    sizes = {"content": None, "tree": BLOCK_ROWS}
    wanted = {name: digits for name in sizes if (digits := getattr(said, name))}
    found = dict(zip(wanted, parquet_hashes(paths, *(sizes[name] for name in wanted)), strict=True))
    schema = pq.read_schema(paths[0])
    made = {name: tree_hash(schema, each) if sizes[name] else each[0] for name, each in found.items()}
    return bool(wanted) and made == wanted
