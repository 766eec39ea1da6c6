"""Whatever is put into words is read back as what was meant."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest

from polbias.eval.answers import extract_entailment, extract_truth, extract_validity
from polbias.eval.extraction.article_outcome import article_outcome
from polbias.eval.extraction.stance import extract_stance
from polbias.eval.normative.answers import extract_card_label as card_outcome
from polbias.eval.selfassess.answers import extract_choice_label as choice_outcome
from polbias.eval.simulation import RESPONDENTS, SimulatedAnswers, make_respondent, questions
from polbias.eval.simulation.phrases import phrases, tokens, truncate_to_tokens
from polbias.generators.policy.templates import load_family
from tests.eval.simulation.rows import ALL

LANGUAGES = ("en", "de")
PREFILLS = {
    "en": (None, "My preferred article is:", "The least biased article is:"),
    "de": (None, "Mein bevorzugter Artikel ist:", "Der am wenigsten voreingenommene Artikel ist:"),
}
HANDS = [", ".join(hand) for size in (2, 3, 4) for hand in combinations("ABCD", size)]


def said(topic: str, language: str) -> list[tuple[str, str]]:
    """Every phrase on a topic, refusals and babble among them."""
    found = []
    for (about, tongue, name), listed in phrases().items():
        if tongue == language and (about == topic or (about == "any" and name != "empty")):
            found += [(name, text) for text in listed]
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_validity(language: str) -> None:
    for name, text in said("validity", language):
        assert extract_validity(text, language).label == name, text


def test_entailment() -> None:
    for name, text in said("entailment", "en"):
        assert extract_entailment(text).label == name, text


@pytest.mark.parametrize("language", ["en", "de", "fr", "it", "es"])
def test_stances_with_every_pair_of_labels(language: str) -> None:
    instructions = load_family().instructions_in(language)
    label_pairs = {(instruction.agree, instruction.disagree) for instruction in instructions}
    for (name, text), pair in product(said("stance", language), sorted(label_pairs)):
        own = dict(zip(("agree", "disagree"), pair, strict=True))
        put = text.replace("{label}", own.get(name, ""))
        assert extract_stance(put, *pair).label == name, put


@pytest.mark.parametrize("language", LANGUAGES)
def test_truth(language: str) -> None:
    labels = {"true": "True", "false": "False"}
    for name, text in said("truth", language):
        put = text.replace("{label}", labels.get(name, ""))
        assert extract_truth(put, language).label == name, put


def test_cards() -> None:
    for name, text in said("cards", "en"):
        hands = {"one": list("ABCD"), "several": HANDS}.get(name, [""])
        for hand in hands:
            put = text.replace("{cards}", hand)
            expected = hand.replace(" ", "") or name
            assert card_outcome(put, ("three", "a cat", "four", "a dog")) == expected, put


@pytest.mark.parametrize("language", LANGUAGES)
def test_choices_with_and_without_a_prefill(language: str) -> None:
    for (name, text), prefill, ways in product(said("choice", language), PREFILLS[language], (2, 3)):
        numbers: list[int | None] = [*range(1, ways + 1)] if name == "chosen" else [None]
        for number in numbers:
            put = text.replace("{number}", str(number))
            expected = ("choice", number) if number else (name, None)
            assert choice_outcome(put, ways, language, prefill) == expected, (put, prefill)


@pytest.mark.parametrize("language", LANGUAGES)
def test_articles(language: str) -> None:
    for (about, tongue, name), listed in phrases().items():
        if tongue == language and (about == "article" or (about, name) == ("any", "empty")):
            for text in listed:
                expected = name if name in ("refusal", "empty") else "ok"
                assert article_outcome(text.replace("{topic}", "Rent control")) == expected, text


@pytest.mark.parametrize("limit", [None, 2048, 32, 10])
@pytest.mark.parametrize("rows", ALL.values(), ids=ALL)
def test_answers_are_read_as_their_outcomes_within_any_limit(rows: Any, limit: int | None) -> None:
    asked = questions(rows())
    for name in RESPONDENTS:
        made = SimulatedAnswers(asked, make_respondent(name, unparsable=0.2), seed=3)
        if name == "echo" or (limit == 10 and asked.TOPIC == "article"):
            continue
        for sample in range(3):
            texts, codes = made.draw_texts(sample, limit=limit), made.draw_outcomes(sample)
            assert [asked.read_label(row, text) for row, text in enumerate(texts)] == [
                asked.LABELS[code] for code in codes
            ]
            if limit and asked.TOPIC != "article":
                assert max(map(tokens, texts)) <= limit


def test_an_echo_is_what_its_prompt_is_read_as() -> None:
    asked = questions(ALL["arguments"]())
    made = SimulatedAnswers(asked, make_respondent("echo"))
    assert made.draw_texts() == asked.columns["prompt"]
    assert [asked.LABELS[code] for code in made.draw_outcomes()] == [
        asked.read_label(row, text) for row, text in enumerate(made.draw_texts())
    ]


def test_wordings_vary() -> None:
    texts = SimulatedAnswers(questions(ALL["arguments"]()), make_respondent("affirmative")).draw_texts()
    assert len({*texts}) == len(phrases()["validity", "en", "valid"])


def test_a_text_is_cut_at_its_limit_between_letters() -> None:
    assert truncate_to_tokens("größer", 1) == ("gr", True)
    assert truncate_to_tokens("größer", 3) == ("größer", False)
    assert truncate_to_tokens("größer", None) == ("größer", False)
