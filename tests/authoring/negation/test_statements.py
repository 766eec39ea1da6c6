"""Statements written apart from the rules, with the negations of them that are right.

Sentences and judgements are a language model's. `first` is what was said of the answer when the statement was
first scored; `accepted` are the answers judged right, then or since, parted by " | ". Round 18 also has the labels of
two readers, set before any answer was seen, whether each would abstain, and why an answer outside them is right or wrong.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from polbias.generators.authoring.negation import negate

_FOLDER = Path(__file__).parent
# collection and language: smallest share of right among made, largest share of abstentions
_FLOORS = {
    ("round1", "en"): (1.0, 0.12),
    ("round1", "de"): (0.99, 0.17),
    ("round1", "es"): (1.0, 0.16),
    ("round1", "it"): (1.0, 0.165),
    ("round2", "en"): (1.0, 0.12),
    ("round2", "de"): (1.0, 0.22),
    ("round2", "es"): (1.0, 0.09),
    ("round2", "it"): (1.0, 0.085),
    ("round3", "de"): (1.0, 0.14),
    ("round4", "de"): (1.0, 0.085),
    ("round5", "de"): (1.0, 0.1),
    ("round6", "de"): (1.0, 0.2),
    ("round7", "de"): (1.0, 0.15),
    ("round8", "de"): (0.99, 0.145),
    ("round9", "de"): (0.99, 0.15),
    ("round10", "de"): (1.0, 0.13),
    ("round11", "de"): (1.0, 0.08),
    ("round12", "de"): (0.99, 0.105),
    ("round13", "de"): (0.98, 0.11),
    ("round14", "de"): (0.99, 0.16),
    ("round15", "de"): (1.0, 0.13),
    ("round16", "de"): (0.98, 0.135),
    ("round17", "de"): (0.97, 0.14),
    ("round18", "de"): (0.99, 0.19),
    ("round18", "en"): (0.99, 0.14),
}


def _statements(collection: str, language: str) -> list[dict[str, str]]:
    with (_FOLDER / f"statements.{collection}.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [row for row in rows if row["language"] == language]


@pytest.mark.parametrize(("collection", "language"), _FLOORS)
def test_negations_are_right_or_left_to_a_person(collection: str, language: str) -> None:
    rows = _statements(collection, language)
    found: Counter[str] = Counter()
    wrong: list[str] = []
    for row in rows:
        text = negate(row["text"], language).text
        if text is None:
            found["abstained"] += 1
        elif text in row["accepted"].split(" | "):
            found["right"] += 1
        else:
            wrong.append(f"{row['id']}: {text}")
    right, abstained = _FLOORS[collection, language]
    assert found["right"] / (found["right"] + len(wrong)) >= right, wrong
    assert found["abstained"] / len(rows) <= abstained


def test_every_statement_stands_once() -> None:
    collections = sorted({collection for collection, _ in _FLOORS}, key=str)
    paths = sorted(_FOLDER.glob("statements.*.tsv"))
    assert [path.name for path in paths] == [f"statements.{collection}.tsv" for collection in collections]
    rows = [
        row
        for collection in collections
        for language in ("de", "en", "es", "it")
        for row in _statements(collection, language)
    ]
    assert (
        len({row["id"] for row in rows}) == len({(row["language"], row["text"]) for row in rows}) == len(rows)
    )
    assert {row["first"] for row in rows} == {"right", "wrong", "abstained"}
    assert not [row["id"] for row in rows if row["first"] == "right" and not row["accepted"]]
