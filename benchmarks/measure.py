"""Run a function in a new process, to measure its time, peak memory and cores."""

from __future__ import annotations

import importlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from polbias.aliases import Document, Json

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 3
"""Calls per figure, which is their median."""
Figures = Document


@dataclass(frozen=True)
class Line:
    """Row of a result table.

    Attributes:
        label: description of the measurement.
        value: the figure.
        unit: unit of the figure.
        aim: limit of the figure, in words; empty if the figure is only for comparison.
        met: whether the figure is within the limit; None without an aim.
    """

    label: str
    value: float
    unit: str
    aim: str = ""
    met: bool | None = None


class Stopwatch:
    """Wall-clock seconds of a context, and processor seconds of this process and its ended children."""

    def __enter__(self) -> Stopwatch:
        self._start = time.perf_counter(), _processor_seconds()
        self.seconds = self.processor = 0.0
        return self

    def __exit__(self, *_: object) -> None:
        wall, processor = self._start
        self.seconds, self.processor = time.perf_counter() - wall, _processor_seconds() - processor


def _processor_seconds() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def at_most(label: str, value: float, unit: str, limit: float) -> Line:
    """Return a line whose value should not exceed a limit."""
    return Line(label, value, unit, f"at most {limit:g} {unit}", value <= limit)


def at_least(label: str, value: float, unit: str, limit: float) -> Line:
    """Return a line whose value should reach a limit."""
    return Line(label, value, unit, f"at least {limit:g} {unit}", value >= limit)


def run_in_process(function: Callable[..., Figures], *arguments: Any, cores: int | None = None) -> Json:
    """Call a function of a module in a new process, on `cores` cores; return its figures and peak_mb."""
    task = json.dumps([function.__module__, function.__name__, arguments, cores])
    process = subprocess.run(
        [sys.executable, "-m", "benchmarks.measure", task], cwd=ROOT, stdout=subprocess.PIPE, check=True
    )
    result: Json = json.loads(process.stdout.splitlines()[-1])
    return result


def medians(function: Callable[..., Figures], *arguments: Any, cores: int | None = None) -> dict[str, float]:
    """Return the median of each figure over :data:`ROUNDS` calls, each in a new process."""
    runs = [run_in_process(function, *arguments, cores=cores) for _ in range(ROUNDS)]
    return {name: median(run[name] for run in runs) for name in runs[0]}


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _run_task(task: str) -> None:
    module, name, arguments, cores = json.loads(task)
    if cores and hasattr(os, "sched_setaffinity"):
        # Before the import of Arrow, which sets its number of threads on import.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    result = dict(getattr(importlib.import_module(module), name)(*arguments))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result["peak_mb"] = peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    print(json.dumps(result))


if __name__ == "__main__":
    _run_task(sys.argv[1])
