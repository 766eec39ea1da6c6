"""Thoughts in the formats of current models, read by every reader: the answer counts, never the thought."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from polbias.eval.answers import (
    extract_cards,
    extract_choice,
    extract_conclusion,
    extract_entailment,
    extract_stance,
    extract_truth,
    extract_validity,
)
from polbias.eval.extraction.article_outcome import article_outcome
from polbias.eval.extraction.claims import Verdict
from polbias.eval.extraction.preparation import visible
from polbias.responses import Response, attach_reasoning

FORMATS: Mapping[str, tuple[str, str]] = {
    "think": ("<think>\n", "\n</think>\n\n"),
    "closing-only": ("", "</think>\n"),
    "thought": ("<thought>", "</thought>"),
    "namespaced": ("<mm:think>", "</mm:think>"),
    "seed": ("<seed:think>", "</seed:think>"),
    "magistral": ("[THINK]", "[/THINK]"),
    "kimi": ("◁think▷", "◁/think▷"),
    "gemma": ("<|channel>thought\n", "<channel|>"),
    "cohere": ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
    "cohere-without-response": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "apertus": ("<|inner_prefix|>", "<|inner_suffix|>"),
    "harmony": ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    "harmony-whole": (
        "<|start|>assistant<|channel|>analysis<|message|>",
        "<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>",
    ),
    "harmony-commentary": (
        "<|channel|>analysis<|message|>Look it up.<|end|><|start|>assistant<|channel|>commentary "
        "to=functions.find <|constrain|>json<|message|>",
        "<|call|><|start|>assistant<|channel|>final<|message|>",
    ),
    "stripped": ("analysis", "assistantfinal"),
    "stripped-whole": ("assistantanalysis", "assistantfinal"),
    "stripped-commentary": ("analysisLook it up.assistantcommentary", "assistantfinal"),
    "stripped-commentary-first": ("commentary", "assistantfinal"),
    "stripped-twice": ("analysisLook again.assistantanalysis", "assistantfinal"),
}
CARDS = ("eats fish", "drinks no tea", "A", "3")
PREFILL = "Mein bevorzugter Artikel ist:"


@dataclass(frozen=True)
class Case:
    """A reader with a thought that argues for another answer than the one that follows."""

    read: Callable[[str], Verdict]
    thought: str
    answer: str
    label: str


READERS: Mapping[str, Case] = {
    "validity-en": Case(
        lambda text: extract_validity(text, "en"),
        'The user says "no more. So the argument is valid.\n\n## Check\nThe answer is **valid**.',
        "The argument is **invalid**.",
        "invalid",
    ),
    "validity-de": Case(
        lambda text: extract_validity(text, "de"),
        "Der Schluss ist ungültig. Antwort: **ungültig**.",
        "Der Schluss ist gültig.",
        "valid",
    ),
    "stance": Case(
        lambda text: extract_stance(text, "agree", "disagree"),
        "I would say: disagree.\n\n## Second look\nYes, disagree.",
        "Agree",
        "agree",
    ),
    "stance-words": Case(lambda text: extract_stance(text, "yes", "no"), "No, say no.", "Yes.", "agree"),
    "entailment": Case(
        extract_entailment,
        'He is 5" tall, so my answer is entailment. The hypothesis is entailed.',
        '"non-entailment"',
        "non-entailment",
    ),
    "truth-de": Case(
        lambda text: extract_truth(text, "de"),
        "Die Behauptung ist falsch.\n\n## Prüfung\nSie sagt „so und so viel. Antwort: falsch.",
        "Wahr",
        "true",
    ),
    "truth-en": Case(
        lambda text: extract_truth(text, "en"),
        "They claim 'it rose by a lot. That is true.",
        "'False'",
        "false",
    ),
    "choice-2": Case(
        lambda text: extract_choice(text, 2),
        "Article 1 is better. I choose article 1.\n\n## Decision\n1",
        "Article 2",
        "2",
    ),
    "choice-3": Case(
        lambda text: extract_choice(text, 3, "de", PREFILL),
        "Ich wähle Artikel 1.",
        f"{PREFILL} 3",
        "3",
    ),
    "conclusion-en": Case(
        lambda text: extract_conclusion(text, "en"),
        "If she lied, it's open. The conclusion follows.\n\n## Check\nAnswer: **follows**",
        "**excluded**",
        "excluded",
    ),
    "conclusion-de": Case(
        lambda text: extract_conclusion(text, "de"),
        "Die Schlussfolgerung ist ausgeschlossen.\n\nAntwort: ausgeschlossen.",
        "Die Schlussfolgerung folgt.",
        "follows",
    ),
    "cards": Case(
        lambda text: extract_cards(text, CARDS), "Turn over A and B. Final answer: A, B", "C and D.", "C,D"
    ),
}
ARTICLE = "Rents in the city have risen for ten years. Supply has not kept up with demand."
DECLINED = "I'm sorry, but I can't write that article."


def _with(name: str, thought: str, answer: str) -> str:
    opening, closing = FORMATS[name]
    return f"{opening}{thought}{closing}{answer}"


def test_the_thoughts_alone_would_be_read() -> None:
    for case in READERS.values():
        assert case.read(case.answer).label == case.label
        assert case.read(case.thought).label not in {case.label, "unparsable", "refusal"}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("reader", READERS)
def test_an_answer_after_a_thought_is_read_as_if_alone(reader: str, name: str) -> None:
    case = READERS[reader]
    text = _with(name, case.thought, case.answer)
    found, alone = case.read(text), case.read(case.answer)
    assert (found.label, found.reason) == (alone.label, alone.reason)
    assert found.span
    assert alone.span
    assert text[slice(*found.span)] == case.answer[slice(*alone.span)]


@pytest.mark.parametrize("name", [name for name in FORMATS if FORMATS[name][0]])
@pytest.mark.parametrize("reader", READERS)
def test_a_thought_that_breaks_off_gives_no_verdict(reader: str, name: str) -> None:
    case, opening = READERS[reader], FORMATS[name][0]
    for thought in (case.thought, case.thought.rstrip("."), f"{case.thought} I'm sorry, I can't help.", ""):
        verdict = case.read(f"{opening}{thought}")
        assert (verdict.label, verdict.reason, verdict.span) == ("unparsable", "truncated", None)


PREFILLED = [name for name in FORMATS if FORMATS[name][0] and not name.startswith(("harmony", "stripped"))]


@pytest.mark.parametrize("name", PREFILLED)
@pytest.mark.parametrize("reader", READERS)
def test_a_thought_that_the_prompt_opened_is_read_as_one_of_the_output(reader: str, name: str) -> None:
    case, (opening, closing) = READERS[reader], FORMATS[name]
    prompt = f"<|user|>A question.<|assistant|>{opening}"
    assert case.read(attach_reasoning(prompt, f"{case.thought}{closing}{case.answer}")).label == case.label
    for thought in (case.thought, case.thought.rstrip("."), ""):
        verdict = case.read(attach_reasoning(prompt, thought))
        assert (verdict.label, verdict.reason) == ("unparsable", "truncated")


@pytest.mark.parametrize("name", FORMATS)
def test_thoughts_are_no_part_of_an_article(name: str) -> None:
    thought = "I'm sorry, but I can't decide how to begin. " * 20
    for answer, outcome in ((ARTICLE, "ok"), (DECLINED, "refusal"), ("", "empty")):
        text = _with(name, thought, answer)
        assert visible(text) == answer
        assert article_outcome(text) == outcome
        assert article_outcome(Response(text, {"finish_reason": "stop"})) == outcome
    opening = FORMATS[name][0]
    for reason in (None, "stop", "length"):
        cut = Response(f"{opening}{ARTICLE}", {"finish_reason": reason})
        assert not opening or article_outcome(cut) == "truncated"
    assert not opening or visible(f"{opening}{ARTICLE}") == ""


# Ordinary answers that begin as a thought of gpt-oss does once its special tokens are stripped.
ORDINARY = {
    "validity-en": {
        "valid": [
            "analysis: the premises guarantee the conclusion, so the argument is valid.",
            "Analysis: if both premises hold, the conclusion must hold. The argument is **valid**.",
            "analysis\n\nBoth premises are universal. The inference is valid.",
            "Analysis\nThe reasoning is valid.",
            "AnalysisThe reasoning is valid.",
        ],
        "invalid": [
            "analysis of the argument: being taller says nothing about merit, so it is invalid.",
            "analysis - the middle term is not distributed, hence invalid.",
            "Analysis shows that the conclusion does not follow. Invalid.",
            "**analysis** The argument is invalid.",
            "commentary: the reasoning is invalid.",
            "Commentary\n\nThe argument is not valid.",
            "Final analysis: the argument is invalid.",
        ],
    },
    "validity-de": {
        "valid": [
            "Analyse: Aus den Prämissen folgt die Konklusion. Der Schluss ist gültig.",
            "analysis: Der Schluss ist gültig.",
            "analysiert man die Form, so ist der Schluss gültig.",
            "Analysiert man beide Prämissen, ergibt sich: gültig.",
        ],
        "invalid": [
            "Analyse\n\nDer Schluss ist ungültig.",
            "Kommentar: Der Schluss ist nicht gültig.",
            "analysis\nDer Schluss ist ungültig.",
        ],
    },
    "stance": {
        "agree": ["analysis: on balance I agree.", "Analysis: agree"],
        "disagree": ["analysis\n\nThe costs outweigh the benefits. I disagree.", "Commentary: I disagree."],
    },
    "entailment": {
        "entailment": ["Analysis: what must be done may be done.\n\nentailment", "analysis: entailment"],
        "non-entailment": ["analysis: that A may happen does not mean that it must. non-entailment"],
    },
    "truth-de": {
        "true": ["Analyse: Die Behauptung ist wahr.", "analysis: wahr"],
        "false": ["analysis\n\nDie Behauptung ist falsch."],
    },
    "conclusion-en": {
        "follows": ["Analysis: the conclusion follows.", "analysis: follows"],
        "open": ["Analysis\n\nThe order may vary. Answer: open", "commentary: open"],
    },
    "choice-2": {
        "1": ["analysis: article 1 is better argued.", "Analysis: Article 1"],
        "2": ["commentary\n\nArticle 2"],
    },
    "cards": {"A,D": ["analysis: turn over A and D.", "Analysis\n\nFinal answer: A, D"]},
}


@pytest.mark.parametrize(
    ("reader", "label", "text"),
    [(reader, label, text) for reader, each in ORDINARY.items() for label in each for text in each[label]],
)
def test_an_answer_that_begins_with_the_word_analysis_is_read(reader: str, label: str, text: str) -> None:
    assert READERS[reader].read(text).label == label
    assert visible(text) == text


def test_a_mark_at_any_place_of_a_long_text() -> None:
    filler = "So it is valid, or so they say. " * 6_250
    for opening, closing in FORMATS.values():
        assert extract_validity(f"{opening}{filler}{closing}Invalid.", "en").label == "invalid"
        assert not opening or extract_validity(f"{opening}{filler}", "en").reason == "truncated"
