"""Negation in German: what holds of every text."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from polbias.generators.authoring.negation.german import negate_german
from polbias.generators.authoring.negation.german_text import tokens

VOCABULARY = (
    "Der Die Das der die das den dem ein eine einen einer kein keine nicht nie Staat Bund Steuern Steuer Gesetz Kinder "
    "neue neuen strenger mehr nur auch alle jeder soll sollen muss ist sind wird werden haben hat braucht gibt es Es sich "
    "abschaffen abgeschafft fördern gefördert erhöht zu bis innerhalb anzuheben möglich richtig von auf in im zur mit und oder als wie "
    "dass wenn um weil , . : ; ? ( ) \" „ “ « » – - 5% 3,5 120'000 z.B. (EU) 2030 am 1. März sondern weder statt ohne"
)
SENTENCES = st.lists(st.sampled_from(VOCABULARY.split()), max_size=25).map(" ".join)


def _untouchable(text: str) -> list[str]:
    return re.findall(r"\d[\d.,'%]*", text)


@example("Läden in Bahnhöfen sollen nachts bis schließen müssen.")
@given(st.one_of(SENTENCES, st.text(max_size=200)))
def test_never_raises_and_never_returns_its_input(text: str) -> None:
    negated = negate_german(text)
    assert negated.text != text
    assert (negated.text is None) == negated.rule.startswith("abstain:")
    assert negated.explanation


@given(SENTENCES)
def test_numbers_are_untouched(text: str) -> None:
    negated = negate_german(text).text
    assert negated is None or _untouchable(negated) == _untouchable(text)


@given(st.text(max_size=200))
def test_tokens_are_the_text(text: str) -> None:
    assert text.startswith("".join(token.before + token.text for token in tokens(text)))


@pytest.mark.parametrize(
    "quote", ['"nicht kein"', "„nicht kein“", "«nicht kein»", "(nicht kein)", "“nicht kein”"]
)
def test_quotes_and_brackets_are_untouched(quote: str) -> None:
    negated = negate_german(f"Das Wort {quote} soll erlaubt werden.")
    assert negated.text == f"Das Wort {quote} soll nicht erlaubt werden."


@pytest.mark.parametrize("affix", ["", " ", "\n", "\t "])
def test_white_space_is_kept(affix: str) -> None:
    negated = negate_german(f"{affix}Die  Maut soll\tsteigen{affix}")
    assert negated.text == f"{affix}Die  Maut soll\tnicht steigen{affix}"


@pytest.mark.parametrize(
    "statement",
    [
        "Die Maut soll steigen.",
        "Es soll ein Gesetz geben.",
        "Es soll neue Steuern geben.",
        "Alle Schulen sollen renoviert werden.",
        "Der Rat soll nur Radwege bauen.",
        "Es ist richtig, dass der Staat spart.",
        "Busse sollen für alle kostenlos sein.",
        "Die Strassen sollen grösser werden.",
    ],
)
def test_the_negation_of_a_negation_is_the_statement(statement: str) -> None:
    once = negate_german(statement).text
    assert once is not None
    assert negate_german(once).text == statement


@pytest.mark.parametrize("spelling", ["Massnahmen", "Maßnahmen"])
def test_spelling_is_kept(spelling: str) -> None:
    assert (
        negate_german(f"Der Rat soll neue {spelling} treffen.").text
        == f"Der Rat soll keine neuen {spelling} treffen."
    )


def test_explanations_name_the_word() -> None:
    assert '"ein" became "kein"' in negate_german("Es braucht ein Gesetz.").explanation
    assert '"nur"' in negate_german("Der Rat soll nur Radwege bauen.").explanation
    assert negate_german("Die Maut soll nicht steigen.").explanation.startswith('"nicht" was removed')


def test_statements_that_differ_in_a_year_are_all_negated() -> None:
    statements = [
        f"Die Stadt soll im Jahr {year} {thing}."
        for year in range(1000, 1500)
        for thing in (
            "die Maut erhöhen",
            "neue Wege bauen",
            "den Park für alle öffnen",
            "auf Werbung verzichten",
        )
    ]
    assert all(negate_german(statement).text for statement in statements)
