"""Write a report of a command so that a half-written one is never seen."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from polbias.errors import InputError


def write_text(path: Path, text: str) -> None:
    """Write a whole file in UTF-8, or leave what was there before.

    Raises:
        InputError: if it cannot be written.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, "utf-8")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def write_analysis(
    folder: Path,
    found: Mapping[str, Mapping[str, Any]],
    tables: Mapping[str, Sequence[Mapping[str, Any]]],
    figures: Mapping[str, str],
) -> None:
    """Write an analysis: summary.json, a CSV per table that has rows, an SVG per figure.

    Args:
        folder: made if it is not there.
        found: summaries by model.
        tables: rows by name.
        figures: texts by name.

    Raises:
        InputError: if something cannot be written.
    """
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


def csv_text(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()) -> str:
    """Return a table as CSV; None is an empty cell, a list its values separated by semicolons.

    Args:
        rows: of any names.
        columns: the first columns, also where there are no rows; others follow as they come up.
    """
    kept = list(rows)
    names = list(dict.fromkeys([*columns, *(name for row in kept for name in row)]))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in kept)
    return text.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return ";".join("" if each is None else str(each) for each in value)
    return "" if value is None else value
