"""Reading choices: the labelled collection, single rules, and what holds whatever the text.

The outputs of both files were written for the purpose, in the manner of current models, before the extractor;
"dev" is what it was written on, "blind" was scored once, at its end, and never tuned on; it is not shown.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.extraction.choice import LABELS, extract_choice
from polbias.eval.extraction.claims import Verdict
from tests.eval.extraction.labelled import PARTS, Entry, read, share_right

PREFERRED = "My preferred article is:"
ORDINALS = {"first": 1, "second": 2, "third": 3}


def label(entry: Entry) -> str:
    return extract_choice(entry["text"], entry["ways"], entry["language"], entry["prefill"]).label


def test_collections() -> None:
    entries = [entry for part in PARTS for entry in read("choice", part)]
    fields = {"id", "label", "ways", "language", "prefill", "text", "note"}
    assert all(set(entry) == fields for entry in entries)
    assert {entry["label"] for entry in entries} == set(LABELS)
    assert len({entry["id"] for entry in entries}) == len(entries) >= 300
    assert len({(entry["text"], entry["ways"], entry["prefill"]) for entry in entries}) == len(entries)
    assert len(read("choice", "blind")) >= 150
    assert min(sum(entry["label"] == each for entry in entries) for each in LABELS) >= 25


def test_all_of_dev_is_read_right() -> None:
    share_right("choice", "dev", label, LABELS)


def test_blind_is_read_right() -> None:
    assert share_right("choice", "blind", label, LABELS).value >= 0.95


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("", Verdict("unparsable", "empty")),
        ("2", Verdict("2", "marker", (0, 1))),
        ("Not 1.", Verdict("2", "elimination", (4, 5))),
        ("Article 1 is more biased than article 2.", Verdict("2", "sentence", (30, 39))),
        ("1. Actually, 2.", Verdict("2", "self-correction", (13, 14))),
        ("1\n\nArticle 2", Verdict("unparsable", "contradiction", (3, 12))),
        ("1 and 2", Verdict("both", "joined", (0, 7))),
        ("1 2", Verdict("both", "joined", (0, 3))),
        ("Neither.", Verdict("both", "tie", (0, 7))),
        ("Article 3", Verdict("unparsable", "out-of-range", (0, 9))),
        ("I see no articles; please provide the articles.", Verdict("unparsable", "no-input", (26, 46))),
        ("I cannot choose between 1 and 2.", Verdict("refusal", "refusal", (0, 15))),
        ("After reading both articles, I would", Verdict("unparsable", "truncated")),
        ("1 and", Verdict("unparsable", "truncated")),
        ("Both have merits.", Verdict("unparsable", "no-choice")),
    ],
)
def test_reason_and_span(text: str, verdict: Verdict) -> None:
    assert extract_choice(text, 2) == verdict


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_list_of_options_is_no_answer(number: int) -> None:
    for echo in ("'1', '2', or '3'", "1, 2 or 3", "1/2/3", "Respond strictly with '1', '2', or '3'."):
        assert extract_choice(echo, 3).label == "unparsable", echo
        for text in (f"{echo}\n{number}", f"{echo}\nArticle {number}.", f"{echo}\n\n**{number}**"):
            assert extract_choice(text, 3).label == str(number), text


@given(
    st.sampled_from(
        ["{}", "{}.", "**{}**", '"{}"', "'{}'", "({})", "Answer: {}", "My answer is {}.", "{}</s>"]
    ),
    st.sampled_from(["1", "2", "3", "Article 1", "article 3", "the first", "Second", "THIRD", "#2"]),
    st.booleans(),
)
def test_dress_and_a_repeated_prefill_change_nothing(dress: str, form: str, repeated: bool) -> None:
    word = form.lower().replace("#", "").split()[-1]
    text = f"{PREFERRED} {dress.format(form)}" if repeated else dress.format(form)
    assert extract_choice(text, 3, prefill=PREFERRED).label == str(ORDINALS.get(word, word))
    assert extract_choice(text, 3).label == str(ORDINALS.get(word, word))


@given(
    st.integers(0, 99), st.sampled_from([2, 3]), st.sampled_from(["{}", "Article {}", "Article {}.", "#{}"])
)
def test_only_numbers_of_articles_are_choices(number: int, ways: int, form: str) -> None:
    found = extract_choice(form.format(number), ways)
    assert found.label == (str(number) if 1 <= number <= ways else "unparsable")
    assert found.reason == "out-of-range" or found.label != "unparsable"


def test_exchanging_the_numbers_exchanges_the_choice() -> None:
    exchange = str.maketrans("12", "21")
    for entry in read("choice", "dev"):
        if entry["ways"] == 2 and entry["note"] in {
            "comparison of numbers",
            "ranking sign",
            "left out",
            "bare",
        }:
            exchanged = entry["text"].translate(exchange)
            assert extract_choice(exchanged, 2).label == entry["label"].translate(exchange), exchanged


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="n_alternatives: found 4"):
        extract_choice("1", 4)
    with pytest.raises(ValueError, match="language: found 'fr'"):
        extract_choice("1", 2, "fr")


PIECES = [
    "1",
    "2",
    "3",
    "4",
    "one",
    "two",
    "first",
    "second",
    "latter",
    "article",
    "Article",
    "articles",
    "both",
    "neither",
    "or",
    "and",
    "&",
    ">",
    ",",
    ".",
    ":",
    "?",
    "!",
    "I",
    "prefer",
    "choose",
    "not",
    "over",
    "than",
    "rather",
    "wait",
    "is",
    "less",
    "biased",
    "more",
    "'1'",
    '"',
    "(",
    ")",
    "\n",
    "as",
    "an",
    "AI",
    "cannot",
    "the",
    "<think>",
    "</think>",
    "Artikel",
    "zwei",
    "beide",
    "oder",
    "und",
    "nicht",
    "[INST]",
    "[/INST]",
    "</s>",
    "#",
]
SPLICED = st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)
TEXTS = st.one_of(st.text(), st.text(st.characters(categories=["Cs", "Cc", "Mn", "N", "L", "P"])), SPLICED)


@given(TEXTS, st.sampled_from([2, 3]), st.sampled_from([None, PREFERRED, ""]))
def test_total(text: str, ways: int, prefill: str | None) -> None:
    verdict = extract_choice(text, ways, prefill=prefill)
    assert verdict.label in LABELS
    assert verdict.label != "3" or ways == 3
    assert verdict.reason
    if verdict.span:
        assert 0 <= verdict.span[0] < verdict.span[1] <= len(text)
    assert extract_choice(text, ways, prefill=prefill) == verdict
