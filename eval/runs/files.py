"""Where the samples of runs are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from polbias.files import InputError

_LOGLIKELIHOOD = "_loglikelihood"
# lm_eval writes OUTPUT/<model>/samples_<task>_<time>.jsonl; times sort as text.
_NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d{2}-\d{2}T[\d.:-]+)\.jsonl")


@dataclass(frozen=True, order=True)
class SampleFile:
    """The samples of one task from one run.

    Attributes:
        model: name of the folder that the file is in, which lm_eval makes of the model's name.
        task: name of the task.
        time: when the run ended, as in the file's name; empty if the name does not say.
        path: of the file.
    """

    model: str
    task: str
    time: str
    path: Path

    @property
    def respondent(self) -> str:
        """The model; by log-likelihood it is one of its own, since those are never pooled with answers."""
        return self.model + (" (log-likelihood)" if self.task.endswith(_LOGLIKELIHOOD) else "")


def find_samples(paths: Iterable[Path], newest: bool = True) -> list[SampleFile]:
    """Return the sample files at some paths, by model, task and time.

    Args:
        paths: sample files, or folders with such files anywhere below.
        newest: whether to return only the newest file of every model and task.

    Raises:
        InputError: if a path is not there, or there is no sample file at it.
    """
    found: set[SampleFile] = set()
    for path in paths:
        if not path.exists():
            raise InputError(
                f"{path}: not there; expected a folder that lm_eval wrote with --log_samples, or a file"
            )
        own = [path] if path.is_file() else sorted(path.rglob("samples_*.jsonl"))
        if not own:
            raise InputError(
                f"{path}: found no samples_*.jsonl; run lm_eval with --log_samples --output_path {path}"
            )
        found.update(_named(each) for each in own)
    files = sorted(found)
    if not newest:
        return files
    return list({(file.model, file.task): file for file in files}.values())


def _named(path: Path) -> SampleFile:
    name = _NAME.fullmatch(path.name)
    model = path.resolve().parent.name
    task, time = (name["task"], name["time"]) if name else (path.stem.removeprefix("samples_"), "")
    return SampleFile(model, task, time, path)
