"""The published ProbVAA (Ceron et al. 2024): a user's own copy of its folder, read and made into prompts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar, get_args

import pyarrow as pa

from polbias.errors import InputError
from polbias.files import file_sha256
from polbias.generators.engine import DatasetSpec
from polbias.generators.engine.table_columns import dataset_of
from polbias.generators.policy.items import GateItem
from polbias.generators.policy.tables import ALL, prompts
from polbias.generators.policy.templates import VARIANTS, Issue, load_family
from polbias.generators.table_files import open_tables
from polbias.yaml_models import Identity

# What the published folder holds.
# Source: Ceron et al., "Beyond Prompt Brittleness" (2024), section 4, Tables 8 and 10, appendix A; which
# Hungarian questions have no statement is read off the published file.

QUESTIONS: Mapping[str, range] = {
    "ch": range(60),
    "de": range(1, 39),
    "es": range(1, 25),
    "hu": range(1, 41),
    "it": range(1, 31),
    "nl": range(1, 31),
    "pl": range(1, 21),
}
"""Numbers of each country's questions."""
STATEMENTS: Mapping[str, Sequence[int]] = {**QUESTIONS, "hu": [*range(1, 26), *range(28, 35), *range(36, 41)]}
"""Numbers of the questions that the set has a statement for."""
_COMMON = ("de", "en", "es", "fr", "it")
LANGUAGES: Mapping[str, Sequence[str]] = {
    country: (*_COMMON, country) if country in ("hu", "nl", "pl") else _COMMON for country in STATEMENTS
}
PUBLISHED_ISSUES: Mapping[str, Issue] = {
    "expanded_environ_protection" if name == "expanded_environmental_protection" else name: name
    for name in get_args(Issue)
}
"""From the names of the policy issues in the published files to ours."""
SCALES: Mapping[str, Mapping[str, str]] = {
    **{country: {"agree": "agree", "disagree": "disagree"} for country in ("ch", "hu")},
    **{country: {name: name for name in ("agree", "disagree", "neutral")} for country in ("de", "nl", "pl")},
    "es": {
        "completely agree": "agree",
        "agree": "agree",
        "neither agree nor disagree": "neutral",
        "disagree": "disagree",
        "completely disagree": "disagree",
    },
    "it": {
        "completely agree": "agree",
        "rather agree": "agree",
        "neutral": "neutral",
        "no opinion": "no-opinion",
        "rather disagree": "disagree",
        "completely disagree": "disagree",
    },
}
"""The answers of each questionnaire, and what they are reduced to (appendix A.2)."""
HASHES: Mapping[str, str] = {
    "annotations_spiderweb_gold.csv": "0f66f9243c509a5682412a1c9b19b061bef5cd479dae34da6e5ff39124c35c5b",
    "ch.csv": "ab1957cb33dd903b6d0cc59d0ba3b3420b19ec4c2e323410090f0af991b22aaa",
    "de.csv": "d9b3cf5b7007df2b3f06bbfa6dd5aa0073f9fc224c7c0478ca825d6a2b3a0fc4",
    "es.csv": "b0a12cbf1c4ef1e06bb102a79adb94cc3bad0fa874a3b1190ed764b8fbf723e4",
    "hu.csv": "3845e547f96762e7e5ea665dd10b11a9d30788a136e221367d1ef0c143a19641",
    "it.csv": "26e4edd26af96d48c2216c5d6435d1de6a95e6fb9d478acbf1efb904be9af637",
    "nl.csv": "118b66f92100c5df8616d9445aa62cce947f97e2ac94238b1cff14b1a2ad118e",
    "pl.csv": "ef5428167a3a8c9e625dc1d1c2c5890b52e64c319a9137113610639f3cf19949",
}
"""SHA-256 of the published files; one that differs is read all the same, and reported."""
_STATEMENTS, _GOLD, _LEANINGS = "probvaa.csv", "annotations_spiderweb_gold.csv", "party_leanings.csv"

# Rows of a file, with errors that name file, line and field.

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Record:
    """One row of a file.

    Attributes:
        place: file and line.
        line: where the row begins, from 1.
        values: required columns as they stand there; empty where there is nothing.
    """

    place: str
    line: int
    values: Mapping[str, str]

    def __getitem__(self, field: str) -> str:
        """Return a value without white space at its ends."""
        return self.values[field].strip()

    def fail(self, field: str, expected: str) -> NoReturn:
        """Raise an error that says what a value should be."""
        raise InputError(
            f"{self.place}: field {field!r}: found {self.values[field][:60]!r}, expected {expected}"
        )

    def one_of(self, field: str, values: Mapping[str, T]) -> T:
        """Look a value up."""
        if self[field] not in values:
            self.fail(field, f"one of {', '.join(values)}")
        return values[self[field]]

    def check_first(self, field: str, key: Hashable, lines: dict[Hashable, int]) -> None:
        """Refuse a second row with a key; ``lines`` holds where each key stood first."""
        first = lines.setdefault(key, self.line)
        if first != self.line:
            self.fail(field, f"no second row for it; line {first} is the first")


def records(path: Path, columns: Sequence[str]) -> Iterator[Record]:
    """Yield the rows of a file of the folder."""
    (table,) = open_tables(path)
    for name in columns:
        if name not in table.columns:
            present = ", ".join(table.columns)
            raise InputError(
                f"{path}:1: field {name!r}: missing, found {present:.500}, expected {', '.join(columns)}"
            )
    row = None
    for row in table.rows(columns):
        place = f"{path}:{row.line}"
        if row.problem:
            raise InputError(f"{place}: {row.problem}")
        texts = (str(value or "") for value in row.values)
        yield Record(place, row.line, dict(zip(columns, texts, strict=True)))
    if row is None:
        raise InputError(f"{path}: found no row after the header, expected at least one")


# Statements, the policy issues of each, positions and leanings of parties.

_ID = re.compile(r"([a-z]+)_([0-9]{1,9})_([0-9])0([0-9]{3})[01][01]_([a-z]{2})")
_FORM = (
    "COUNTRY_NUMBER_CODE_LANGUAGE, such as ch_18_1000011_en, with a code of the digits original, question "
    "(0), paraphrase 0-3, opposite, negation, country-agnostic, translation, with exactly one variant"
)
_VARIANTS = {
    "1000": "original",
    "1100": "paraphrase1",
    "1200": "paraphrase2",
    "1300": "paraphrase3",
    "0001": "negation",
    "0010": "opposite",
}
"""Variant by the digits original, paraphrase, opposite, negation."""
_SIGNS = {text: sign for sign in (-1, 0, 1) for text in (f"{sign}", f"{sign}.0")}
Party = tuple[str, str]  # country and short name


class StatementKey(NamedTuple):
    """An ID taken apart."""

    country: str
    number: int
    variant: str
    language: str

    @property
    def statement_id(self) -> str:
        """Country and number, the same for all variants and languages."""
        return f"{self.country}_{self.number}"


class Annotation(NamedTuple):
    """Topic of a statement; by issue 1 if agreeing supports the policy, -1 if it contradicts it, else 0."""

    domain: str
    signs: Mapping[Issue, int]


class Position(NamedTuple):
    """What one party answers to one question."""

    country: str
    party: str
    number: int
    position: str


def parse_id(record: Record) -> StatementKey:
    """Take an ID apart."""
    match = _ID.fullmatch(record["ID"])
    variant = match and _VARIANTS.get(match[3] + match[4])
    if not match or not variant:
        record.fail("ID", _FORM)
    country, number, language = match[1], int(match[2]), match[5]
    if country not in STATEMENTS:
        record.fail("ID", f"one of the countries {', '.join(STATEMENTS)}")
    known = STATEMENTS[country]
    if number not in known:
        record.fail("ID", f"one of the {len(known)} statements of {country}, {known[0]} to {known[-1]}")
    return StatementKey(country, number, variant, language)


def read_statements(path: Path) -> Iterator[tuple[StatementKey, str]]:
    """Yield the rows of ``probvaa.csv``, complete or not."""
    lines: dict[Hashable, int] = {}
    for record in records(path, ("ID", "statement")):
        key = parse_id(record)
        languages = LANGUAGES[key.country]
        if key.language not in languages:
            record.fail("ID", f"one of the languages of {key.country}: {', '.join(languages)}")
        if not record["statement"]:
            record.fail("statement", "a sentence")
        record.check_first("ID", (key.statement_id, key.variant, key.language), lines)
        yield key, record.values["statement"]


def read_annotations(path: Path) -> Iterator[tuple[str, Annotation]]:
    """Yield statement IDs with their annotation (section 4.2, Tables 9 and 10)."""
    lines: dict[Hashable, int] = {}
    for record in records(path, ("ID", "policy_domain", *PUBLISHED_ISSUES)):
        key = parse_id(record)
        record.check_first("ID", key.statement_id, lines)
        signs = {issue: record.one_of(name, _SIGNS) for name, issue in PUBLISHED_ISSUES.items()}
        yield key.statement_id, Annotation(record["policy_domain"], signs)


def read_positions(path: Path, country: str) -> Iterator[Position]:
    """Yield the rows of the file of a country (appendix A.2).

    In ``de.csv`` two columns are called ``party``; the first has the short name.
    """
    lines: dict[Hashable, int] = {}
    questions = {str(number): number for number in QUESTIONS[country]}
    for record in records(path, ("party", "statementID", "position")):
        if record["statementID"] not in questions:
            first, *_, last = questions
            record.fail("statementID", f"a statement of {country}, {first} to {last}")
        if not record["party"]:
            record.fail("party", "the name of a party")
        number = questions[record["statementID"]]
        record.check_first("statementID", (record["party"], number), lines)
        yield Position(country, record["party"], number, record.one_of("position", SCALES[country]))


def leaning_of(score: float) -> str:
    """Return the leaning of a score from 0 (extreme left) to 10 (extreme right): appendix A.4."""
    return "left" if score < 4 else "center" if score <= 6 else "right"


def read_leanings(path: Path, parties: Collection[Party]) -> Iterator[tuple[Party, str]]:
    """Yield parties with their leaning (appendix A.4: Chapel Hill survey of 2019; Swiss parties by hand)."""
    lines: dict[Hashable, int] = {}
    for record in records(path, ("country", "party", "left_right_0_10", "leaning")):
        country, party = record["country"], record["party"]
        if (country, party) not in parties:
            record.fail("party", f"a party of {country}.csv")
        record.check_first("party", (country, party), lines)
        try:
            score = float(record["left_right_0_10"])
        except ValueError:
            score = -1
        if not 0 <= score <= 10:
            record.fail("left_right_0_10", "a number from 0 to 10")
        if record["leaning"] != leaning_of(score):
            record.fail("leaning", f"{leaning_of(score)}, by the score {score:g}")
        yield (country, party), record["leaning"]


# The whole folder, with what differs from the published one.


@dataclass(frozen=True)
class Probvaa:
    """The published folder.

    Attributes:
        folder: where it is.
        statements: texts of ``probvaa.csv``.
        annotations: by statement ID.
        positions: of the parties on the statements of the set.
        leanings: of the parties that can be placed; empty without ``party_leanings.csv``.
        differences: sentences that say how it differs from the published folder.
    """

    folder: Path
    statements: Sequence[tuple[StatementKey, str]]
    annotations: Mapping[str, Annotation]
    positions: Sequence[Position]
    leanings: Mapping[Party, str]
    differences: Sequence[str]

    def position_table(self) -> Any:
        """Return the positions as an Arrow table."""
        names = ("country", "party", "statement_id", "position", "leaning")
        rows = [
            (country, party, f"{country}_{number}", position, self.leanings.get((country, party)))
            for country, party, number, position in self.positions
        ]
        return pa.Table.from_pylist(
            [dict(zip(names, row, strict=True)) for row in rows],
            pa.schema([(name, pa.string()) for name in names]),
        )


def load(folder: Path) -> Probvaa:
    """Read the published folder, or as much of it as a user has.

    ``probvaa.csv`` may lack countries or rows, and ``party_leanings.csv`` may be missing; the annotations and
    the seven party files must be there. Positions on questions without a statement are left out.

    Source:
        https://github.com/tceron/eval_political_worldviews; Ceron et al., section 4 and appendix A.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: found no such folder, expected the published folder of ProbVAA")
    statements = [*read_statements(folder / _STATEMENTS)]
    annotations = dict(read_annotations(folder / _GOLD))
    positions = [
        position
        for name, numbers in STATEMENTS.items()
        for position in read_positions(folder / f"{name}.csv", name)
        if position.number in numbers
    ]
    parties = {(position.country, position.party) for position in positions}
    path = folder / _LEANINGS
    leanings = dict(read_leanings(path, parties)) if path.exists() else {}
    missing = [key.statement_id for key, _ in statements if key.statement_id not in annotations]
    if missing:
        raise InputError(
            f"{folder / _GOLD}: field 'ID': found no row for {missing[0]}, expected one per statement of "
            f"{_STATEMENTS}"
        )
    rows = Counter(key.country for key, _ in statements)
    sizes = {name: len(STATEMENTS[name]) * len(LANGUAGES[name]) * len(VARIANTS) for name in STATEMENTS}
    differences = [
        f"{_STATEMENTS}: {rows[name]:,} of {size:,} rows of {name}"
        for name, size in sizes.items()
        if rows[name] != size
    ]
    differences += [
        f"{name}: is not byte for byte the published file"
        for name, digest in HASHES.items()
        if file_sha256(folder / name) != digest
    ]
    if not leanings:
        differences.append(f"{_LEANINGS}: is absent")
    return Probvaa(folder, statements, annotations, positions, leanings, differences)


# Prompts about the published statements; built locally, never published.

_LANGUAGE = "en"
_SOURCE = "ProbVAA (Ceron et al. 2024), a user's copy"
_IDENTITY = Identity(name="probvaa", version="1.0.0", canary="none: published data of others")


def dataset(data: Probvaa) -> DatasetSpec:
    """Return the specification of the prompts about the published statements that have an English text."""
    texts: dict[str, dict[str, str]] = {}
    for key, text in data.statements:
        if key.language == _LANGUAGE:
            texts.setdefault(key.statement_id, {})[key.variant] = text
    groups: dict[str, list[GateItem]] = {ALL: []}
    for name, variants in texts.items():
        missing = [variant for variant in VARIANTS if variant not in variants]
        if missing:
            raise InputError(
                f"{data.folder}/{_STATEMENTS}: {name} in {_LANGUAGE!r} has no {', '.join(missing)}; "
                "expected all six variants; complete the file or leave the statement out"
            )
        country, annotation = name.partition("_")[0], data.annotations[name]
        item = GateItem(
            name, {_LANGUAGE: variants}, country.upper(), annotation.signs, topic=annotation.domain
        )
        for group in (ALL, country):
            groups.setdefault(group, []).append(item)
    family = load_family()
    tables = (prompts(family, _IDENTITY, config, items, _SOURCE, "id") for config, items in groups.items())
    return dataset_of(_IDENTITY, tables)
