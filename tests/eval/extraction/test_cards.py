"""Reading which cards are turned over: the labelled collections, and every choice in many forms."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.answers import Verdict, extract_cards
from tests.eval.extraction.labelled import PARTS, Entry, check_fields, read, share_right

TASKS = [
    ("borrowed a book", "did not show a library card", "did not borrow a book", "showed a library card"),
    ("is a florp", "snizzles", "does not snizzle", "is not a florp"),
    ("E", "K", "4", "7"),
    ("A", "D", "4", "7"),
    ("16 years old", "drinking beer", "25 years old", "drinking cola"),
]
CHOICES = [choice for size in (1, 2, 3, 4) for choice in combinations(range(4), size)]


def label(entry: Entry) -> str:
    return extract_cards(entry["text"], entry["cards"]).label


def test_collections() -> None:
    letters = r"A?(?:(?:(?<=A),)?B)?(?:(?:(?<=[AB]),)?C)?(?:(?:(?<=[ABC]),)?D)?"
    check_fields("cards", {"id", "label", "cards", "text", "note"}, f"none|refusal|unparsable|{letters}")
    entries = [entry for part in PARTS for entry in read("cards", part)]
    assert len(entries) >= 80
    assert len(read("cards", "blind")) >= 40
    assert all(len(entry["cards"]) == 4 and entry["label"] for entry in entries)


def test_all_of_dev_is_read_right() -> None:
    share_right("cards", "dev", label)


def test_blind_is_read_right() -> None:
    assert share_right("cards", "blind", label).value >= 0.95


@pytest.mark.parametrize("cards", TASKS, ids=lambda cards: cards[0])
def test_every_choice_in_many_forms(cards: tuple[str, ...]) -> None:
    for choice in CHOICES:
        chosen = ["ABCD"[index] for index in choice]
        wanted = ",".join(chosen)
        spared = [letter for letter in "ABCD" if letter not in chosen]
        forms = [
            wanted,
            ", ".join(chosen),
            " and ".join(chosen),
            f"Answer: **{', '.join(chosen)}**",
            f"Cards {' & '.join(chosen)}.",
            f"We must turn over {' and '.join(chosen)}.",
            "\n".join(
                f"- Card {letter}: {'must be turned over' if letter in chosen else 'need not be turned over'}."
                for letter in "ABCD"
            ),
            *([f"{' and '.join(chosen)}, but not {' or '.join(spared)}"] if spared else []),
        ]
        if cards != ("A", "D", "4", "7"):  # there the texts are letters of other cards
            forms.append(" and ".join(cards[index] for index in choice))
            forms.append(", ".join(f"{'ABCD'[index]} ({cards[index]})" for index in choice))
        for form in forms:
            assert extract_cards(form, cards).label == wanted, form


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("", Verdict("unparsable", "empty")),
        ("A, D", Verdict("A,D", "letters", (0, 4))),
        ("None.", Verdict("none", "letters", (0, 4))),
        ("I can't help with that.", Verdict("refusal", "refusal", (0, 12))),
        ("Let us look at", Verdict("unparsable", "truncated")),
        ("A or B", Verdict("unparsable", "both-options", (0, 6))),
        ("<think>A, B", Verdict("unparsable", "truncated")),
    ],
)
def test_reason_and_span(text: str, verdict: Verdict) -> None:
    assert extract_cards(text, TASKS[0]) == verdict


def test_four_cards_are_needed() -> None:
    with pytest.raises(ValueError, match="zip"):
        extract_cards("A", ["one", "two"])


PIECES = [
    "A",
    "B",
    "C",
    "D",
    "A,D",
    "a",
    "d",
    "and",
    "or",
    "not",
    "card",
    "cards",
    "turn",
    "over",
    "the",
    ",",
    ".",
    ":",
    "(",
    ")",
    "Answer:",
    "because",
    "borrowed",
    "a",
    "book",
    "no",
    "need",
    "all",
    "none",
]
SPLICED = st.lists(st.sampled_from([*PIECES, "\n", "<think>", "</think>"]), max_size=30).map(" ".join)


@given(st.one_of(st.text(), SPLICED), st.sampled_from(TASKS))
def test_total(text: str, cards: tuple[str, ...]) -> None:
    verdict = extract_cards(text, cards)
    assert verdict.label in {"none", "refusal", "unparsable"} or set(verdict.label.split(",")) <= set("ABCD")
    if verdict.span:
        assert 0 <= verdict.span[0] < verdict.span[1] <= len(text)


@given(SPLICED, st.sampled_from(CHOICES))
def test_an_announced_answer_at_the_end_decides(text: str, choice: tuple[int, ...]) -> None:
    body = text.replace("<think>", "").replace("</think>", "").replace("Answer:", "")
    chosen = ", ".join("ABCD"[index] for index in choice)
    found = extract_cards(
        f"Let us see what we have got. {body}\n\nThat was all.\n\nAnswer: {chosen}", TASKS[1]
    )
    assert found.label == chosen.replace(" ", "")
