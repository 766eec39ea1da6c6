"""What lm_eval says of a run beside its samples: how many there should be, of which versions, by whom."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from polbias.aliases import Json
from polbias.eval.runs import SampleFile

_SIMULATED = "polbias-simulated"
_SIMULATED_NAME = "simulated-"


@dataclass(frozen=True)
class RunFacts:
    """What a ``results_*.json`` says of one task.

    Attributes:
        expected: samples that were asked; None if it does not say.
        available: rows of the task, of which ``--limit`` may have asked a part; None if it does not say.
        task_version: of the task; empty if it does not say.
        revision: of the dataset that the task names; empty if it names none.
        model_type: of lm_eval, such as ``"local-chat-completions"``; empty if it does not say.
        found: whether there is such a file.
    """

    expected: int | None = None
    available: int | None = None
    task_version: str = ""
    revision: str = ""
    model_type: str = ""
    found: bool = False


def run_facts(file: SampleFile) -> RunFacts:
    """Return what the results beside a file of samples say; nothing if they are not there or damaged."""
    results = _results(file.path.parent / f"results_{file.time}.json") if file.time else None
    if results is None:
        return RunFacts()
    counts = _mapping(_mapping(results.get("n-samples")).get(file.task))
    settings = _mapping(_mapping(_mapping(results.get("configs")).get(file.task)).get("dataset_kwargs"))
    version = _mapping(results.get("versions")).get(file.task)
    return RunFacts(
        expected=_count(counts.get("effective")),
        available=_count(counts.get("original")),
        task_version="" if version is None else str(version),
        revision=str(settings.get("polbias_revision", "")),
        model_type=str(_mapping(results.get("config")).get("model") or ""),
        found=True,
    )


def is_simulated(model: str, facts: RunFacts) -> bool:
    """Tell whether a respondent is simulated: by its kind, or by the name that `polbias simulate` gives."""
    return facts.model_type == _SIMULATED or model.startswith(_SIMULATED_NAME)


@dataclass(frozen=True)
class _Read:
    """Kept for all tasks of a run, whose results are in one file."""

    content: Json | None = field(default=None, hash=False, compare=False)


@lru_cache(maxsize=256)
def _read(path: Path, _stamp: tuple[int, int]) -> _Read:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return _Read()
    return _Read(content if isinstance(content, dict) else None)


def _results(path: Path) -> Json | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return _read(path, (state.st_mtime_ns, state.st_size)).content


def _mapping(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
