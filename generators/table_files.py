"""User tables: CSV, TSV, JSON lines and Parquet as data frames; errors name file and line."""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from polbias.errors import InputError
from polbias.files import open_parquet
from polbias.limits import MAX_BATCH, MAX_ITEMS, MAX_ROW, MAX_TOTAL
from polbias.lines import AS_UTF8, describe_long_line, text_lines

if TYPE_CHECKING:
    import pandas as pd

# Files that are not UTF-8 text.

_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip (or an Excel workbook)",
}
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


def refuse_foreign(path: Path, start: bytes) -> None:
    """Refuse a file that is not UTF-8 text."""
    for magic, kind in _COMPRESSED.items():
        if start.startswith(magic):
            raise InputError(f"{path}: is compressed, {kind}; unpack it, or save it as TSV, CSV or Parquet")
    if start.startswith(_WIDE):
        raise InputError(f"{path}:1: the text is UTF-16 or UTF-32; {AS_UTF8.format('UTF-16')}")
    if b"\0" in start:
        line = start[: start.index(b"\0")].count(b"\n") + 1
        raise InputError(
            f"{path}:{line}: found a NUL byte, which text cannot contain; expected TSV, CSV, JSONL or Parquet"
        )


# A file, or the Parquet files of a folder, as data frames.

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
_N_START_BYTES = 1 << 16
_MAX_CELLS = 1 << 27  # in a table of JSON objects, which may have different keys


class Row(NamedTuple):
    """A row of a file.

    Attributes:
        line: its first line, from 1; in Parquet the number of the row.
        values: of the requested columns, None if missing.
        problem: why it is unreadable; such a row has no values.
    """

    line: int
    values: Any = ()
    problem: str | None = None


@dataclass(frozen=True)
class UserTable:
    """The rows of a file.

    Attributes:
        path: the file.
        columns: names as in the file, in order; a name may occur twice.
        frame: values by line; of columns with the same name the first.
        problems: reason by line of each unreadable row.
    """

    path: Path
    columns: Sequence[str]
    frame: pd.DataFrame
    problems: Mapping[int, str]

    def refuse_problems(self, advice: str) -> None:
        """Raise an error if a row is unreadable."""
        for line, problem in self.problems.items():
            raise InputError(f"{self.path}:{line}: {problem}; {advice}")

    def rows(self, columns: Sequence[str]) -> Iterator[Row]:
        """Yield every row with its values in `columns`, None in an absent column."""
        absent = [None] * len(self.frame)
        values = [self.frame[name].tolist() if name in self.frame else absent for name in columns]
        for line, *cells in zip(self.frame.index.tolist(), *values, strict=True):
            yield Row(line, cells, self.problems.get(line))


def read_tables(path: Path) -> tuple[UserTable, ...]:
    """Read a file, or the Parquet files of a folder."""
    if not path.is_dir():
        return (read_table(path),)
    # A built config has its few-shot examples in a file next to its items; name that file to audit them.
    files = sorted(path.glob("test-*.parquet")) or sorted(path.glob("*.parquet"))
    if not files:
        raise InputError(
            f"{path}: a folder without Parquet files; expected a file, or a folder of one config"
        )
    return tuple(read_table(file) for file in files)


def read_table(path: Path) -> UserTable:
    """Read a file."""
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: not a regular file; save the table to a file first")
    try:
        with path.open("rb") as file:
            start = file.read(_N_START_BYTES)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the path") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check path and permissions") from None
    if start.startswith(b"PAR1"):
        return _read_parquet(path)
    refuse_foreign(path, start)
    if (size := path.stat().st_size) > MAX_TOTAL:
        raise InputError(f"{path}: found {size:,} bytes, expected at most {MAX_TOTAL:,}; divide it")
    text = start.decode("utf-8-sig", "replace")
    first = next((line for line in re.split("[\r\n]", text) if line.strip()), "")
    match _SUFFIXES.get(path.suffix.lower()) or _kind_of_text(first):
        case "tsv":
            return _read_delimited(path, _line_records(path, _tsv_cells))
        case "csv":
            return _read_delimited(path, _csv_records(path, max(_DELIMITERS, key=first.count)))
        case "jsonl":
            return _read_json_lines(path)
        case "parquet":
            raise InputError(f"{path}: does not begin like a Parquet file; it may be incomplete")
    excerpt = repr(first.strip()[:60]) if first else "an empty file"
    raise InputError(
        f"{path}:1: found {excerpt}, expected TSV, CSV, JSONL or Parquet "
        "(name the file accordingly, e.g. items.tsv)"
    )


def _kind_of_text(first_line: str) -> str | None:
    if first_line.lstrip().startswith("{"):
        return "jsonl"
    if "\t" in first_line:
        return "tsv"
    return "csv" if "," in first_line or ";" in first_line else None


def _table(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> UserTable:
    import pandas as pd

    rows = list(islice(rows, MAX_ITEMS + 1))
    if len(rows) > MAX_ITEMS:
        raise InputError(f"{path}: found more than {MAX_ITEMS:,} rows, expected fewer; divide it")
    frame = pd.DataFrame(
        [row.values or [None] * len(columns) for row in rows],
        pd.Index([row.line for row in rows], name="line"),
        pd.Index(columns, dtype=object),  # a JSON name may have half a character, which Arrow rejects
        dtype=object,
    )
    problems = {row.line: row.problem for row in rows if row.problem}
    return UserTable(path, columns, frame.loc[:, ~frame.columns.duplicated()], problems)


# Text tables: values between tabs, or between commas with quotes. The standard library parses CSV: pandas
# does not report the first line of a record.

_DELIMITERS = ",;\t"
_TOO_LONG = f"found {describe_long_line()}"


def _read_delimited(path: Path, records: Iterator[Row]) -> UserTable:
    """Read a table from records: a header, and rows of the same width."""
    line, cells, problem = next(records, Row(1, problem="found nothing"))
    if problem:
        raise InputError(f"{path}:{line}: {problem}, expected a header with column names")
    columns = [cell.strip() for cell in _trim_cells(cells)]
    return _table(path, columns, (_check_record(record, len(columns)) for record in records))


def _check_record(record: Row, width: int) -> Row:
    """Return a record with None for empty cells, or with a problem if its width is wrong."""
    line, cells, problem = record
    # Trailing tabs or commas are not columns.
    if not problem and (len(cells) < width or (len(cells) > width and len(_trim_cells(cells)) > width)):
        problem = f"found {len(cells)} columns, expected {width}"
    return Row(line, [] if problem else [cell or None for cell in cells[:width]], problem)


def _trim_cells(cells: Sequence[str]) -> Sequence[str]:
    """Drop the empty cells at the end."""
    width = len(cells)
    while width and not cells[width - 1].strip():
        width -= 1
    return cells[:width]


def _line_records(path: Path, parse: Callable[[str], Any]) -> Iterator[Row]:
    """Yield the parsed non-blank lines; a ValueError of `parse` is the problem of the row."""
    for line, text in text_lines(path):
        if text and not text.isspace():
            try:
                yield Row(line, problem=_TOO_LONG) if len(text) > MAX_ROW else Row(line, parse(text))
            except ValueError as error:
                yield Row(line, problem=f"found {error}")


def _tsv_cells(text: str) -> list[str]:
    """Split a line at tabs; quotes are literal, unless a spreadsheet has quoted the value."""
    return [_unquote(cell) for cell in text.split("\t")]


def _unquote(cell: str) -> str:
    """Undo the quoting of a spreadsheet; keep a text with literal quotes at both ends."""
    inside = cell[1:-1]
    if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inside.replace('""', ""):
        return inside.replace('""', '"')
    return cell


def _csv_records(path: Path, delimiter: str) -> Iterator[Row]:
    """Yield CSV records with the number of their first line."""
    long_lines: list[int] = []

    def lines() -> Iterator[str]:
        for line, text in text_lines(path):
            if len(text) > MAX_ROW:
                long_lines.append(line)
            yield "\n" if len(text) > MAX_ROW else text + "\n"

    records = csv.reader(lines(), delimiter=delimiter)
    while True:
        line, cells, problem = records.line_num + 1, [], None
        try:
            cells = next(records)
        except StopIteration:
            return
        except csv.Error as error:  # the reader resumes with the next line
            problem = f"found no CSV record ({error}); a quote may not be closed"
        if long_lines:
            problem = _TOO_LONG
            long_lines.clear()
        if problem or any(cell and not cell.isspace() for cell in cells):
            yield Row(line, cells, problem)


# Tables of JSON objects, one on each line.


def _read_json_lines(path: Path) -> UserTable:
    """Read a file with a JSON object per line; its columns are the keys of all objects."""
    records = list(islice(_line_records(path, _json_object), MAX_ITEMS + 1))  # `_table` refuses one more
    columns = list(dict.fromkeys(chain.from_iterable(record.values for record in records)))
    if not columns:
        line, _, problem = next((record for record in records if record.problem), Row(1, (), "found nothing"))
        raise InputError(
            f"{path}:{line}: {problem}, expected one JSON object on each line "
            "(of a JSON array: `jq -c '.[]' FILE > items.jsonl`)"
        )
    if len(columns) * len(records) > _MAX_CELLS:
        size = f"{len(columns):,} keys in {len(records):,} objects"
        raise InputError(f"{path}: found {size}, expected at most {_MAX_CELLS:,} cells; divide it")
    rows = (
        Row(line, problem=f"{problem}, expected a JSON object")
        if problem
        else Row(line, [*map(record.get, columns)])
        for line, record, problem in records
    )
    return _table(path, columns, rows)


def _json_object(text: str) -> dict[str, Any]:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: also a number with too many digits
        raise ValueError(f"no JSON ({getattr(error, 'msg', None) or type(error).__name__})") from None
    if not isinstance(record, dict):
        raise ValueError(f"a JSON {type(record).__name__}")
    return record


# Parquet tables, read in batches: a small file may unpack to more than the memory.

_BATCH = 1024
_BUFFER = 1 << 20


def _read_parquet(path: Path) -> UserTable:
    try:
        # Without a buffer Arrow would read each column of a row group in full.
        file = open_parquet(path, buffer_size=_BUFFER, pre_buffer=False)
        batches = []
        size = 0
        for batch in file.iter_batches(_batch_rows(file), use_threads=False):
            batches.append(batch)
            if (size := size + batch.nbytes) > MAX_TOTAL:
                raise InputError(f"{path}: found more than {MAX_TOTAL:,} bytes, unpacked; divide it")
        return from_arrow(path, pa.Table.from_batches(batches, file.schema_arrow))
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(f"{path}: damaged or no Parquet file ({reason}); get it again") from None


def from_arrow(path: Path, table: Any) -> UserTable:
    """Convert an Arrow table to a table of Python values."""
    values = zip(*map(_python_values, table.columns), strict=True)
    return _table(path, table.column_names, (Row(number, row) for number, row in enumerate(values, 1)))


def _batch_rows(file: Any) -> int:
    """Return the number of rows that fit into memory if all have the longest dictionary value."""
    groups = map(file.metadata.row_group, range(file.num_row_groups))
    chunks = (group.column(position) for group in groups for position in range(group.num_columns))
    sizes = [chunk.total_uncompressed_size for chunk in chunks if chunk.has_dictionary_page]
    return max(1, min(_BATCH, MAX_BATCH // int(max(sizes, default=1) or 1)))


def _python_values(column: Any) -> list[Any]:
    """Return the values of a column; rows with the same dictionary entry share one object."""
    if not pa.types.is_dictionary(column.type):
        return column.to_pylist()  # type: ignore[no-any-return]
    array = column.unify_dictionaries().combine_chunks()
    entries = array.dictionary.to_pylist()
    return [None if index is None else entries[index] for index in array.indices.to_pylist()]


# Roles of columns, and their names in published files.


@dataclass(frozen=True)
class ColumnRole:
    """The role of a column.

    Attributes:
        name: as in `--column NAME=…` and in reports.
        aliases: other names in published files, the likeliest first.
        required: whether auditing needs it.
    """

    name: str
    aliases: tuple[str, ...] = ()
    required: bool = False


def cell_text(value: Any) -> str:
    """Return a table value as stripped text; other types than text as JSON."""
    if value is None or isinstance(value, str):
        return (value or "").strip()
    return json.dumps(value, ensure_ascii=False, default=str)


def resolve_columns(
    columns: Sequence[str], roles: Sequence[ColumnRole], user_columns: Mapping[str, str], path: Path
) -> Mapping[str, str]:
    """Map each role to its column."""
    role_names = [role.name for role in roles]
    column_list = f"{', '.join(map(repr, columns)) or 'none':.500}"
    result: dict[str, str] = {}
    by_name: dict[str, list[str]] = {}
    for column in columns:
        by_name.setdefault(_normalize_name(column), []).append(column)
    for name, column in user_columns.items():
        if name not in role_names:
            raise InputError(
                f"--column {name}={column}: no role {name!r}; there are: {', '.join(role_names)}"
            )
        if column not in columns:
            raise InputError(
                f"{path}: --column {name}={column}: no such column; found the columns {column_list}"
            )
    for role in roles:
        if role.name in user_columns:
            matches = [column for column in columns if column == user_columns[role.name]]
        else:
            names = map(_normalize_name, (role.name, *role.aliases))
            matches = next((by_name[name] for name in names if name in by_name), [])
        if len(matches) > 1:
            raise InputError(
                f"{path}: found the columns {matches[0]!r} and {matches[1]!r}, expected one of them"
            )
        if matches:
            result[role.name] = matches[0]
    missing = [role for role in roles if role.required and role.name not in result]
    if missing:
        expected = "; ".join(f"{role.name} ({', '.join((role.name, *role.aliases))})" for role in missing)
        raise InputError(
            f"{path}: found the columns {column_list}, expected also {expected}; "
            f"name the column with --column {missing[0].name}=NAME"
        )
    return result


def _normalize_name(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())
