"""The tables of a report as flat rows, for CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from polbias.aliases import Json
from polbias.eval.report.document import Estimate, Report, Table
from polbias.eval.report.export import comparison_records, finding_records, numbers

_PAPER = "_paper"  # what ids of tables end in whose words differ from those of the corrected ones


def flat_tables(report: Report) -> Iterator[tuple[str, list[Json]]]:
    """Yield name and rows of every table of a report, those without rows left out.

    Args:
        report: with adjusted p-values.
    """
    for section in report.sections:
        for table in section.tables:
            if table.rows:
                yield name_of(section.instrument, table), flat_rows(table)
    yield "findings", finding_records(report.findings)
    if report.comparisons:
        yield "comparisons", comparison_records(report.comparisons)


def name_of(instrument: str, table: Table) -> str:
    """Return the name of the CSV of a table, which is also its anchor in the page."""
    name = table.id.removesuffix(_PAPER)
    return f"{instrument}-{name}" + ("-paper" if table.mode == "paper" else "")


def flat_rows(table: Table) -> list[Json]:
    """Return the rows of a table with plain values only.

    An estimate becomes its value under the name of the column, and its other fields, as far as any row has
    them, under ``<column>_low``, ``_high``, ``_n``, ``_clusters``, ``_refusals``, ``_unparsable``,
    ``_truncated`` and ``_p``.
    """
    known: dict[str, list[str]] = {}
    for column in table.columns:
        fields = [numbers(cell) for row in table.rows if isinstance(cell := row.get(column.name), Estimate)]
        known[column.name] = [
            name for name in Estimate.__dataclass_fields__ if any(each[name] is not None for each in fields)
        ]
    return [_flat(table, row, known) for row in table.rows]


def _flat(table: Table, row: Any, known: dict[str, list[str]]) -> Json:
    flat: Json = {}
    for column in table.columns:
        cell, name = row.get(column.name), column.name
        fields = numbers(cell) if isinstance(cell, Estimate) else {"value": cell}
        flat[name] = fields["value"]
        flat |= {f"{name}_{field}": fields.get(field) for field in known[name] if field != "value"}
    return flat
