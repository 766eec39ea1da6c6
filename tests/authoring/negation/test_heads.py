"""Heads of a parse decide "mehr" before a noun, and "genauso viel"; the parses are made by hand."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from polbias.generators.authoring.negation import negate
from tests.support.parses import parsed

pytestmark = pytest.mark.skipif(not find_spec("spacy"), reason="spaCy is not installed")

FINITE = "VerbForm=Fin"


def _parse(text: str, **heads: str) -> list[str]:
    """Return the tokens of a German clause for a parse; words without a head here depend on the last verb.

    The part of speech is by the list below, else a noun if the word has a capital letter.
    """
    words = text.replace(".", " .").split()
    verb = words[-2]
    pos_by_word = {"soll": f"AUX {verb} {FINITE}", "sollen": f"AUX {verb} {FINITE}", ".": f"PUNCT {verb}"}
    tokens = []
    for word in words:
        pos = "DET" if word in ("Der", "Die") else "NOUN" if word[0].isupper() and word != "Mehr" else "ADV"
        pos = "VERB" if word == verb else "ADJ" if word in ("bezahlbare", "viel") else pos
        tokens.append(f"{word} " + pos_by_word.get(word, f"{pos} {heads.get(word, verb)}"))
    return tokens


@pytest.mark.parametrize(
    ("statement", "head", "rule", "negation"),
    [
        ("Der Rat soll nicht mehr Geld ausgeben.", "Geld", "undone", "Der Rat soll mehr Geld ausgeben."),
        (
            "Der Rat soll nicht mehr Geld ausgeben.",
            "ausgeben",
            "undone-weiterhin",
            "Der Rat soll weiterhin Geld ausgeben.",
        ),
        (
            "Die Stadt soll nicht mehr bezahlbare Wohnungen bauen.",
            "Wohnungen",
            "undone",
            "Die Stadt soll mehr bezahlbare Wohnungen bauen.",
        ),
        (
            "Die Stadt soll mehr bezahlbare Wohnungen bauen.",
            "Wohnungen",
            "focus-word",
            "Die Stadt soll nicht mehr bezahlbare Wohnungen bauen als bisher.",
        ),
    ],
)
def test_the_head_decides_what_the_rules_leave_open(
    statement: str, head: str, rule: str, negation: str
) -> None:
    assert negate(statement, "de").rule == "abstain:scope"
    pipeline = parsed("de", *_parse(statement, mehr=head))
    result = negate(statement, "de", pipeline)
    assert (result.rule, result.text) == (rule, negation)


@pytest.mark.parametrize(
    ("statement", "adverb"),
    [
        ("Der Bund soll mehr Schulen helfen.", "mehr"),
        ("Mehr Schulen sollen helfen.", "Mehr"),
        ("Der Bund soll gleich viel Geld ausgeben.", "gleich"),
        ("Der Bund soll ebenso viel Geld ausgeben.", "ebenso"),
    ],
)
def test_an_adverb_of_the_verb_is_no_amount(statement: str, adverb: str) -> None:
    verb = statement.split()[-1].rstrip(".")
    noun = "viel" if "viel" in statement else "Schulen"
    default = negate(statement, "de")
    assert default.text
    agreed = parsed("de", *_parse(statement, **{adverb: noun, "viel": "Geld"}))
    assert negate(statement, "de", agreed) == default
    denied = parsed("de", *_parse(statement, **{adverb: verb, "viel": "Geld"}))
    result = negate(statement, "de", denied)
    assert (result.text, result.rule) == (None, "abstain:scope")
    assert f'"{adverb.lower()}" belongs to the verb' in result.explanation


def test_an_unsure_mehr_stays_unsure_if_it_belongs_to_another_word() -> None:
    statement = "Die Stadt soll mehr bezahlbare Wohnungen bauen."
    for head in ("bezahlbare", "bauen"):
        assert negate(statement, "de", parsed("de", *_parse(statement, mehr=head))).rule == "abstain:scope"


def test_another_unsure_word_still_ends_in_an_abstention() -> None:
    statement = "Die Stadt soll fast mehr bezahlbare Wohnungen bauen."
    pipeline = parsed("de", *_parse(statement, mehr="Wohnungen"))
    assert '"fast"' in negate(statement, "de", pipeline).explanation
