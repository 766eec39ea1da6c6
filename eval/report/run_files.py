"""Find the files of a report: one run of each task and respondent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
    chosen_files, replaced_files = choose_runs([task_files for _, task_files in sorted(runs.items())])
    notices += replaced_run_notices(replaced_files)
    return RunFiles(tuple((file, instrument_by_file[file]) for file in chosen_files), tuple(notices))


@dataclass(frozen=True)
class _RunSize:
    """Number of rows of a run, the version of their dataset, and whether it is a part of the task."""

    file: SampleFile
    rows: int
    version: tuple[str, str]
    is_trial: bool


@dataclass(frozen=True)
class ReplacedFile:
    """A file of a run, and the file of another run of the same task that is used instead."""

    replaced: _RunSize
    chosen: _RunSize

    @property
    def runs(self) -> tuple[str, str, str, str]:
        """Respondent, kind of the replaced run (a key of the notices), replaced run, and chosen run."""
        file, chosen_file = self.replaced.file, self.chosen.file
        is_shorter, is_older = self.replaced.rows < self.chosen.rows, file.time < chosen_file.time
        kind = "shorter_run" if is_shorter else "older_run" if is_older else "other_run"
        return file.respondent, kind, _run_of(file), _run_of(chosen_file)


def choose_runs(
    files_by_task: Iterable[Sequence[SampleFile]],
) -> tuple[list[SampleFile], list[ReplacedFile]]:
    """Choose one of the runs of each task by a respondent; return the chosen files, and the others.

    A trial run (``--limit``, or interrupted) is chosen only if there is no other. Of full runs on the newest
    run's version of the dataset, and of trial runs, the one with most rows is chosen, then the newest.

    Args:
        files_by_task: samples of the runs of each task and respondent, in order of time.
    """
    chosen_files: list[SampleFile] = []
    replaced_files: list[ReplacedFile] = []
    for files in files_by_task:
        if len(files) == 1:
            chosen_files.append(files[0])
            continue
        runs = [_read_size(file) for file in files]
        candidates = [run for run in runs if not run.is_trial]
        if candidates:
            candidates = [run for run in candidates if run.version == candidates[-1].version]
        chosen = max(candidates or runs, key=lambda run: (run.rows, runs.index(run)))
        chosen_files.append(chosen.file)
        replaced_files += [ReplacedFile(run, chosen) for run in runs if run is not chosen]
    return chosen_files, replaced_files


def replaced_run_notices(replaced_files: Iterable[ReplacedFile]) -> Iterator[Notice]:
    """Yield one notice for each respondent, replaced run and chosen run."""
    wordings = report_words().notices
    files_by_runs: dict[tuple[str, str, str, str], list[ReplacedFile]] = {}
    for file in replaced_files:
        files_by_runs.setdefault(file.runs, []).append(file)
    for (respondent, kind, run, chosen_run), files in files_by_runs.items():
        problem = wordings[kind].format(
            files=wordings["files_one" if len(files) == 1 else "files"].format(
                count=len(files), task=files[0].replaced.file.task
            ),
            rows=_row_range([file.replaced.rows for file in files]),
            chosen=chosen_run,
            chosen_rows=_row_range([file.chosen.rows for file in files]),
        )
        yield Notice(f"{respondent}, {run}", problem, wordings["files_left_out"])


def _run_of(file: SampleFile) -> str:
    """Return the time of a file's run, else the name of the file."""
    return file.time or name_of(file)


def _row_range(counts: Sequence[int]) -> str:
    """Return the smallest and largest number of rows of files, or the only one, in words."""
    lowest, highest = min(counts), max(counts)
    key = "rows" if lowest == highest else "rows_range"
    return report_words().notices[key].format(lowest=lowest, highest=highest)


def _read_size(file: SampleFile) -> _RunSize:
    row, metadata = first_row(file.path), read_run_metadata(file)
    n_rows = sum(1 for _ in read_samples(file.path, []))
    version = (str(row.get("dataset") or ""), str(row.get("dataset_version") or ""))
    is_limited = (metadata.expected or 0) < (metadata.available or 0)
    return _RunSize(file, n_rows, version, is_limited or n_rows < (metadata.expected or 0))


def name_of(file: SampleFile) -> str:
    """Return the name of a file with the name of its folder only."""
    return f"{file.path.resolve().parent.name}/{file.path.name}"
