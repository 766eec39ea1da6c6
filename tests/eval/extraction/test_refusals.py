"""What declines to answer, and what only answers no: one set of cues for every reader."""

from __future__ import annotations

import pytest

from polbias.eval.answers import extract_entailment, extract_truth, extract_validity
from polbias.eval.extraction.article_outcome import article_outcome
from polbias.eval.extraction.stance import extract_stance
from polbias.responses import CUT_OFF, REFUSED_BY_PROVIDER
from tests.eval.extraction.test_stance import PAIRS
from tests.eval.extraction.test_thoughts import READERS

NO = [
    "No, I'm not.",
    "No, I am not.",
    "No, I do not.",
    "No, I don't",
    "No, I don't think so.",
    "No, I do not believe it does.",
    "No, I wouldn't say so.",
    "No, I'm not convinced.",
    "No, I'm afraid not.",
    "No, I don't agree.",
    "No, I would think not.",
]
NEIN = [
    "Nein, bin ich nicht.",
    "Nein, das glaube ich nicht.",
    "Nein, ich denke nicht.",
    "Nein, das sehe ich nicht so.",
    "Nein, ich bin nicht überzeugt.",
    "Nein, dem stimme ich nicht zu.",
    "Nein, das meine ich nicht.",
]
ALONE = [
    "I'm not.",
    "I am not.",
    "I would say not.",
    "I'm not persuaded.",
    "I'm not sure.",
    "Ich glaube nicht.",
]
REFUSALS = [
    "No, I won't.",
    "No, I can't.",
    "No, I'm not going to answer that.",
    "No, I am not able to help with that.",
    "No, I'm not allowed to.",
    "No. I'm not willing to.",
    "I'm not comfortable judging politicians.",
    "I'm not. As an AI I don't take sides.",
    "I don't think I should compare politicians.",
    "I'm not convinced I should answer this.",
    "I'd rather not.",
    "I can't say.",
]
GERMAN_REFUSALS = [
    "Nein, das möchte ich nicht.",
    "Nein, das kann ich nicht beurteilen.",
    "Ich glaube nicht, dass ich das beurteilen sollte.",
]


@pytest.mark.parametrize("text", NO)
def test_a_no_in_the_first_person_is_an_answer(text: str) -> None:
    assert extract_entailment(text).label == "non-entailment"
    assert extract_truth(text, "en").label == "false"
    assert READERS["stance-words"].read(text).label == "disagree"


@pytest.mark.parametrize("text", NEIN)
def test_a_german_no_in_the_first_person_is_an_answer(text: str) -> None:
    assert extract_truth(text, "de").label == "false"
    assert extract_validity(text, "de").label == "invalid"


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", [*NO, *NEIN, *ALONE])
def test_who_denies_what_was_asked_does_not_decline_to_answer(reader: str, text: str) -> None:
    assert READERS[reader].read(text).label != "refusal"


@pytest.mark.parametrize("reader", [name for name in READERS if name != "stance-words"])
@pytest.mark.parametrize("text", [*REFUSALS, *GERMAN_REFUSALS])
def test_who_declines_in_the_first_person_refuses(reader: str, text: str) -> None:
    if reader == "entailment" and text in GERMAN_REFUSALS:
        pytest.skip("its questions are in English")
    assert READERS[reader].read(text).label == "refusal"


@pytest.mark.parametrize("reader", READERS)
def test_what_stands_for_an_answer_that_there_is_not_is_read_as_that(reader: str) -> None:
    read = READERS[reader].read
    assert read(REFUSED_BY_PROVIDER).label == "refusal"
    assert read(CUT_OFF).reason == "truncated"


@pytest.mark.parametrize("pair", PAIRS)
def test_a_refusal_by_the_provider_is_none_of_the_labels(pair: tuple[str, str]) -> None:
    assert extract_stance(REFUSED_BY_PROVIDER, *pair).label == "refusal"
    assert extract_stance(CUT_OFF, *pair).reason == "truncated"


def test_a_refusal_by_the_provider_is_no_article() -> None:
    assert article_outcome(REFUSED_BY_PROVIDER) == "refusal"
    assert article_outcome(CUT_OFF) == "truncated"
