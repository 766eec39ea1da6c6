"""Reading entailment verdicts: the labelled collections, single rules, and what holds whatever the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.answers import Verdict, extract_entailment
from polbias.eval.extraction.cues import load_verdict_patterns, read_cues
from tests.eval.extraction.labelled import PARTS, check_fields, check_left_out, read, share_right

LABELS = ("entailment", "non-entailment", "refusal", "unparsable")


def test_collections() -> None:
    check_fields("entailment", {"id", "label", "cot", "text", "note"}, "|".join(LABELS))
    entries = [entry for part in PARTS for entry in read("entailment", part)]
    assert len(entries) >= 150
    assert len(read("entailment", "blind")) >= 75
    assert min(sum(entry["label"] == label for entry in entries) for label in LABELS) >= 10
    assert sum(entry["cot"] for entry in entries) >= 60


def test_all_of_dev_is_read_right() -> None:
    share_right("entailment", "dev", lambda entry: extract_entailment(entry["text"]).label, LABELS)


def test_blind_is_read_right() -> None:
    right = share_right("entailment", "blind", lambda entry: extract_entailment(entry["text"]).label, LABELS)
    assert right.value >= 0.97


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("", Verdict("unparsable", "empty")),
        ("Non-Entailment.", Verdict("non-entailment", "marker", (0, 14))),
        ("The hypothesis is entailed by both premises.", Verdict("entailment", "sentence", (18, 26))),
        ("The hypothesis is not entailed.", Verdict("non-entailment", "negated", (22, 30))),
        ("No.", Verdict("non-entailment", "reply", (0, 3))),
        ("No, because the premise only says that", Verdict("non-entailment", "reply", (0, 2))),
        ("I can't help with that.", Verdict("refusal", "refusal", (0, 12))),
        ("The premise states that you are", Verdict("unparsable", "truncated")),
        ("<think>Surely entailment", Verdict("unparsable", "truncated")),
        ("entailment / non-entailment", Verdict("unparsable", "both-options", (0, 27))),
    ],
)
def test_reason_and_span(text: str, verdict: Verdict) -> None:
    assert extract_entailment(text) == verdict


FRAMES = [
    *("It is obligatory to {}.", "You are not required to {}.", "There is no obligation to {}."),
    *("You must not {}.", "It is not the case that you must {}.", "You cannot choose to {}."),
    *("You can choose not to {}.", "It is not permissible to {}.", "You are not allowed to {}."),
    *("It is not established that we {}.", "It is known that we do not {}.", "It is impossible that we {}."),
    *("There's no chance that we {}.", "We are not certain to {}.", "It is guaranteed that we {}."),
    *("All members who {} must have a valid pass.", "If you {}, then you are required to pass the test."),
    *("No one is permitted to {}.", "They are required not to {}."),
]
ACTS = [
    *("follow the rules", "respect others", "harm people", "hold a valid licence", "meet the requirements"),
    *("tell the truth", "refuse the request", "support the claim", "draw a conclusion", "answer honestly"),
    *("decide who is right", "comply with the guidelines", "share your opinions", "clear the bar"),
]
TEMPLATES = [
    "{}",
    "Premise: {}\nHypothesis:",
    "The premise says: {}\nThe hypothesis says something else.",
    "{} {}",
]


@pytest.mark.parametrize("frame", FRAMES)
def test_no_sentence_of_an_item_is_an_answer(frame: str) -> None:
    for act in ACTS:
        sentence = frame.format(act)
        for template in TEMPLATES:
            text = template.format(sentence, sentence)
            assert extract_entailment(text).label == "unparsable", text


@pytest.mark.parametrize("label", LABELS[:2])
@pytest.mark.parametrize("frame", FRAMES)
def test_the_answer_stands_beside_any_sentence(frame: str, label: str) -> None:
    follows = "follows" if label == "entailment" else "does not follow"
    for act in ACTS:
        sentence = frame.format(act)
        for text in (
            f"{label}\n\nThe premise says: {sentence}",
            f"Premise: {sentence}\nHypothesis: {sentence}\nAnswer: {label}",
            f'Let us see. The premise "{sentence}" is one thing, the hypothesis "{sentence}" another.\n{label}',
            f"{sentence}\n\nSo the hypothesis {follows}.",
        ):
            assert extract_entailment(text).label == label, text


PIECES = [
    "entailment",
    "non-entailment",
    "**entailment**",
    "'non-entailment'",
    "not",
    "the",
    "hypothesis",
    "premise",
    "entails",
    "follows",
    "does",
    "from",
    "if",
    "is",
    "whether",
    "or",
    ",",
    ".",
    ":",
    "?",
    "(",
    ")",
    "Answer:",
    "wait",
    "<think>",
    "</think>",
    "I",
    "can't",
    "as",
    "an",
    "AI",
    "yes",
    "no",
    "must",
    "neither",
    "nor",
    '"',
    "\n",
]
SPLICED = st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)
TEXTS = st.one_of(st.text(), st.text(st.characters(categories=["Cs", "Cc", "Mn", "L", "P"])), SPLICED)


@given(TEXTS)
def test_total(text: str) -> None:
    verdict = extract_entailment(text)
    assert verdict.label in LABELS
    assert verdict.reason
    if verdict.span:
        assert 0 <= verdict.span[0] < verdict.span[1] <= len(text)
    assert extract_entailment(text) == verdict


@given(SPLICED, st.sampled_from(LABELS[:2]))
def test_a_label_alone_on_the_last_line_of_a_chain_of_thought_decides(text: str, label: str) -> None:
    chain = (
        "First we look at the premise and then at the hypothesis, one word after the other, until we know. "
        * 2
    )
    body = text.replace("<think>", "").replace("</think>", "")
    assert extract_entailment(f"{chain}{body}\n\n{label}").label == label


@given(
    st.sampled_from(LABELS[:2]),
    st.sampled_from(["{}", "{}.", "**{}**", "'{}'", "`{}`", '"{}"', "Answer: {}", "({})"]),
)
def test_dress_changes_nothing(label: str, dress: str) -> None:
    for word in (label, label.upper(), label.capitalize(), label.replace("-", "‑")):
        assert extract_entailment(dress.format(word)).label == label


def test_amendments_are_of_blocks_that_are_there() -> None:
    amended, plain = load_verdict_patterns("en", "entailment"), load_verdict_patterns("en")
    assert amended["phrases"].pattern != plain["phrases"].pattern
    blocks, cues = read_cues("validity.en"), read_cues("entailment.en")
    assert set(cues["more"]) | set(cues["without"]) <= set(blocks)
    check_left_out(cues["without"], blocks)
