"""Refusals: responses that decline to answer, for any question."""

from __future__ import annotations

from collections.abc import Sequence

from polbias.eval.extraction.cues import Cues
from polbias.eval.extraction.prompt_echo import first_match
from polbias.eval.extraction.tokens import Sentence
from polbias.eval.extraction.voice import without_reported_opinions

_MAX_SHORT_TOKENS = 25
"""Maximum tokens of a short answer; its shortness adds 1 to the weight of the signs."""
_THRESHOLD = 3
"""Minimum weight of the signs of a refusal."""

_GROUNDS = ("topic", "machine", "harm", "idiom")
"""Signs that a response declines because of the content, not because the argument is missing."""


REFUSAL_CUES, REFUSAL_SIGNS, ARTICLE_CUES = Cues("refusal"), Cues("refusal_signs"), Cues("article")


def lacks_input(sentences: Sequence[Sentence]) -> bool:
    """Whether a response asks for the missing argument."""
    return any(REFUSAL_CUES["lacking"].search(sentence.text) for sentence in sentences)


def find_withdrawal(sentences: Sequence[Sentence], explicit: bool) -> tuple[int, int] | None:
    """Return the span in which a response, after general remarks, declines to judge the argument."""
    for sentence in without_reported_opinions(sentences):
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
    """Return the span in which a response declines to answer; topic words of the item are not a sign."""
    sentences = without_reported_opinions(sentences)
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
