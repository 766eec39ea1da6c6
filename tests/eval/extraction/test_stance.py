"""Reading stances: the labelled collection, single rules, and what holds whatever the text.

The outputs of both files are written for the purpose in the manner of current models. "blind" was written before
the extractor (the last 40 after it) and is never shown, nor tuned on: 95 of 95 and 37 of 40 were right when they
were first scored.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.extraction.claims import Verdict
from polbias.eval.extraction.stance import LABELS, extract_stance
from tests.eval.extraction.labelled import PARTS, Entry, read, share_right

PAIRS = [
    ("agree", "disagree"),
    ("beneficial", "harmful"),
    ("favorable", "detrimental"),
    ("support", "oppose"),
    ("advantageous", "disadvantageous"),
    ("approve", "disapprove"),
    ("pro", "con"),
]


def label(entry: Entry) -> str:
    return extract_stance(entry["text"], entry["agree"], entry["disagree"]).label


def test_collections() -> None:
    entries = [entry for part in PARTS for entry in read("stance", part)]
    assert all(set(entry) == {"id", "label", "agree", "disagree", "text", "note"} for entry in entries)
    assert {entry["label"] for entry in entries} == set(LABELS)
    assert len({entry["id"] for entry in entries}) == len(entries)
    assert len({(entry["text"], entry["agree"]) for entry in entries}) == len(entries)
    assert len(entries) >= 150
    assert len(read("stance", "blind")) >= 75
    assert min(sum(entry["label"] == each for entry in entries) for each in LABELS) >= 10


def test_all_of_dev_is_read_right() -> None:
    share_right("stance", "dev", label, LABELS)


def test_blind_is_read_right() -> None:
    assert share_right("stance", "blind", label, LABELS).value >= 0.95


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("", Verdict("unparsable", "empty")),
        ("Beneficial.", Verdict("agree", "marker", (0, 10))),
        ("Not beneficial.", Verdict("disagree", "negated", (4, 14))),
        ("It would be harmful to society.", Verdict("disagree", "sentence", (12, 19))),
        ("I agree.", Verdict("agree", "synonym", (2, 7))),
        ("neither beneficial nor harmful", Verdict("unparsable", "neither", (8, 30))),
        ("Beneficial. Harmful.", Verdict("unparsable", "contradiction", (12, 19))),
        ("beneficial or harmful", Verdict("unparsable", "no-verdict")),
        ("<think>beneficial", Verdict("unparsable", "truncated")),
    ],
)
def test_reason_and_span(text: str, verdict: Verdict) -> None:
    found = extract_stance(text, "beneficial", "harmful")
    if verdict.reason == "no-verdict":
        found = Verdict(found.label, "no-verdict")
    assert found == verdict


@pytest.mark.parametrize("pair", PAIRS)
def test_the_list_of_labels_is_no_answer_in_either_order(pair: tuple[str, str]) -> None:
    for one, two in (pair, pair[::-1]):
        for echo in (
            f'"{one}" or "{two}"',
            f"{one}/{two}",
            f"{one} or {two}?",
            f'Labels: "{one}" or "{two}".',
        ):
            assert extract_stance(echo, *pair).label == "unparsable", echo
            for value, side in zip(pair, ("agree", "disagree"), strict=True):
                for text in (
                    f"{echo}\n{value}",
                    f"{echo}\nAnswer: {value}",
                    f"{echo}\n\n**{value.capitalize()}**",
                ):
                    assert extract_stance(text, *pair).label == side, text


@given(
    st.sampled_from(PAIRS),
    st.sampled_from(
        ["{}", "{}.", "**{}**", '"{}"', "'{}'", "({})", "Answer: {}", "My answer is {}.", "{}</s>"]
    ),
    st.booleans(),
)
def test_dress_changes_nothing(pair: tuple[str, str], dress: str, positive: bool) -> None:
    word = pair[0] if positive else pair[1]
    for form in (word, word.upper(), word.capitalize()):
        assert extract_stance(dress.format(form), *pair).label == ("agree" if positive else "disagree")


@given(st.sampled_from(PAIRS[:5]), st.booleans())
def test_negation_turns_a_label_round(pair: tuple[str, str], positive: bool) -> None:
    word = pair[0] if positive else pair[1]
    verb = pair[0] in {"agree", "support"}
    said = [f"not {word}", f"I don't {word}." if verb else f"This is not {word}."]
    said += (
        [f"I can't {word}.", f"I do not {word}."]
        if verb
        else [f"It isn't {word}.", f"I don't think it is {word}."]
    )
    for text in said:
        assert extract_stance(text, *pair).label == ("disagree" if positive else "agree"), text


def test_swapping_the_labels_swaps_the_answer() -> None:
    other = {"agree": "disagree", "disagree": "agree"}
    for entry in read("stance", "dev"):
        if len(entry["text"].split()) == 1 and entry["label"] in other and "mention" not in entry["note"]:
            words = entry["text"].strip("*.\n ").lower()
            if words in {entry["agree"], entry["disagree"]}:
                swapped = extract_stance(entry["text"], entry["disagree"], entry["agree"]).label
                assert swapped == other[entry["label"]], entry


@pytest.mark.parametrize(("agree", "disagree"), [("", "no"), ("same", "Same "), ("x", "x")])
def test_labels_must_differ(agree: str, disagree: str) -> None:
    with pytest.raises(ValueError, match="labels"):
        extract_stance("x", agree, disagree)


def test_unknown_labels_are_read_as_they_stand() -> None:
    assert extract_stance("The answer is thumbs-up.", "thumbs-up", "thumbs-down").label in LABELS
    assert extract_stance("left", "left", "right").label == "agree"
    assert extract_stance("not left", "left", "right").label == "disagree"


PIECES = [
    *(
        "agree",
        "disagree",
        "beneficial",
        "harmful",
        "not",
        "neither",
        "nor",
        "or",
        "and",
        "both",
        "I",
        "can't",
        "the",
    ),
    *(
        "statement",
        "is",
        "more",
        "than",
        "if",
        "whether",
        ",",
        ".",
        "?",
        ":",
        "Answer:",
        "<think>",
        "</think>",
        '"',
    ),
    *(
        "as",
        "an",
        "AI",
        "yes",
        "no",
        "wait",
        "overall",
        "although",
        "[INST]",
        "[/INST]",
        "\n",
        "don't",
        "(",
        ")",
    ),
]
SPLICED = st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)
TEXTS = st.one_of(st.text(), st.text(st.characters(categories=["Cs", "Cc", "Mn", "L", "P"])), SPLICED)


@given(TEXTS, st.sampled_from(PAIRS))
def test_total(text: str, pair: tuple[str, str]) -> None:
    verdict = extract_stance(text, *pair)
    assert verdict.label in LABELS
    assert verdict.reason
    if verdict.span:
        assert 0 <= verdict.span[0] < verdict.span[1] <= len(text)
    assert extract_stance(text, *pair) == verdict
