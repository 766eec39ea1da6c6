"""All outcomes as one tidy Parquet, for R or pandas: one row per answer (policy: per prompt)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from polbias.aliases import Json
from polbias.eval.report.build import Answers
from polbias.eval.report.file_answers import ADDED, FILTERED, column_types
from polbias.eval.report.reporter import COMMON, instrument

_ORDER = ["task", "id", "repeat"]


def write_outcomes(answers: Answers, path: Path) -> None:
    """Write the outcomes of a report.

    Columns are ``instrument``, those that all instruments have, and then those of single instruments, which
    are null in the rows of the others; rows are in the order of instrument, respondent, task and id.
    """
    schema = _schema(answers)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for name in sorted(answers):
            for _, outcomes in sorted(answers[name].items()):
                ordered = outcomes.sort_values(_ORDER, kind="stable").assign(instrument=name)
                writer.write_table(_arrow(ordered, schema))


def _schema(answers: Answers) -> Any:
    types: Json = {"instrument": "string"} | dict.fromkeys((*ADDED, *COMMON), "string") | {FILTERED: "bool"}
    kinds: dict[str, set[str]] = {}
    for name in sorted(answers):
        for column, kind in column_types(instrument(name)).items():
            kinds.setdefault(column, set()).add(kind)
    types |= {column: next(iter(known)) if len(known) == 1 else "string" for column, known in kinds.items()}
    return pa.schema([*types.items()])


def _arrow(outcomes: pd.DataFrame, schema: Any) -> Any:
    """A frame with the columns of a schema, null where it has none."""
    columns = [
        pa.array(outcomes[field.name].array, from_pandas=True).cast(field.type)
        if field.name in outcomes
        else pa.nulls(len(outcomes), field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)
