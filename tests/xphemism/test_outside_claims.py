"""Claims from outside the repository: how many exchanges are made, and how many of those are right.

A claim marks what is exchanged: "Die {Steuer→Abgabe} sinkt", alternatives behind a stroke. `expected` is "make"; "keep", where
nothing must be made; or "either", where the exchange may also go to a person. Claims and judgements are by a language model.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from polbias.generators.xphemism.items import PairMaker
from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon

MARK = re.compile(r"\{([^→}]+)→([^}]+)\}")
MAKER = PairMaker(load_lexicon())


def rows(name: str) -> list[dict[str, str]]:
    """Read a collection beside this file."""
    head, *lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines]


def plain(claim: str) -> str:
    """Return a marked claim as its author wrote it."""
    return MARK.sub(r"\1", claim)


def right(claim: str) -> set[str]:
    """Return the exchanged sentences that a marked claim allows."""
    choices = [found[2].split("/") for found in MARK.finditer(claim)]
    template = MARK.sub("{}", claim)
    return {template.format(*chosen) for chosen in itertools.product(*choices)} if choices else set()


def score(name: str) -> dict[str, list[bool]]:
    """Judge every claim of a collection: is it made where it should be, and is what is made right?"""
    found: dict[str, list[bool]] = {"made": [], "right": []}
    for row in rows(name):
        pair = MAKER.make(plain(row["claim"]), row["base_word"], row["exchange_word"])
        made = pair.status == "made"
        if row["expected"] == "make":
            found["made"].append(made)
        if made:
            found["right"].append(pair.shifted_claim in right(row["claim"]))
    return found


@pytest.mark.parametrize(
    ("name", "claims", "not_made", "wrong"),
    [
        ("claims_first.tsv", 409, 4, 1),
        ("claims_second.tsv", 201, 2, 2),
        ("claims_third.tsv", 63, 1, 0),
        ("claims_fourth.tsv", 180, 2, 1),
        ("claims_fifth.tsv", 210, 14, 1),
        ("claims_sixth.tsv", 220, 29, 3),
        ("claims_seventh.tsv", 200, 7, 4),
        ("claims_eighth.tsv", 180, 4, 4),
        ("claims_ninth.tsv", 170, 5, 1),
    ],
)
def test_outside_claims(name: str, claims: int, not_made: int, wrong: int) -> None:
    """The floors are what is reached."""
    assert len(rows(name)) == claims
    found = score(name)
    assert found["made"].count(False) <= not_made
    assert found["right"].count(False) <= wrong
