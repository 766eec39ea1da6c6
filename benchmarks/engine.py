"""The engine beside f-strings per row, polars, duckdb, and the mere writing of a finished table.

Every variant runs in a process of its own and imports what it needs there.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path

from benchmarks.measure import Line, Measured, Stopwatch, apart, at_least, at_most, available_cores, median
from polbias.aliases import Json

ROUNDS = 3
_MILLION = 1_000_000
_WRITER_ROWS, _CHECKED_ROWS, _BATCH_ROWS = 100_000, 2_000, 10_000


def run() -> list[Line]:
    """Measure all variants in turn, several times; ratios are taken within a round."""
    one = _rounds(cores=1)
    lines = _lines(one, "one core", share=60)
    if available_cores() > 1:
        pairs = [[apart(engine, 2 * _MILLION, workers, cores=2) for workers in (1, 2)] for _ in range(ROUNDS)]
        speeds = [two["rows"] / two["seconds"] for _, two in pairs]
        gain = [one["seconds"] / two["seconds"] for one, two in pairs]
        speed, ratio = median(speeds), "two threads / one after the other, by the clock"
        lines.append(
            at_least("two cores: two shards in two threads, by the clock", speed, "rows/s", _MILLION)
        )
        # on a slower or busy machine the ratio tells whether threads keep out of each other's way
        lines.append(
            Line(ratio, median(gain), "times")
            if speed >= _MILLION
            else at_least(ratio, median(gain), "times", 1.8)
        )
    large = apart(engine, 10 * _MILLION)
    size = one["engine"][0]
    return [
        Line("Arrow bytes a row", size["arrow_bytes"], "bytes"),
        Line("Parquet bytes a row", size["parquet_bytes"], "bytes"),
        *lines,
        Line("engine, 10 M rows in 10 shards", large["rows"] / large["seconds"], "rows/s"),
        at_most("peak memory, 10 M rows", large["peak_mb"], "MB", 300),
    ]


def _rounds(cores: int) -> dict[str, list[Json]]:
    variants = {
        "engine": (engine, _MILLION),
        "f-strings": (f_strings, _WRITER_ROWS),
        "polars": (polars_joins, _MILLION),
        "duckdb": (duckdb_joins, _MILLION),
        "product": (product, _WRITER_ROWS),
        "finished": (finished_table, _MILLION),
    }
    measured: dict[str, list[Json]] = {name: [] for name in variants}
    for _ in range(ROUNDS):
        for name, (variant, rows) in variants.items():
            measured[name].append(apart(variant, rows, cores=cores))
    return measured


def _lines(measured: Mapping[str, list[Json]], where: str, share: float) -> list[Line]:
    speeds = {name: [run["rows"] / run["processor"] for run in runs] for name, runs in measured.items()}

    def ratio(name: str) -> float:
        return median([a / b for a, b in zip(speeds["engine"], speeds[name], strict=True)])

    return [
        Line(f"{where}: engine, 1 M rows", median(speeds["engine"]), "rows/s"),
        Line(f"{where}: f-strings and Parquet writer", median(speeds["f-strings"]), "rows/s"),
        Line(f"{where}: polars, order not kept", median(speeds["polars"]), "rows/s"),
        Line(f"{where}: duckdb", median(speeds["duckdb"]), "rows/s"),
        Line(f"{where}: a config of partisan-inference-xl, hashed", median(speeds["product"]), "rows/s"),
        Line(f"{where}: finished table to Parquet", median(speeds["finished"]), "rows/s"),
        at_least(f"{where}: engine / f-strings and Parquet writer", ratio("f-strings"), "times", 2.5),
        Line(f"{where}: engine / polars", ratio("polars"), "times"),
        Line(f"{where}: engine / duckdb", ratio("duckdb"), "times"),
        at_least(f"{where}: engine / finished table", 100 * ratio("finished"), "%", share),
        Line(f"{where}: peak memory, 1 M rows", max(run["peak_mb"] for run in measured["engine"]), "MB"),
    ]


def engine(rows: int, workers: int = 1) -> Measured:
    """Make a table with `run_shard`, a million rows a shard, so many at a time."""
    from concurrent.futures import ThreadPoolExecutor
    from functools import partial

    from benchmarks.argument_table import rows_with_f_strings, table
    from polbias.generators.engine import Rows, run_shard

    spec = table(rows)
    checked = Rows(table(_CHECKED_ROWS)).batch(0, _CHECKED_ROWS).sort_by("id")
    if sorted(rows_with_f_strings(_CHECKED_ROWS), key=itemgetter("id")) != checked.to_pylist():
        raise AssertionError("the variants do not make the same rows")
    size = Rows(spec).batch(0, _CHECKED_ROWS).nbytes / _CHECKED_ROWS
    del checked
    shards = -(-rows // _MILLION)
    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(workers) as pool,
        Stopwatch() as watch,
    ):
        make = partial(run_shard, spec, world_size=shards, out=Path(folder))
        made = list(pool.map(make, range(shards)))
    return {
        "rows": sum(shard.rows for shard in made),
        "seconds": watch.seconds,
        "processor": watch.processor,
        "parquet_bytes": sum(shard.size for shard in made) / rows,
        "arrow_bytes": size,
    }


def f_strings(rows: int) -> Measured:
    """Make every row with f-strings and write batches of rows with the engine's settings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from benchmarks.argument_table import rows_with_f_strings, table
    from polbias.generators.engine import Rows
    from polbias.generators.engine.files import parquet_options

    schema = Rows(table(_CHECKED_ROWS)).schema
    with (
        tempfile.TemporaryDirectory() as folder,
        Stopwatch() as watch,
        pq.ParquetWriter(f"{folder}/table.parquet", schema, **parquet_options(table(rows))) as writer,
    ):
        batch: list[Json] = []
        for number, row in enumerate(rows_with_f_strings(rows), start=1):
            batch.append(row)
            if len(batch) == _BATCH_ROWS or number == rows:
                writer.write_batch(pa.RecordBatch.from_pylist(batch, schema))
                batch = []
    return {"rows": rows, "processor": watch.processor}


def finished_table(rows: int) -> Measured:
    """Write batches that are in memory already with the engine's settings: the limit of what is possible."""
    import pyarrow.parquet as pq

    from benchmarks.argument_table import table
    from polbias.generators.engine import Rows
    from polbias.generators.engine.files import parquet_options

    whole = Rows(table(rows))
    batches = list(whole.batches(0, rows))
    with (
        tempfile.TemporaryDirectory() as folder,
        Stopwatch() as watch,
        pq.ParquetWriter(f"{folder}/table.parquet", whole.schema, **parquet_options(table(rows))) as writer,
    ):
        for batch in batches:
            writer.write_batch(batch)
    return {"rows": rows, "processor": watch.processor}


def product(rows: int) -> Measured:
    """Make a config of the large set, whose rows are three times as wide, and hash its content."""
    from polbias.generators.engine import run_shard
    from polbias.generators.partisan.xl_family import load
    from polbias.generators.partisan.xl_tables import configs

    spec = next(iter(configs(load()))).table(rows)
    with tempfile.TemporaryDirectory() as folder, Stopwatch() as watch:
        run_shard(spec, 0, 1, Path(folder), leaves=True)
    return {"rows": rows, "processor": watch.processor}


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
        target = f"{folder}/table.parquet"
        first.select(*COLUMNS).sink_parquet(target, compression="zstd", compression_level=1)
        made_rows = polars.scan_parquet(target).select(polars.len()).collect().item()
    return {"rows": made_rows, "processor": watch.processor}


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
        found = base.execute(f"SELECT count(*) FROM '{folder}/table.parquet'").fetchall()
    return {"rows": found[0][0], "processor": watch.processor}
