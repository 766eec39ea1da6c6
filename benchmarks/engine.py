"""The engine beside Jinja per row, and beside the mere writing of a finished table.

Every variant runs in a process of its own and imports what it needs there.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks.measure import Line, Measured, Stopwatch, apart, at_least, at_most, available_cores, median
from polbias.aliases import Json

ROUNDS = 3
_MILLION = 1_000_000
_WRITER_ROWS, _GENERATOR_ROWS, _CHECKED_ROWS, _BATCH_ROWS = 100_000, 50_000, 2_000, 10_000


def run() -> list[Line]:
    """Measure all variants in turn, several times; ratios are taken within a round."""
    one = _rounds(cores=1)
    lines = _lines(one, "one core", share=60)
    if available_cores() > 1:
        lines += _lines(_rounds(cores=2), "two cores", share=90)
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
        "generator": (jinja_generator, _GENERATOR_ROWS),
        "writer": (jinja_writer, _WRITER_ROWS),
        "finished": (finished_table, _MILLION),
    }
    measured: dict[str, list[Json]] = {name: [] for name in variants}
    for _ in range(ROUNDS):
        for name, (variant, rows) in variants.items():
            measured[name].append(apart(variant, rows, cores=cores))
    return measured


def _lines(measured: Mapping[str, list[Json]], where: str, share: float) -> list[Line]:
    speeds = {name: [run["rows"] / run["seconds"] for run in runs] for name, runs in measured.items()}

    def ratio(name: str) -> float:
        return median([a / b for a, b in zip(speeds["engine"], speeds[name], strict=True)])

    return [
        Line(f"{where}: engine, 1 M rows", median(speeds["engine"]), "rows/s"),
        Line(f"{where}: Jinja and Dataset.from_generator", median(speeds["generator"]), "rows/s"),
        Line(f"{where}: Jinja and Parquet writer", median(speeds["writer"]), "rows/s"),
        Line(f"{where}: finished table to Parquet", median(speeds["finished"]), "rows/s"),
        Line(f"{where}: engine / Jinja and from_generator", ratio("generator"), "times"),
        at_least(f"{where}: engine / Jinja and Parquet writer", ratio("writer"), "times", 10),
        at_least(f"{where}: engine / finished table", 100 * ratio("finished"), "%", share),
        Line(f"{where}: peak memory, 1 M rows", max(run["peak_mb"] for run in measured["engine"]), "MB"),
    ]


def engine(rows: int) -> Measured:
    """Make a table with `run_shard`, a million rows a shard."""
    from benchmarks.argument_table import rows_with_jinja, table
    from polbias.generators.engine import Rows, run_shard

    spec = table(rows)
    whole = Rows(spec)
    part = whole.batch(0, _CHECKED_ROWS)
    if list(rows_with_jinja(_CHECKED_ROWS)) != part.to_pylist():
        raise AssertionError("the variants do not make the same rows")
    size = part.nbytes / part.num_rows
    del part
    shards = -(-rows // _MILLION)
    with tempfile.TemporaryDirectory() as folder, Stopwatch() as watch:
        made = [run_shard(spec, rank, shards, Path(folder)) for rank in range(shards)]
    return {
        "rows": sum(shard.rows for shard in made),
        "seconds": watch.seconds,
        "parquet_bytes": sum(shard.size for shard in made) / len(whole),
        "arrow_bytes": size,
    }


def jinja_generator(rows: int) -> Measured:
    """Render every row with Jinja and hand it to `Dataset.from_generator`."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"HF_HOME": folder, "HF_HUB_OFFLINE": "1"}
        import datasets

        from benchmarks.argument_table import rows_with_jinja

        datasets.disable_progress_bars()
        with Stopwatch() as watch:
            made = datasets.Dataset.from_generator(
                rows_with_jinja, gen_kwargs={"rows": rows}, cache_dir=folder
            )
        return {"rows": len(made), "seconds": watch.seconds}


def jinja_writer(rows: int) -> Measured:
    """Render every row with Jinja and write batches of rows with the engine's settings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from benchmarks.argument_table import rows_with_jinja, table
    from polbias.generators.engine import Rows
    from polbias.generators.engine.files import parquet_options

    schema = Rows(table(_CHECKED_ROWS)).schema
    with (
        tempfile.TemporaryDirectory() as folder,
        Stopwatch() as watch,
        pq.ParquetWriter(f"{folder}/table.parquet", schema, **parquet_options(table(rows))) as writer,
    ):
        batch: list[Json] = []
        for number, row in enumerate(rows_with_jinja(rows), start=1):
            batch.append(row)
            if len(batch) == _BATCH_ROWS or number == rows:
                writer.write_batch(pa.RecordBatch.from_pylist(batch, schema))
                batch = []
    return {"rows": rows, "seconds": watch.seconds}


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
    return {"rows": rows, "seconds": watch.seconds}
