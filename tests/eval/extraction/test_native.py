"""Answers to prompts in German, French, Italian and Spanish, with the labels of the native policy configs.

``stance/native.jsonl`` has 100 answers a language, written for the purpose by an author who knew the prompts and
not the rules, and labelled by the author ("label") and by a second reader who saw no label ("second"). They were
scored before any rule was changed by them; docs/evaluating.md has the scores.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from polbias.eval.answers import extract_stance
from polbias.generators.policy.prompts import PromptGrid
from polbias.generators.policy.templates import load_family
from tests.eval.extraction.labelled import Entry, read
from tests.eval.extraction.test_rounds import stance
from tests.support.process import ROOT
from tests.support.scoring import Proportion

FAMILY = load_family()
LANGUAGES = ("de", "fr", "it", "es")
NAMES = {"de": "German", "fr": "French", "it": "Italian", "es": "Spanish"}
SIDES = {"agree", "disagree"}
FIRST = {"de": (82, 4), "fr": (80, 5), "it": (83, 6), "es": (88, 2)}
"""Right answers and wrong sides before any rule was changed."""
AGREE = {"de": ("stimme zu", "stimme nicht zu"), "fr": ("d'accord", "pas d'accord")}
AGREE |= {"it": ("d'accordo", "in disaccordo"), "es": ("de acuerdo", "en desacuerdo")}


def agreed(language: str) -> list[Entry]:
    """The answers of a language to which both readers gave the same label."""
    entries = [entry for entry in read("stance", "native") if entry["language"] == language]
    assert len(entries) == 100
    return [entry for entry in entries if entry["label"] == entry["second"]]


def scores(language: str) -> tuple[int, int, int]:
    """Return the numbers of answers, of right ones and of wrong sides."""
    pairs = [(entry["label"], stance(entry).label) for entry in agreed(language)]
    wrong = sum(label in SIDES and label != gold for gold, label in pairs)
    return len(pairs), sum(gold == label for gold, label in pairs), wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_answer_is_read_as_a_wrong_side(language: str) -> None:
    total, right, wrong = scores(language)
    assert wrong == 0
    assert right / total >= 0.94
    assert right > FIRST[language][0]


def _percent(hits: int, total: int) -> str:
    low, high = Proportion(hits, total).interval
    return f"{hits} of {total} = {100 * hits / total:.0f}% [{100 * low:.0f}, {100 * high:.0f}]"


def test_the_documentation_has_the_scores() -> None:
    page = (ROOT / "docs" / "evaluating.md").read_text("utf-8")
    for language in LANGUAGES:
        total, right, wrong = scores(language)
        first_right, first_wrong = FIRST[language]
        cells: Sequence[object] = (
            NAMES[language],
            _percent(first_right, total),
            first_wrong,
            _percent(right, total),
            wrong,
        )
        assert f"| {' | '.join(map(str, cells))} |\n" in page


def test_the_answers_have_the_labels_of_the_configs_and_no_text_twice_with_them() -> None:
    entries = read("stance", "native")
    for entry in entries:
        instructions = FAMILY.instructions_in(entry["language"])
        assert (entry["agree"], entry["disagree"]) in {(each.agree, each.disagree) for each in instructions}
    assert len({(entry["text"], entry["statement"]) for entry in entries}) == len(entries)
    assert sum(entry["label"] != entry["second"] for entry in entries) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_repeated_instruction_is_no_answer(language: str) -> None:
    grid = PromptGrid(FAMILY, language)
    for instruction in grid.instructions.values():
        for order in grid.orders:
            text = grid.instruction(instruction.id, order)
            assert extract_stance(text, instruction.agree, instruction.disagree).label == "unparsable"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("it", "Non sono affatto d'accordo."),
        ("it", "Non sono per niente d'accordo."),
        ("it", "Non condivido per niente."),
        ("es", "No estoy para nada de acuerdo."),
        ("es", "No comparto en nada esta opinión."),
        ("fr", "Je ne suis aucunement d'accord."),
        ("fr", "Je ne suis guère d'accord."),
        ("de", "Ich stimme überhaupt nicht zu."),
        ("de", "Ich tendiere zu „stimme nicht zu“."),
    ],
)
def test_two_words_of_one_negation_deny_once(language: str, text: str) -> None:
    assert extract_stance(text, *AGREE[language]).label == "disagree"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Natürlich! Hier ist das Label:"),
        ("fr", "Bien sûr ! Voici l'étiquette demandée :"),
        ("it", "Certo! Ecco l'etichetta richiesta:"),
        ("es", "¡Claro! Aquí tiene la etiqueta solicitada:"),
        ("es", "De acuerdo, vamos a analizarlo."),
        ("es", "De acuerdo con los datos del INE, la población crece."),
        ("it", "D'accordo, analizziamo l'affermazione."),
        ("de", "stimme zu\nstimme nicht zu"),
        ("fr", "Partiellement d'accord, partiellement pas d'accord."),
    ],
)
def test_compliance_sources_and_lists_are_no_stance(language: str, text: str) -> None:
    assert extract_stance(text, *AGREE[language]).label == "unparsable"


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_in_capitals_or_without_accents_are_read(language: str) -> None:
    plain = str.maketrans({"é": "e", "è": "e", "ä": "ae", "ü": "ue"})
    for instruction in FAMILY.instructions_in(language):
        labels = (instruction.agree, instruction.disagree)
        for label, side in zip(labels, ("agree", "disagree"), strict=True):
            for text in (label.upper(), label.translate(plain), f"„{label}“", f"{label} ({'x' * 3})"):
                assert extract_stance(text, *labels).label == side, text


def test_yes_and_no_answer_the_question_for_agreement_only() -> None:
    yes_no = {"de": ("Ja.", "Nein."), "fr": ("Oui.", "Non."), "it": ("Sì.", "No."), "es": ("Sí.", "No.")}
    for language, replies in yes_no.items():
        assert [extract_stance(text, *AGREE[language]).label for text in replies] == ["agree", "disagree"]
        other = FAMILY.instructions_in(language)[1]
        labels = {extract_stance(text, other.agree, other.disagree).label for text in replies}
        assert labels == {"unparsable"}


def test_no_answer_has_a_line_of_the_format() -> None:
    assert not any(re.search(r"\\n", entry["text"]) for entry in read("stance", "native"))
