"""``probvaa.csv``: the statements in all variants and languages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from polbias.generators.auditing.probvaa.files import Once, Record, records
from polbias.generators.sources.probvaa.published import ROWS, STATEMENTS, VARIANTS, languages, numbers

_ID = re.compile(r"(?P<country>[a-z]+)_(?P<number>\d+)_(?P<code>\d{7})_(?P<language>[a-z]{2})", re.ASCII)
_FORM = "COUNTRY_NUMBER_CODE_LANGUAGE with a code of seven digits, such as ch_18_1000011_en"
_BITS = {
    "1000": "original",
    "1100": "paraphrase1",
    "1200": "paraphrase2",
    "1300": "paraphrase3",
    "0001": "negation",
    "0010": "opposite",
}
"""Variant by the digits original, paraphrase, opposite, negation; paraphrases keep original = 1."""


@dataclass(frozen=True, slots=True)
class StatementKey:
    """An ID taken apart.

    Attributes:
        country: such as "ch".
        number: of the statement in its country.
        variant: one of :data:`VARIANTS`.
        agnostic: whether the statement would make sense in any country.
        translated: whether it is marked as a translation; the language is what the data are filtered on.
        language: such as "en".
    """

    country: str
    number: int
    variant: str
    agnostic: bool
    translated: bool
    language: str

    @property
    def statement_id(self) -> str:
        """Country and number, the same for all variants and languages."""
        return f"{self.country}_{self.number}"


@dataclass(frozen=True, slots=True)
class Statement:
    """One row.

    Attributes:
        id: as published.
        key: the same taken apart.
        text: the sentence as it stands there.
        line: where it stands.
    """

    id: str
    key: StatementKey
    text: str
    line: int


def parse_id(record: Record, field: str = "ID") -> StatementKey:
    """Take an ID apart.

    Args:
        record: the row.
        field: the column that holds the ID.

    Raises:
        InputError: if it is no ID, or of an unknown country, statement or variant.
    """
    match = _ID.fullmatch(record[field])
    if not match:
        record.fail(field, _FORM)
    country, number, code = match["country"], int(match["number"]), match["code"]
    if country not in STATEMENTS:
        record.fail(field, f"one of the countries {', '.join(STATEMENTS)}")
    if number not in numbers(country):
        known = numbers(country)
        record.fail(field, f"one of the {len(known)} statements of {country}, {min(known)} to {max(known)}")
    original, question, paraphrase, opposite, negation, agnostic, translated = tuple(code)
    variant = _BITS.get(original + paraphrase + opposite + negation)
    if question != "0" or variant is None or agnostic not in "01" or translated not in "01":
        record.fail(
            field,
            "a code of the digits original, question (0), paraphrase 0-3, opposite, negation, "
            "country-agnostic, translation, with exactly one variant",
        )
    return StatementKey(country, number, variant, agnostic == "1", translated == "1", match["language"])


def read_statements(path: Path) -> list[Statement]:
    """Read ``probvaa.csv``, complete or not.

    Args:
        path: the file.

    Returns:
        Its rows in their order.

    Raises:
        InputError: if it cannot be read, or holds what the published file cannot hold.

    Source:
        Ceron et al., section 4.3; the layout of the IDs is that of the published data.
    """
    found, once, same = [], Once(), Once()
    for record in records(path, ("ID", "statement")):
        key = parse_id(record)
        if key.language not in languages(key.country):
            record.fail("ID", f"one of the languages of {key.country}: {', '.join(languages(key.country))}")
        if not record["statement"]:
            record.fail("statement", "a sentence")
        once.check(record, "ID", record["ID"])
        same.check(record, "ID", (key.country, key.number, key.variant, key.language))
        found.append(Statement(record["ID"], key, record.values["statement"], record.line))
    return found


def statement_differences(statements: Sequence[Statement]) -> Iterator[str]:
    """Say in words how the rows differ from the published set; nothing if they are complete.

    Args:
        statements: the rows.

    Yields:
        One sentence per country or cell of country and language.
    """
    if len(statements) == ROWS:
        return
    yield f"probvaa.csv: {len(statements):,} rows, the published file has {ROWS:,}"
    cells = Counter((each.key.country, each.key.language) for each in statements)
    for country, count in STATEMENTS.items():
        expected = count * len(VARIANTS)
        if not any(cells[country, language] for language in languages(country)):
            rows = expected * len(languages(country))
            yield f"probvaa.csv: {country} is absent ({count} statements, {rows:,} rows)"
            continue
        for language in languages(country):
            if cells[country, language] != expected:
                yield f"probvaa.csv: {country} in {language}: {cells[country, language]} rows of {expected}"
