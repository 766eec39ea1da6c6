"""Spanish and Italian: "no" and "non" before the finite verb."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.generators.authoring.negation import negate


@pytest.mark.parametrize(
    ("language", "statement", "negation", "rule"),
    [
        (
            "es",
            "El Estado debe financiar los museos.",
            "El Estado no debe financiar los museos.",
            "not-before-verb",
        ),
        ("es", "Se deben bajar los impuestos.", "No se deben bajar los impuestos.", "not-before-verb"),
        (
            "es",
            "Es justo que los ricos paguen más.",
            "No es justo que los ricos paguen más.",
            "not-before-verb",
        ),
        (
            "es",
            "Las personas que cometen delitos deberían ser expulsadas.",
            "Las personas que cometen delitos no deberían ser expulsadas.",
            "not-before-verb",
        ),
        ("es", "El Estado no debe financiar museos.", "El Estado debe financiar museos.", "undone"),
        ("es", "Todos los niños deben nadar.", "No todos los niños deben nadar.", "focus-word"),
        (
            "it",
            "Lo Stato deve finanziare i musei.",
            "Lo Stato non deve finanziare i musei.",
            "not-before-verb",
        ),
        ("it", "Si dovrebbero ridurre le tasse.", "Non si dovrebbero ridurre le tasse.", "not-before-verb"),
        ("it", "È giusto tassare i ricchi.", "Non è giusto tassare i ricchi.", "not-before-verb"),
        ("it", "Lo Stato non deve pagare.", "Lo Stato deve pagare.", "undone"),
        ("it", "Tutti i bambini devono nuotare.", "Non tutti i bambini devono nuotare.", "focus-word"),
    ],
)
def test_insertion_and_its_reverse(language: str, statement: str, negation: str, rule: str) -> None:
    found = negate(statement, language)
    assert (found.text, found.rule) == (negation, rule)


@pytest.mark.parametrize("language", ["es", "it"])
@pytest.mark.parametrize("statement", ["", "Energía", "¿Debe pagar?", "x " * 2000, "2030"])
def test_there_is_no_answer_where_there_is_no_place(language: str, statement: str) -> None:
    assert negate(statement, language).text is None


@given(st.text(max_size=100), st.sampled_from(["es", "it"]))
@settings(max_examples=300, deadline=None)
def test_no_text_is_an_error(text: str, language: str) -> None:
    assert negate(text, language).text not in (text, text.strip())
