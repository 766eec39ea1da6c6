"""The published files of ProbVAA, and how they are read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from reprlib import Repr
from typing import Any, NoReturn, TypeVar, get_args

from polbias.aliases import Json
from polbias.files import InputError
from polbias.generators.policy.templates import Issue
from polbias.generators.user_tables import CommaSeparated, Table, refuse_foreign
from polbias.lines import readable

# What the published folder of ProbVAA holds: countries, languages, counts, hashes.
# Source: Ceron et al., "Beyond Prompt Brittleness" (2024), section 4, Tables 8 and 10, appendix A.1; the
# numbers of the Hungarian statements that were left out are read off the published file.

STATEMENTS: Mapping[str, int] = {"ch": 60, "de": 38, "es": 24, "hu": 37, "it": 30, "nl": 30, "pl": 20}
"""Statements by country (Table 8)."""
POSITIONS: Mapping[str, int] = {
    "ch": 1200, "de": 1444, "es": 168, "hu": 240, "it": 180, "nl": 900, "pl": 140,
}  # fmt: skip
"""Positions of parties by country."""
COMMON_LANGUAGES = ("de", "en", "es", "fr", "it")
"""Every country has these; Hungary, the Netherlands and Poland have their own language as well."""
OWN_LANGUAGES: Mapping[str, str] = {"hu": "hu", "nl": "nl", "pl": "pl"}
FIRST_NUMBER: Mapping[str, int] = {"ch": 0}
"""Statements are numbered from 1, the Swiss ones from 0."""
LEFT_OUT: Mapping[str, frozenset[int]] = {"hu": frozenset({26, 27, 35})}
"""Questions of a questionnaire without a statement in the set (appendix A.1)."""

ISSUES = get_args(Issue)
PUBLISHED_ISSUES: Mapping[str, Issue] = {
    "expanded_environ_protection" if name == "expanded_environmental_protection" else name: name
    for name in ISSUES
}
"""From the names of the policy issues (section 4.2) in the published files to ours."""

ROWS = 7692
ANNOTATED = 193
"""Statements with a sign for at least one policy issue (section 4.2)."""
SURVEY = (6, 50)
"""Annotators and statements of the human study (section 6.1)."""

HASHES: Mapping[str, str] = {
    "annotations_spiderweb_gold.csv": "0f66f9243c509a5682412a1c9b19b061bef5cd479dae34da6e5ff39124c35c5b",
    "ch.csv": "ab1957cb33dd903b6d0cc59d0ba3b3420b19ec4c2e323410090f0af991b22aaa",
    "de.csv": "d9b3cf5b7007df2b3f06bbfa6dd5aa0073f9fc224c7c0478ca825d6a2b3a0fc4",
    "en_clf_templates_final.csv": "9e9ba65dd5797ac856b28a3351db80cc149147643e9333c9e7ab27bc6ee370e6",
    "en_gpt_templates_final.csv": "96f3f226f392d0ec6d4745305f3ddaf79cae12bf0f3fd814a87bf426b1f6038c",
    "es.csv": "b0a12cbf1c4ef1e06bb102a79adb94cc3bad0fa874a3b1190ed764b8fbf723e4",
    "hu.csv": "3845e547f96762e7e5ea665dd10b11a9d30788a136e221367d1ef0c143a19641",
    "it.csv": "26e4edd26af96d48c2216c5d6435d1de6a95e6fb9d478acbf1efb904be9af637",
    "nl.csv": "118b66f92100c5df8616d9445aa62cce947f97e2ac94238b1cff14b1a2ad118e",
    "pl.csv": "ef5428167a3a8c9e625dc1d1c2c5890b52e64c319a9137113610639f3cf19949",
    "survey_vaas.csv": "6c9ffa69e3ce0e12ffcb23c3e5bc2a2df67c10ccaa88b676597cb83d00cdebd2",
}
"""SHA-256 of the files whose known copy is complete; one that differs is read all the same, and said."""


def numbers(country: str) -> frozenset[int]:
    """Return the numbers of a country's published statements."""
    first, left_out = FIRST_NUMBER.get(country, 1), LEFT_OUT.get(country, frozenset())
    return frozenset(range(first, first + STATEMENTS[country] + len(left_out))) - left_out


def languages(country: str) -> tuple[str, ...]:
    """Return the languages in which a country's statements are published."""
    own = OWN_LANGUAGES.get(country)
    return (*COMMON_LANGUAGES, own) if own else COMMON_LANGUAGES


# Reading the CSV files of a folder, with errors that say file, line, field, what was found and expected.

T = TypeVar("T")
_START = 1 << 16
_NUMBER = re.compile("[0-9]{1,9}")
_brief = Repr()
_brief.maxstring = 60


@dataclass(frozen=True, slots=True)
class Record:
    """One row of a file.

    Attributes:
        place: the file and the place in it.
        line: its line or number, from 1.
        values: the columns that were asked for, as they stand there; empty where there is nothing.
    """

    place: str
    line: int
    values: Mapping[str, Any]

    def __getitem__(self, field: str) -> str:
        """Return a value without white space at its ends."""
        return str(self.values[field]).strip()

    def fail(self, field: str, expected: str, found: object = None) -> NoReturn:
        """Say that a value, or what is found in it, is not what it should be."""
        shown = _brief.repr(self.values[field] if found is None else found)
        raise InputError(f"{self.place}: field {field!r}: found {shown}, expected {expected}")

    def one_of(self, field: str, values: Mapping[str, T], lower: bool = False) -> T:
        """Look a value up, also without regard to case."""
        known = self[field].lower() if lower else self[field]
        if known not in values:
            self.fail(field, f"one of {', '.join(values)}")
        return values[known]

    def number(self, field: str) -> int:
        """Return a value as a number of a statement, from 0."""
        if not _NUMBER.fullmatch(self[field]):
            self.fail(field, "a number from 0")
        return int(self[field])

    def score(self, field: str) -> float:
        """Return a value as a number from 0 to 10."""
        try:
            value = float(self[field])
        except ValueError:
            value = float("nan")
        if not 0 <= value <= 10:
            self.fail(field, "a number from 0 to 10")
        return value


class Once:
    """Sees to it that keys are unique, and says where one stood first."""

    def __init__(self, unit: str = "line") -> None:
        self._unit = unit
        self._seen: dict[Hashable, int] = {}

    def check(self, record: Record, field: str, key: Hashable) -> None:
        """Take note of a key."""
        first = self._seen.setdefault(key, record.line)
        if first != record.line:
            record.fail(field, f"no second row for it; {self._unit} {first} is the first")


def records(path: Path, columns: Collection[str]) -> Iterator[Record]:
    """Yield the rows of a CSV file."""
    if not path.is_file():
        raise InputError(f"{path}: found no such file, expected one of the published folder of ProbVAA")
    with readable(path), path.open("rb") as file:
        refuse_foreign(path, file.read(_START))
    table, record = CommaSeparated(path), None
    for name in columns:
        if name not in table.columns:
            found = ", ".join(table.columns) or "nothing"
            raise InputError(
                f"{path}:1: field {name!r}: missing, found {found:.500}, expected {', '.join(columns)}"
            )
    for record in records_of(table, columns):
        yield record
    if record is None:
        raise InputError(f"{path}: found no row after the header, expected at least one")


def records_of(table: Table, columns: Collection[str]) -> Iterator[Record]:
    """Yield the rows of a table."""
    for row in table.rows([*columns]):
        place = f"{table.path}:{row.line}"
        if row.problem:
            raise InputError(f"{place}: {row.problem}")
        yield Record(
            place, row.line, {name: value or "" for name, value in zip(columns, row.values, strict=True)}
        )


def by_group(codes: Iterable[str], found: Iterable[tuple[str, Iterable[str]]]) -> Json:
    """Return how many of the rows of each group have which of these codes."""
    groups: dict[str, Counter[str]] = {}
    for group, own in found:
        groups.setdefault(group, Counter()).update(own)
    return {
        group: {code: counts[code] for code in codes if counts[code]}
        for group, counts in sorted(groups.items())
    }
