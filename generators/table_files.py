"""Tables of users: CSV, TSV, JSON lines and Parquet, with errors that name file, line and field."""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from polbias.errors import InputError
from polbias.files import open_parquet
from polbias.limits import MAX_BATCH, MAX_ROW
from polbias.lines import AS_UTF8, text_lines, too_long

# Files that are no UTF-8 text.

_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip (or an Excel workbook)",
}
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


def refuse_foreign(path: Path, start: bytes) -> None:
    """Refuse a file that is no UTF-8 text."""
    for magic, kind in _COMPRESSED.items():
        if start.startswith(magic):
            raise InputError(f"{path}: is compressed, {kind}; unpack it, or save it as TSV, CSV or Parquet")
    if start.startswith(_WIDE):
        raise InputError(f"{path}:1: the text is UTF-16 or UTF-32; {AS_UTF8.format('UTF-16')}")
    if b"\0" in start:
        line = start[: start.index(b"\0")].count(b"\n") + 1
        raise InputError(
            f"{path}:{line}: found a NUL byte, which no text has; expected TSV, CSV, JSONL or Parquet"
        )


# Tables that benchmarks are published in: TSV, CSV, JSON lines and Parquet, read in bounded memory.

_SUFFIXES = {
    ".tsv": "tsv",
    ".tab": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_START = 1 << 16
_EXPECTED = "expected TSV, CSV, JSONL or Parquet"


@dataclass(frozen=True, slots=True)
class FileRow:
    """A row.

    Attributes:
        line: its first line, from 1; in Parquet the number of the row.
        values: of the columns that were asked for, in that order; None where there is nothing.
        problem: if it could not be read, why; then it has no values.
    """

    line: int
    values: Sequence[Any] = ()
    problem: str | None = None


class TableFile(Protocol):
    """A file of rows.

    Attributes:
        path: the file.
        columns: their names, in order.
    """

    path: Path
    columns: Sequence[str]

    def rows(self, wanted: Sequence[str]) -> Iterator[FileRow]:
        """Yield all rows with the values of some columns."""


def open_tables(path: Path) -> tuple[TableFile, ...]:
    """Open a file, or the Parquet files of a folder."""
    if path.is_dir():
        # A built config has its few-shot examples beside its items; they can be audited by themselves.
        files = sorted(path.glob("test-*.parquet")) or sorted(path.glob("*.parquet"))
        if not files:
            raise InputError(
                f"{path}: a folder without Parquet files; expected a file, or a folder of one config"
            )
        return tuple(_open(file) for file in files)
    return (_open(path),)


def _open(path: Path) -> TableFile:

    if path.exists() and not path.is_file():
        raise InputError(f"{path}: not a regular file, but it is read twice; save it to a file first")
    try:
        with path.open("rb") as file:
            start = file.read(_START)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the path") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check path and permissions") from None
    if start.startswith(b"PAR1"):
        return ParquetTable(path)
    refuse_foreign(path, start)
    kind = _SUFFIXES.get(path.suffix.lower()) or _sniffed(start)
    match kind:
        case "tsv":
            return TabSeparated(path)
        case "csv":
            return CommaSeparated(path)
        case "jsonl":
            return JsonLines(path)
        case "parquet":
            raise InputError(f"{path}: does not begin like a Parquet file; it may be incomplete")
    first = start.decode("utf-8", "replace").lstrip().splitlines()
    found = repr(first[0][:60]) if first else "an empty file"
    raise InputError(f"{path}:1: found {found}, {_EXPECTED} (name the file accordingly, e.g. items.tsv)")


def _sniffed(start: bytes) -> str | None:
    """Tell by its first line what a file without a telling name is."""
    text = start.decode("utf-8-sig", "replace").lstrip()
    first = text.splitlines()[0] if text else ""
    if first.startswith("{"):
        return "jsonl"
    if "\t" in first:
        return "tsv"
    return "csv" if "," in first or ";" in first else None


# Tables of text: values between tabs, or between commas with quotes.

_DELIMITERS = ",;\t"
_TOO_LONG = too_long()
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

    def rows(self, wanted: Sequence[str]) -> Iterator[FileRow]:
        """Yield all rows after the header with the values of some columns."""
        width = len(self.columns)
        places = [self.columns.index(name) for name in wanted]
        for line, cells, problem in self._cells(skip=1):
            if problem:
                yield FileRow(line, problem=f"found {problem}")
            # Trailing tabs or commas are no columns.
            elif len(cells) < width or (len(cells) > width and len(_trimmed(cells)) > width):
                yield FileRow(line, problem=f"found {len(cells)} columns, expected {width}")
            else:
                yield FileRow(line, [cells[place] or None for place in places])

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
        for line, text in text_lines(self.path):
            if not text or text.isspace():
                continue
            if skip:
                skip -= 1
            elif len(text) > MAX_ROW:
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
        numbered = text_lines(path)
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
        if len(text) > MAX_ROW:
            self.too_long = True
            return "\n"
        return text + "\n"


# Tables of JSON objects, one on each line.

_LOOKED_AT = 100  # objects, for the names of columns: an object may leave out what is null


class JsonLines:
    """A file with a JSON object on each line.

    Args:
        path: the file.

    Raises:
        InputError: if there is none, or the file is one JSON document.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        names: dict[str, None] = {}
        problem: tuple[int, str] | None = None
        for line, found, wrong in islice(self._objects(), _LOOKED_AT):
            names |= dict.fromkeys(found)
            problem = problem or ((line, wrong) if wrong else None)
        if not names:
            line, wrong = problem or (1, "nothing")
            raise InputError(
                f"{path}:{line}: found {wrong}, expected one JSON object on each line "
                "(of a JSON array: `jq -c '.[]' FILE > items.jsonl`)"
            )
        self.columns: Sequence[str] = list(names)

    def rows(self, wanted: Sequence[str]) -> Iterator[FileRow]:
        """Yield all objects with the values of some keys."""
        for line, found, problem in self._objects():
            if problem:
                yield FileRow(line, problem=f"found {problem}, expected a JSON object")
            else:
                yield FileRow(line, [found.get(name) for name in wanted])

    def _objects(self) -> Iterator[tuple[int, dict[str, Any], str | None]]:
        for line, text in text_lines(self.path):
            if not text or text.isspace():
                continue
            if len(text) > MAX_ROW:
                yield line, {}, _TOO_LONG
                continue
            try:
                found = json.loads(text)
            except (ValueError, RecursionError) as error:  # ValueError: also a number of too many digits
                yield line, {}, f"no JSON ({getattr(error, 'msg', None) or type(error).__name__})"
                continue
            if isinstance(found, dict):
                yield line, found, None
            else:
                yield line, {}, f"a JSON {type(found).__name__}"


# Parquet tables, read in small batches.

_BATCH = 1024
_BUFFER = 1 << 20


class ParquetTable:
    """A Parquet file.

    Args:
        path: the file.

    Raises:
        InputError: if it is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            # Without a buffer Arrow would read the whole of every column of a row group at once.
            self._file = open_parquet(path, buffer_size=_BUFFER, pre_buffer=False)
            self.columns: Sequence[str] = self._file.schema_arrow.names
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise self._damaged(error) from None

    def rows(self, wanted: Sequence[str]) -> Iterator[FileRow]:
        """Yield all rows with the values of some columns."""
        number = 0
        try:
            for batch in self._file.iter_batches(self._batch_rows(), columns=list(wanted), use_threads=False):
                columns = [batch.column(name).to_pylist() for name in wanted]
                for values in zip(*columns, strict=True):
                    number += 1
                    yield FileRow(number, values)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise self._damaged(error, number) from None

    def _batch_rows(self) -> int:
        """Return how many rows fit into memory, if all have the longest value of a dictionary."""
        groups = map(self._file.metadata.row_group, range(self._file.num_row_groups))
        chunks = (group.column(place) for group in groups for place in range(group.num_columns))
        sizes = [chunk.total_uncompressed_size for chunk in chunks if chunk.has_dictionary_page]
        return max(1, min(_BATCH, MAX_BATCH // int(max(sizes, default=1) or 1)))

    def _damaged(self, error: Exception, after: int = 0) -> InputError:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        place = f", after row {after:,}" if after else ""
        return InputError(f"{self.path}: damaged or no Parquet file{place} ({reason}); get it again")


# Which column of a file plays which role: the roles of a format, and their names in published files.


@dataclass(frozen=True)
class ColumnRole:
    """What a column is for.

    Attributes:
        name: as in `--column NAME=…` and in reports.
        aliases: other names that published files use, the likeliest first.
        required: whether there is no auditing without it.
    """

    name: str
    aliases: tuple[str, ...] = ()
    required: bool = False


def cell_text(value: Any) -> str:
    """Return a value of a table as text without blanks at its ends; what is no text as JSON."""
    if value is None or isinstance(value, str):
        return (value or "").strip()
    return json.dumps(value, ensure_ascii=False, default=str)


def resolve_columns(
    columns: Sequence[str], roles: Sequence[ColumnRole], chosen: Mapping[str, str], path: Path
) -> Mapping[str, str]:
    """Find the column of each role."""
    known = [role.name for role in roles]
    found = f"{', '.join(map(repr, columns)) or 'none':.500}"
    result: dict[str, str] = {}
    by_name: dict[str, list[str]] = {}
    for column in columns:
        by_name.setdefault(_plain(column), []).append(column)
    for name, column in chosen.items():
        if name not in known:
            raise InputError(f"--column {name}={column}: no role {name!r}; there are: {', '.join(known)}")
        if column not in columns:
            raise InputError(f"{path}: --column {name}={column}: no such column; found the columns {found}")
    for role in roles:
        names = [chosen[role.name]] if role.name in chosen else [role.name, *role.aliases]
        same: Sequence[str] = next((by_name[_plain(name)] for name in names if _plain(name) in by_name), ())
        if role.name in chosen:
            same = [column for column in columns if column == chosen[role.name]]
        if len(same) > 1:
            raise InputError(f"{path}: found the columns {same[0]!r} and {same[1]!r}, expected one of them")
        if same:
            result[role.name] = same[0]
    missing = [role for role in roles if role.required and role.name not in result]
    if missing:
        wanted = "; ".join(f"{role.name} ({', '.join((role.name, *role.aliases))})" for role in missing)
        raise InputError(
            f"{path}: found the columns {found}, expected also {wanted}; "
            f"say which it is with --column {missing[0].name}=NAME"
        )
    return result


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())
