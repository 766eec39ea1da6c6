"""Run a function in a process of its own: time, peak memory and cores are then its own too."""

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
"""Calls of which a figure is the median."""
Figures = Document


@dataclass(frozen=True)
class Line:
    """One line of a result table.

    Attributes:
        what: what was measured.
        value: the figure.
        unit: its unit.
        aim: what it should be, in words; empty where it is there for comparison.
        met: whether it is; None without an aim.
    """

    label: str
    value: float
    unit: str
    aim: str = ""
    met: bool | None = None


class Stopwatch:
    """Seconds between entering and leaving a context, and those of processors: ours and of ended children."""

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
    """Call a function of a module in a new process."""
    task = json.dumps([function.__module__, function.__name__, arguments, cores])
    process = subprocess.run(
        [sys.executable, "-m", "benchmarks.measure", task], cwd=ROOT, stdout=subprocess.PIPE, check=True
    )
    result: Json = json.loads(process.stdout.splitlines()[-1])
    return result


def medians(function: Callable[..., Figures], *arguments: Any, cores: int | None = None) -> dict[str, float]:
    """Return the median of each figure of some calls, each in a process of its own."""
    runs = [run_in_process(function, *arguments, cores=cores) for _ in range(ROUNDS)]
    return {name: median(run[name] for run in runs) for name in runs[0]}


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _run_task(task: str) -> None:
    module, name, arguments, cores = json.loads(task)
    if cores and hasattr(os, "sched_setaffinity"):
        # Before Arrow is imported: it takes its number of threads from what it finds then.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    result = dict(getattr(importlib.import_module(module), name)(*arguments))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result["peak_mb"] = peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    print(json.dumps(result))


if __name__ == "__main__":
    _run_task(sys.argv[1])
