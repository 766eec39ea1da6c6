"""From a file of samples to a table of outcomes; what cannot be read is told, and the rest goes on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from polbias.aliases import Json
from polbias.eval.report.document import Notice
from polbias.eval.report.gathering import name_of
from polbias.eval.report.harness import RunFacts, run_facts
from polbias.eval.report.instruments import COMMON, Reporter, instrument
from polbias.eval.report.words import frame
from polbias.eval.runs import Problem, SampleFile, numbered_samples, read_samples
from polbias.registry import instrument_of

ADDED = ("respondent", "model", "method", "task")
_SHOWN = 3  # problems of a file that are told one by one
_UNIQUE = ("id", "pair_id", "repeat")  # columns in which hardly a value recurs


@dataclass(frozen=True)
class ReadFile:
    """What a file holds.

    Attributes:
        file: where it is.
        instrument: that it belongs to.
        outcomes: Arrow table with ADDED, COMMON and the columns of the instrument; one row per answer.
        samples: that could be read.
        sha256: of the bytes of the file.
        facts: what the run says of it.
        notices: what could not be read.
    """

    file: SampleFile
    instrument: str
    outcomes: Any
    samples: int
    sha256: str
    facts: RunFacts
    notices: tuple[Notice, ...]


def read_file(file: SampleFile, name: str) -> ReadFile:
    """Read a file of samples.

    Args:
        file: where it is.
        name: of the instrument that it belongs to.

    Raises:
        InputError: if it cannot be opened.
    """
    module = instrument(name)
    problems: list[Problem] = []
    try:
        samples = _Counted(read_samples(file.path, problems))
        rows = list(module.rows(_own(samples, name), file.task))
        count = samples.count
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        problems.clear()
        rows, count = _one_by_one(name, file, problems)
    facts = run_facts(file)
    outcomes = _table(rows, schema(module), file)
    with file.path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    notices = (*_told(file, problems), *_completeness(file, facts, count))
    return ReadFile(file, name, outcomes, count, digest, facts, notices)


def schema(module: Reporter) -> Any:
    """Return the Arrow schema of the outcomes of an instrument; texts that recur are dictionaries."""
    types = {**dict.fromkeys((*ADDED, *COMMON), "string"), "repeat": "int32", **module.COLUMNS}
    coded = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        [(name, coded if kind == "string" and name not in _UNIQUE else kind) for name, kind in types.items()]
    )


def plain(table: Any) -> Any:
    """Return a table with texts in place of dictionaries, in which Arrow cannot sort."""
    kinds = [
        each.type.value_type if pa.types.is_dictionary(each.type) else each.type for each in table.schema
    ]
    return table.cast(pa.schema(list(zip(table.column_names, kinds, strict=True))))


class _Counted:
    """An iterator that knows how much it has given."""

    def __init__(self, samples: Iterator[Json]) -> None:
        self._samples, self.count = samples, 0

    def __iter__(self) -> Iterator[Json]:
        for sample in self._samples:
            self.count += 1
            yield sample


def _own(samples: Iterable[Json], name: str) -> Iterator[Json]:
    """The samples of a file, each of the instrument that the file is of."""
    for sample in samples:
        if instrument_of(sample["doc"]) != name:
            raise ValueError(f"dataset: found {sample['doc'].get('dataset')!r}, expected that of the file")
        yield sample


def _one_by_one(name: str, file: SampleFile, problems: list[Problem]) -> tuple[list[Json], int]:
    """Read a file in which some sample lacks what the instrument needs, without that sample."""
    rows: list[Json] = []
    count = 0
    for line, sample in numbered_samples(file.path, problems):
        try:
            rows += instrument(name).rows(_own((sample,), name), file.task)
            count += 1
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            found = f"found no {error}" if isinstance(error, KeyError) else str(error)
            problems.append(Problem(file.path, line, found))
    return rows, count


def _table(rows: list[Json], wanted: Any, file: SampleFile) -> Any:
    method = "log-likelihood" if file.respondent != file.model else "generated"
    added = {"respondent": file.respondent, "model": file.model, "method": method, "task": file.task}
    columns = {
        field.name: pa.repeat(added[field.name], len(rows)).cast(field.type)
        if field.name in added
        else _column([row.get(field.name) for row in rows], field.type)
        for field in wanted
    }
    return pa.table(columns, schema=wanted)


def _column(values: list[Any], kind: Any) -> Any:
    if pa.types.is_dictionary(kind):
        return pa.array(values, pa.string()).dictionary_encode().cast(kind)
    return pa.array(values, kind)


def _told(file: SampleFile, problems: list[Problem]) -> Iterator[Notice]:
    said = frame().notices
    where = name_of(file)
    for problem in problems[:_SHOWN]:
        yield Notice(f"{where}:{problem.line}", problem.found, said["line_left_out"], serious=True)
    if len(problems) > _SHOWN:
        more = said["more_lines"].format(count=len(problems) - _SHOWN)
        yield Notice(where, more, said["lines_left_out"], serious=True)


def _completeness(file: SampleFile, facts: RunFacts, count: int) -> Iterator[Notice]:
    said: Mapping[str, str] = frame().notices
    where = name_of(file)
    if not facts.found:
        yield Notice(where, said["no_results"], said["taken_as_it_is"])
    elif facts.expected is not None and count < facts.expected:
        found = said["half_run"].format(count=count, expected=facts.expected)
        yield Notice(where, found, said["reported_as_it_is"], serious=True)
    if facts.expected is not None and facts.available is not None and facts.expected < facts.available:
        found = said["limited"].format(expected=facts.expected, available=facts.available)
        yield Notice(where, found, said["reported_as_it_is"])
