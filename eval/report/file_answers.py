"""The answers in files of samples, as frames with a row per answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from polbias import __version__
from polbias.aliases import Json
from polbias.eval.answer_frames import concat_answers
from polbias.eval.report.document import Notice
from polbias.eval.report.reporter import COMMON_COLUMNS, Reporter, load_reporter
from polbias.eval.report.rereading import Rereading
from polbias.eval.report.run_files import gather, name_of
from polbias.eval.report.run_metadata import SCORED, RunMetadata, read_run_metadata
from polbias.eval.report.wording import report_words
from polbias.eval.samples import SampleFile, SkippedLine, numbered_samples, read_samples
from polbias.files import file_sha256
from polbias.registry import instrument_of
from polbias.responses import is_filtered

READER_COLUMNS = ("respondent", "model", "method", "task")
FILTERED = "filtered"
"""The column that says whether the provider withheld an answer."""
_SHOWN = 3  # problems of a file that are told one by one
_UNFIT = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)


@dataclass(frozen=True)
class FileAnswers:
    """What a file holds.

    Attributes:
        file: where it is.
        instrument: that it belongs to.
        outcomes: one row per answer; READER_COLUMNS, COMMON_COLUMNS and the columns of the instrument.
        samples: that could be read.
        sha256: of the bytes of the file.
        facts: what the run says of it.
        notices: what could not be read.
    """

    file: SampleFile
    instrument: str
    outcomes: pd.DataFrame
    samples: int
    sha256: str
    facts: RunMetadata
    notices: tuple[Notice, ...]


def read_file(file: SampleFile, name: str) -> FileAnswers:
    """Read a file of samples."""
    problems: list[SkippedLine] = []
    rereading = Rereading()
    outcomes, count = read_file_answers(file, name, problems, rereading)
    facts = read_run_metadata(file)
    notices = (
        *_told(file, problems),
        *completeness_notice(file, facts, count),
        *_reread(file, facts, rereading),
    )
    return FileAnswers(file, name, outcomes, count, file_sha256(file.path), facts, notices)


def read_file_answers(
    file: SampleFile, name: str, problems: list[SkippedLine], rereading: Rereading | None = None
) -> tuple[pd.DataFrame, int]:
    """Return the outcomes in a file of samples, and the number of samples that could be read."""
    module = load_reporter(name)
    types = column_types(module)
    rereading = rereading or Rereading()
    try:
        samples = _Counted(read_samples(file.path, problems))
        rows = [row for each in samples for row in _sample_rows(module, name, file, each, rereading)]
        return answer_frame(rows, types, file), samples.count
    except _UNFIT:
        problems.clear()
        rereading.answers = rereading.changed = 0
        return _one_by_one(module, name, file, problems, rereading)


def read_instrument_answers(
    paths: Iterable[Path], name: str, problems: list[SkippedLine]
) -> dict[str, pd.DataFrame]:
    """Return the outcomes of every respondent to one instrument."""
    frames: dict[str, list[pd.DataFrame]] = {}
    for file, _ in gather(paths, (name,)).files:
        frames.setdefault(file.respondent, []).append(read_file_answers(file, name, problems)[0])
    return {respondent: concat_answers(parts) for respondent, parts in frames.items()}


def column_types(module: Reporter) -> dict[str, str]:
    """Return the Arrow type of every column of the outcomes of an instrument."""
    types = dict.fromkeys((*READER_COLUMNS, *COMMON_COLUMNS), "string") | {
        "repeat": "int32",
        FILTERED: "bool",
    }
    return types | {name: str(kind) for name, kind in module.COLUMNS.items()}


class _Counted:
    """An iterator that knows how much it has given."""

    def __init__(self, samples: Iterator[Json]) -> None:
        self._samples, self.count = samples, 0

    def __iter__(self) -> Iterator[Json]:
        for sample in self._samples:
            self.count += 1
            yield sample


def _sample_rows(
    module: Reporter, name: str, file: SampleFile, sample: Json, rereading: Rereading
) -> list[Json]:
    """The rows of a sample, which is of the instrument that its file is of."""
    if instrument_of(sample["doc"]) != name:
        raise ValueError(f"dataset: found {sample['doc'].get('dataset')!r}, expected that of the file")
    rows = list(module.flatten_samples((sample,), file.task))
    if not file.is_loglikelihood:
        rereading.add(sample, rows)
    if "polbias" in sample:
        filtered = [*map(is_filtered, sample["filtered_resps"])]
        for index, row in enumerate(rows):
            # A row stands for an answer, or for all answers to a prompt.
            known = {*(filtered if len(rows) == 1 else filtered[index : index + 1])} - {None}
            row[FILTERED] = True in known if known else None
    return rows


def _one_by_one(
    module: Reporter, name: str, file: SampleFile, problems: list[SkippedLine], rereading: Rereading
) -> tuple[pd.DataFrame, int]:
    """Read a file in which some sample lacks what the instrument needs, without that sample."""
    types, rows, n_samples = column_types(module), [], 0
    for line, sample in numbered_samples(file.path, problems):
        try:
            answers = _sample_rows(module, name, file, sample, rereading)
            _columns(answers, types)
        except _UNFIT as error:
            found = f"found no {error}" if isinstance(error, KeyError) else str(error)
            problems.append(SkippedLine(file.path, line, found))
            continue
        rows += answers
        n_samples += 1
    return answer_frame(rows, types, file), n_samples


INTEGERS = {
    "int8": pd.Int8Dtype(),
    "int32": pd.Int32Dtype(),
    "int64": pd.Int64Dtype(),
    "bool": pd.BooleanDtype(),
}
"""By Arrow type; a text is a category, any other number a float, NaN where it is missing."""


def answer_frame(rows: list[Json], types: Mapping[str, str], file: SampleFile) -> pd.DataFrame:
    """Return rows as a frame of outcomes: texts are categorical, whole numbers and flags may be missing."""
    method = "log-likelihood" if file.is_loglikelihood else "generated"
    added = {"respondent": file.respondent, "model": file.model, "method": method, "task": file.task}
    codes = np.zeros(len(rows), np.int8)
    columns = {name: pd.Categorical.from_codes(codes, [value]) for name, value in added.items()}
    for name, array in _columns(rows, types).items():
        kind = types[name]
        if kind == "string":
            columns[name] = _categories(array.dictionary_encode())
        else:
            columns[name] = array.to_pandas(types_mapper=lambda _, kind=kind: INTEGERS.get(kind))
    return pd.DataFrame({name: columns[name] for name in types})


def _columns(rows: list[Json], types: Mapping[str, str]) -> dict[str, Any]:
    """Arrow columns of rows, which must be of their types."""
    import pyarrow as pa

    read = {name: kind for name, kind in types.items() if name not in READER_COLUMNS}
    return dict(zip(read, pa.array(rows, pa.struct([*read.items()])).flatten(), strict=True))


def _categories(coded: Any) -> pd.Categorical:
    """A coded column of Arrow, its categories in order."""
    names = coded.dictionary.to_pylist()
    order = sorted(range(len(names)), key=names.__getitem__)
    code_of = np.full(len(names) + 1, -1, np.int32)
    code_of[order] = np.arange(len(names))
    codes = code_of[coded.indices.fill_null(len(names)).to_numpy(zero_copy_only=False)]
    return pd.Categorical.from_codes(codes, pd.Index([names[code] for code in order], dtype="str"))


def _told(file: SampleFile, problems: list[SkippedLine]) -> Iterator[Notice]:
    said = report_words().notices
    where = name_of(file)
    for problem in problems[:_SHOWN]:
        yield Notice(f"{where}:{problem.line}", problem.problem, said["line_left_out"], serious=True)
    if len(problems) > _SHOWN:
        more = said["more_lines"].format(count=len(problems) - _SHOWN)
        yield Notice(where, more, said["lines_left_out"], serious=True)


def _reread(file: SampleFile, facts: RunMetadata, rereading: Rereading) -> Iterator[Notice]:
    """Tell how many answers today's readers read otherwise than those that scored them."""
    if rereading.changed:
        wording = report_words().notices["reread" if facts.toolkit else "reread_unknown"]
        text = wording.format(
            count=rereading.changed, total=rereading.answers, then=facts.toolkit, now=__version__
        )
        yield Notice(name_of(file), text, report_words().notices["todays_readers"])


def completeness_notice(file: SampleFile, facts: RunMetadata, count: int) -> Iterator[Notice]:
    """Tell whether a file has what its run asked; only one that is not whole is serious."""
    said: Mapping[str, str] = report_words().notices
    where = name_of(file)
    if not facts.exists:
        yield Notice(where, said["no_results"], said["taken_as_it_is"])
    elif facts.expected is not None and count < facts.expected:
        found = said["half_run"].format(count=count, expected=facts.expected)
        yield Notice(where, found, said["reported_as_it_is"], serious=True)
    if facts.expected is not None and facts.available is not None and facts.expected < facts.available:
        name = "scored_part" if facts.model_type == SCORED else "limited"
        found = said[name].format(expected=facts.expected, available=facts.available)
        yield Notice(where, found, said["reported_as_it_is"])
    if facts.dropped:
        settings = ", ".join(f"{name}={value}" for name, value in facts.dropped.items())
        yield Notice(where, said["dropped"].format(settings=settings), said["own_setting"])
