"""Shards of a large table: by this process and by workers of datatrove; drawing a sample; planning.

A worker's start-up is measured by a run of small shards of the same table and taken off. Each variant runs on
as many cores as it has workers.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.measure import (
    ROUNDS,
    Line,
    Measured,
    Stopwatch,
    at_least,
    at_most,
    available_cores,
    medians,
    run_in_process,
)

if TYPE_CHECKING:
    from polbias.scaling.run import ScaledRun

_MILLION = 1_000_000
_SHARDS, _TINY = 4, 61  # a shard has a block of the content hash at least, 16,384 rows


def run() -> list[Line]:
    """Measure all variants in turn, several times; ratios are taken within a round."""
    variants = {"inprocess": 1, "local 1": 1, "local 2": 2}
    if available_cores() < 2:
        del variants["local 2"]
    rounds = [
        {
            name: run_in_process(shards, name.split()[0], cores, cores=cores)
            for name, cores in variants.items()
        }
        for _ in range(ROUNDS)
    ]

    def ratio(name: str, base: str) -> float:
        return float(median(measured[name]["rate"] / measured[base]["rate"] for measured in rounds))

    one = median(measured["inprocess"]["rate"] for measured in rounds)
    lines = [
        Line("in process, one core, shards of 1 M rows", one, "rows/s"),
        at_least("datatrove, 1 worker / in process", 100 * ratio("local 1", "inprocess"), "%", 85),
    ]
    if "local 2" in variants:
        lines.append(at_least("2 workers / 1 worker", ratio("local 2", "local 1"), "times", 1.7))
    drawn, planned = medians(sampling, cores=1), medians(planning, cores=1)
    return [
        *lines,
        at_most("drawing, of the time of a sampled row", 100 * drawn["share"], "%", 15),
        at_most("plan of 20 M rows, the specification at hand", planned["seconds"], "s", 1),
    ]


def shards(executor: str, workers: int) -> Measured:
    """Make shards of a million rows; start-up apart."""
    from polbias.scaling.executors import EXECUTORS, Resources

    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, cut in (("startup", _SHARDS * _TINY), ("whole", _SHARDS)):
            made = _run(folder, name, cut)
            with Stopwatch() as watch:
                EXECUTORS[executor](made, range(_SHARDS), Resources(workers, Path(folder) / name / "logs"))
            seconds[name] = watch.seconds
    return {"rate": _SHARDS * _MILLION * (1 - 1 / _TINY) / (seconds["whole"] - seconds["startup"])}


def sampling() -> Measured:
    """Make a sample, and draw its rows without making them."""
    from benchmarks.argument_table import table
    from polbias.generators.engine import Sample, run_shard
    from polbias.generators.engine.latin_square import LatinSquareSample

    sample = Sample(rows=_MILLION, pair=("side",), strata=("instruction", "gold", "pattern"))
    spec = table(20 * _MILLION).model_copy(update={"sample": sample})
    with tempfile.TemporaryDirectory() as folder:
        with Stopwatch() as making:
            run_shard(spec, 0, 1, Path(folder), content=True)
        with Stopwatch() as drawing:
            drawn = LatinSquareSample(spec, sample)
            for start in range(0, _MILLION, 1 << 14):
                drawn.flat_indices(start, min(start + (1 << 14), _MILLION))
    return {"share": drawing.processor / making.processor}


def planning() -> Measured:
    """Plan a build."""
    with tempfile.TemporaryDirectory() as folder:
        made = _run(folder, "planned", 20, millions=20)
        with Stopwatch() as watch:
            made.size()
    return {"seconds": watch.seconds}


def _run(folder: str, name: str, cut: int, millions: int = _SHARDS) -> ScaledRun:
    """Begin a run of the engine's benchmark table."""
    from benchmarks.argument_table import table
    from polbias.generators.engine import DatasetSpec
    from polbias.scaling.run import open_run, plan_run

    spec = DatasetSpec(name="arguments", version="1.0.0", canary="", tables=(table(millions * _MILLION),))
    made = plan_run(f"{folder}/{name}", spec, shards=cut)
    open_run(made)
    return made
