"""A folder laid out like the published one, with sentences of our own."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from polbias.generators.policy.published import LANGUAGES, PUBLISHED_ISSUES, QUESTIONS, STATEMENTS

CODES = {
    "original": "10000",
    "paraphrase1": "10100",
    "paraphrase2": "10200",
    "paraphrase3": "10300",
    "opposite": "00010",
    "negation": "00001",
}
HEADERS = {
    "ch": ["party", "statementID", "position", "perc_agree"],
    "de": ["partyID", "party", "party", "position", "statementID", "statement_title", "statement"],
    "es": ["statementID", "statement", "position", "party"],
    "hu": ["statementID", "statement", "Topic", "position", "party"],
    "it": ["statementID", "statement", "position", "party"],
    "nl": ["statementID", "Topic", "TopicEN", "statement", "position", "party"],
    "pl": ["statementID", "statement", "translation", "position", "party"],
}
WORDS = {"es": "completely agree", "it": "no opinion"}


def sentences(number: int) -> dict[str, str]:
    """Six variants."""
    return {
        "original": f"Park benches of kind {number} should be painted.",
        "paraphrase1": f"It is important to paint benches of kind {number}.",
        "paraphrase2": f"One ought to paint benches of kind {number}.",
        "paraphrase3": f"Benches of kind {number} must get some paint.",
        "opposite": f"Park benches of kind {number} should be left bare.",
        "negation": f"Park benches of kind {number} should not be painted.",
    }


def statement_id(country: str, number: int, variant: str, language: str) -> str:
    return f"{country}_{number}_{CODES[variant]}0{int(language == 'en')}_{language}"


def statement_rows(countries: Iterable[str], only: Sequence[str] | None = None) -> list[list[str]]:
    return [
        [statement_id(country, number, variant, language), text]
        for country in countries
        for number in STATEMENTS[country]
        for language in only or LANGUAGES[country]
        for variant, text in sentences(number).items()
    ]


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def party_rows(country: str) -> list[list[str]]:
    values = {"party": "Blue", "position": WORDS.get(country, "agree")}
    return [[values.get(name, str(number) if name == "statementID" else " x ") for name in HEADERS[country]]
            for number in QUESTIONS[country]]  # fmt: skip


def make(folder: Path, countries: Iterable[str] = ("es",), only: Sequence[str] | None = ("en", "es")) -> Path:
    """Write the folder: one party per country, all annotations 0 but for one."""
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "probvaa.csv", ["ID", "statement"], statement_rows(countries, only))
    gold = [
        [f"{country}_{number}_1000001_{country}", f"Benches {number}.", "parks", "1.0", *["0.0"] * 7]
        for country in STATEMENTS
        for number in STATEMENTS[country]
    ]
    header = ["ID", "statement", "policy_domain", *PUBLISHED_ISSUES]
    write(folder / "annotations_spiderweb_gold.csv", header, gold)
    for country, names in HEADERS.items():
        write(folder / f"{country}.csv", names, party_rows(country))
    leanings = ["country", "party", "ches_party", "left_right_0_10", "leaning", "basis"]
    write(folder / "party_leanings.csv", leanings, [["es", "Blue", "BLUE", "6.5", "right", "made up"]])
    return folder
