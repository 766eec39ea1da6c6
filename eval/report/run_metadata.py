"""Metadata of a run from lm_eval's results or an Inspect log: versions, settings, expected sample counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from polbias.aliases import Json
from polbias.errors import InputError
from polbias.eval import inspect_logs
from polbias.eval.report.respondents import RunSettings, identifying_settings
from polbias.eval.samples import SampleFile
from polbias.files import read_bytes

SCORED = "score"  # model type of runs that `polbias score` made of existing answers
_SIMULATED = "polbias-simulated"
_SIMULATED_NAME = "simulated-"


@dataclass(frozen=True)
class RunMetadata:
    """Metadata of one task from a ``results_*.json`` or the header of an Inspect log.

    Attributes:
        expected: number of requested samples; None if unknown.
        available: number of rows of the task, more than `expected` with ``--limit``; None if unknown.
        task_version: of the task; empty if unknown.
        revision: of the dataset of the task; empty if unknown.
        toolkit: version of polbias that ran the task; empty if unknown.
        model_type: of lm_eval, such as ``"local-chat-completions"``, or "inspect"; empty if unknown.
        settings: that may distinguish respondents of one model.
        dropped: intended settings that were not sent, because the server does not accept them.
        exists: whether the file exists and can be parsed.
    """

    expected: int | None = None
    available: int | None = None
    task_version: str = ""
    revision: str = ""
    toolkit: str = ""
    model_type: str = ""
    settings: RunSettings = field(default_factory=dict)
    dropped: Mapping[str, Any] = field(default_factory=dict)
    exists: bool = False


def read_run_metadata(file: SampleFile) -> RunMetadata:
    """Return the metadata for a file of samples; empty if the results are missing or damaged."""
    if inspect_logs.is_log(file.path):
        log = inspect_logs.header(file.path)
        return RunMetadata(
            log.expected,
            log.available,
            log.version,
            toolkit=log.toolkit,
            model_type="inspect",
            settings=identifying_settings(log.results),
            exists=True,
        )
    paths = [file.path.parent / f"results_{file.time}.json{suffix}" for suffix in ("", ".gz")]
    results = next(filter(None, map(_read_results, paths)), None) if file.time else None
    if results is None:
        return RunMetadata()
    counts = _mapping(_mapping(results.get("n-samples")).get(file.task))
    dataset_kwargs = _mapping(_mapping(_mapping(results.get("configs")).get(file.task)).get("dataset_kwargs"))
    version = _mapping(results.get("versions")).get(file.task)
    return RunMetadata(
        expected=_integer_or_none(counts.get("effective")),
        available=_integer_or_none(counts.get("original")),
        task_version="" if version is None else str(version),
        revision=str(dataset_kwargs.get("polbias_revision", "")),
        toolkit=str(_mapping(results.get("polbias")).get("version") or ""),
        model_type=str(_mapping(results.get("config")).get("model") or ""),
        settings=identifying_settings(results),
        dropped=_mapping(_mapping(results.get("polbias")).get("dropped")),
        exists=True,
    )


def is_simulated(model: str, metadata: RunMetadata) -> bool:
    """Whether a respondent is simulated, by its model type or by the name from `polbias simulate`."""
    return metadata.model_type == _SIMULATED or model.startswith(_SIMULATED_NAME)


@lru_cache(maxsize=256)
def _read_json(path: Path, _stamp: tuple[int, int]) -> Json | None:
    """Parse a results file; cached, because all tasks of a run share one."""
    try:
        content = json.loads(read_bytes(path))
    except (InputError, OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _read_results(path: Path) -> Json | None:
    try:
        file_stat = path.stat()
    except OSError:
        return None
    return _read_json(path, (file_stat.st_mtime_ns, file_stat.st_size))


def _mapping(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _integer_or_none(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
