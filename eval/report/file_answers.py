"""Read files of samples into frames with one row per answer (policy: per prompt)."""

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
"""Column: whether the provider withheld an answer."""
RUN = "run"
"""Column: number of the run among the averaged runs of its task, from 0."""
_MAX_DISPLAYED_PROBLEMS = 3  # per file; the rest is one notice
_SAMPLE_ERRORS = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)


@dataclass(frozen=True)
class FileAnswers:
    """The answers in a file of samples.

    Attributes:
        file: path, task and respondent.
        instrument: name of its instrument.
        outcomes: one row per answer; READER_COLUMNS, COMMON_COLUMNS and the columns of the instrument.
        samples: number of readable samples.
        sha256: of the bytes of the file.
        metadata: of the run.
        notices: unreadable samples, and problems of the run.
    """

    file: SampleFile
    instrument: str
    outcomes: pd.DataFrame
    samples: int
    sha256: str
    metadata: RunMetadata
    notices: tuple[Notice, ...]


def read_file(file: SampleFile, instrument: str) -> FileAnswers:
    """Read a file of samples."""
    problems: list[SkippedLine] = []
    rereading = Rereading()
    outcomes, count = read_file_answers(file, instrument, problems, rereading)
    metadata = read_run_metadata(file)
    notices = (
        *_problem_notices(file, problems),
        *run_notices(file, metadata, count),
        *_rereading_notices(file, metadata, rereading),
    )
    return FileAnswers(file, instrument, outcomes, count, file_sha256(file.path), metadata, notices)


def read_file_answers(
    file: SampleFile, instrument: str, problems: list[SkippedLine], rereading: Rereading | None = None
) -> tuple[pd.DataFrame, int]:
    """Return the answers in a file of samples, and the number of readable samples.

    Skipped lines are added to `problems`.
    """
    n_problems = len(problems)
    reporter = load_reporter(instrument)
    types = column_types(reporter)
    rereading = rereading or Rereading()
    try:
        samples = _CountingIterator(read_samples(file.path, problems))
        rows = [
            row for sample in samples for row in _sample_rows(reporter, instrument, file, sample, rereading)
        ]
        return answer_frame(rows, types, file), samples.count
    except _SAMPLE_ERRORS:
        del problems[n_problems:]  # those of earlier files stay
        rereading.answers = rereading.changed = 0
        return _read_valid_samples(reporter, instrument, file, problems, rereading)


def read_instrument_answers(
    paths: Iterable[Path], name: str, problems: list[SkippedLine]
) -> dict[str, pd.DataFrame]:
    """Return the outcomes of one instrument by respondent."""
    frames: dict[str, list[pd.DataFrame]] = {}
    for file, _ in gather(paths, (name,)).files:
        frames.setdefault(file.respondent, []).append(read_file_answers(file, name, problems)[0])
    return {respondent: concat_answers(parts) for respondent, parts in frames.items()}


def column_types(reporter: Reporter) -> dict[str, str]:
    """Return the Arrow type of every column of the outcomes of an instrument."""
    types = dict.fromkeys((*READER_COLUMNS, *COMMON_COLUMNS), "string") | {
        "repeat": "int32",
        RUN: "int32",
        FILTERED: "bool",
    }
    return types | {name: str(kind) for name, kind in reporter.COLUMNS.items()}


class _CountingIterator:
    """Samples with the count of those already iterated."""

    def __init__(self, samples: Iterator[Json]) -> None:
        self._samples, self.count = samples, 0

    def __iter__(self) -> Iterator[Json]:
        for sample in self._samples:
            self.count += 1
            yield sample


def _sample_rows(
    reporter: Reporter, instrument: str, file: SampleFile, sample: Json, rereading: Rereading
) -> list[Json]:
    """Return the rows of a sample; ValueError if it belongs to another instrument than the file."""
    if instrument_of(sample["doc"]) != instrument:
        raise ValueError(
            f"dataset: found {sample['doc'].get('dataset')!r}, expected a dataset of {instrument}"
        )
    rows = list(reporter.flatten_samples((sample,), file.task))
    if not file.is_loglikelihood:
        rereading.add(sample, rows)
    if "polbias" in sample:
        filtered = [*map(is_filtered, sample["filtered_resps"])]
        for index, row in enumerate(rows):
            # A single row may summarise all answers to a prompt.
            flags = {*(filtered if len(rows) == 1 else filtered[index : index + 1])} - {None}
            row[FILTERED] = True in flags if flags else None
    return rows


def _read_valid_samples(
    reporter: Reporter, name: str, file: SampleFile, problems: list[SkippedLine], rereading: Rereading
) -> tuple[pd.DataFrame, int]:
    """Read a file sample by sample, and skip samples that the instrument cannot parse."""
    types, rows, n_samples = column_types(reporter), [], 0
    for line, sample in numbered_samples(file.path, problems):
        try:
            answers = _sample_rows(reporter, name, file, sample, rereading)
            _arrow_columns(answers, types)
        except _SAMPLE_ERRORS as error:
            problem = f"found no {error}" if isinstance(error, KeyError) else str(error)
            problems.append(SkippedLine(file.path, line, problem))
            continue
        rows += answers
        n_samples += 1
    return answer_frame(rows, types, file), n_samples


NULLABLE_TYPES = {
    "int8": pd.Int8Dtype(),
    "int32": pd.Int32Dtype(),
    "int64": pd.Int64Dtype(),
    "bool": pd.BooleanDtype(),
}
"""Arrow type to nullable pandas type, for integers and flags; texts are categorical, other numbers float."""


def answer_frame(rows: list[Json], types: Mapping[str, str], file: SampleFile) -> pd.DataFrame:
    """Return rows as a frame of outcomes: texts categorical, integers and flags nullable.

    Repeats are numbered over the runs: averaged runs have equal numbers of answers to each prompt.
    """
    method = "log-likelihood" if file.is_loglikelihood else "generated"
    constants = {"respondent": file.respondent, "model": file.model, "method": method, "task": file.task}
    codes = np.zeros(len(rows), np.int8)
    columns = {name: pd.Categorical.from_codes(codes, [value]) for name, value in constants.items()}
    for name, array in _arrow_columns(rows, types).items():
        kind = types[name]
        if kind == "string":
            columns[name] = _sorted_categorical(array.dictionary_encode())
        else:
            columns[name] = array.to_pandas(types_mapper=lambda _, kind=kind: NULLABLE_TYPES.get(kind))
    columns[RUN] = pd.array(np.full(len(rows), file.run), NULLABLE_TYPES[types[RUN]])
    if file.run and rows:
        columns["repeat"] += file.run * (int(columns["repeat"].max()) + 1)
    return pd.DataFrame({name: columns[name] for name in types})


def _arrow_columns(rows: list[Json], types: Mapping[str, str]) -> dict[str, Any]:
    """Return the rows as Arrow columns; raises if a value does not have its type."""
    import pyarrow as pa

    arrow_types = {name: kind for name, kind in types.items() if name not in READER_COLUMNS}
    return dict(zip(arrow_types, pa.array(rows, pa.struct([*arrow_types.items()])).flatten(), strict=True))


def _sorted_categorical(dictionary_array: Any) -> pd.Categorical:
    """Return a dictionary-encoded Arrow column with sorted categories."""
    names = dictionary_array.dictionary.to_pylist()
    order = sorted(range(len(names)), key=names.__getitem__)
    code_of = np.full(len(names) + 1, -1, np.int32)
    code_of[order] = np.arange(len(names))
    codes = code_of[dictionary_array.indices.fill_null(len(names)).to_numpy(zero_copy_only=False)]
    return pd.Categorical.from_codes(codes, pd.Index([names[code] for code in order], dtype="str"))


def _problem_notices(file: SampleFile, problems: list[SkippedLine]) -> Iterator[Notice]:
    wordings = report_words().notices
    where = name_of(file)
    for problem in problems[:_MAX_DISPLAYED_PROBLEMS]:
        yield Notice(f"{where}:{problem.line}", problem.problem, wordings["line_left_out"], serious=True)
    if len(problems) > _MAX_DISPLAYED_PROBLEMS:
        text = wordings["more_lines"].format(count=len(problems) - _MAX_DISPLAYED_PROBLEMS)
        yield Notice(where, text, wordings["lines_left_out"], serious=True)


def _rereading_notices(file: SampleFile, metadata: RunMetadata, rereading: Rereading) -> Iterator[Notice]:
    """Yield a notice if the current extraction labels answers differently than when they were scored."""
    if rereading.changed:
        wording = report_words().notices["reread" if metadata.toolkit else "reread_unknown"]
        text = wording.format(
            count=rereading.changed, total=rereading.answers, then=metadata.toolkit, now=__version__
        )
        yield Notice(name_of(file), text, report_words().notices["todays_readers"])


def run_notices(file: SampleFile, metadata: RunMetadata, count: int) -> Iterator[Notice]:
    """Yield notices about missing results, samples or settings of a run; only missing samples are serious."""
    wordings: Mapping[str, str] = report_words().notices
    where = name_of(file)
    if not metadata.exists:
        yield Notice(where, wordings["no_results"], wordings["taken_as_it_is"])
    elif metadata.expected is not None and count < metadata.expected:
        text = wordings["half_run"].format(count=count, expected=metadata.expected)
        yield Notice(where, text, wordings["reported_as_it_is"], serious=True)
    if (
        metadata.expected is not None
        and metadata.available is not None
        and metadata.expected < metadata.available
    ):
        key = "scored_part" if metadata.model_type == SCORED else "limited"
        text = wordings[key].format(expected=metadata.expected, available=metadata.available)
        yield Notice(where, text, wordings["reported_as_it_is"])
    if metadata.dropped:
        settings = ", ".join(f"{name}={value}" for name, value in metadata.dropped.items())
        yield Notice(where, wordings["dropped"].format(settings=settings), wordings["own_setting"])
