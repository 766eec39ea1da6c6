"""Write a report of a command so that a half-written one is never seen."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from polbias.aliases import Document
from polbias.files import InputError, guarded
from polbias.files import write_text as write_text


def write_analysis(
    folder: Path,
    found: Mapping[str, Document],
    tables: Mapping[str, Sequence[Document]],
    figures: Mapping[str, str],
) -> None:
    """Write an analysis: summary.json, a CSV per table that has rows, an SVG per figure."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror})") from None
    write_text(folder / "summary.json", json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    for name, rows in tables.items():
        if rows:
            write_text(folder / f"{name}.csv", csv_text(rows))
    for name, svg in figures.items():
        write_text(folder / f"{name}.svg", svg)


def csv_text(rows: Iterable[Document], columns: Sequence[str] = ()) -> str:
    """Return a table as CSV; None is an empty cell, a list its values separated by semicolons.

    A text that a spreadsheet would take for a formula gets an apostrophe; numbers stay as they are.
    """
    from polbias.generators.engine.spreadsheets import sheet

    kept = list(rows)
    names = list(dict.fromkeys([*columns, *(name for row in kept for name in row)]))
    return sheet(names, ([_cell(row.get(name)) for name in names] for row in kept), ",")


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        value = ";".join("" if each is None else str(each) for each in value)
    if isinstance(value, str):
        return guarded(value)
    return "" if value is None else value
