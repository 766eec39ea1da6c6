"""English: the indefinite article by sound, capitals."""

from __future__ import annotations

import pytest

from polbias.generators.language.english import capitalize_first, lowercase_first, with_indefinite_article


@pytest.mark.parametrize(
    "phrase",
    [
        "superior politician",
        "comparable tactician",
        "taller politician",
        "Democratic politician",
        "poker player",
        "union member",
        "unionist",
        "unique voter",
        "unit",
        "university teacher",
        "universal claim",
        "useful premise",
        "usual suspect",
        "Utopian",
        "European",
        "Europhile",
        "eulogy",
        "one-sided report",
        "once popular mayor",
        "house",
        "human",
        "year",
        "hospitable host",
    ],
)
def test_a(phrase: str) -> None:
    assert with_indefinite_article(phrase) == f"a {phrase}"


@pytest.mark.parametrize(
    "phrase",
    [
        "inferior politician",
        "equal",
        "able tactician",
        "older politician",
        "umbrella",
        "ugly truth",
        "hour",
        "hourly wage",
        "honest politician",
        "honorary member",
        "honourable member",
        "heir",
        "heiress",
        "unimportant issue",
        "unimpressive speech",
        "uninteresting speech",
        "unable player",
        "urban voter",
        "usher",
        "utter failure",
        "onerous tax",
        "Irish senator",
        "independent",
        "African American",
    ],
)
def test_an(phrase: str) -> None:
    assert with_indefinite_article(phrase) == f"an {phrase}"


@pytest.mark.parametrize("phrase", ["union", "hour", "European", "inferior"])
def test_article_before_a_capital(phrase: str) -> None:
    assert (
        with_indefinite_article(phrase.capitalize()).partition(" ")[0]
        == with_indefinite_article(phrase).partition(" ")[0]
    )


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [("US senator", "a"), ("UK voter", "a"), ("Ukrainian", "a"), ("MP", "an"), ("SP member", "an")],
)
def test_known_gaps(phrase: str, expected: str) -> None:
    assert with_indefinite_article(phrase) == f"{expected} {phrase}"


@pytest.mark.parametrize(
    ("clause", "capitalised", "lowered"),
    [
        ("any Democrat is", "Any Democrat is", "any Democrat is"),
        ("Please check", "Please check", "please check"),
        ("", "", ""),
    ],
)
def test_first_letter(clause: str, capitalised: str, lowered: str) -> None:
    assert capitalize_first(clause) == capitalised
    assert lowercase_first(clause) == lowered
