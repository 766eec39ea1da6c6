"""The tables of a report as flat rows, for CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from polbias.aliases import Json
from polbias.eval.report.document import Estimate, Report, ReportTable, replace_non_finite
from polbias.eval.report.summary_json import (
    comparison_records,
    estimate_fields,
    finding_records,
    variance_component_records,
)

_PAPER_SUFFIX = "_paper"  # suffix of the ids of paper tables with their own words


def flat_tables(report: Report) -> Iterator[tuple[str, list[Json]]]:
    """Yield name and rows of every table of a report that has rows."""
    for section in report.sections:
        for table in section.tables:
            if table.rows:
                yield name_of(section.instrument, table), flat_rows(table)
        for name, rows in section.full.items():
            if rows:
                yield f"{section.instrument}-{name}-full", replace_non_finite(rows)
    if report.sections:
        yield "findings", finding_records(report.findings)
    if component_records := [*variance_component_records(report.findings)]:
        yield "components", component_records
    if report.comparisons:
        yield "comparisons", comparison_records(report.comparisons)


def name_of(instrument: str, table: ReportTable) -> str:
    """Return the name of a table's CSV."""
    name = table.id.removesuffix(_PAPER_SUFFIX)
    return f"{instrument}-{name}" + ("-paper" if table.mode == "paper" else "")


def flat_rows(table: ReportTable) -> list[Json]:
    """Return the rows of a table with plain values only.

    An estimate becomes its value in its column; each other field that any row has becomes a column
    ``<column>_<field>``, such as ``_low``, ``_high``, ``_n``, ``_clusters``, ``_refusals``, ``_unparsable``,
    ``_truncated`` and ``_p``.
    """
    columns: dict[str, list[Any]] = {}
    for name in (column.name for column in table.columns):
        cells = [_cell_fields(row.get(name)) for row in table.rows]
        columns[name] = [cell.pop("value") for cell in cells]
        for field in Estimate.__dataclass_fields__:
            if any(cell.get(field) is not None for cell in cells):
                columns[f"{name}_{field}"] = [cell.get(field) for cell in cells]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _cell_fields(cell: Any) -> Json:
    return estimate_fields(cell) if isinstance(cell, Estimate) else {"value": cell}
