"""All outcomes as one tidy Parquet, for R or pandas: one row per answer (policy: per prompt)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from polbias.aliases import Document, Json
from polbias.eval.report.build import Answers
from polbias.eval.report.file_answers import ADDED, FILTERED
from polbias.eval.report.reporter import COMMON

_ORDER = [("task", "ascending"), ("id", "ascending"), ("repeat", "ascending")]


def write_outcomes(answers: Answers, path: Path) -> None:
    """Write the outcomes of a report.

    Columns are ``instrument``, those that all instruments have, and then those of single instruments, which
    are null in the rows of the others; rows are in the order of instrument, respondent, task and id.
    """
    wanted = _schema(answers)
    with pq.ParquetWriter(path, wanted, compression="zstd") as writer:
        for instrument in sorted(answers):
            for _, table in sorted(answers[instrument].items()):
                writer.write_table(_fitted(table.sort_by(_ORDER), instrument, wanted))


def _schema(answers: Answers) -> Any:
    types: Json = {"instrument": pa.string()}
    types |= dict.fromkeys((*ADDED, *COMMON), pa.string()) | {FILTERED: pa.bool_()}
    own: dict[str, set[Any]] = {}
    for tables in (answers[name] for name in sorted(answers)):
        for table in tables.values():
            for field in table.schema:
                own.setdefault(field.name, set()).add(field.type)
    for name, kinds in own.items():
        types[name] = kinds.pop() if len(kinds) == 1 else pa.string()
    return pa.schema(list(types.items()))


def _fitted(table: Any, instrument: str, wanted: Any) -> Any:
    columns: Document = {
        field.name: table[field.name].cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in wanted
        if field.name != "instrument"
    }
    return pa.table({"instrument": pa.repeat(instrument, table.num_rows), **columns}, schema=wanted)
