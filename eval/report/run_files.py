"""Find the files of a report: the newest run of each task and respondent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from polbias.eval.report.document import Notice
from polbias.eval.report.respondents import name_respondents
from polbias.eval.report.run_metadata import read_run_metadata
from polbias.eval.report.wording import report_words
from polbias.eval.samples import SampleFile, find_sample_files, first_row
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
    newest: dict[tuple[str, str], tuple[SampleFile, str]] = {}
    notices: list[Notice] = []
    wordings = report_words().notices
    files = sorted({file.path.resolve(): file for file in find_sample_files(paths, newest=False)}.values())
    for file in name_respondents([(file, read_run_metadata(file).settings) for file in files], names):
        row = first_row(file.path)
        instrument = instrument_of(row)
        if instrument is None:
            dataset = row.get("dataset")
            text = wordings["foreign_task" if row else "no_samples"].format(task=file.task, dataset=dataset)
            notices.append(Notice(name_of(file), text, wordings["left_out"], serious=not row))
            continue
        if instruments and instrument not in instruments:
            continue
        previous = newest.get((file.respondent, file.task))
        if previous is not None:
            text = wordings["older_run"].format(task=file.task, model=file.respondent, newer=name_of(file))
            notices.append(Notice(name_of(previous[0]), text, wordings["left_out"]))
        newest[file.respondent, file.task] = file, instrument
    ordered = sorted(newest.values(), key=lambda entry: (entry[0].respondent, entry[0].task))
    return RunFiles(tuple(ordered), tuple(notices))


def name_of(file: SampleFile) -> str:
    """Return the name of a file with the name of its folder only."""
    return f"{file.path.resolve().parent.name}/{file.path.name}"
