"""What holds of the validity extractor whatever the text."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.eval.answers import extract_validity

LABELS = {"valid", "invalid", "refusal", "unparsable"}
PIECES = [
    "valid",
    "invalid",
    "gültig",
    "ungültig",
    "**valid**",
    "**ungültig**",
    "not",
    "nicht",
    "the",
    "argument",
    "is",
    "der",
    "Schluss",
    "ist",
    "if",
    "wenn",
    "premises",
    "entail",
    "conclusion",
    "follows",
    "from",
    "folgt",
    "aus",
    "den",
    "Prämissen",
    "whether",
    "ob",
    "or",
    "oder",
    ",",
    ".",
    ";",
    ":",
    "?",
    "!",
    "(",
    ")",
    "\n",
    "\n\n",
    "wait",
    "actually",
    "Moment",
    "I",
    "can't",
    "ich",
    "kann",
    "nicht",
    "therefore",
    "also",
    "<think>",
    "</think>",
    "neither",
    "nor",
    "either",
    "Answer:",
    "as",
    "an",
    "AI",
]
LANGUAGES = st.sampled_from(["en", "de"])
SPLICED = st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)
TEXTS = st.one_of(st.text(), st.text(st.characters(categories=["Cs", "Cc", "Mn", "L", "P"])), SPLICED)
VERDICTS = st.sampled_from(
    [
        "The argument is not deductively valid.",
        "Therefore **valid**.",
        "The premises entail the conclusion.",
        "Der Schluss ist gültig.",
        "I can't help with that.",
        "Die Konklusion folgt nicht aus den Prämissen.",
        "An argument is valid if its conclusion follows.",
    ]
)


@given(TEXTS, LANGUAGES)
def test_total_and_pure(text: str, language: str) -> None:
    verdict = extract_validity(text, language)
    assert verdict.label in LABELS
    assert verdict.reason
    if verdict.span:
        start, end = verdict.span
        assert 0 <= start < end <= len(text)
    assert extract_validity(text, language) == verdict


@given(TEXTS, LANGUAGES, st.text(" \n\t", max_size=10))
def test_white_space_at_the_end_changes_nothing(text: str, language: str, space: str) -> None:
    assert extract_validity(text + space, language) == extract_validity(text, language)


@given(VERDICTS, LANGUAGES, st.sampled_from(['""', "''", "“”", "„“", "«»", "**"]))
def test_quotes_around_an_answer_change_nothing(text: str, language: str, quotes: str) -> None:
    quoted = extract_validity(f"{quotes[0]}{text}{quotes[1]}", language)
    assert quoted.label == extract_validity(text, language).label


@given(SPLICED, LANGUAGES)
def test_a_final_marker_decides(text: str, language: str) -> None:
    text = text.replace("<think>", "").replace(":", "").replace("Answer", "")
    body = f"Let us see.\n\n{text}\n\nI have made up my mind.\n\n"
    assert extract_validity(f"{body}Corrected answer: **invalid**", language).label == "invalid"


@given(VERDICTS, LANGUAGES)
def test_closed_thinking_does_not_count(text: str, language: str) -> None:
    thought = f"<think>So it is **invalid**. {text}</think>"
    assert extract_validity(f"{thought}\n\n{text}", language).label == extract_validity(text, language).label


@given(VERDICTS, LANGUAGES)
def test_decomposed_letters_change_nothing(text: str, language: str) -> None:
    decomposed = text.replace("ü", "u\u0308").replace("ä", "a\u0308")
    assert extract_validity(decomposed, language).label == extract_validity(text, language).label


ENGLISH = (
    *("valid ", "not ", "a", "a'", "if the ", "is , not , valid , ", "the premises ", "the conclusion "),
    *("premises do not entail the conclusion ", "I can't I don't ", "wait, valid. ", "please check whether "),
    "argument: valid; ",
)
GERMAN = ("die Prämissen die Konklusion ", "ich nicht ")
SIGNS = (
    *(" ", "*", "(", "\0", "\ud800", "<think>", "</think>", "\n", ", ", ". ", "e\u0301", "<a "),
    *("\\boxed{", "[ ] "),
)


@pytest.mark.parametrize(
    ("language", "piece"), [*product(["en"], ENGLISH), *product(["de"], GERMAN), *product(["de"], SIGNS)]
)
def test_a_text_of_200_kilobytes_is_read(language: str, piece: str) -> None:
    extract_validity(piece * (200_000 // len(piece)), language)


@settings(max_examples=10)
@given(SPLICED, LANGUAGES)
def test_long_texts_are_judged_by_their_end(text: str, language: str) -> None:
    long = (
        f"{text}\n\n"
        + "Nothing to see. " * 1000
        + "\n\nI have made up my mind.\n\nCorrected answer: **valid**"
    )
    if "<think>" not in text:
        assert extract_validity(long, language).label in {"valid", "unparsable"}
