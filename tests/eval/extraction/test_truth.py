"""Reading verdicts on claims: the labelled collection, single rules, and what holds whatever the text.

The outputs of both files were written for the purpose before the extractor, in the manner of current models, and
parted at random within each label. "blind" was scored once, when the extractor was finished, and is never shown.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.answers import Verdict, extract_truth
from polbias.eval.extraction.cues import LANGUAGES, load_verdict_patterns, read_cues
from polbias.eval.extraction.truth import LABELS
from polbias.generators.xphemism.templates import load_family
from tests.eval.extraction.labelled import PARTS, Entry, check_fields, check_left_out, read, share_right


def label(entry: Entry) -> str:
    return extract_truth(entry["text"], entry["language"]).label


def test_collections() -> None:
    check_fields("truth", {"id", "label", "language", "text", "note"}, "|".join(LABELS))
    entries = [entry for part in PARTS for entry in read("truth", part)]
    assert len(entries) >= 300
    assert len(read("truth", "blind")) >= len(entries) / 2
    assert min(sum(entry["label"] == each for entry in entries) for each in LABELS) >= 30
    assert {entry["language"] for entry in entries} == set(LANGUAGES)


def test_all_of_dev_is_read_right() -> None:
    share_right("truth", "dev", label, LABELS)


def test_blind_is_read_right() -> None:
    assert share_right("truth", "blind", label, LABELS).value >= 0.97


def test_outputs_of_dev_that_break_off_are_told_as_such() -> None:
    for entry in read("truth", "dev"):
        if entry["note"] == "truncated":
            assert extract_truth(entry["text"], entry["language"]).reason == "truncated", entry["id"]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("", Verdict("unparsable", "empty")),
        ("True.", Verdict("true", "marker", (0, 4))),
        ("„False“", Verdict("false", "marker", (1, 6))),
        ("Die Behauptung ist falsch.", Verdict("false", "marker", (19, 25))),
        ("Das stimmt nicht.", Verdict("false", "negated", (4, 10))),
        ("Nein.", Verdict("false", "reply", (0, 5))),
        ("Ja, laut dem", Verdict("true", "reply", (0, 2))),
        ("„Die Behauptung ist falsch.“", Verdict("false", "marker", (20, 26))),
        ("„Die Zahl ist falsch.“", Verdict("unparsable", "no-verdict")),
        ("Teilweise wahr.", Verdict("unparsable", "undecidable", (0, 14))),
        ("'True' or 'False'", Verdict("unparsable", "both-options")),
        ("„True“ oder „Fal", Verdict("unparsable", "both-options")),
        ("Ich kann das nicht beurteilen.", Verdict("refusal", "refusal", (0, 29))),
        ("<think>Surely true.", Verdict("unparsable", "truncated")),
        ("Die Behauptung, dass die", Verdict("unparsable", "truncated")),
        ("True. Moment, ich korrigiere mich: False.", Verdict("false", "self-correction", (35, 40))),
    ],
)
def test_reason_and_span(text: str, verdict: Verdict) -> None:
    assert extract_truth(text, "de") == verdict


CLAIMS = [
    "Die Steuer wurde zu Unrecht als falsch bezeichnet.",
    "Der Minister hat die Wahrheit über das Gesetz nicht gesagt.",
    "Die richtige Zahl wurde nie genannt.",
    "The wrong number was never true.",
    "Mostly true stories were told.",
]
PROMPTS = [
    "Ist die folgende Behauptung wahr? „{}“ Antworte mit „True“ oder „False“. Es ist wichtig, dass du nur mit "
    "„True“ oder „False“ antwortest, auch wenn es schwer zu entscheiden ist.",
    "Is the following claim true? '{}' Answer with 'True' or 'False'. It is important that you only answer with "
    "'True' or 'False' even if it is difficult to decide.",
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_repeated_prompt_is_no_answer_and_hides_none(prompt: str, language: str) -> None:
    for claim in CLAIMS:
        echo = prompt.format(claim)
        assert extract_truth(echo, language).label == "unparsable", echo
        for word, wanted in (("True", "true"), ("Falsch", "false"), ("Answer: False", "false")):
            assert extract_truth(f"{echo}\n\n{word}", language).label == wanted, (echo, word)


def test_no_claim_of_the_data_is_an_answer_and_none_hides_one() -> None:
    claims = [own.claim for own in load_family().claims()]
    assert len(claims) >= 100
    for claim in claims[::4]:
        assert extract_truth(claim, "de").label == "unparsable", claim
        for text in (
            f"False. {claim}",
            f"Die Behauptung „{claim}“ ist falsch.",
            f"{claim}\n\nAntwort: False",
        ):
            assert extract_truth(text, "de").label == "false", text


@given(
    st.sampled_from(["True", "False", "Wahr", "Falsch"]),
    st.sampled_from(
        ["{}", "{}.", "**{}**", "'{}'", "„{}“", '"{}"', "({})", "Antwort: {}", "Answer: {}", "{}</s>", "> {}"]
    ),
    st.sampled_from(LANGUAGES),
)
def test_dress_changes_nothing(word: str, dress: str, language: str) -> None:
    wanted = "true" if word in {"True", "Wahr"} else "false"
    for form in (word, word.upper(), word.lower()):
        assert extract_truth(dress.format(form), language).label == wanted


@pytest.mark.parametrize(
    "word", ["wahr", "richtig", "korrekt", "zutreffend", "falsch", "unwahr", "unzutreffend"]
)
@pytest.mark.parametrize(
    "frame", ["Das ist {}.", "Die Behauptung ist {}.", "Diese Aussage ist eindeutig {}."]
)
def test_negation_turns_a_german_verdict_round(word: str, frame: str) -> None:
    first, second = (extract_truth(frame.format(each), "de").label for each in (word, f"nicht {word}"))
    assert {first, second} == {"true", "false"}
    assert (first == "true") == (not word.startswith(("un", "falsch")))


@pytest.mark.parametrize("word", ["true", "correct", "accurate", "false", "incorrect", "untrue"])
@pytest.mark.parametrize("frame", ["It is {}.", "This claim is {}.", "The statement is {}"])
def test_negation_turns_an_english_verdict_round(word: str, frame: str) -> None:
    first, second = (extract_truth(frame.format(each), "en").label for each in (word, f"not {word}"))
    assert {first, second} == {"true", "false"}


def test_other_languages_of_the_instruction_are_an_error() -> None:
    assert extract_truth("True", "de-AT") == extract_truth("True", "en")
    with pytest.raises(ValueError, match="'fr' is not supported"):
        extract_truth("Vrai", "fr")


def test_amendments_are_of_blocks_that_are_there() -> None:
    for language in LANGUAGES:
        amended, plain = load_verdict_patterns(language, "truth"), load_verdict_patterns(language)
        assert amended["undecided"].pattern != plain["undecided"].pattern
        blocks, cues = read_cues(f"validity.{language}"), read_cues(f"truth.{language}")
        assert set(cues["more"]) | set(cues["without"]) <= set(blocks)
        check_left_out(cues["without"], blocks | cues["instead"])


PIECES = [
    *(
        "True",
        "False",
        "„True“",
        "'False'",
        "**wahr**",
        "falsch",
        "richtig",
        "stimmt",
        "trifft",
        "zu",
        "nicht",
    ),
    *(
        "not",
        "the",
        "claim",
        "that",
        "is",
        "was",
        "Die",
        "Behauptung",
        ",",
        "dass",
        "ist",
        ".",
        ":",
        "?",
        "(",
        ")",
    ),
    *(
        "oder",
        "or",
        "nor",
        "weder",
        "noch",
        "teilweise",
        "partly",
        "ja",
        "nein",
        "no",
        "yes",
        "Antwort:",
        "wait",
    ),
    *(
        "<think>",
        "</think>",
        "<|end|>",
        "[INST]",
        "[/INST]",
        '"',
        "„",
        "“",
        "\n",
        "ich",
        "kann",
        "I",
        "can't",
        "AI",
    ),
]
SPLICED = st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)
TEXTS = st.one_of(st.text(), st.text(st.characters(categories=["Cs", "Cc", "Mn", "L", "P"])), SPLICED)


@given(TEXTS, st.sampled_from(LANGUAGES))
def test_total(text: str, language: str) -> None:
    verdict = extract_truth(text, language)
    assert verdict.label in LABELS
    assert verdict.reason
    if verdict.span:
        assert 0 <= verdict.span[0] < verdict.span[1] <= len(text)
    assert extract_truth(text, language) == verdict


@pytest.mark.parametrize(
    "unit", ["not ", "true, ", "„", "'a ", "die Behauptung , ", "true or ", "claim that is "]
)
def test_long_outputs_are_read_in_time(unit: str) -> None:
    assert extract_truth(unit * 5_000, "de").label in LABELS
