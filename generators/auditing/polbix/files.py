"""The published files of PolBiX."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from polbias.files import InputError
from polbias.generators.auditing.probvaa.files import Once, Record, records
from polbias.generators.user_tables import TabSeparated

# What the published files of PolBiX hold: counts and hashes.
# Source: Jakob et al., "PolBiX" (2025), section 3, Table 1 and Figure 4; the figures by label are counted in
# the published ``dataset.csv``.

ROWS = 930
"""Claims (section 3.3, Table 1)."""
COUNTS: Mapping[str, Mapping[str, int]] = {
    "gold": {"true": 577, "false": 353},
    "shift": {"right": 390, "left": 322, "none": 218},
    "axis": {"social": 472, "economic": 452, "none": 6},
    "judgmental_base": {"no": 914, "yes": 16},
    "judgmental_exchange": {"no": 764, "yes": 166},
    "origin": {"DefaktS": 191, "Medienkompass": 567, "NewsPolyML": 172},
}
"""Claims by label."""
DIRECTED, UNORDERED, BOTH_WAYS = 357, 285, 72
"""Word pairs with direction, without, and used both ways (section 3.4)."""
PAIR_TABLE_ROWS = 285
"""Word pairs of Table 5."""

HASHES: Mapping[str, str] = {
    "dataset.csv": "0a9beed45485ff845626376b43133e70219dc4e3ce26e76f6a4223cf0e82ab63",
    "sample_output.json": "e7e075f24cf7cc712f26832ad72d6e4b9f8da37bf2087ac6fb2b1f8194d85243",
}
"""SHA-256 of the copies that ``docs/audit-polbix.md`` counts; about half of the exchange claims of that
``dataset.csv`` are emptied. A file that differs is read all the same, and said."""


# ``dataset.csv``: claims with a base word, the word that replaces it, and their labels.

Shift = Literal["left", "right", "none"]
Axis = Literal["social", "economic", "none"]
_LONGEST = 5_000  # characters of a claim or word; the published ones are a tenth of that

SHIFTS: Mapping[str, Shift] = {
    "left": "left",
    "libertarian": "left",
    "right": "right",
    "authoritarian": "right",
    "none": "none",
    "no shift": "none",
}
"""Shifts as the data and Table 5 write them; libertarian is left, authoritarian right (section 3.4)."""
AXES: Mapping[str, Axis] = {"social": "social", "economic": "economic", "none": "none"}
FLAGS: Mapping[str, bool] = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}
MIRRORED: Mapping[Shift, Shift] = {"left": "right", "right": "left", "none": "none"}
"""The shift of a pair that is used the other way round."""
COLUMNS = (
    "id", "base_word", "exchange_word", "base_claim", "exchange_claim", "golden_truthfulness_base_claim",
    "shift", "axis", "judgmental_base", "judgmental_exchange", "origin_dataset",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Labels:
    """What the annotators said of a pair in one direction (section 3.4).

    Attributes:
        shift: where the exchange word leans compared with the base word.
        axis: of the shift.
        judgmental_base: whether the base word contains a judgement.
        judgmental_exchange: the same of the exchange word.
    """

    shift: Shift
    axis: Axis
    judgmental_base: bool
    judgmental_exchange: bool

    def reversed(self) -> Labels:
        """Return the labels that the pair must have the other way round."""
        return Labels(MIRRORED[self.shift], self.axis, self.judgmental_exchange, self.judgmental_base)


@dataclass(frozen=True, slots=True)
class ClaimPair:
    """One row.

    Attributes:
        id: as published.
        base_word: the word in the original claim.
        exchange_word: the word that replaces it.
        base_claim: the original claim as it stands there.
        exchange_claim: the claim with the other word, None where the copy has none.
        gold: whether the original claim is true.
        labels: of the pair in this direction.
        origin: the data set that the claim comes from.
        line: where it stands.
    """

    id: str
    base_word: str
    exchange_word: str
    base_claim: str
    exchange_claim: str | None
    gold: bool
    labels: Labels
    origin: str
    line: int

    @property
    def words(self) -> tuple[str, str]:
        """The pair in the direction in which it is used."""
        return self.base_word, self.exchange_word


def read_claims(path: Path) -> list[ClaimPair]:
    """Read ``dataset.csv``, complete or not.

    Source:
        https://github.com/XplaiNLP/PolBiX; Jakob et al., section 3.
    """
    if not path.is_file():
        raise InputError(f"{path}: found no such file, expected the dataset.csv that PolBiX publishes")
    found, once = [], Once()
    for record in records(path, COLUMNS):
        for field in ("id", "base_word", "exchange_word", "base_claim", "origin_dataset"):
            if not record[field]:
                record.fail(field, "a text")
        for field, text in record.values.items():
            if len(text) > _LONGEST:
                record.fail(field, f"at most {_LONGEST:,} characters")
        once.check(record, "id", record["id"])
        found.append(
            ClaimPair(
                record["id"],
                record["base_word"],
                record["exchange_word"],
                record.values["base_claim"],
                record.values["exchange_claim"] if record["exchange_claim"] else None,
                record.one_of("golden_truthfulness_base_claim", FLAGS, lower=True),
                labels_of(record, "shift", "axis", "judgmental_base", "judgmental_exchange"),
                record["origin_dataset"],
                record.line,
            )
        )
    return found


def labels_of(record: Record, shift: str, axis: str, base: str, exchange: str) -> Labels:
    """Return the labels of a row, without regard to case."""
    return Labels(
        record.one_of(shift, SHIFTS, lower=True),
        record.one_of(axis, AXES, lower=True),
        record.one_of(base, FLAGS, lower=True),
        record.one_of(exchange, FLAGS, lower=True),
    )


def claim_differences(claims: Sequence[ClaimPair]) -> Iterator[str]:
    """Say in words how the rows differ from the published set."""
    if len(claims) != ROWS:
        yield f"dataset.csv: {len(claims):,} rows, the published file has {ROWS:,}"
    said = {True: "yes", False: "no"}
    for name, expected in COUNTS.items():
        values = [getattr(each if name in ("gold", "origin") else each.labels, name) for each in claims]
        found = Counter(str(value).lower() if name == "gold" else said.get(value, value) for value in values)
        if found != expected:
            yield f"dataset.csv: {name}: {_listed(found)}; the published file has {_listed(expected)}"
    directed = {each.words for each in claims}
    unordered = {frozenset(words) for words in directed}
    both = sum((second, first) in directed for first, second in directed if first < second)
    if (len(directed), len(unordered), both) != (DIRECTED, UNORDERED, BOTH_WAYS):
        yield (
            f"dataset.csv: {len(directed)} word pairs with direction, {len(unordered)} without, {both} used "
            f"both ways; the published file has {DIRECTED}, {UNORDERED} and {BOTH_WAYS}"
        )
    missing = sum(each.exchange_claim is None for each in claims)
    if missing:
        yield (
            f"dataset.csv: {missing:,} of {len(claims):,} rows have no exchange claim; what needs one is not "
            "looked for in them"
        )


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {counts[name]}" for name in sorted(counts))


# Tables of word pairs with labels, as ``wordpairs.tsv``: Table 5 of the paper in one row per pair.

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
        record = Record(f"{path}:{row.line}", row.line, values)
        first, second, *labels = columns
        for name in (first, second):
            if not record[name]:
                record.fail(name, "a word")
        once.check(record, second, (record[first], record[second]))
        found.append(TablePair(record[first], record[second], labels_of(record, *labels), row.line))
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
    """Say how many rows a table has if it is not those of Table 5."""
    if len(pairs) != PAIR_TABLE_ROWS:
        yield f"{name}: {len(pairs)} word pairs, Table 5 has {PAIR_TABLE_ROWS}"
