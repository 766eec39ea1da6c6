"""All outcomes of runs as one tidy table for R or pandas: one row per answer (policy: per prompt)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from polbias.errors import InputError, PolbiasError
from polbias.eval.answer_frames import as_categories, concat_answers
from polbias.eval.report.build import Answers, read_runs
from polbias.eval.report.file_answers import FILTERED, NULLABLE_TYPES, READER_COLUMNS, RUN, column_types
from polbias.eval.report.reporter import COMMON_COLUMNS, ReportSettings, load_reporter

_log = logging.getLogger("polbias")
_SORT_KEYS = ["task", "id", "repeat"]


def load_answers(runs: Iterable[Path], name: str | None = None) -> pd.DataFrame:
    """Read the answers of runs to one instrument or to all; see :func:`polbias.load_answers`."""
    settings = ReportSettings(instruments=() if name is None else (name,))
    run_answers = read_runs(runs, settings)
    for notice in run_answers.notices:
        log = _log.warning if notice.serious else _log.info
        log(f"{notice.where}: {notice.problem}; {notice.action}")
    if not run_answers.answers:
        raise InputError("found no usable answer; see the log for the problem of each line")
    return concat_answers([*_iter_frames(run_answers.answers)])


def write_outcomes(answers: Answers, path: Path) -> None:
    """Write the outcomes of a report as Parquet, with the columns and order of :func:`load_answers`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([*_column_types(answers).items()])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for outcomes in _iter_frames(answers):
            columns = [
                pa.array(outcomes[field.name].array, from_pandas=True).cast(field.type) for field in schema
            ]
            writer.write_table(pa.table(columns, schema=schema))


def _iter_frames(answers: Answers) -> Iterator[pd.DataFrame]:
    """Yield the outcomes of every instrument and respondent, in the same columns.

    The columns are ``instrument``, the common columns, and the instruments' columns, missing in the rows of
    other instruments. Rows are sorted by instrument, respondent, task, id and repeat.
    """
    types = _column_types(answers)
    for name in sorted(answers):
        for _, outcomes in sorted(answers[name].items()):
            rows = outcomes.sort_values(_SORT_KEYS, kind="stable", ignore_index=True).assign(instrument=name)
            yield pd.DataFrame(
                {column: _typed_column(rows.get(column), kind, len(rows)) for column, kind in types.items()}
            )


def _column_types(answers: Answers) -> dict[str, str]:
    """Map each column to its Arrow type."""
    types = (
        {"instrument": "string"}
        | dict.fromkeys((*READER_COLUMNS, *COMMON_COLUMNS), "string")
        | {RUN: "int32", FILTERED: "bool"}
    )
    types_by_column: dict[str, set[str]] = {}
    for name in sorted(answers):
        for column, kind in column_types(load_reporter(name)).items():
            types_by_column.setdefault(column, set()).add(kind)
    for column, arrow_types in types_by_column.items():
        if len(arrow_types) > 1:
            raise PolbiasError(
                f"column {column!r}: found the types {' and '.join(sorted(arrow_types))} among instruments "
                f"{', '.join(sorted(answers))}, expected one; rename the column of your instrument"
            )
        types[column] = arrow_types.pop()
    return types


def _typed_column(values: Any, kind: str, n: int) -> Any:
    """Return a column of a type; all values missing if it has none."""
    if kind == "string":
        return as_categories([None] * n if values is None else values)
    if values is None:
        values = pd.array([None] * n, NULLABLE_TYPES.get(kind, "Float64"))
    return values.astype(NULLABLE_TYPES.get(kind, "float64"))
