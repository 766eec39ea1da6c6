"""Spreadsheets that people fill in, and review files of suggestions."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from polbias.errors import InputError
from polbias.files import read_bytes
from polbias.spreadsheet_cells import escape_formula, unescape_formula
from polbias.yaml_models import display_path

T = TypeVar("T")

# Tables that pass through a person's spreadsheet: written safely, read line by line, every problem named.


class SheetError(InputError):
    """Lines of a spreadsheet that cannot be used.

    Attributes:
        problems: one line of text for each.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class SheetProblem:
    """Something about a line that a person should look at.

    Attributes:
        place: file, and line or task.
        code: kind of problem, or the field.
        detail: what was found, what was expected, and what becomes of it.
    """

    location: str
    code: str
    detail: str

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.location, self.code, self.detail)))


def sheet(columns: Sequence[str], rows: Iterable[Sequence[Any]], delimiter: str = "\t") -> str:
    """Return a table as text; its cells are written as they are."""
    return "".join(f"{_line(cells, delimiter)}\n" for cells in (columns, *rows))


def _line(cells: Sequence[Any], delimiter: str) -> str:
    buffer = io.StringIO(newline="")
    # The writer quotes the characters of its line end only: with "\n" a carriage return would break a line.
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n").writerow(cells)
    return buffer.getvalue().removesuffix("\r\n")


def sheet_text(path: Path, expected: str) -> str:
    """Return the text of a file that a spreadsheet may have saved."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except OSError as error:
        raise SheetError(
            [f"{display_path(path)}: cannot be read ({error.strerror}); expected {expected}"]
        ) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SheetError([f"{display_path(path)}:{line}: not UTF-8; save the file as UTF-8"]) from None


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


def rows_by_column(
    path: Path,
    needed: Sequence[str],
    expected: str,
    exact: Sequence[str] = (),
    least: int = 1,
) -> Iterator[tuple[int, dict[str, str] | str]]:
    """Yield the number of every line below the head and its cells by column, or what is wrong with it.

    Columns may stand in any order and be more than those that are needed; tabs, commas or semicolons separate
    them, whichever the head has. Blanks around a cell go, but in columns that are `exact`; a line has at
    `least` so many cells.
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
        raise SheetError(
            [f"{display_path(path)}:1: head: found {found}; expected {wanted}, each once; restore it"]
        )
    for line, cells in lines:
        if isinstance(cells, str):
            yield line, cells
        elif len(cells) < least or any(cells[len(head) :]):
            wrong = f"found {len(cells)} columns, expected {len(head)}"
            yield line, f"{wrong}; restore the separators of this line"
        else:  # some programs drop empty cells at the end
            filled = [*cells, *[""] * (len(head) - len(cells))]
            row = dict(zip(head, filled, strict=False))
            yield (
                line,
                {
                    name: unescape_formula(cell if name in exact else cell.strip())
                    for name, cell in row.items()
                },
            )


def read_rows(
    path: Path,
    needed: Sequence[str],
    expected: str,
    read: Callable[[Mapping[str, str], int], T],
    exact: Sequence[str] = (),
    least: int = 1,
) -> list[T]:
    """Return what `read` makes of each row and line number; a ValueError of it names the line."""
    found: list[T] = []
    problems: list[str] = []
    for line, row in rows_by_column(path, needed, expected, exact, least):
        try:
            if isinstance(row, str):
                raise ValueError(row)
            found.append(read(row, line))
        except ValueError as error:
            problems.append(f"{display_path(path)}:{line}: {error}")
    if problems:
        raise SheetError(problems)
    return found


# Review files of suggestions: what a service suggested, and beside it what a person decided.
# A new run keeps every decision, also on what has not been suggested again.


ACCEPT, REJECT = "accept", "reject"


@dataclass(frozen=True)
class ReviewFile:
    """The layout of a review file.

    Attributes:
        what: what the file is, for messages, such as "a review file of items".
        key: columns that tell suggestions apart.
        said: columns that a run fills in, attributes of a suggestion.
        decided: columns that a person fills in.
    """

    title: str
    key: tuple[str, ...]
    suggested_columns: tuple[str, ...]
    decision_columns: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns in order."""
        return (*self.suggested_columns, *self.decision_columns)

    def text(self, found: Iterable[object], before: Sequence[Mapping[str, str]] = ()) -> str:
        """Return the file."""
        kept = {self._key(row): row for row in before if any(row[name] for name in self.decision_columns)}
        lines: dict[tuple[str, ...], Mapping[str, str]] = {}
        for each in found:
            said = {name: str(getattr(each, name) or "") for name in self.suggested_columns}
            key = self._key(said)
            lines.setdefault(
                key, said | {name: kept.get(key, {}).get(name, "") for name in self.decision_columns}
            )
        for key, row in kept.items():
            lines.setdefault(key, row)
        return sheet(
            self.columns, ([escape_formula(row[name]) for name in self.columns] for row in lines.values())
        )

    def rows(self, path: Path) -> list[Mapping[str, str]]:
        """Return the lines of a file, whatever is decided."""
        return read_rows(path, self.columns, self.title, lambda row, line: row)

    def read(self, path: Path, lost: str, accept: Callable[[Mapping[str, str]], None]) -> Counter[str]:
        """Hand over the accepted rows, and return how many have which decision.

        Args:
            path: the file.
            lost: what is said of an empty key.
            accept: takes a row, or raises a ValueError that says what is wrong with it.
        """

        def take(row: Mapping[str, str], line: int) -> str:
            decision = row["decision"].lower()
            if decision not in ("", ACCEPT, REJECT):
                raise ValueError(
                    f"decision: found {row['decision']!r}, expected accept, reject or nothing; correct it"
                )
            if not all(self._key(row)):
                raise ValueError(f"{', '.join(self.key)}: found nothing, expected {lost}")
            if decision and not row["reviewer"]:
                raise ValueError(
                    "reviewer: found nothing beside a decision, expected a name or initials; add them"
                )
            if decision == ACCEPT:
                accept(row)
            return decision

        return Counter(read_rows(path, self.columns, self.title, take))

    def _key(self, row: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(row[name] for name in self.key)
