"""The grammar check: what it may change, what is refused, and that every answer is recorded."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from polbias.files import PolbiasError
from polbias.generators.authoring.grammar_check import (
    ShiftedClaim,
    allowed_spans,
    check_grammar,
    grammar_requests,
    judge,
)
from polbias.generators.xphemism.minimal_pairs import PairMaker
from polbias.generators.xphemism.substitution.edits import Edit
from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon
from polbias.models import Answer, Chat, Recorder
from tests.models.servers import ChatServer

TEXT = "Seit 2021 fordert der Verband eine Ende von teuren Abgabe."
PHRASE = "von teuren Abgabe"
CLAIM = ShiftedClaim("c1", TEXT, ((TEXT.index(PHRASE), TEXT.index(PHRASE) + len(PHRASE)),))


def status(said: str, finish: str = "stop") -> tuple[str, str, str]:
    found = judge(CLAIM, Answer(said, finish))
    return found.status, found.text, found.reason


@pytest.mark.parametrize(
    "phrase", ["von teuren Abgaben", "von teurer Abgabe", "von teurem Abgaben", "von teureren Abgaben"]
)
def test_endings_in_the_noun_phrase_are_corrected(phrase: str) -> None:
    corrected = TEXT.replace(PHRASE, phrase)
    expected = "refused" if phrase.startswith("von teureren") else "corrected"
    assert status(corrected)[:2] == (expected, corrected if expected == "corrected" else TEXT)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (TEXT.replace("eine Ende", "ein Ende"), "outside the noun phrase: 'eine' became 'ein'"),
        (TEXT.replace("2021", "2022"), "outside the noun phrase"),
        (TEXT.replace("fordert", "verlangt"), "outside the noun phrase"),
        (TEXT.replace("Abgabe", "Steuer"), "more than articles and endings: 'Abgabe' became 'Steuer'"),
        (TEXT.replace("teuren ", ""), "more than articles and endings: 'teuren' became ''"),
        (TEXT.replace("teuren", "sehr teuren"), "more than articles and endings: '' became 'sehr'"),
        (TEXT.replace("Abgabe", "Abgang"), "more than articles and endings"),
        (TEXT + " Der Satz ist nun korrekt.", "more than articles and endings: '' became 'Der"),
        ("Korrigiert: " + TEXT, "outside the noun phrase: '' became 'Korrigiert'"),
    ],
)
def test_anything_else_is_refused_and_the_claim_kept(said: str, reason: str) -> None:
    found = status(said)
    assert found[:2] == ("refused", TEXT)
    assert found[2].startswith(reason)


def test_punctuation_and_case_elsewhere_stay() -> None:
    said = TEXT.replace("Abgabe.", "Abgaben").replace("der Verband", "der, verband")
    assert status(said)[:2] == ("corrected", TEXT.replace("Abgabe.", "Abgaben."))


@pytest.mark.parametrize(
    "said", [TEXT, f"„{TEXT}“", f"  {TEXT}\n", f"<think>Hm.</think>\n{TEXT}", TEXT.removesuffix(".")]
)
def test_a_sentence_said_again_is_unchanged(said: str) -> None:
    assert status(said) == ("unchanged", TEXT, "")


def test_quotes_and_numbers_of_the_claim_itself_stay() -> None:
    text = "3. Oktober: „Die Abgabe steigt.“"
    claim = ShiftedClaim("c", text, ((13, 23),))
    assert text[13:23] == "Die Abgabe"
    assert judge(claim, Answer(text)).status == "unchanged"
    assert judge(claim, Answer("Oktober: Die Abgabe steigt.")).status == "refused"
    assert judge(claim, Answer("3. Oktober: Die Abgaben steigt.")).text == text.replace("Abgabe", "Abgaben")


def test_no_answer_and_an_incomplete_one() -> None:
    assert status(TEXT[:20], "length") == ("not-answered", TEXT, "finish_reason length")
    assert judge(CLAIM, None).status == "not-answered"


def test_articles_and_contractions() -> None:
    text = "Der Bund hält an der Abriss von dem Haus fest."
    spans = tuple(
        (text.index(part), text.index(part) + len(part)) for part in ("an der Abriss", "von dem Haus")
    )
    claim = ShiftedClaim("c", text, spans)
    for phrase, new in (
        ("an der Abriss", "am Abriss"),
        ("an der Abriss", "an dem Abriss"),
        ("von dem Haus", "vom Haus"),
        ("von dem Haus", "von dem Hause"),
        ("von dem Haus", "von den Häusern"),
    ):
        corrected = text.replace(phrase, new)
        assert (judge(claim, Answer(corrected)).status, judge(claim, Answer(corrected)).text) == (
            "corrected",
            corrected,
        )
    for phrase, new in (("an der Abriss", "an keinem Abriss"), ("von dem Haus", "von einem Haus")):
        assert judge(claim, Answer(text.replace(phrase, new))).status == "refused"


def test_spans_of_a_pair_made_by_rule() -> None:
    base = "Der Verband kritisiert die hohe Abgabe und lobt den Bauernhof."
    pair = PairMaker(load_lexicon()).make(base, "Bauernhof", "Agrarbetrieb")
    (span,) = allowed_spans(pair.shifted_claim, pair.edits)
    assert pair.shifted_claim[slice(*span)] == "den Agrarbetrieb"


def test_spans_move_with_the_edits_before_them() -> None:
    base, shifted = "Die Abgabe steigt.", "Die hohen Abgaben steigen."
    edits = [Edit(11, 17, "steigt", "steigen", "verb"), Edit(4, 10, "Abgabe", "hohen Abgaben", "word")]
    assert base[11:17] == "steigt"
    assert [shifted[slice(*span)] for span in allowed_spans(shifted, edits)] == [
        "Die hohen Abgaben",
        "steigen",
    ]


def test_claims_go_to_a_service_and_answers_are_recorded(tmp_path: Path) -> None:
    claims = [CLAIM, ShiftedClaim("c2", "Die Abgabe steigt im Mai.", ((0, 10),))]
    console = Console(file=io.StringIO(), width=300)

    def answer(prompt: str) -> str:
        sentence = prompt.splitlines()[-1]
        return sentence.replace("Abgabe.", "Abgaben.").replace("im Mai", "im Juni")

    with ChatServer(answer) as server:
        chat = Chat("stub", server.base_url, retries=0)
        with Recorder(tmp_path / "r") as recorder:
            with pytest.raises(PolbiasError, match="nothing was sent"):
                check_grammar(claims, chat, recorder, confirm=lambda question: False, console=console)
            assert server.count == 0
            found = check_grammar(claims, chat, recorder, yes=True, console=console)
        # Requests are sent at the same time, so that either may arrive first.
        system, user = next(
            body["messages"] for body in server.bodies if body["messages"][1]["content"].endswith(TEXT)
        )
    assert [each.status for each in found] == ["corrected", "refused"]
    assert found[0].text == TEXT.replace("Abgabe.", "Abgaben.")
    assert found[1].text == claims[1].text
    assert system["role"] == "system"
    assert user["content"].startswith("Bitte korrigiere die Grammatik")
    assert user["content"].endswith(f"\n{TEXT}")
    replayed = check_grammar(claims, Chat("stub"), Recorder(tmp_path / "r", "replay"), console=console)
    assert replayed == found
    assert len({request.key for request in grammar_requests(claims, Chat("stub"))}) == 2
