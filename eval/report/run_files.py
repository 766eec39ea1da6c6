"""Find the files of a report: the runs of each task and respondent that count."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

from polbias.aliases import Document
from polbias.eval.report.document import Notice
from polbias.eval.report.respondents import name_respondents
from polbias.eval.report.run_metadata import read_run_metadata
from polbias.eval.report.wording import report_words
from polbias.eval.samples import SampleFile, find_sample_files, first_row, flatten_responses, read_samples
from polbias.registry import instrument_of, instruments


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
    numbered_files = tuple(
        (file, instrument_by_file[replace(file, run=0)]) for task_files in chosen_files for file in task_files
    )
    return RunFiles(numbered_files, tuple(notices))


@dataclass(frozen=True)
class _RunContent:
    """The content of a run's file.

    Attributes:
        file: the file.
        instrument: its instrument; None for a task of others.
        rows: number of rows.
        version: dataset and its version.
        is_trial: whether the run is a part of the task.
        requests: hash of the settings of the run and of its prompts, without seeds.
        answers: hash of the answers.
    """

    file: SampleFile
    instrument: str | None
    rows: int
    version: tuple[str, str]
    is_trial: bool
    requests: str
    answers: str

    @property
    def is_averaged(self) -> bool:
        """Whether runs of the task are averaged: labels are sampled, and only from run to run.

        Label probabilities are computed, not sampled; an instrument that samples in a run has one of them.
        """
        samples_in_run = self.instrument is not None and instruments()[self.instrument].samples_in_run
        return not (self.is_trial or self.file.is_loglikelihood or samples_in_run)


@dataclass(frozen=True)
class ReplacedFile:
    """A file of a run, and the file of another run of the same task that is used instead."""

    replaced: _RunContent
    chosen: _RunContent

    @property
    def runs(self) -> tuple[str, str, str, str]:
        """Respondent, kind of the replaced run (a key of the notices), replaced run, and chosen run."""
        file, chosen_file = self.replaced.file, self.chosen.file
        is_shorter, is_older = self.replaced.rows < self.chosen.rows, file.time < chosen_file.time
        kind = "shorter_run" if is_shorter else "older_run" if is_older else "other_run"
        if self.chosen.is_averaged and _are_copies(self.replaced, self.chosen):
            kind = "same_answers"
        return file.respondent, kind, _run_of(file), _run_of(chosen_file)


def choose_runs(
    files_by_task: Iterable[Sequence[SampleFile]],
) -> tuple[list[list[SampleFile]], list[ReplacedFile]]:
    """Choose the runs of each task by a respondent that count; return their files by task, and the others.

    A trial run (``--limit``, or interrupted) is chosen only if there is no other. Of full runs on the newest
    run's version of the dataset, and of trial runs, the one with most rows is chosen, then the newest. Other
    full runs with the same requests count too (:attr:`_RunContent.is_averaged`), numbered by time; runs with
    the same answers, as from the cache, count once.

    Args:
        files_by_task: samples of the runs of each task and respondent, in order of time.
    """
    chosen_files: list[list[SampleFile]] = []
    replaced_files: list[ReplacedFile] = []
    for files in files_by_task:
        if len(files) == 1:
            chosen_files.append([*files])
            continue
        runs = [_read_content(file) for file in files]
        candidates = [run for run in runs if not run.is_trial]
        if candidates:
            candidates = [run for run in candidates if run.version == candidates[-1].version]
        chosen = max(candidates or runs, key=lambda run: (run.rows, runs.index(run)))
        same_requests = [run for run in candidates if run.requests == chosen.requests]
        counted = {run.answers: run for run in same_requests} if chosen.is_averaged else {"": chosen}
        averaged_runs = sorted(counted.values(), key=runs.index)
        chosen_files.append([replace(run.file, run=number) for number, run in enumerate(averaged_runs)])
        for run in runs:
            if not any(run is averaged for averaged in averaged_runs):
                copied = next((other for other in averaged_runs if _are_copies(run, other)), chosen)
                replaced_files.append(ReplacedFile(run, copied))
    return chosen_files, replaced_files


def _are_copies(first: _RunContent, second: _RunContent) -> bool:
    """Whether two full runs have the same requests and the same answers."""
    return not first.is_trial and (first.requests, first.answers) == (second.requests, second.answers)


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


def _read_content(file: SampleFile) -> _RunContent:
    row, metadata = first_row(file.path), read_run_metadata(file)
    requests, answers = [json.dumps(dict(metadata.settings), sort_keys=True)], []
    for sample in read_samples(file.path, []):
        texts = flatten_responses(sample["filtered_resps"])
        request = [str(sample["doc"].get("id") or sample.get("doc_id")), _seedless(sample), len(texts)]
        requests.append(json.dumps(request, sort_keys=True, default=str))
        answers.append(json.dumps([*request, texts], sort_keys=True, default=str))
    n_rows = len(answers)
    version = (str(row.get("dataset") or ""), str(row.get("dataset_version") or ""))
    is_limited = (metadata.expected or 0) < (metadata.available or 0)
    return _RunContent(
        file,
        instrument_of(row),
        n_rows,
        version,
        is_limited or n_rows < (metadata.expected or 0),
        _hash_lines(requests),
        _hash_lines(answers),
    )


def _seedless(sample: Document) -> Any:
    """Return prompt and settings of a sample's requests without seeds; an Inspect log has the prompt only."""
    arguments = sample.get("arguments")
    if not isinstance(arguments, Mapping):
        return sample["doc"].get("prompt")
    return [
        {name: value for name, value in argument.items() if name != "seed"}
        if isinstance(argument, Mapping)
        else argument
        for request in arguments.values()
        for argument in (request.values() if isinstance(request, Mapping) else [request])
    ]


def _hash_lines(lines: Iterable[str]) -> str:
    """Return a hash of lines in any order."""
    return sha256("\n".join(sorted(lines)).encode()).hexdigest()


def name_of(file: SampleFile) -> str:
    """Return the name of a file with the name of its folder only."""
    return f"{file.path.resolve().parent.name}/{file.path.name}"
