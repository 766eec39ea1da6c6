"""Runs to report: samples of simulated respondents, as lm_eval would write them, and ways to spoil them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from polbias.eval.simulation.lm_eval import SimulatedRun, run_tasks
from polbias.eval.simulation.respondents import make_respondent

MINI = "polbias_en_formal_mini"


def simulate(
    folder: Path, name: str, *tasks: str, kind: str = "planted", seed: int = 0, **options: Any
) -> Path:
    """Write a run of a simulated respondent; returns its folder."""
    place, data = folder / name, tuple(os.environ.get(f"POLBIAS_{name}") for name in ("DATA_DIR", "STAGE2"))
    _run(tasks or (MINI,), kind, seed, name, tuple(options.items()), data).write(place)
    return place


@lru_cache(maxsize=4)
def _run(tasks: Sequence[str], kind: str, seed: int, name: str, options: Any, data: Any) -> SimulatedRun:
    """A run over the data of this environment; most tests begin with the same one."""
    return run_tasks(list(tasks), make_respondent(kind, **dict(options)), seed, model=name)


def samples_of(folder: Path, task: str = MINI) -> Path:
    """Return the file of samples of a task."""
    (path,) = folder.glob(f"samples_{task}_2*.jsonl")
    return path


def change(path: Path, edit: Callable[[int, dict[str, Any]], dict[str, Any] | None]) -> None:
    """Edit every sample of a file; None leaves it out."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    kept = [each for each in (edit(number, line) for number, line in enumerate(lines)) if each is not None]
    path.write_text("".join(json.dumps(each) + "\n" for each in kept), "utf-8")
