"""The identity of a table: a hash of its logical content.

Parquet bytes change with the writer's version, the rows do not. The hash below is over names, types and
values in row order, whatever the chunks, row groups, dictionaries or files that they were read from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq


class _ColumnHash:
    """Rolling hash of one column.

    Validity, lengths and values are separate streams, so that it does not matter where batches begin.
    """

    def __init__(self, kind: pa.DataType) -> None:
        self.kind = kind
        self.validity = hashlib.sha256()
        self.lengths = hashlib.sha256()
        self.values = hashlib.sha256()
        self.children: list[_ColumnHash] = []
        if pa.types.is_list(kind):
            self.children = [_ColumnHash(kind.value_type)]
        elif pa.types.is_struct(kind):
            self.children = [_ColumnHash(kind.field(i).type) for i in range(kind.num_fields)]

    def update(self, array: Any) -> None:
        valid = np.asarray(pc.is_valid(array).to_numpy(zero_copy_only=False), dtype=np.uint8)
        self.validity.update(valid.tobytes())
        if pa.types.is_list(self.kind):
            self.lengths.update(_little_endian(pc.fill_null(pc.list_value_length(array), 0), np.int64))
            self.children[0].update(array.flatten())
        elif pa.types.is_struct(self.kind):
            for child, values in zip(self.children, array.flatten(), strict=True):
                child.update(values)
        elif pa.types.is_string(self.kind):
            filled = pc.fill_null(array, "")
            self.lengths.update(_little_endian(pc.binary_length(filled), np.int64))
            self.values.update(_string_bytes(filled))
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


def _string_bytes(array: Any) -> memoryview:
    """Return the UTF-8 bytes of all values, without a copy."""
    if len(array) == 0:
        return memoryview(b"")
    offsets = np.frombuffer(array.buffers()[1], dtype=np.int32)[array.offset : array.offset + len(array) + 1]
    data = array.buffers()[2]
    return memoryview(data)[int(offsets[0]) : int(offsets[-1])] if data is not None else memoryview(b"")


def content_hash(batches: Iterable[Any], schema: Any) -> str:
    """Hash the logical content of a table.

    Args:
        batches: record batches in row order; how rows are divided between them does not matter.
        schema: the Arrow schema; field names and types are part of the content, metadata is not.

    Returns:
        A SHA-256 in hexadecimal.
    """
    columns = [_ColumnHash(field.type) for field in schema]
    for batch in batches:
        for index, column in enumerate(columns):
            column.update(batch.column(index))
    whole = hashlib.sha256()
    for field, column in zip(schema, columns, strict=True):
        whole.update(f"{field.name}:{_type_name(field.type)}\n".encode())
        whole.update(column.digest())
    return whole.hexdigest()


def _type_name(kind: Any) -> str:
    """Name a type without the field names that Parquet and Arrow choose differently for list items."""
    if pa.types.is_list(kind):
        return f"list<{_type_name(kind.value_type)}>"
    if pa.types.is_struct(kind):
        fields = (kind.field(i) for i in range(kind.num_fields))
        return "struct<" + ",".join(f"{f.name}:{_type_name(f.type)}" for f in fields) + ">"
    return str(kind)


def parquet_content_hash(paths: Iterable[Path]) -> str:
    """Hash the logical content of the shards of one split, read in the order given.

    Args:
        paths: the Parquet files; all have the same schema.

    Returns:
        The hash that `content_hash` gives for their rows in order.
    """
    files = [pq.ParquetFile(path, memory_map=True) for path in paths]
    # Small batches in one thread: the strings of a few rows at a time, not of a whole row group.
    batches = (batch for file in files for batch in file.iter_batches(batch_size=1024, use_threads=False))
    return content_hash(batches, files[0].schema_arrow)


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
