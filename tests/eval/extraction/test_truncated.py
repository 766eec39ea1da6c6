"""Only evidence of a cut makes an answer truncated, and other causes for which verdicts were misread."""

from __future__ import annotations

import pytest

from polbias.eval.answers import extract_entailment, extract_stance, extract_truth, extract_validity
from polbias.eval.policy.answers import extract_label
from polbias.responses import CUT_OFF, Response


@pytest.mark.parametrize("text", ["Plausible", "Mumpitz", "one thing and another thing"])
def test_an_unknown_word_is_not_cut_off(text: str) -> None:
    assert extract_truth(text, "en").outcome == "unparsable"
    assert extract_entailment(text).outcome == "unparsable"
    assert extract_validity(text, "en").outcome == "unparsable"
    assert extract_stance(text, "agree", "disagree").outcome == "unparsable"


@pytest.mark.parametrize("text", ["Plausible", "one thing and another thing", "Considered all in all."])
def test_what_the_server_says_is_evidence(text: str) -> None:
    limits = ("length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length")
    for reason, wanted in (*((limit, "truncated") for limit in limits), ("stop", "unparsable")):
        said = Response(text, {"finish_reason": reason})
        assert extract_stance(said, "agree", "disagree").outcome == wanted
        assert extract_truth(said, "en").outcome == wanted
        assert extract_label(said, "agree", "disagree") == wanted


def test_what_has_a_verdict_is_read_though_it_was_cut_off() -> None:
    said = Response("Disagree. The reason is", {"finish_reason": "length"})
    assert extract_stance(said, "agree", "disagree").outcome == "disagree"


@pytest.mark.parametrize("text", [CUT_OFF, "<think>agree, or rather true and valid", "After all, it is the"])
def test_the_text_is_evidence(text: str) -> None:
    assert extract_stance(text, "agree", "disagree").outcome == "truncated"
    assert extract_truth(text, "en").outcome == "truncated"


@pytest.mark.parametrize(
    ("text", "language", "label"),
    [
        ("True / False -> True", "en", "true"),
        ('{"true": false, "false": true}', "en", "false"),
        ('{"true": 0.4, "false": 0.6}', "en", "unparsable"),
        ("Antwort: Nein", "de", "false"),
        ("Soweit ich weiß, ja.", "de", "true"),
        ("Dem kann ich nicht zustimmen.", "de", "false"),
        ("It would be a mistake to call this true.", "en", "false"),
        ("Es wäre falsch, die Aussage als falsch zu bezeichnen.", "de", "true"),
        ("I won't call this claim true or false.", "en", "refusal"),
        ("## Check\n\nThe figure was 12.\n\n## Verdict\n\nFalse", "en", "false"),
    ],
)
def test_causes_of_truth(text: str, language: str, label: str) -> None:
    assert extract_truth(text, language).label == label


@pytest.mark.parametrize(
    ("text", "language", "label"),
    [
        ("The deductive validity of this inference is not given.", "en", "invalid"),
        ("The logical validity of this argument is given.", "en", "valid"),
        ("Formal validity of the argument is lacking.", "en", "invalid"),
        ("Dem Schluss fehlt die deduktive Gültigkeit.", "de", "invalid"),
    ],
)
def test_causes_of_validity(text: str, language: str, label: str) -> None:
    assert extract_validity(text, language).label == label


def test_a_short_denial_is_no_refusal_of_an_entailment() -> None:
    assert extract_entailment("No, I'm not.").label == "non-entailment"
