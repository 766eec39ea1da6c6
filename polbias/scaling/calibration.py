"""How fast a table is made and how large it is, measured on a few thousand of its rows."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow.parquet as pq

from polbias.content import content_hash
from polbias.generators.engine import Rows, TableSpec
from polbias.generators.engine.files import parquet_options

_FIRST, _ROWS = 1024, 4096


@dataclass(frozen=True)
class Calibration:
    """What was measured of a table.

    Attributes:
        row_seconds: of a core, to make, hash and write a row.
        hash_seconds: of these, to hash its content.
        shard_seconds: to begin a shard.
        row_bytes: of a row in a Parquet file.
        shard_bytes: of a Parquet file beside its rows.
    """

    row_seconds: float
    hash_seconds: float
    shard_seconds: float
    row_bytes: float
    shard_bytes: float


def calibrate(table: TableSpec) -> Calibration:
    """Measure a table on rows from its middle.

    A first, smaller batch loads what is loaded once; the difference in bytes of the two is that of rows
    alone.

    Args:
        table: the table.
    """
    seconds, rows = _timed(lambda: Rows(table))
    count = min(_ROWS, len(rows))
    first = min(_FIRST, max(1, count // 4))
    small = _written(rows.batch(0, first), table)
    start = (len(rows) - count) // 2
    making, batch = _timed(lambda: rows.batch(start, start + count))
    writing, size = _timed(lambda: _written(batch, table))
    hashing, _ = _timed(lambda: content_hash([batch], rows.schema))
    row_bytes = (size - small) / (count - first) if count > first else size / count
    return Calibration(
        row_seconds=(making + writing + hashing) / count,
        hash_seconds=hashing / count,
        shard_seconds=seconds,
        row_bytes=row_bytes,
        shard_bytes=max(0.0, size - count * row_bytes),
    )


def _written(batch: Any, table: TableSpec) -> int:
    """Return the bytes of a Parquet file with a batch."""
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, batch.schema, **parquet_options(table)) as writer:
        writer.write_batch(batch)
    return sink.tell()


def _timed(action: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()  # of this process alone, whatever else the machine does
    result = action()
    return time.process_time() - began, result
