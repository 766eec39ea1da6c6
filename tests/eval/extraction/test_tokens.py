"""Sentences, offsets and normalisation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.extraction.preparation import HEAD, TAIL, prepare
from polbias.eval.extraction.tokens import Sentence, split_sentences


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in prepare(text).sentences]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It is **not** valid. So: no!", ["it is not valid .", "so : no !"]),
        ("Der Schluß ist gültig", ["der schluss ist gültig"]),
        ("gu\u0308ltig", ["gültig"]),
        ("val\u00adid", ["valid"]),
        ("isn’t", ["isn't"]),
        ("$\\boxed{\\text{valid}}$", ["valid"]),
        ("<answer>valid</answer>", ["valid"]),
        ("one\ntwo", ["one two"]),
        ("One\nTwo", ["one", "two"]),
        ("one\n\ntwo", ["one", "two"]),
        ("e.g. this, z. B. that", ["e . g . this , z . b . that"]),
        ("1. First\n2. Second", ["1 . first", "2 . second"]),
        ("deductive-formal", ["deductive formal"]),
        ("~~valid~~ invalid", ["invalid"]),
        ("[x] valid\n[ ] invalid", ["x valid"]),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert texts(text) == sentences


@pytest.mark.parametrize(
    ("text", "sentences", "truncated"),
    [
        ("<think>It is valid.</think>\nInvalid.", ["invalid ."], False),
        ("It is valid. </think> Invalid.", ["invalid ."], False),
        ("Invalid. <think>It is", ["invalid ."], True),
        ("<think>It is", [], True),
        ("[THINK]yes[/THINK] no.", ["no ."], False),
        ("<think>a</think> b. <think>c</think> d.", ["b .", "d ."], False),
        ("<|channel|>analysis<|message|>valid<|channel|>final<|message|>Invalid.", ["invalid ."], False),
        ("The premises", ["the premises"], True),
        ("The premises:", ["the premises :"], True),
        ("", [], False),
        (" \n ", [], False),
    ],
)
def test_thinking_and_truncation(text: str, sentences: list[str], truncated: bool) -> None:
    prepared = prepare(text)
    assert [sentence.text for sentence in prepared.sentences] == sentences
    assert prepared.truncated is truncated


def test_tokens_know_where_they_stand() -> None:
    text = "Der  Schluss ist **nicht gu\u0308ltig**."
    (sentence,) = prepare(text).sentences
    found = sentence.text.index("nicht gültig")
    start, end = sentence.origin(found, found + len("nicht gültig"))
    assert text[start:end] == "nicht gu\u0308ltig"
    assert [token.text for token in sentence.tokens if token.marked] == ["nicht", "gültig"]


def test_only_the_ends_of_a_long_output_are_read() -> None:
    text = "Begin. " + "word. " * (HEAD + TAIL) + "The end."
    sentences = prepare(text).sentences
    assert sentences[0].text == "begin ."
    assert sentences[-1].text == "the end ."
    assert sum(len(sentence.text) for sentence in sentences) <= HEAD + TAIL + len(sentences)


def test_list_items_are_told() -> None:
    listed = [sentence.is_list_item for sentence in prepare("Intro:\n- one\n* two\n3. three\nfour").sentences]
    assert listed == [False, True, True, True]


@given(st.text(max_size=300))
def test_offsets_fit_any_text(text: str) -> None:
    for sentence in split_sentences(text, 0, len(text)):
        assert isinstance(sentence, Sentence)
        for token in sentence.tokens:
            assert 0 <= token.start < token.end <= len(text)
        assert sentence.origin(0, len(sentence.text)) == (sentence.tokens[0].start, sentence.tokens[-1].end)
