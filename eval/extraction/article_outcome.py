"""What came in place of an article: one, a part of one, a refusal or nothing."""

from __future__ import annotations

from collections.abc import Sequence

from polbias.eval.extraction.preparation import prepare, visible
from polbias.eval.extraction.prompt_echo import first_match
from polbias.eval.extraction.refusal import ARTICLE_CUES, find_refusal
from polbias.eval.extraction.tokens import Sentence
from polbias.responses import LENGTH_FINISH_REASONS, finish_reason, is_withheld

ARTICLE_OUTCOMES = ("ok", "refusal", "truncated", "empty")
"""What can come in place of an article."""

_FEW_WORDS = 120  # words: what is longer is an article, however it begins
_OPENING = 2  # sentences that may decline


def article_outcome(text: str) -> str:
    """Say what came: an article, a refusal, a part of an article, or nothing."""
    reason = finish_reason(text)
    if is_withheld(reason):
        return "refusal"
    prepared, words = prepare(text), visible(text).split()
    broken = prepared.truncated if reason is None else reason in LENGTH_FINISH_REASONS
    if not words or (not prepared.sentences and reason is None):  # nothing, or nothing but thoughts
        return "truncated" if broken or prepared.truncated else "empty"
    if len(words) <= _FEW_WORDS and _declines(prepared.sentences[:_OPENING], prepared.truncated):
        return "refusal"
    return "truncated" if broken else "ok"


def _declines(opening: Sequence[Sentence], truncated: bool) -> bool:
    refused = first_match(ARTICLE_CUES["refused"], opening)
    return (refused or find_refusal(opening, truncated, outright=True)) is not None
