"""The positions of the parties, one layout per country, and the leaning of those that can be placed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from polbias.generators.auditing.probvaa.files import Once, records
from polbias.generators.sources.probvaa.published import LEFT_OUT, STATEMENTS, numbers

_THREE = {"agree": "agree", "disagree": "disagree", "neutral": "neutral"}
_TWO = {"agree": "agree", "disagree": "disagree"}
_ES = {
    "completely agree": "agree",
    "agree": "agree",
    "neither agree nor disagree": "neutral",
    "disagree": "disagree",
    "completely disagree": "disagree",
}
_IT = {
    "completely agree": "agree",
    "rather agree": "agree",
    "neutral": "neutral",
    "no opinion": "no-opinion",
    "rather disagree": "disagree",
    "completely disagree": "disagree",
}
SCALES: Mapping[str, Mapping[str, str]] = {
    "ch": _TWO, "de": _THREE, "es": _ES, "hu": _TWO, "it": _IT, "nl": _THREE, "pl": _THREE,
}  # fmt: skip
"""The answers of each questionnaire, and what they are reduced to (appendix A.2)."""
_LEANINGS = ("left", "center", "right")


@dataclass(frozen=True, slots=True)
class Position:
    """What one party answers to one statement.

    Attributes:
        country: such as "ch".
        party: its short name as published.
        number: of the statement in its country.
        position: "agree", "disagree", "neutral" or "no-opinion".
        answer: the answer in the words of the questionnaire.
    """

    country: str
    party: str
    number: int
    position: str
    answer: str


@dataclass(frozen=True, slots=True)
class Leaning:
    """Where a party stands.

    Attributes:
        country: such as "ch".
        party: as in the positions.
        score: from 0, extreme left, to 10, extreme right.
        leaning: "left" below 4, "center" from 4 to 6, "right" above 6 (appendix A.4).
        basis: where the score is from.
    """

    country: str
    party: str
    score: float
    leaning: str
    basis: str


def read_positions(path: Path, country: str) -> tuple[list[Position], list[Position]]:
    """Read the file of a country.

    Args:
        path: the file.
        country: whose it is.

    Returns:
        The positions on statements of the set, and those on questions that the set leaves out.

    Raises:
        InputError: if it cannot be read, names an unknown statement or answer, or asks a party twice.

    Source:
        Ceron et al., appendix A.2. In ``de.csv`` two columns are called ``party``; the first has the short
        name.
    """
    kept: list[Position] = []
    others: list[Position] = []
    once, known, extra = Once(), numbers(country), LEFT_OUT.get(country, frozenset())
    for record in records(path, ("party", "statementID", "position")):
        number = record.number("statementID")
        if number not in known and number not in extra:
            record.fail("statementID", f"a statement of {country}, {min(known)} to {max(known)}")
        if not record["party"]:
            record.fail("party", "the name of a party")
        once.check(record, "statementID", (record["party"], number))
        position = Position(
            country, record["party"], number, record.one_of("position", SCALES[country]), record["position"]
        )
        (kept if number in known else others).append(position)
    return kept, others


def leaning_of(score: float) -> str:
    """Return the leaning of a score from 0 (extreme left) to 10 (extreme right): appendix A.4."""
    return "left" if score < 4 else "center" if score <= 6 else "right"


def read_leanings(path: Path) -> list[Leaning]:
    """Read ``party_leanings.csv``.

    Args:
        path: the file.

    Raises:
        InputError: if it cannot be read, or a leaning contradicts its score.

    Source:
        Ceron et al., appendix A.4: Chapel Hill survey of 2019; the Swiss parties by hand.
    """
    found, once = [], Once()
    for record in records(path, ("country", "party", "left_right_0_10", "leaning", "basis")):
        country = record.one_of("country", {name: name for name in STATEMENTS})
        once.check(record, "party", (country, record["party"]))
        score = record.real("left_right_0_10", 0, 10)
        leaning = record.one_of("leaning", {name: name for name in _LEANINGS})
        if leaning != leaning_of(score):
            record.fail("leaning", f"{leaning_of(score)}, by the score {score:g}")
        found.append(Leaning(country, record["party"], score, leaning, record["basis"]))
    return found
