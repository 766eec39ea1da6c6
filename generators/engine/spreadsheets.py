"""Tables that pass through a person's spreadsheet: written safely, read line by line, every problem named."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from polbias.cells import unguarded
from polbias.files import InputError
from polbias.template_files import shown


class SheetError(InputError):
    """Lines of a spreadsheet that cannot be used.

    Attributes:
        problems: one line of text for each.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


def sheet(columns: Sequence[str], rows: Iterable[Sequence[Any]], delimiter: str = "\t") -> str:
    """Return a table as text; its cells are written as they are."""
    return "".join(f"{_line(cells, delimiter)}\n" for cells in (columns, *rows))


def _line(cells: Sequence[Any], delimiter: str) -> str:
    buffer = io.StringIO(newline="")
    # The writer quotes the characters of its line end only: with "\n" a carriage return would break a line.
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n").writerow(cells)
    return buffer.getvalue().removesuffix("\r\n")


def sheet_text(path: Path, expected: str) -> str:
    """Return the text of a file that a spreadsheet may have saved.

    Args:
        path: the file, in UTF-8 with or without a byte order mark.
        expected: what it should be, for the message: ``"a review file"``.

    Raises:
        SheetError: if it cannot be read or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise SheetError([f"{shown(path)}: cannot be read ({error.strerror}); expected {expected}"]) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SheetError([f"{shown(path)}:{line}: not UTF-8; save the file as UTF-8"]) from None


def sheet_lines(text: str, delimiter: str = "\t") -> Iterator[tuple[int, list[str] | str]]:
    """Yield the number and the cells of every line, the head first; empty ones are left out.

    Where quotes are broken, what is wrong comes in place of the cells, and nothing after it.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            if line == 1 or any(cell.strip() for cell in cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        yield line, f"quotes or tabs are broken ({error}); restore this line"


def named_rows(
    path: Path, needed: Sequence[str], expected: str, *, unguard: bool = False
) -> Iterator[tuple[int, dict[str, str] | str]]:
    """Yield the number of every line below the head and its cells by column, without blanks around them.

    Columns may stand in any order and be more than those that are needed; tabs, commas or semicolons separate
    them, whichever the head has.

    Args:
        path: the file.
        needed: columns that it must have.
        expected: what it should be, for the message: ``"a file of answers"``.
        unguard: undo `guarded`.

    Returns:
        Line by line the cells, or what is wrong with the line.

    Raises:
        SheetError: if the file cannot be read or its head lacks a column.
    """
    text = sheet_text(path, expected)
    first = text.partition("\n")[0]
    delimiter = max("\t,;", key=lambda mark: sum(cell.strip(' "\r') in needed for cell in first.split(mark)))
    lines = sheet_lines(text, delimiter)
    _, top = next(lines, (1, [""]))
    head = [cell.strip() for cell in top] if isinstance(top, list) else []
    missing = [name for name in needed if name not in head]
    if missing or len({*head}) < len(head):
        wanted = ", ".join(needed)
        found = ", ".join(head)[:80] or "nothing"
        raise SheetError([f"{shown(path)}:1: head: found {found}; expected {wanted}, each once; restore it"])
    for line, cells in lines:
        if isinstance(cells, str):
            yield line, cells
        elif len(cells) > len(head) and any(cells[len(head) :]):
            wrong = f"found {len(cells)} columns, expected {len(head)}"
            yield line, f"{wrong}; restore the separators of this line"
        else:  # some programs drop empty cells at the end
            filled = [*cells, *[""] * (len(head) - len(cells))]
            clean = [unguarded(cell.strip()) if unguard else cell.strip() for cell in filled]
            yield line, dict(zip(head, clean, strict=False))
