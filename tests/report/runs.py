"""Runs to report: samples of simulated respondents, as lm_eval would write them, and ways to spoil them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from polbias.eval.simulation.lm_eval import run
from polbias.eval.simulation.respondents import respondent

MINI = "polbias_en_formal_mini"


def simulate(
    folder: Path, name: str, *tasks: str, kind: str = "planted", seed: int = 0, **options: Any
) -> Path:
    """Write a run of a simulated respondent; returns its folder."""
    place = folder / name
    run(list(tasks or (MINI,)), respondent(kind, **options), seed, model=name).write(place)
    return place


def samples_of(folder: Path, task: str = MINI) -> Path:
    """Return the file of samples of a task."""
    (path,) = folder.glob(f"samples_{task}_2*.jsonl")
    return path


def change(path: Path, edit: Callable[[int, dict[str, Any]], dict[str, Any] | None]) -> None:
    """Edit every sample of a file; None leaves it out."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    kept = [each for each in (edit(number, line) for number, line in enumerate(lines)) if each is not None]
    path.write_text("".join(json.dumps(each) + "\n" for each in kept), "utf-8")
