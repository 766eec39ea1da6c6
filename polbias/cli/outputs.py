"""Output of commands: lines without control characters, progress bars, CSV tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import typer

from polbias.aliases import Document
from polbias.safe_text import make_displayable
from polbias.spreadsheet_cells import escape_formula

if TYPE_CHECKING:
    from rich.progress import Progress

    from polbias.terminal import Console


def echo(text: object = "", *, err: bool = False, fg: str | None = None) -> None:
    """Print a line without the secrets of this run and control characters; `fg` is its colour."""
    typer.secho(make_displayable(str(text)), err=err, fg=fg)


def progress_bars(console: Console) -> Progress:
    """Return progress bars with counts and times, which disappear at the end."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)


def csv_text(rows: Iterable[Document], columns: Sequence[str] = ()) -> str:
    """Return a table as CSV; None is an empty cell, a list its values separated by semicolons.

    A text that a spreadsheet would parse as a formula gets an apostrophe; numbers are unchanged.
    """
    from polbias.spreadsheets import sheet

    records = list(rows)
    names = list(dict.fromkeys([*columns, *(name for row in records for name in row)]))
    return sheet(names, ([_cell(row.get(name)) for name in names] for row in records), ",")


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        value = ";".join("" if item is None else str(item) for item in value)
    if isinstance(value, str):
        return escape_formula(value)
    return "" if value is None else value
