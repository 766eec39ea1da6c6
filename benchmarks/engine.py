"""Speed of the engine compared with f-strings per row, polars, duckdb, and writing a table from memory.

Every variant runs in a new process and imports its libraries there.
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
    Figures,
    Line,
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
    """Measure all variants in several rounds; ratios are computed within a round."""
    sizes: dict[Callable[..., Figures], int] = {
        engine: _MILLION,
        f_strings: _WRITER_ROWS,
        polars_joins: _MILLION,
        duckdb_joins: _MILLION,
        large_config: _WRITER_ROWS,
        finished_table: _MILLION,
    }
    rounds = [
        {
            variant: n_rows / run_in_process(variant, n_rows, cores=1)["processor"]
            for variant, n_rows in sizes.items()
        }
        for _ in range(ROUNDS)
    ]

    def ratio(numerator: Callable[..., Figures], denominator: Callable[..., Figures]) -> float:
        return float(median(speeds[numerator] / speeds[denominator] for speeds in rounds))

    lines = [
        Line("one core: engine", median(speeds[engine] for speeds in rounds), "rows/s"),
        at_least("the same / f-strings and Parquet writer", ratio(engine, f_strings), "times", 2.5),
        Line("the same / polars, order not kept", ratio(engine, polars_joins), "times"),
        Line("the same / duckdb", ratio(engine, duckdb_joins), "times"),
        at_least("the same / finished table to Parquet", ratio(engine, finished_table), "times", 0.6),
        Line("one core: the large set, hashed", median(speeds[large_config] for speeds in rounds), "rows/s"),
    ]
    if available_cores() > 1:
        pairs = [
            [run_in_process(engine, 2 * _MILLION, workers, cores=2) for workers in (1, 2)]
            for _ in range(ROUNDS)
        ]
        speed = median(2 * _MILLION / two_threads["seconds"] for _, two_threads in pairs)
        gain = median(one_thread["seconds"] / two_threads["seconds"] for one_thread, two_threads in pairs)
        label = "two threads / one after the other, by the clock"
        lines += [
            at_least("two cores: two shards in two threads, by the clock", speed, "rows/s", _MILLION),
            # on a slower or busy machine the ratio shows whether threads block each other
            Line(label, gain, "times") if speed >= _MILLION else at_least(label, gain, "times", 1.8),
        ]
    large_run = run_in_process(engine, 10 * _MILLION)
    return [
        Line("Arrow bytes per row", large_run["arrow_bytes"], "bytes"),
        *lines,
        at_most("peak memory, 10 M rows", large_run["peak_mb"], "MB", 300),
    ]


def engine(rows: int, workers: int = 1) -> Figures:
    """Build a table with `run_shard`, a million rows per shard, `workers` shards at a time."""
    from concurrent.futures import ThreadPoolExecutor
    from functools import partial

    from benchmarks.argument_table import build_spec, rows_with_f_strings
    from polbias.generators.engine import TableRows, run_shard

    spec = build_spec(rows)
    batch = TableRows(build_spec(_CHECKED_ROWS)).batch(0, _CHECKED_ROWS).sort_by("id")
    if sorted(rows_with_f_strings(_CHECKED_ROWS), key=itemgetter("id")) != batch.to_pylist():
        raise AssertionError("the variants build different rows")
    row_bytes = TableRows(spec).batch(0, _CHECKED_ROWS).nbytes / _CHECKED_ROWS
    del batch
    n_shards = -(-rows // _MILLION)
    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(workers) as pool,
        Stopwatch() as watch,
    ):
        write_shard = partial(run_shard, spec, world_size=n_shards, out=Path(folder))
        list(pool.map(write_shard, range(n_shards)))
    return {"seconds": watch.seconds, "processor": watch.processor, "arrow_bytes": row_bytes}


def f_strings(rows: int) -> Figures:
    """Render every row with f-strings and write batches of rows with the engine's settings."""
    import pyarrow as pa

    from benchmarks.argument_table import build_spec, rows_with_f_strings

    spec = build_spec(rows)
    schema = spec.arrow_schema()

    def batches() -> Iterator[Any]:
        records = rows_with_f_strings(rows)
        while batch := list(islice(records, _BATCH_ROWS)):
            yield pa.RecordBatch.from_pylist(batch, schema)

    return _write_parquet(spec, batches())


def finished_table(rows: int) -> Figures:
    """Write batches from memory with the engine's settings: the upper limit of the speed."""
    from benchmarks.argument_table import build_spec
    from polbias.generators.engine import TableRows

    spec = build_spec(rows)
    return _write_parquet(spec, list(TableRows(spec).batches(0, rows)))


def _write_parquet(spec: TableSpec, batches: Iterable[Any]) -> Figures:
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


def large_config(rows: int) -> Figures:
    """Build a config of the large set, whose rows are three times as wide, and hash its content."""
    from polbias.generators.engine import run_shard
    from polbias.generators.partisan.xl_tables import configs
    from polbias.generators.partisan.xl_templates import load

    spec = next(iter(configs(load()))).table(rows)
    with tempfile.TemporaryDirectory() as folder, Stopwatch() as watch:
        run_shard(spec, 0, 1, Path(folder), leaves=True)
    return {"processor": watch.processor}


def polars_joins(rows: int) -> Figures:
    """Build the table with polars: cross joins, formatted texts, a lazy sink; row order is not fixed."""
    import polars

    from benchmarks.argument_table import COLUMNS, build_frames

    joined, *other_frames = (polars.LazyFrame(frame) for frame in build_frames(rows).values())
    with tempfile.TemporaryDirectory() as folder, Stopwatch() as watch:
        for frame in other_frames:
            joined = joined.join(frame, how="cross", maintain_order="none")
        for column, template in COLUMNS.items():
            names = re.findall(r"{(\w+)}", template)
            expression = (
                polars.format(re.sub(r"{\w+}", "{}", template), *names) if names else polars.lit(template)
            )
            joined = joined.with_columns(expression.alias(column))
        joined.select(*COLUMNS).sink_parquet(
            f"{folder}/table.parquet", compression="zstd", compression_level=1
        )
    return {"processor": watch.processor}


def duckdb_joins(rows: int) -> Figures:
    """Build the table with duckdb: cross joins and concatenation in SQL."""
    import duckdb
    import pyarrow as pa

    from benchmarks.argument_table import COLUMNS, build_frames, split_template

    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        connection.execute(f"SET threads = {available_cores()}")
        for name, frame in build_frames(rows).items():
            connection.register(name, pa.table(dict(frame)))
        with Stopwatch() as watch:
            columns = []
            for column, template in COLUMNS.items():
                terms = (part[1:-1] if part[0] == "{" else f"'{part}'" for part in split_template(template))
                columns.append(f"{' || '.join(terms)} AS {column}")
            query = f"SELECT {', '.join(columns)} FROM asked CROSS JOIN people CROSS JOIN claims"
            connection.execute(
                f"COPY ({query}) TO '{folder}/table.parquet' (CODEC 'zstd', COMPRESSION_LEVEL 1)"
            )
    return {"processor": watch.processor}
