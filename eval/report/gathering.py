"""Which files a report is made of: the newest run of every task and respondent, of our instruments only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from polbias.eval.report.document import Notice
from polbias.eval.report.words import frame
from polbias.eval.runs import SampleFile, find_samples, first_row
from polbias.registry import instrument_of


@dataclass(frozen=True)
class Gathered:
    """Files of a report.

    Attributes:
        files: with the instrument of each, by respondent and task.
        notices: what was left out.
    """

    files: tuple[tuple[SampleFile, str], ...]
    notices: tuple[Notice, ...]


def gather(paths: Iterable[Path]) -> Gathered:
    """Find the samples at some paths.

    Args:
        paths: sample files, or folders with such files anywhere below.

    Raises:
        InputError: if a path is not there, or there is no sample file at it.
    """
    kept: dict[tuple[str, str], tuple[SampleFile, str]] = {}
    notices: list[Notice] = []
    said = frame().notices
    for file in sorted({file.path.resolve(): file for file in find_samples(paths, newest=False)}.values()):
        row = first_row(file.path)
        instrument = instrument_of(row)
        if instrument is None:
            dataset = row.get("dataset")
            found = said["foreign_task" if row else "no_samples"].format(task=file.task, dataset=dataset)
            notices.append(Notice(name_of(file), found, said["left_out"], serious=not row))
            continue
        earlier = kept.get((file.model, file.task))
        if earlier is not None:
            older = said["older_run"].format(task=file.task, model=file.model, newer=name_of(file))
            notices.append(Notice(name_of(earlier[0]), older, said["left_out"]))
        kept[file.model, file.task] = file, instrument
    order = sorted(kept.values(), key=lambda each: (each[0].respondent, each[0].task))
    return Gathered(tuple(order), tuple(notices))


def name_of(file: SampleFile) -> str:
    """Return the folder and name of a file, without where they are on the machine."""
    return f"{file.model}/{file.path.name}"
