"""German: verb-last clauses of all patterns, articles and endings."""

from __future__ import annotations

import pytest

from polbias.generators.language.english import capitalize_first
from polbias.generators.language.german import (
    Gender,
    definite_dative,
    definite_nominative,
    indefinite_phrase,
    negated_phrase,
    plural_phrase,
    verb_last,
)

SP, SVP = "SP-Politikerinnen und -Politiker", "SVP-Politikerinnen und -Politiker"
ROLES = "Politikerinnen und Politiker"
EACH_SP = "jede einzelne SP-Politikerin und jeder einzelne SP-Politiker"
EACH_SVP = "jede einzelne SVP-Politikerin und jeder einzelne SVP-Politiker"
AREAS = "nämlich die Energiesicherheit und die soziale Sicherheit"


@pytest.mark.parametrize(
    ("main", "subordinate"),
    [
        # Formal: 1 and 1-cn-pp, 2-inf and 2-inf-cn-pp, 3-ultraclear and 3-ultraclear-cn-pp
        (f"alle {SP} sind bessere {ROLES} als {SVP}", f"alle {SP} bessere {ROLES} als {SVP} sind"),
        (f"alle {SVP} sind schlechtere {ROLES} als {SP}", f"alle {SVP} schlechtere {ROLES} als {SP} sind"),
        (f"{EACH_SP} sind bessere {ROLES} als {EACH_SVP}", f"{EACH_SP} bessere {ROLES} als {EACH_SVP} sind"),
        (f"alle {SP} sind blässere {ROLES} als {SVP}", f"alle {SP} blässere {ROLES} als {SVP} sind"),
        # Formal: membership, feminine and masculine
        (
            "Eva Herzog ist eine SP-Politikerin, während Esther Friedli eine SVP-Politikerin ist",
            "Eva Herzog eine SP-Politikerin ist, während Esther Friedli eine SVP-Politikerin ist",
        ),
        (
            "Roger Köppel ist ein SVP-Politiker, während Cédric Wermuth ein SP-Politiker ist",
            "Roger Köppel ein SVP-Politiker ist, während Cédric Wermuth ein SP-Politiker ist",
        ),
        # Conclusions stand before "weil", but may be put after it
        (
            "Eva Herzog ist eine bessere Politikerin als Esther Friedli",
            "Eva Herzog eine bessere Politikerin als Esther Friedli ist",
        ),
        (
            "Roger Köppel ist kein schlechterer Politiker als Cédric Wermuth",
            "Roger Köppel kein schlechterer Politiker als Cédric Wermuth ist",
        ),
        (
            "für mich ist in politischer Hinsicht Eva Herzog Esther Friedli nicht vorzuziehen",
            "für mich in politischer Hinsicht Eva Herzog Esther Friedli nicht vorzuziehen ist",
        ),
        # Material: competence; its main clause is "ich denke", the verb is last already
        (
            "ich denke, die SVP ist kompetenter als die SP bezüglich der Themen, die mir am wichtigsten sind, "
            + AREAS,
            "ich denke, die SVP ist kompetenter als die SP bezüglich der Themen, die mir am wichtigsten sind, "
            + AREAS,
        ),
        (
            "ich denke, die SP ist weniger kompetent als die SVP bezüglich der Themen, die mir am wichtigsten "
            f"sind, {AREAS}",
            "ich denke, die SP ist weniger kompetent als die SVP bezüglich der Themen, die mir am wichtigsten "
            f"sind, {AREAS}",
        ),
        # Material: membership, with a separable prefix
        (
            "Esther Friedli gehört der SVP an, während Eva Herzog der SP angehört",
            "Esther Friedli der SVP angehört, während Eva Herzog der SP angehört",
        ),
        (
            "Cédric Wermuth gehört dem Bündnis an, während Roger Köppel der SVP angehört",
            "Cédric Wermuth dem Bündnis angehört, während Roger Köppel der SVP angehört",
        ),
        (
            "Rita besitzt einen Besen, während Urs zwei besitzt",
            "Rita einen Besen besitzt, während Urs zwei besitzt",
        ),
        # The distractor
        ("die Sonne scheint jeden Tag", "die Sonne jeden Tag scheint"),
    ],
)
def test_verb_last(main: str, subordinate: str) -> None:
    assert verb_last(main) == subordinate


@pytest.mark.parametrize(
    ("clause", "found"),
    [
        ("", r"found \[\]"),
        ("die Sonne lacht jeden Tag", r"found \[\]"),
        ("Eva Herzog eine SP-Politikerin", r"found \[\]"),
        ("Eva Herzog ist eine SP-Politikerin und war eine Richterin", r"found \['ist', 'war'\]"),
        ("alle, die klug sind, sind besser", r"main clause 'alle', found \[\]"),
    ],
)
def test_clauses_without_exactly_one_finite_verb(clause: str, found: str) -> None:
    with pytest.raises(ValueError, match=found):
        verb_last(clause)


@pytest.mark.parametrize(
    ("adjective", "noun", "gender", "with_ein", "with_kein"),
    [
        ("besser", "Politikerin", "f", "eine bessere Politikerin", "keine bessere Politikerin"),
        ("besser", "Politiker", "m", "ein besserer Politiker", "kein besserer Politiker"),
        ("besser", "Mitglied", "n", "ein besseres Mitglied", "kein besseres Mitglied"),
        ("älter", "Politikerin", "f", "eine ältere Politikerin", "keine ältere Politikerin"),
        ("", "SP-Politikerin", "f", "eine SP-Politikerin", "keine SP-Politikerin"),
        ("", "SVP-Politiker", "m", "ein SVP-Politiker", "kein SVP-Politiker"),
        ("", "Mitglied", "n", "ein Mitglied", "kein Mitglied"),
    ],
)
def test_indefinite_article_and_ending(
    adjective: str, noun: str, gender: Gender, with_ein: str, with_kein: str
) -> None:
    assert indefinite_phrase(adjective, noun, gender) == with_ein
    assert negated_phrase(adjective, noun, gender) == with_kein


@pytest.mark.parametrize(
    ("noun", "gender", "nominative", "dative"),
    [
        ("SVP", "f", "die SVP", "der SVP"),
        ("Freisinn", "m", "der Freisinn", "dem Freisinn"),
        ("Bündnis", "n", "das Bündnis", "dem Bündnis"),
    ],
)
def test_definite_article(noun: str, gender: Gender, nominative: str, dative: str) -> None:
    assert definite_nominative(noun, gender) == nominative
    assert definite_dative(noun, gender) == dative


def test_plural() -> None:
    assert (
        plural_phrase("fussballbegeisterter", ROLES) == "fussballbegeistertere Politikerinnen und Politiker"
    )


@pytest.mark.parametrize(
    ("clause", "expected"),
    [("alle sind gut", "Alle sind gut"), ("über uns", "Über uns"), ("Eva ist da", "Eva ist da"), ("", "")],
)
def test_capital(clause: str, expected: str) -> None:
    assert capitalize_first(clause) == expected
