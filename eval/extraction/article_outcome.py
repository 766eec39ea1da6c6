"""Outcome of a request for an article: complete, truncated, refused or empty."""

from __future__ import annotations

from collections.abc import Sequence

from polbias.eval.extraction.preparation import prepare, visible
from polbias.eval.extraction.prompt_echo import first_match
from polbias.eval.extraction.refusal import ARTICLE_CUES, find_refusal
from polbias.eval.extraction.tokens import Sentence
from polbias.responses import LENGTH_FINISH_REASONS, finish_reason, is_withheld

ARTICLE_OUTCOMES = ("ok", "refusal", "truncated", "empty")
"""Outcomes of a request for an article."""

_MAX_REFUSAL_WORDS = 120  # a longer response is an article, whatever its beginning
_OPENING_SENTENCES = 2  # sentences in which a refusal is searched


def article_outcome(text: str) -> str:
    """Return the outcome of a request for an article, one of :data:`ARTICLE_OUTCOMES`."""
    reason = finish_reason(text)
    if is_withheld(reason):
        return "refusal"
    prepared, words = prepare(text), visible(text).split()
    is_truncated = prepared.truncated if reason is None else reason in LENGTH_FINISH_REASONS
    if not words or (not prepared.sentences and reason is None):  # empty, or reasoning only
        return "truncated" if is_truncated or prepared.truncated else "empty"
    if len(words) <= _MAX_REFUSAL_WORDS and _declines(
        prepared.sentences[:_OPENING_SENTENCES], prepared.truncated
    ):
        return "refusal"
    return "truncated" if is_truncated else "ok"


def _declines(opening: Sequence[Sentence], truncated: bool) -> bool:
    refusal = first_match(ARTICLE_CUES["refused"], opening)
    return (refusal or find_refusal(opening, truncated, outright=True)) is not None
