"""The engine beside f-strings per row, polars, duckdb, and the mere writing of a finished table.

Every variant runs in a process of its own and imports what it needs there.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from operator import itemgetter
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.measure import (
    ROUNDS,
    Line,
    Measured,
    Stopwatch,
    at_least,
    at_most,
    available_cores,
    run_in_process,
)

if TYPE_CHECKING:
    from polbias.generators.engine import TableSpec

_MILLION = 1_000_000
_WRITER_ROWS, _CHECKED_ROWS, _BATCH_ROWS = 100_000, 2_000, 10_000


def run() -> list[Line]:
    """Measure all variants in turn, several times; ratios are taken within a round."""
    sizes: dict[Callable[..., Measured], int] = {
        engine: _MILLION,
        f_strings: _WRITER_ROWS,
        polars_joins: _MILLION,
        duckdb_joins: _MILLION,
        product: _WRITER_ROWS,
        finished_table: _MILLION,
    }
    rounds = [
        {made: rows / run_in_process(made, rows, cores=1)["processor"] for made, rows in sizes.items()}
        for _ in range(ROUNDS)
    ]

    def ratio(one: Callable[..., Measured], other: Callable[..., Measured]) -> float:
        return float(median(speeds[one] / speeds[other] for speeds in rounds))

    lines = [
        Line("one core: engine", median(speeds[engine] for speeds in rounds), "rows/s"),
        at_least("the same / f-strings and Parquet writer", ratio(engine, f_strings), "times", 2.5),
        Line("the same / polars, order not kept", ratio(engine, polars_joins), "times"),
        Line("the same / duckdb", ratio(engine, duckdb_joins), "times"),
        at_least("the same / finished table to Parquet", ratio(engine, finished_table), "times", 0.6),
        Line("one core: the large set, hashed", median(speeds[product] for speeds in rounds), "rows/s"),
    ]
    if available_cores() > 1:
        pairs = [
            [run_in_process(engine, 2 * _MILLION, workers, cores=2) for workers in (1, 2)]
            for _ in range(ROUNDS)
        ]
        speed = median(2 * _MILLION / two["seconds"] for _, two in pairs)
        gain = median(one["seconds"] / two["seconds"] for one, two in pairs)
        what = "two threads / one after the other, by the clock"
        lines += [
            at_least("two cores: two shards in two threads, by the clock", speed, "rows/s", _MILLION),
            # on a slower or busy machine the ratio tells whether threads keep out of each other's way
            Line(what, gain, "times") if speed >= _MILLION else at_least(what, gain, "times", 1.8),
        ]
    large = run_in_process(engine, 10 * _MILLION)
    return [
        Line("Arrow bytes a row", large["arrow_bytes"], "bytes"),
        *lines,
        at_most("peak memory, 10 M rows", large["peak_mb"], "MB", 300),
    ]


def engine(rows: int, workers: int = 1) -> Measured:
    """Make a table with `run_shard`, a million rows a shard, so many at a time."""
    from concurrent.futures import ThreadPoolExecutor
    from functools import partial

    from benchmarks.argument_table import rows_with_f_strings, table
    from polbias.generators.engine import TableRows, run_shard

    spec = table(rows)
    checked = TableRows(table(_CHECKED_ROWS)).batch(0, _CHECKED_ROWS).sort_by("id")
    if sorted(rows_with_f_strings(_CHECKED_ROWS), key=itemgetter("id")) != checked.to_pylist():
        raise AssertionError("the variants do not make the same rows")
    size = TableRows(spec).batch(0, _CHECKED_ROWS).nbytes / _CHECKED_ROWS
    del checked
    shards = -(-rows // _MILLION)
    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(workers) as pool,
        Stopwatch() as watch,
    ):
        make = partial(run_shard, spec, world_size=shards, out=Path(folder))
        list(pool.map(make, range(shards)))
    return {"seconds": watch.seconds, "processor": watch.processor, "arrow_bytes": size}


def f_strings(rows: int) -> Measured:
    """Make every row with f-strings and write batches of rows with the engine's settings."""
    import pyarrow as pa

    from benchmarks.argument_table import rows_with_f_strings, table

    spec = table(rows)
    schema = spec.arrow_schema()

    def batches() -> Iterator[Any]:
        made = rows_with_f_strings(rows)
        while batch := list(islice(made, _BATCH_ROWS)):
            yield pa.RecordBatch.from_pylist(batch, schema)

    return _written(spec, batches())


def finished_table(rows: int) -> Measured:
    """Write batches that are in memory already with the engine's settings: the limit of what is possible."""
    from benchmarks.argument_table import table
    from polbias.generators.engine import TableRows

    spec = table(rows)
    return _written(spec, list(TableRows(spec).batches(0, rows)))


def _written(spec: TableSpec, batches: Iterable[Any]) -> Measured:
    import pyarrow.parquet as pq

    from polbias.generators.engine.files import parquet_options

    options = parquet_options(spec)
    with (
        tempfile.TemporaryDirectory() as folder,
        Stopwatch() as watch,
        pq.ParquetWriter(f"{folder}/table.parquet", spec.arrow_schema(), **options) as writer,
    ):
        for batch in batches:
            writer.write_batch(batch)
    return {"processor": watch.processor}


def product(rows: int) -> Measured:
    """Make a config of the large set, whose rows are three times as wide, and hash its content."""
    from polbias.generators.engine import run_shard
    from polbias.generators.partisan.xl_tables import configs
    from polbias.generators.partisan.xl_templates import load

    spec = next(iter(configs(load()))).table(rows)
    with tempfile.TemporaryDirectory() as folder, Stopwatch() as watch:
        run_shard(spec, 0, 1, Path(folder), leaves=True)
    return {"processor": watch.processor}


def polars_joins(rows: int) -> Measured:
    """Make the table with polars: cross joins, texts, a lazy sink; the order of rows is its own."""
    import polars

    from benchmarks.argument_table import COLUMNS, frames

    first, *others = (polars.LazyFrame(frame) for frame in frames(rows).values())
    with tempfile.TemporaryDirectory() as folder, Stopwatch() as watch:
        for frame in others:
            first = first.join(frame, how="cross", maintain_order="none")
        for column, text in COLUMNS.items():
            names = re.findall(r"{(\w+)}", text)
            made = polars.format(re.sub(r"{\w+}", "{}", text), *names) if names else polars.lit(text)
            first = first.with_columns(made.alias(column))
        first.select(*COLUMNS).sink_parquet(
            f"{folder}/table.parquet", compression="zstd", compression_level=1
        )
    return {"processor": watch.processor}


def duckdb_joins(rows: int) -> Measured:
    """Make the table with duckdb: cross joins and texts in SQL."""
    import duckdb
    import pyarrow as pa

    from benchmarks.argument_table import COLUMNS, frames, parts_of

    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as base:
        base.execute(f"SET threads = {available_cores()}")
        for name, frame in frames(rows).items():
            base.register(name, pa.table(dict(frame)))
        with Stopwatch() as watch:
            texts = []
            for column, text in COLUMNS.items():
                said = (part[1:-1] if part[0] == "{" else f"'{part}'" for part in parts_of(text))
                texts.append(f"{' || '.join(said)} AS {column}")
            made = f"SELECT {', '.join(texts)} FROM asked CROSS JOIN people CROSS JOIN claims"
            base.execute(f"COPY ({made}) TO '{folder}/table.parquet' (CODEC 'zstd', COMPRESSION_LEVEL 1)")
    return {"processor": watch.processor}
