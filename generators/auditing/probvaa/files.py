"""Reading the CSV files of a folder, with errors that say file, line, field, what was found and expected."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from reprlib import Repr
from typing import NoReturn, TypeVar

from polbias.files import InputError
from polbias.generators.logic.audit.lines import refuse_foreign
from polbias.generators.user_tables import CommaSeparated

T = TypeVar("T")
_START = 1 << 16
_NUMBER = re.compile("[0-9]{1,9}")
_brief = Repr()
_brief.maxstring = 60


@dataclass(frozen=True, slots=True)
class Record:
    """One row of a file.

    Attributes:
        path: the file.
        line: its line, from 1.
        values: the columns that were asked for, as they stand there; empty where there is nothing.
    """

    path: Path
    line: int
    values: Mapping[str, str]

    def __getitem__(self, field: str) -> str:
        """Return a value without white space at its ends."""
        return self.values[field].strip()

    def fail(self, field: str, expected: str) -> NoReturn:
        """Say that a value is not what it should be.

        Args:
            field: the column.
            expected: what should be there, in words.

        Raises:
            InputError: always.
        """
        found = _brief.repr(self.values[field])
        raise InputError(f"{self.path}:{self.line}: field {field!r}: found {found}, expected {expected}")

    def one_of(self, field: str, values: Mapping[str, T]) -> T:
        """Look a value up.

        Args:
            field: the column.
            values: what it may be, and what that means.

        Raises:
            InputError: if it is something else.
        """
        if self[field] not in values:
            self.fail(field, f"one of {', '.join(values)}")
        return values[self[field]]

    def number(self, field: str) -> int:
        """Return a value as a number of a statement, from 0.

        Raises:
            InputError: if it is none.
        """
        if not _NUMBER.fullmatch(self[field]):
            self.fail(field, "a number from 0")
        return int(self[field])

    def real(self, field: str, low: float, high: float) -> float:
        """Return a value as a number between two others.

        Raises:
            InputError: if it is none.
        """
        try:
            value = float(self[field])
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            self.fail(field, f"a number from {low:g} to {high:g}")
        return value


class Once:
    """Sees to it that keys are unique, and says where one stood first."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, int] = {}

    def check(self, record: Record, field: str, key: Hashable) -> None:
        """Take note of a key.

        Args:
            record: the row that has it.
            field: the column to name.
            key: the key.

        Raises:
            InputError: if another row has it.
        """
        first = self._seen.setdefault(key, record.line)
        if first != record.line:
            record.fail(field, f"no second row for it; line {first} is the first")


def records(path: Path, columns: Collection[str]) -> Iterator[Record]:
    """Yield the rows of a CSV file.

    Args:
        path: the file.
        columns: those to read; of two with the same name, the first.

    Raises:
        InputError: if there is no such file, it is no CSV file in UTF-8, a column is missing, it has no rows,
            or a row is as long as none should be.
    """
    if not path.is_file():
        raise InputError(f"{path}: found no such file, expected one of the published folder of ProbVAA")
    try:
        with path.open("rb") as file:
            refuse_foreign(path, file.read(_START))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check path and permissions") from None
    table = CommaSeparated(path)
    wanted, empty = list(columns), True
    for name in wanted:
        if name not in table.columns:
            found = ", ".join(table.columns) or "nothing"
            raise InputError(
                f"{path}:1: field {name!r}: missing, found {found:.500}, expected {', '.join(wanted)}"
            )
    for row in table.rows(wanted):
        empty = False
        if row.problem:
            raise InputError(f"{path}:{row.line}: {row.problem}")
        yield Record(
            path, row.line, dict(zip(wanted, ["" if v is None else v for v in row.values], strict=True))
        )
    if empty:
        raise InputError(f"{path}: found no row after the header, expected at least one")


def digest(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
