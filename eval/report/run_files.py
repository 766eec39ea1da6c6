"""Find the files of a report: one run of each task and respondent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from polbias.eval.report.document import Notice
from polbias.eval.report.respondents import name_respondents
from polbias.eval.report.run_metadata import read_run_metadata
from polbias.eval.report.wording import report_words
from polbias.eval.samples import SampleFile, find_sample_files, first_row, read_samples
from polbias.registry import instrument_of


@dataclass(frozen=True)
class RunFiles:
    """Files of a report.

    Attributes:
        files: each file with its instrument, sorted by respondent and task.
        notices: excluded files.
    """

    files: tuple[tuple[SampleFile, str], ...]
    notices: tuple[Notice, ...]


def gather(
    paths: Iterable[Path],
    instruments: Collection[str] = (),
    names: Mapping[Path, str] = MappingProxyType({}),
) -> RunFiles:
    """Find the sample files at paths.

    Args:
        paths: files, or folders of any depth.
        instruments: names of the instruments to report; all if empty.
        names: of respondents, by the folder or file of their runs.
    """
    runs: dict[tuple[str, str], list[SampleFile]] = {}
    instrument_by_file: dict[SampleFile, str] = {}
    notices: list[Notice] = []
    wordings = report_words().notices
    files = sorted({file.path.resolve(): file for file in find_sample_files(paths, newest=False)}.values())
    for file in name_respondents([(file, read_run_metadata(file).settings) for file in files], names):
        row = first_row(file.path)
        instrument = instrument_of(row)
        if instrument is None:
            dataset = row.get("dataset")
            key = "no_samples" if not row else "foreign_task" if dataset else "no_dataset"
            text = wordings[key].format(task=file.task, dataset=dataset)
            notices.append(Notice(name_of(file), text, wordings["left_out"], serious=not row))
            continue
        if instruments and instrument not in instruments:
            continue
        runs.setdefault((file.respondent, file.task), []).append(file)
        instrument_by_file[file] = instrument
    chosen_files = []
    for _, task_files in sorted(runs.items()):
        chosen_file, choice_notices = choose_run(task_files)
        chosen_files.append((chosen_file, instrument_by_file[chosen_file]))
        notices += choice_notices
    return RunFiles(tuple(chosen_files), tuple(notices))


def choose_run(files: Sequence[SampleFile]) -> tuple[SampleFile, list[Notice]]:
    """Choose one of the runs of a task by a respondent; return it and a notice for each of the others.

    A trial run (``--limit``, or interrupted) is chosen only if there is no other. Of full runs on the newest
    run's version of the dataset, and of trial runs, the one with most rows is chosen, then the newest.

    Args:
        files: samples of the runs, in order of time.
    """
    if len(files) == 1:
        return files[0], []
    runs = [_read_size(file) for file in files]
    candidates = [run for run in runs if not run.is_trial]
    if candidates:
        candidates = [run for run in candidates if run.version == candidates[-1].version]
    chosen = max(candidates or runs, key=lambda run: (run.rows, runs.index(run)))
    wordings, notices = report_words().notices, []
    for run in runs:
        if run is chosen:
            continue
        key = "older_run" if runs.index(run) < runs.index(chosen) else "smaller_run"
        text = wordings[key].format(
            task=run.file.task,
            model=run.file.respondent,
            newer=name_of(chosen.file),
            larger=name_of(chosen.file),
            rows=run.rows,
            more_rows=chosen.rows,
        )
        notices.append(Notice(name_of(run.file), text, wordings["left_out"]))
    return chosen.file, notices


@dataclass(frozen=True)
class _RunSize:
    """Number of rows of a run, the version of their dataset, and whether it is a part of the task."""

    file: SampleFile
    rows: int
    version: tuple[str, str]
    is_trial: bool


def _read_size(file: SampleFile) -> _RunSize:
    row, metadata = first_row(file.path), read_run_metadata(file)
    n_rows = sum(1 for _ in read_samples(file.path, []))
    version = (str(row.get("dataset") or ""), str(row.get("dataset_version") or ""))
    is_limited = (metadata.expected or 0) < (metadata.available or 0)
    return _RunSize(file, n_rows, version, is_limited or n_rows < (metadata.expected or 0))


def name_of(file: SampleFile) -> str:
    """Return the name of a file with the name of its folder only."""
    return f"{file.path.resolve().parent.name}/{file.path.name}"
