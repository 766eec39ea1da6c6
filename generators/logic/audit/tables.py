"""Tables that benchmarks are published in: TSV, CSV, JSON lines and Parquet, read in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from polbias.files import InputError
from polbias.generators.logic.audit.lines import refuse_foreign

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
class Row:
    """A row.

    Attributes:
        line: its first line, from 1; in Parquet the number of the row.
        values: of the columns that were asked for, in that order; None where there is nothing.
        problem: if it could not be read, why; then it has no values.
    """

    line: int
    values: Sequence[Any] = ()
    problem: str | None = None


class Table(Protocol):
    """A file of rows.

    Attributes:
        path: the file.
        columns: their names, in order.
    """

    path: Path
    columns: Sequence[str]

    def rows(self, wanted: Sequence[str]) -> Iterator[Row]:
        """Yield all rows with the values of some columns.

        Raises:
            InputError: if the file is damaged.
        """


def open_tables(path: Path) -> tuple[Table, ...]:
    """Open a file, or the Parquet files of a folder.

    Args:
        path: a file, whose kind follows from its first bytes, its suffix or its first line; or a folder, such
            as that of a config, whose split ``test`` is taken if it has one.

    Returns:
        One table per file, in the order of their names.

    Raises:
        InputError: if there is none, or it is no table.
    """
    if path.is_dir():
        # A built config has its few-shot examples beside its items; they can be audited by themselves.
        files = sorted(path.glob("test-*.parquet")) or sorted(path.glob("*.parquet"))
        if not files:
            raise InputError(
                f"{path}: a folder without Parquet files; expected a file, or a folder of one config"
            )
        return tuple(_open(file) for file in files)
    return (_open(path),)


def _open(path: Path) -> Table:
    from polbias.generators import user_tables as delimited
    from polbias.generators.logic.audit import jsonlines, parquet

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
        return parquet.ParquetTable(path)
    refuse_foreign(path, start)
    kind = _SUFFIXES.get(path.suffix.lower()) or _sniffed(start)
    match kind:
        case "tsv":
            return delimited.TabSeparated(path)
        case "csv":
            return delimited.CommaSeparated(path)
        case "jsonl":
            return jsonlines.JsonLines(path)
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
