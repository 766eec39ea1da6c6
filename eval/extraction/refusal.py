"""Refusals: responses that decline to answer, whatever the question."""

from __future__ import annotations

from collections.abc import Sequence

from polbias.eval.extraction.cues import Cues
from polbias.eval.extraction.prompt_echo import first_match
from polbias.eval.extraction.tokens import Sentence
from polbias.eval.extraction.voice import without_opinions

_MAX_SHORT_TOKENS = 25
"""That an answer has no more tokens is one more sign."""
_THRESHOLD = 3
"""The weight of the signs that make a refusal."""

_GROUNDS = ("topic", "machine", "harm", "idiom")
"""Signs that what declines does so for the sake of the content, not for want of an argument."""


REFUSAL_CUES, REFUSAL_SIGNS, ARTICLE_CUES = Cues("refusal"), Cues("refusal_signs"), Cues("article")


def lacks_input(sentences: Sequence[Sentence]) -> bool:
    """Say whether an output asks for the argument, which it has not got."""
    return any(REFUSAL_CUES["lacking"].search(sentence.text) for sentence in sentences)


def find_withdrawal(sentences: Sequence[Sentence], explicit: bool) -> tuple[int, int] | None:
    """Find the words with which an output, after general remarks, declines to judge the argument."""
    for sentence in without_opinions(sentences):
        match = REFUSAL_CUES["decline"].search(sentence.text)
        has_object = not explicit or REFUSAL_CUES["object"].search(sentence.text)
        if match and has_object and not REFUSAL_CUES["aside"].search(sentence.text):
            return sentence.origin(*match.span())
    return None


def find_refusal(
    sentences: Sequence[Sentence],
    truncated: bool,
    outright: bool = False,
    item_words: frozenset[str] = frozenset(),
) -> tuple[int, int] | None:
    """Find the words with which an output declines to answer; what the item says is no sign of it."""
    sentences = without_opinions(sentences)
    decline = first_match(REFUSAL_CUES["decline"], sentences)
    if truncated and first_match(REFUSAL_CUES["performing"], sentences):
        return None
    signs = {
        name: (int(sign["weight"]), first_match(REFUSAL_SIGNS[f"{name}.words"], sentences))
        for name, sign in REFUSAL_SIGNS.blocks.items()
        if name != "groups"
    }
    if item_words and signs["topic"][1]:
        topics = (
            match.group()
            for sentence in sentences
            for match in REFUSAL_SIGNS["topic.words"].finditer(sentence.text)
        )
        if item_words.issuperset(topics):
            signs["topic"] = 0, None
    total = sum(weight for weight, span in signs.values() if span)
    grounded = any(signs[name][1] for name in _GROUNDS) and total >= _THRESHOLD
    if first_match(REFUSAL_CUES["missing"], sentences) and not (decline and grounded):
        return None
    if decline or outright:
        return decline
    short = sum(len(sentence.tokens) for sentence in sentences) <= _MAX_SHORT_TOKENS
    if total + short >= _THRESHOLD:
        return next(span for weight, span in signs.values() if weight > 0 and span)
    return first_match(REFUSAL_CUES["disclaim"], sentences)
