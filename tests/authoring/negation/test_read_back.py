"""A negation read back: undone it is the statement again, and its plain contradictory."""

from __future__ import annotations

import pytest

from polbias.generators.authoring.negation import negate
from polbias.generators.authoring.negation.read_back import reads_back
from polbias.generators.authoring.quality_gate import defects

CONTRADICTORIES = [
    ("de", "Der Hafen soll neue Kais bauen.", "Der Hafen soll keine neuen Kais bauen."),
    ("de", "Die Flotte soll nicht mehr auslaufen.", "Die Flotte soll weiterhin auslaufen."),
    ("de", "Mehr Lotsen sollen fahren.", "Es sollen nicht mehr Lotsen fahren als bisher."),
    ("en", "Ports must close.", "Ports need not close."),
    ("en", "Ports must not close.", "Ports may close."),
    ("en", "The port grew.", "The port did not grow."),
    ("en", "Any port may close.", "Not every port may close."),
    ("es", "Los puertos deben cerrar.", "Los puertos no tienen que cerrar."),
    ("it", "I porti devono chiudere.", "I porti non devono necessariamente chiudere."),
]
OTHERS = [
    ("de", "Der Hafen soll neue Kais bauen.", "Der Hafen soll neue Docks nicht bauen."),
    ("de", "Der Hafen soll neue Kais bauen.", "Der Hafen soll keine Kais bauen."),
    ("de", "Der Hafen soll alle Kais bauen.", "Der Hafen soll nicht nicht alle Kais bauen."),
    ("en", "Ports must close.", "Ports must not close."),
    ("en", "Ports must not close.", "Ports should close."),
    ("en", "Ports should close early.", "Ports should not close."),
    ("es", "Los puertos deben cerrar.", "Los puertos no deben cerrar."),
    ("it", "I porti devono chiudere.", "I porti non devono chiudere."),
]
UNCLEAR = [
    ("de", "Lotsen sollen genauso viel verdienen.", "Lotsen sollen genauso nicht viel verdienen."),
    ("de", "Der Hafen soll mehr Kais bauen.", "Der Hafen soll nicht mehr Kais bauen."),
    ("de", "Paare sollen gemeinsam Kinder adoptieren.", "Paare sollen keine gemeinsam Kinder adoptieren."),
    ("de", "Der Hafen soll manchmal schließen.", "Der Hafen soll nicht manchmal schließen."),
    ("de", "Malta soll nicht mehr Mitglied sein.", "Malta soll mehr Mitglied sein."),
    ("en", "Ports should sometimes close.", "Ports should not sometimes close."),
    ("en", "Ports sometimes have to close.", "Ports sometimes do not have to close."),
    ("en", "Ports should admit at most two ships.", "Ports should not admit at most two ships."),
    ("en", "Ports should close, and docks should open.", "Ports should not close, and docks should open."),
    ("es", "El puerto debe abrir y el canal debe cerrar.", "El puerto no tiene que abrir y el canal debe cerrar."),
    ("it", "Il porto deve aprire e il canale deve chiudere.", "Il porto non deve aprire e il canale deve chiudere."),
]  # fmt: skip


@pytest.mark.parametrize(("language", "statement", "negation"), CONTRADICTORIES)
def test_one_exchange_undone_is_the_statement(language: str, statement: str, negation: str) -> None:
    assert reads_back(statement, negation, language)


@pytest.mark.parametrize(("language", "statement", "negation"), OTHERS)
def test_another_text_is_not_read_back(language: str, statement: str, negation: str) -> None:
    assert not reads_back(statement, negation, language)


@pytest.mark.parametrize(("language", "statement", "negation"), UNCLEAR)
def test_what_is_no_plain_contradictory_is_a_doubt_and_never_made(
    language: str, statement: str, negation: str
) -> None:
    findings = defects({"original": statement, "negation": negation}, language)
    assert "negation-unclear" in {finding.code for finding in findings}
    assert negate(statement, language).text != negation


def test_what_does_not_read_back_is_left_to_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*texts: str) -> bool:
        return False

    monkeypatch.setattr("polbias.generators.authoring.negation.read_back.reads_back", never)
    abstention = negate("Ports should close.", "en")
    assert (abstention.text, abstention.rule) == (None, "abstain:read-back")
