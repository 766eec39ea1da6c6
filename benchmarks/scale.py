"""Speed of shards of a large table, in process and with datatrove workers; of sampling; of planning.

The start-up of workers is measured with small shards of the same table and subtracted. Each variant runs on
one core per worker.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.measure import (
    ROUNDS,
    Figures,
    Line,
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
_SHARDS, _TINY = 4, 61  # a shard has at least 16,384 rows, a block of the content hash


def run() -> list[Line]:
    """Measure all variants in several rounds; ratios are computed within a round."""
    variants = {"inprocess": 1, "local 1": 1, "local 2": 2}
    if available_cores() < 2:
        del variants["local 2"]
    rounds = [
        {
            name: run_in_process(run_shards, name.split()[0], cores, cores=cores)
            for name, cores in variants.items()
        }
        for _ in range(ROUNDS)
    ]

    def ratio(name: str, base: str) -> float:
        return float(median(figures[name]["rate"] / figures[base]["rate"] for figures in rounds))

    rate = median(figures["inprocess"]["rate"] for figures in rounds)
    lines = [
        Line("in process, one core, shards of 1 M rows", rate, "rows/s"),
        at_least("datatrove, 1 worker / in process", 100 * ratio("local 1", "inprocess"), "%", 85),
    ]
    if "local 2" in variants:
        lines.append(at_least("2 workers / 1 worker", ratio("local 2", "local 1"), "times", 1.7))
    sampling_figures, planning_figures = medians(sampling, cores=1), medians(planning, cores=1)
    return [
        *lines,
        at_most("drawing, of the time of a sampled row", 100 * sampling_figures["share"], "%", 15),
        at_most("plan of 20 M rows, the specification at hand", planning_figures["seconds"], "s", 1),
    ]


def run_shards(executor: str, workers: int) -> Figures:
    """Build shards of a million rows; the rate excludes the start-up."""
    from polbias.scaling.executors import EXECUTORS, Resources

    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, n_shards in (("startup", _SHARDS * _TINY), ("whole", _SHARDS)):
            scaled_run = _open_benchmark_run(folder, name, n_shards)
            with Stopwatch() as watch:
                EXECUTORS[executor](
                    scaled_run, range(_SHARDS), Resources(workers, Path(folder) / name / "logs")
                )
            seconds[name] = watch.seconds
    return {"rate": _SHARDS * _MILLION * (1 - 1 / _TINY) / (seconds["whole"] - seconds["startup"])}


def sampling() -> Figures:
    """Build a sample, and compare it with drawing its row numbers only."""
    from benchmarks.argument_table import build_spec
    from polbias.generators.engine import Sample, run_shard
    from polbias.generators.engine.latin_square import LatinSquareSample

    sample = Sample(rows=_MILLION, pair=("side",), strata=("instruction", "gold", "pattern"))
    spec = build_spec(20 * _MILLION).model_copy(update={"sample": sample})
    with tempfile.TemporaryDirectory() as folder:
        with Stopwatch() as making:
            run_shard(spec, 0, 1, Path(folder), content=True)
        with Stopwatch() as drawing:
            latin_square = LatinSquareSample(spec, sample)
            for start in range(0, _MILLION, 1 << 14):
                latin_square.flat_indices(start, min(start + (1 << 14), _MILLION))
    return {"share": drawing.processor / making.processor}


def planning() -> Figures:
    """Plan a build."""
    with tempfile.TemporaryDirectory() as folder:
        scaled_run = _open_benchmark_run(folder, "planned", 20, millions=20)
        with Stopwatch() as watch:
            scaled_run.size()
    return {"seconds": watch.seconds}


def _open_benchmark_run(folder: str, name: str, n_shards: int, millions: int = _SHARDS) -> ScaledRun:
    """Open a run of the engine benchmark's table."""
    from benchmarks.argument_table import build_spec
    from polbias.generators.engine import DatasetSpec
    from polbias.scaling.run import open_run, plan_run

    spec = DatasetSpec(
        name="arguments", version="1.0.0", canary="", tables=(build_spec(millions * _MILLION),)
    )
    scaled_run = plan_run(f"{folder}/{name}", spec, shards=n_shards)
    open_run(scaled_run)
    return scaled_run
