"""The engine beside f-strings per row and the mere writing of a finished table.

Every variant runs in a process of its own and imports what it needs there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from operator import itemgetter
from pathlib import Path
from statistics import median

from benchmarks.measure import Line, Measured, Stopwatch, apart, at_least, at_most, available_cores
from polbias.aliases import Json

ROUNDS = 3
_MILLION = 1_000_000
_PRODUCT = "a config of partisan-inference-xl, hashed"
_WRITER_ROWS, _CHECKED_ROWS, _BATCH_ROWS = 100_000, 2_000, 10_000


def run() -> list[Line]:
    """Measure all variants in turn, several times; ratios are taken within a round."""
    variants: dict[str, tuple[Callable[..., Measured], int, float | None]] = {
        "engine": (engine, _MILLION, None),
        "f-strings and Parquet writer": (f_strings, _WRITER_ROWS, 2.5),
        _PRODUCT: (product, _WRITER_ROWS, None),
        "the same, lean": (lean, _WRITER_ROWS, None),
        "finished table to Parquet": (finished_table, _MILLION, 0.6),
    }
    rounds = [
        {name: apart(variant, rows, cores=1) for name, (variant, rows, _) in variants.items()}
        for _ in range(ROUNDS)
    ]
    speeds = [{name: made["rows"] / made["processor"] for name, made in each.items()} for each in rounds]
    lines = [
        Line(f"one core: {name}", median([each[name] for each in speeds]), "rows/s") for name in variants
    ]
    for name, (*_, least) in variants.items():
        if least is not None:
            what, ratio = (
                f"one core: engine / {name}",
                median([each["engine"] / each[name] for each in speeds]),
            )
            lines.append(at_least(what, ratio, "times", least))
    gain = median([each["the same, lean"] / each[_PRODUCT] for each in speeds])
    lines.append(at_least("one core: the same, lean / full", gain, "times", 1.7))
    own = [each["engine"] for each in rounds]
    lines.append(Line("one core: peak memory, 1 M rows", max(each["peak_mb"] for each in own), "MB"))
    if available_cores() > 1:
        pairs = [[apart(engine, 2 * _MILLION, workers, cores=2) for workers in (1, 2)] for _ in range(ROUNDS)]
        speed = median([two["rows"] / two["seconds"] for _, two in pairs])
        gain = median([one["seconds"] / two["seconds"] for one, two in pairs])
        what = "two threads / one after the other, by the clock"
        lines += [
            at_least("two cores: two shards in two threads, by the clock", speed, "rows/s", _MILLION),
            # on a slower or busy machine the ratio tells whether threads keep out of each other's way
            Line(what, gain, "times") if speed >= _MILLION else at_least(what, gain, "times", 1.8),
        ]
    large = apart(engine, 10 * _MILLION)
    return [
        Line("Arrow bytes a row", own[0]["arrow_bytes"], "bytes"),
        Line("Parquet bytes a row", own[0]["parquet_bytes"], "bytes"),
        *lines,
        Line("engine, 10 M rows in 10 shards", large["rows"] / large["seconds"], "rows/s"),
        at_most("peak memory, 10 M rows", large["peak_mb"], "MB", 300),
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


def product(rows: int, left_out: Sequence[str] = ()) -> Measured:
    """Make a config of the large set, whose rows are three times as wide, and hash its content."""
    from polbias.generators.engine import run_shard
    from polbias.generators.partisan.xl_family import load
    from polbias.generators.partisan.xl_tables import configs

    spec = next(iter(configs(load()))).table(rows).without(left_out)
    with tempfile.TemporaryDirectory() as folder, Stopwatch() as watch:
        run_shard(spec, 0, 1, Path(folder), leaves=True)
    return {"rows": rows, "processor": watch.processor}


def lean(rows: int) -> Measured:
    """Do the same without the columns that follow from others."""
    from polbias.generators.partisan.publication import LARGE

    return product(rows, LARGE.derived)
