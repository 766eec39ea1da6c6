"""What came in place of an article: one, a part of one, a refusal or nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from polbias.eval.answers.grammar import compile_lists, read_cues
from polbias.eval.answers.refusal import find_refusal
from polbias.eval.answers.text import prepare, visible
from polbias.eval.answers.tokens import Sentence

ARTICLE_OUTCOMES = ("ok", "refusal", "truncated", "empty")
"""What can come in place of an article."""

_REFUSED = frozenset({"refusal", "content_filter"})
_SHORT = 120  # words: what is longer is an article, however it begins
_OPENING = 2  # sentences that may decline


@cache
def _refused() -> re.Pattern[str]:
    return compile_lists(read_cues("article"))["refused"]


def article_outcome(text: str, finish_reason: str | None = None) -> str:
    """Say what came: an article, a refusal, a part of an article, or nothing.

    Args:
        text: the model's output. Thoughts are not read.
        finish_reason: why the output ended, as a server says; without one the text itself tells whether it
            breaks off.

    Returns:
        "empty"; "refusal", if the server calls it so or at most 120 words begin with two sentences that
        decline; "truncated", if the text or a thought breaks off; else "ok".
    """
    if finish_reason in _REFUSED:
        return "refusal"
    prepared, words = prepare(text), visible(text).split()
    broken = prepared.truncated if finish_reason is None else finish_reason == "length"
    if not words or (not prepared.sentences and finish_reason is None):  # nothing, or nothing but thoughts
        return "truncated" if broken or prepared.truncated else "empty"
    if len(words) <= _SHORT and _declines(prepared.sentences[:_OPENING], prepared.truncated):
        return "refusal"
    return "truncated" if broken else "ok"


def _declines(opening: Sequence[Sentence], truncated: bool) -> bool:
    if any(_refused().search(sentence.text) for sentence in opening):
        return True
    return find_refusal(opening, truncated, outright=True) is not None
