"""Tables of text: values between tabs, or between commas with quotes."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from polbias.files import InputError
from polbias.generators.logic.audit.lines import LONGEST, lines
from polbias.generators.logic.audit.tables import Row

_DELIMITERS = ",;\t"
_TOO_LONG = f"a line of more than {LONGEST:,} characters"
_Cells = tuple[int, list[str], str | None]  # line, cells, what is wrong with them


class _Delimited:
    """What both kinds have in common: a header, and rows that must be as wide.

    Args:
        path: the file.

    Raises:
        InputError: if it has no header.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        line, cells, problem = next(self._cells(), (1, [], "nothing"))
        if problem:
            raise InputError(f"{path}:{line}: found {problem}, expected a header with column names")
        self.columns: Sequence[str] = [cell.strip() for cell in _trimmed(cells)]

    def rows(self, wanted: Sequence[str]) -> Iterator[Row]:
        """Yield all rows after the header with the values of some columns."""
        width = len(self.columns)
        places = [self.columns.index(name) for name in wanted]
        for line, cells, problem in self._cells(skip=1):
            if problem:
                yield Row(line, problem=f"found {problem}")
            # Trailing tabs or commas are no columns.
            elif len(cells) < width or (len(cells) > width and len(_trimmed(cells)) > width):
                yield Row(line, problem=f"found {len(cells)} columns, expected {width}")
            else:
                yield Row(line, [cells[place] or None for place in places])

    def _cells(self, skip: int = 0) -> Iterator[_Cells]:
        """Yield every row that is not blank, after some."""
        raise NotImplementedError


def _trimmed(cells: Sequence[str]) -> Sequence[str]:
    """Return cells without the empty ones at the end."""
    width = len(cells)
    while width and not cells[width - 1].strip():
        width -= 1
    return cells[:width]


class TabSeparated(_Delimited):
    """A row is a line, split at tabs; quotes are letters, unless a spreadsheet put them around a value."""

    def _cells(self, skip: int = 0) -> Iterator[_Cells]:
        for line, text in lines(self.path):
            if not text or text.isspace():
                continue
            if skip:
                skip -= 1
            elif len(text) > LONGEST:
                yield line, [], _TOO_LONG
            else:
                cells = text.split("\t")
                yield line, [_unquoted(cell) for cell in cells] if '"' in text else cells, None


def _unquoted(cell: str) -> str:
    """Undo the quoting of a spreadsheet; a text that has quotes of its own at both ends stays as it is."""
    inside = cell[1:-1]
    if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inside.replace('""', ""):
        return inside.replace('""', '"')
    return cell


class CommaSeparated(_Delimited):
    """A row is a CSV record; the delimiter is the one that the header has most of."""

    def _cells(self, skip: int = 0) -> Iterator[_Cells]:
        source = _Source(self.path)
        records = csv.reader(source, delimiter=source.delimiter)
        while True:
            source.began = 0
            problem = None
            try:
                cells = next(records)
            except StopIteration:
                return
            except csv.Error as error:  # the reader begins anew with the next line
                cells, problem = [], f"no CSV record ({error}); a quote may not be closed"
            if source.too_long:
                cells, problem, source.too_long = [], _TOO_LONG, False
            if not problem and not any(cell and not cell.isspace() for cell in cells):
                continue
            if skip:
                skip -= 1
            else:
                yield source.began, cells, problem


class _Source:
    """The lines of a file for the CSV reader, which does not say where a record begins.

    Attributes:
        delimiter: the most frequent one in the first line that is not blank.
        began: the first line taken since this was set to 0.
        too_long: whether a line was too long (and was left out).
    """

    def __init__(self, path: Path) -> None:
        numbered = lines(path)
        first = next(((line, text) for line, text in numbered if text and not text.isspace()), (1, ""))
        self._lines = chain([first], numbered)
        self.delimiter = max(_DELIMITERS, key=first[1].count)
        self.began = 0
        self.too_long = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line, text = next(self._lines)
        self.began = self.began or line
        if len(text) > LONGEST:
            self.too_long = True
            return "\n"
        return text + "\n"
