"""Reader of a user's copy of the published ProbVAA (Ceron et al. 2024), and prompts about its statements."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pandas as pd
import pyarrow as pa

from polbias.errors import InputError
from polbias.files import file_sha256
from polbias.generators.engine import DatasetSpec
from polbias.generators.engine.table_columns import make_dataset_spec
from polbias.generators.policy.items import GateItem
from polbias.generators.policy.tables import ALL, prompts
from polbias.generators.policy.templates import VARIANTS, Issue, load_family
from polbias.generators.table_files import UserTable, read_table
from polbias.yaml_models import Identity

# Contents of the published folder.
# Source: Ceron et al., "Beyond Prompt Brittleness" (2024), section 4, Tables 8 and 10, appendix A; the
# published file for the Hungarian questions without a statement.

QUESTIONS: Mapping[str, range] = {
    "ch": range(60),
    "de": range(1, 39),
    "es": range(1, 25),
    "hu": range(1, 41),
    "it": range(1, 31),
    "nl": range(1, 31),
    "pl": range(1, 21),
}
"""Question numbers by country."""
STATEMENTS: Mapping[str, Sequence[int]] = {**QUESTIONS, "hu": [*range(1, 26), *range(28, 35), *range(36, 41)]}
"""Numbers of the questions with a statement, by country."""
_COMMON = ("de", "en", "es", "fr", "it")
LANGUAGES: Mapping[str, Sequence[str]] = {
    country: (*_COMMON, country) if country in ("hu", "nl", "pl") else _COMMON for country in STATEMENTS
}
PUBLISHED_ISSUES: Mapping[str, Issue] = {
    "expanded_environ_protection" if name == "expanded_environmental_protection" else name: name
    for name in get_args(Issue)
}
"""Policy issue in the published files to its name here."""
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
"""Answer of a questionnaire to its reduced position, by country (appendix A.2)."""
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
"""SHA-256 of the published files; a file that differs is read and reported."""
_STATEMENTS, _GOLD, _LEANINGS = "probvaa.csv", "annotations_spiderweb_gold.csv", "party_leanings.csv"

# Rows of a file, and errors with file, line and field.


@dataclass(frozen=True)
class _PublishedFile:
    """A file of the folder; values are stripped of white space, missing values are empty."""

    table: UserTable
    rows: pd.DataFrame

    def refuse(self, field: str, wrong: pd.Series, expected: str | pd.Series) -> None:
        """Raise for the first wrong value of a field; `expected` is one text or one per row."""
        for line_number in wrong.index[wrong][:1]:
            value = self.rows.loc[line_number, field]
            expected_value = expected if isinstance(expected, str) else expected[line_number]
            location = f"{self.table.path}:{line_number}: field {field!r}"
            raise InputError(f"{location}: found {value[:60]!r}, expected {expected_value}")

    def refuse_repeated(self, field: str, keys: pd.DataFrame) -> None:
        """Raise for the first row that repeats the keys of another."""
        line_numbers = keys.index.to_series()
        first = line_numbers.groupby([*keys.to_numpy().T]).transform("first")
        self.refuse(
            field, first < line_numbers, "no second row for it; line " + first.astype(str) + " is the first"
        )


def _read_file(path: Path, columns: Sequence[str]) -> _PublishedFile:
    table = read_table(path)
    for column in columns:
        if column not in table.columns:
            present = ", ".join(table.columns)
            raise InputError(
                f"{path}:1: field {column!r}: missing, found {present:.500}, expected {', '.join(columns)}"
            )
    table.refuse_problems("correct this line")
    if table.frame.empty:
        raise InputError(f"{path}: found no row after the header, expected at least one")
    return _PublishedFile(table, table.frame[[*columns]].map(lambda value: str(value or "").strip()))


# Statements and their policy issues, positions and leanings of parties.

_ID = re.compile(
    r"(?P<country>[a-z]+)_(?P<number>[0-9]{1,9})_(?P<variant>[0-9]0[0-9]{3})[01][01]_(?P<language>[a-z]{2})"
)
_FORM = (
    "COUNTRY_NUMBER_CODE_LANGUAGE, such as ch_18_1000011_en, with a code of the digits original, question "
    "(0), paraphrase 0-3, opposite, negation, country-agnostic, translation, with exactly one variant"
)
_VARIANTS = {
    "10000": "original",
    "10100": "paraphrase1",
    "10200": "paraphrase2",
    "10300": "paraphrase3",
    "00001": "negation",
    "00010": "opposite",
}
"""Variant by the digits original, question, paraphrase, opposite, negation."""
_SIGNS = {text: sign for sign in (-1, 0, 1) for text in (f"{sign}", f"{sign}.0")}


class Annotation(NamedTuple):
    """Topic of a statement; sign by issue: 1 if agreement supports the policy, -1 if it opposes it, or 0."""

    domain: str
    signs: Mapping[Issue, int]


def _parse_ids(file: _PublishedFile) -> pd.DataFrame:
    """Parse the column ID into country, variant, language and statement_id."""
    matches = file.rows["ID"].map(_ID.fullmatch)
    ids = pd.DataFrame(
        [match.groupdict() if match else {} for match in matches], matches.index, _ID.groupindex
    )
    ids["variant"] = ids["variant"].map(_VARIANTS)
    file.refuse("ID", ids["variant"].isna(), _FORM)
    country, number = ids["country"], ids.pop("number").astype(int)
    file.refuse("ID", ~country.isin(STATEMENTS), f"one of the countries {', '.join(STATEMENTS)}")
    for name, numbers in STATEMENTS.items():
        expected = f"one of the {len(numbers)} statements of {name}, {numbers[0]} to {numbers[-1]}"
        file.refuse("ID", (country == name) & ~number.isin(numbers), expected)
    return ids.assign(statement_id=country + "_" + number.astype(str))


def _read_statements(path: Path) -> pd.DataFrame:
    """Read ``probvaa.csv``, complete or not: country, variant, language, statement_id, text."""
    file = _read_file(path, ("ID", "statement"))
    statements = _parse_ids(file)
    for name, languages in LANGUAGES.items():
        wrong = (statements["country"] == name) & ~statements["language"].isin(languages)
        file.refuse("ID", wrong, f"one of the languages of {name}: {', '.join(languages)}")
    file.refuse("statement", file.rows["statement"] == "", "a sentence")
    file.refuse_repeated("ID", statements[["statement_id", "variant", "language"]])
    return statements.assign(text=file.table.frame["statement"].map(str))


def _read_annotations(path: Path) -> Mapping[str, Annotation]:
    """Read the annotation of each statement (section 4.2, Tables 9 and 10)."""
    file = _read_file(path, ("ID", "policy_domain", *PUBLISHED_ISSUES))
    ids = _parse_ids(file)
    file.refuse_repeated("ID", ids[["statement_id"]])
    for name in PUBLISHED_ISSUES:
        file.refuse(name, ~file.rows[name].isin(_SIGNS), f"one of {', '.join(_SIGNS)}")
    signs = file.rows[[*PUBLISHED_ISSUES]].map(_SIGNS.get).rename(columns=PUBLISHED_ISSUES)
    annotations = map(Annotation, file.rows["policy_domain"], signs.to_dict("records"))
    return dict(zip(ids["statement_id"], annotations, strict=True))


def _read_positions(path: Path, country: str) -> pd.DataFrame:
    """Read the party file of a country (appendix A.2): country, party, statement_id, position.

    In ``de.csv`` two columns are called ``party``; the first has the short name. Drops positions on
    questions without a statement.
    """
    file = _read_file(path, ("party", "statementID", "position"))
    rows, questions, scale = file.rows, [*map(str, QUESTIONS[country])], SCALES[country]
    expected = f"a statement of {country}, {questions[0]} to {questions[-1]}"
    file.refuse("statementID", ~rows["statementID"].isin(questions), expected)
    file.refuse("party", rows["party"] == "", "the name of a party")
    file.refuse_repeated("statementID", rows[["party", "statementID"]])
    file.refuse("position", ~rows["position"].isin(scale), f"one of {', '.join(scale)}")
    rows = rows[rows["statementID"].isin([*map(str, STATEMENTS[country])])]
    return pd.DataFrame(
        {
            "country": country,
            "party": rows["party"],
            "statement_id": f"{country}_" + rows["statementID"],
            "position": rows["position"].map(scale),
        }
    )


def leaning_of(score: float) -> str:
    """Return the leaning of a score from 0 (extreme left) to 10 (extreme right) (appendix A.4)."""
    return "left" if score < 4 else "center" if score <= 6 else "right"


def _read_leanings(path: Path, positions: pd.DataFrame) -> pd.DataFrame:
    """Read country, party and leaning (appendix A.4: Chapel Hill survey of 2019; Swiss parties by hand)."""
    keys = ["country", "party"]
    file = _read_file(path, (*keys, "left_right_0_10", "leaning"))
    rows = file.rows
    has_positions = pd.MultiIndex.from_frame(rows[keys]).isin(pd.MultiIndex.from_frame(positions[keys]))
    file.refuse("party", pd.Series(~has_positions, rows.index), "a party of " + rows["country"] + ".csv")
    file.refuse_repeated("party", rows[keys])
    scores = pd.to_numeric(rows["left_right_0_10"], errors="coerce")
    file.refuse("left_right_0_10", ~scores.between(0, 10), "a number from 0 to 10")
    leanings = scores.map(leaning_of)
    expected = leanings + ", by the score " + scores.map("{:g}".format)
    file.refuse("leaning", rows["leaning"] != leanings, expected)
    return rows[[*keys, "leaning"]]


# The complete folder, with its differences from the published folder.


@dataclass(frozen=True)
class Probvaa:
    """The contents of a user's copy.

    Attributes:
        folder: path of the copy.
        statements: country, variant, language, statement_id and text of the rows of ``probvaa.csv``.
        annotations: by statement ID.
        positions: country, party, statement_id, position and leaning; the leaning is missing for parties
            absent from ``party_leanings.csv``, and for all parties without that file.
        differences: sentences about the differences from the published folder.
    """

    folder: Path
    statements: pd.DataFrame
    annotations: Mapping[str, Annotation]
    positions: pd.DataFrame
    differences: Sequence[str]

    def position_table(self) -> Any:
        """Return the positions as an Arrow table."""
        schema = pa.schema([(name, pa.string()) for name in self.positions])
        return pa.Table.from_pandas(self.positions, schema, preserve_index=False).replace_schema_metadata()


def load(folder: Path) -> Probvaa:
    """Read the published folder, or the part that a user has.

    ``probvaa.csv`` may lack countries or rows, and ``party_leanings.csv`` may be missing; the annotations and
    the seven party files must be there.

    Source:
        https://github.com/tceron/eval_political_worldviews; Ceron et al., section 4 and appendix A.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: found no such folder, expected the published folder of ProbVAA")
    statements = _read_statements(folder / _STATEMENTS)
    annotations = _read_annotations(folder / _GOLD)
    positions = pd.concat([_read_positions(folder / f"{name}.csv", name) for name in STATEMENTS])
    path = folder / _LEANINGS
    if path.exists():
        positions = positions.merge(_read_leanings(path, positions), "left", ["country", "party"])
    else:
        positions["leaning"] = None
    for missing in statements["statement_id"][~statements["statement_id"].isin([*annotations])][:1]:
        raise InputError(
            f"{folder / _GOLD}: field 'ID': found no row for {missing}, expected one per statement of "
            f"{_STATEMENTS}"
        )
    rows = statements["country"].value_counts()
    sizes = {name: len(STATEMENTS[name]) * len(LANGUAGES[name]) * len(VARIANTS) for name in STATEMENTS}
    differences = [
        f"{_STATEMENTS}: {rows.get(name, 0):,} of {size:,} rows of {name}"
        for name, size in sizes.items()
        if rows.get(name, 0) != size
    ]
    differences += [
        f"{name}: is not byte for byte the published file"
        for name, digest in HASHES.items()
        if file_sha256(folder / name) != digest
    ]
    if not path.exists():
        differences.append(f"{_LEANINGS}: is absent")
    return Probvaa(folder, statements, annotations, positions, differences)


# Prompts about the published statements: built locally, never published.

_LANGUAGE = "en"
_SOURCE = "ProbVAA (Ceron et al. 2024), a user's copy"
_IDENTITY = Identity(name="probvaa", version="2.0.0", canary="none: published data of others")


def dataset(data: Probvaa) -> DatasetSpec:
    """Return the specification of prompts about the published statements with an English text.

    The folder names no sides: a statement has the side that its annotated issues carry.
    """
    family = load_family()
    statements = data.statements[data.statements["language"] == _LANGUAGE]
    groups: dict[str, list[GateItem]] = {ALL: []}
    for name, rows in statements.groupby("statement_id", sort=False):
        variants = dict(zip(rows["variant"], rows["text"], strict=True))
        missing = [variant for variant in VARIANTS if variant not in variants]
        if missing:
            raise InputError(
                f"{data.folder}/{_STATEMENTS}: {name} in {_LANGUAGE!r} has no {', '.join(missing)}; "
                "expected all six variants; complete the file or leave the statement out"
            )
        country, annotation = name.partition("_")[0], data.annotations[name]
        item = GateItem(
            name,
            {_LANGUAGE: variants},
            country.upper(),
            annotation.signs,
            topic=annotation.domain,
            side=family.leanings.carried_side(annotation.signs),
        )
        for group in (ALL, country):
            groups.setdefault(group, []).append(item)
    tables = (prompts(family, _IDENTITY, config, items, _SOURCE, "id") for config, items in groups.items())
    return make_dataset_spec(_IDENTITY, tables)
