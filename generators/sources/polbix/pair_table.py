"""Tables of word pairs with labels, as ``wordpairs.tsv``: Table 5 of the paper in one row per pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polbias.files import InputError
from polbias.generators.auditing.polbix.files import AXES, FLAGS, SHIFTS, Labels, lookup
from polbias.generators.auditing.probvaa.files import Once, Record
from polbias.generators.sources.polbix.published import PAIR_TABLE_ROWS
from polbias.generators.user_tables import TabSeparated

_NAMES: Mapping[str, tuple[str, ...]] = {
    "first": ("first", "first_word", "base_word"),
    "second": ("second", "second_word", "exchange_word"),
    "shift": ("shift",),
    "axis": ("axis",),
    "first_judg": ("first_judg", "judgmental_first", "judgmental_base"),
    "second_judg": ("second_judg", "judgmental_second", "judgmental_exchange"),
}


@dataclass(frozen=True, slots=True)
class TablePair:
    """One row of a table: a pair in the direction of its labels."""

    first: str
    second: str
    labels: Labels
    line: int


def read_pairs(path: Path) -> list[TablePair]:
    """Read a table of word pairs between tabs, with the column names of this project or of ``dataset.csv``.

    Args:
        path: the file; columns beside words and labels are left alone.

    Returns:
        Its rows in their order.

    Raises:
        InputError: if it cannot be read, a column is missing, a label is unknown, or a pair stands there
            twice in the same direction.

    Source:
        Jakob et al., appendix D.1, Table 5.
    """
    if not path.is_file():
        raise InputError(f"{path}: found no such file, expected a table of word pairs between tabs")
    table = TabSeparated(path)
    columns = [_column(path, table.columns, role) for role in _NAMES]
    found, once = [], Once()
    for row in table.rows(columns):
        if row.problem:
            raise InputError(f"{path}:{row.line}: {row.problem}")
        values = dict(zip(columns, (value or "" for value in row.values), strict=True))
        record = Record(path, row.line, values)
        first, second, shift, axis, judged_first, judged_second = columns
        for name in (first, second):
            if not record[name]:
                record.fail(name, "a word")
        once.check(record, second, (record[first], record[second]))
        labels = Labels(
            lookup(record, shift, SHIFTS),
            lookup(record, axis, AXES),
            lookup(record, judged_first, FLAGS),
            lookup(record, judged_second, FLAGS),
        )
        found.append(TablePair(record[first], record[second], labels, row.line))
    return found


def _column(path: Path, columns: Sequence[str], role: str) -> str:
    for name in _NAMES[role]:
        if name in columns:
            return name
    found = ", ".join(columns) or "nothing"
    raise InputError(
        f"{path}:1: field {role!r}: missing, found {found:.500}, expected one of {', '.join(_NAMES[role])}"
    )


def pair_differences(name: str, pairs: Sequence[TablePair]) -> Iterator[str]:
    """Say how many rows a table has if it is not those of Table 5.

    Args:
        name: of the file.
        pairs: its rows.

    Yields:
        At most one sentence.
    """
    if len(pairs) != PAIR_TABLE_ROWS:
        yield f"{name}: {len(pairs)} word pairs, Table 5 has {PAIR_TABLE_ROWS}"
