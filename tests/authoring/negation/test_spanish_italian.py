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
            "El Estado no tiene que financiar los museos.",
            "dual",
        ),
        ("es", "Se deben bajar los impuestos.", "No es necesario bajar los impuestos.", "dual"),
        ("es", "Hay que bajar los impuestos.", "No es necesario bajar los impuestos.", "dual"),
        ("es", "Los jefes ganan demasiado.", "Los jefes no ganan demasiado.", "not-before-verb"),
        ("es", "El carbón ya no es rentable.", "El carbón todavía es rentable.", "undone"),
        ("es", "La ley también ayuda al rico.", "La ley no ayuda al rico.", "not-before-verb"),
        ("es", "El Estado todavía paga.", "El Estado ya no paga.", "not-before-verb"),
        ("es", "El ejército solo puede defender.", "El ejército no solo puede defender.", "not-before-verb"),
        ("es", "Bajaremos los impuestos.", "No bajaremos los impuestos.", "not-before-verb"),
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
        ("es", "El Estado no debe financiar museos.", "El Estado puede financiar museos.", "undone"),
        ("es", "Todos los niños deben nadar.", "No todos los niños deben nadar.", "focus-word"),
        (
            "it",
            "Lo Stato deve finanziare i musei.",
            "Lo Stato non deve necessariamente finanziare i musei.",
            "dual",
        ),
        ("it", "Si dovrebbero ridurre le tasse.", "Non si dovrebbero ridurre le tasse.", "not-before-verb"),
        ("it", "È giusto tassare i ricchi.", "Non è giusto tassare i ricchi.", "not-before-verb"),
        ("it", "Lo Stato non deve pagare.", "Lo Stato può pagare.", "undone"),
        ("it", "La legge va cambiata.", "La legge non deve necessariamente essere cambiata.", "dual"),
        ("it", "Bisogna agire.", "Non è necessario agire.", "dual"),
        ("it", "Lo Stato non può più pagare.", "Lo Stato può ancora pagare.", "undone"),
        ("it", "Lo Stato ha già pagato troppo.", "Lo Stato non ha ancora pagato troppo.", "dual"),
        (
            "it",
            "La legge vale anche per i ricchi.",
            "La legge non vale anche per i ricchi.",
            "not-before-verb",
        ),
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


@pytest.mark.parametrize(
    ("language", "statement", "reason"),
    [
        ("es", "El Estado debe actuar aunque cueste.", "reason"),
        ("es", "Creo que los impuestos son altos.", "mood"),
        ("es", "Algunas drogas deberían ser legales.", "quantifier"),
        ("es", "Los bancos deben pagar, pero los clientes no.", "contrast"),
        ("es", "No hay que bajar los impuestos.", "modal"),
        ("it", "La Sicilia dovrebbe avere più autonomia.", "scope"),
        ("it", "Lo Stato deve agire anche se costa.", "reason"),
        ("it", "Alcune banche vanno chiuse.", "quantifier"),
        ("it", "La Corte ha giustamente deciso.", "stance"),
        ("it", "Anche i ricchi pagano.", "quantifier"),
        ("it", "I porti devono chiudere e i canali devono crescere.", "coordination"),
        ("it", "Le navi talvolta devono pagare.", "quantifier"),
        ("es", "Los puertos deben cerrar y hay que ampliar los canales.", "coordination"),
        ("es", "Los puertos a veces deben cerrar.", "quantifier"),
    ],
)
def test_what_no_negation_in_place_denies_is_left_to_a_person(
    language: str, statement: str, reason: str
) -> None:
    found = negate(statement, language)
    assert (found.text, found.rule) == (None, f"abstain:{reason}")


@given(st.text(max_size=100), st.sampled_from(["es", "it"]))
@settings(max_examples=300, deadline=None)
def test_no_text_is_an_error(text: str, language: str) -> None:
    assert negate(text, language).text not in (text, text.strip())
