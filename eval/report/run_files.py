"""Which files a report is made of: the newest run of every task and respondent."""

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
        files: with the instrument of each, by respondent and task.
        notices: what was left out.
    """

    files: tuple[tuple[SampleFile, str], ...]
    notices: tuple[Notice, ...]


def gather(
    paths: Iterable[Path],
    instruments: Collection[str] = (),
    names: Mapping[Path, str] = MappingProxyType({}),
) -> RunFiles:
    """Find the samples at some paths, of all instruments or of some.

    Args:
        paths: files, or folders of any depth.
        instruments: to report; all if none is named.
        names: of respondents, by the path that their runs are below.
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
    """Return the folder and name of a file, without where they are on the machine."""
    return f"{file.path.resolve().parent.name}/{file.path.name}"
