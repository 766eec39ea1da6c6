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

# Tables that a person edits in a spreadsheet; reading reports every invalid line.


class SheetError(InputError):
    """A spreadsheet has invalid lines.

    Attributes:
        problems: one message per problem.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class SheetProblem:
    """A problem of a line that a person should check.

    Attributes:
        location: file, and line or task.
        code: kind of problem, or the field.
        detail: found value, expected value, and the consequence.
    """

    location: str
    code: str
    detail: str

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.location, self.code, self.detail)))


def sheet(columns: Sequence[str], rows: Iterable[Sequence[Any]], delimiter: str = "\t") -> str:
    """Return a table as text; formulas in its cells are not escaped."""
    return "".join(f"{_line(cells, delimiter)}\n" for cells in (columns, *rows))


def _line(cells: Sequence[Any], delimiter: str) -> str:
    buffer = io.StringIO(newline="")
    # The writer quotes the characters of its line end only: with "\n" a carriage return would break a line.
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n").writerow(cells)
    return buffer.getvalue().removesuffix("\r\n")


def sheet_text(path: Path, expected: str) -> str:
    """Return the text of a file that a spreadsheet program may have saved."""
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
    """Yield the number and the cells of every line, the head first; empty lines are skipped.

    At broken quotes, the cells are replaced by an error message, and reading stops.
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
    required_columns: Sequence[str],
    expected: str,
    exact: Sequence[str] = (),
    min_cells: int = 1,
) -> Iterator[tuple[int, dict[str, str] | str]]:
    """Yield the number of every line below the head with its cells by column, or with an error message.

    Columns may be in any order and include others than the required ones; the head determines whether tabs,
    commas or semicolons separate them. Cells are stripped, except in `exact` columns; a line with fewer than
    `min_cells` cells is an error.
    """
    text = sheet_text(path, expected)
    first_line = text.partition("\n")[0]
    delimiter = max(
        "\t,;",
        key=lambda mark: sum(cell.strip(' "\r') in required_columns for cell in first_line.split(mark)),
    )
    lines = sheet_lines(text, delimiter)
    _, first_cells = next(lines, (1, [""]))
    head = [cell.strip() for cell in first_cells] if isinstance(first_cells, list) else []
    missing = [name for name in required_columns if name not in head]
    if missing or len({*head}) < len(head):
        expected_head = ", ".join(required_columns)
        found_head = ", ".join(head)[:80] or "nothing"
        raise SheetError(
            [
                f"{display_path(path)}:1: head: found {found_head}; "
                f"expected {expected_head}, each once; restore it"
            ]
        )
    for line, cells in lines:
        if isinstance(cells, str):
            yield line, cells
        elif len(cells) < min_cells or any(cells[len(head) :]):
            problem = f"found {len(cells)} columns, expected {len(head)}"
            yield line, f"{problem}; restore the separators of this line"
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
    required_columns: Sequence[str],
    expected: str,
    parse_row: Callable[[Mapping[str, str], int], T],
    exact: Sequence[str] = (),
    min_cells: int = 1,
) -> list[T]:
    """Return the results of `parse_row` for each row and line number; report its ValueErrors by line."""
    parsed_rows: list[T] = []
    problems: list[str] = []
    for line, row in rows_by_column(path, required_columns, expected, exact, min_cells):
        try:
            if isinstance(row, str):
                raise ValueError(row)
            parsed_rows.append(parse_row(row, line))
        except ValueError as error:
            problems.append(f"{display_path(path)}:{line}: {error}")
    if problems:
        raise SheetError(problems)
    return parsed_rows


# Review files: suggestions of a service, each with a person's decision.
# A new run keeps every decision, also on suggestions that are not made again.


ACCEPT, REJECT = "accept", "reject"


@dataclass(frozen=True)
class ReviewFile:
    """The layout of a review file.

    Attributes:
        title: kind of file, for messages, such as "a review file of items".
        key: columns that identify a suggestion.
        suggested_columns: columns that a run fills in, attributes of a suggestion.
        decision_columns: columns that a person fills in.
    """

    title: str
    key: tuple[str, ...]
    suggested_columns: tuple[str, ...]
    decision_columns: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns in order."""
        return (*self.suggested_columns, *self.decision_columns)

    def text(self, suggestions: Iterable[object], previous_rows: Sequence[Mapping[str, str]] = ()) -> str:
        """Return the text of a file with suggestions and earlier decisions."""
        decided_rows = {
            self._key(row): row for row in previous_rows if any(row[name] for name in self.decision_columns)
        }
        lines: dict[tuple[str, ...], Mapping[str, str]] = {}
        for suggestion in suggestions:
            record = {name: str(getattr(suggestion, name) or "") for name in self.suggested_columns}
            key = self._key(record)
            lines.setdefault(
                key,
                record | {name: decided_rows.get(key, {}).get(name, "") for name in self.decision_columns},
            )
        for key, row in decided_rows.items():
            lines.setdefault(key, row)
        return sheet(
            self.columns, ([escape_formula(row[name]) for name in self.columns] for row in lines.values())
        )

    def rows(self, path: Path) -> list[Mapping[str, str]]:
        """Return the rows of a file, with or without a decision."""
        return read_rows(path, self.columns, self.title, lambda row, line: row)

    def read(
        self, path: Path, expected_key: str, accept: Callable[[Mapping[str, str]], None]
    ) -> Counter[str]:
        """Call `accept` for the accepted rows, and return the number of rows by decision.

        Args:
            path: the file.
            expected_key: description of a key, for the error of an empty one.
            accept: raises a ValueError if a row is invalid.
        """

        def read_decision(row: Mapping[str, str], line: int) -> str:
            decision = row["decision"].lower()
            if decision not in ("", ACCEPT, REJECT):
                raise ValueError(
                    f"decision: found {row['decision']!r}, expected accept, reject or nothing; correct it"
                )
            if not all(self._key(row)):
                raise ValueError(f"{', '.join(self.key)}: found nothing, expected {expected_key}")
            if decision and not row["reviewer"]:
                raise ValueError(
                    "reviewer: found nothing next to a decision, expected a name or initials; add them"
                )
            if decision == ACCEPT:
                accept(row)
            return decision

        return Counter(read_rows(path, self.columns, self.title, read_decision))

    def _key(self, row: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(row[name] for name in self.key)
