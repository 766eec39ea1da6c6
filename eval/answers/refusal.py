"""Telling whether an output declines to answer, for any question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from polbias.eval.answers.grammar import compile_lists, read_cues
from polbias.eval.answers.tokens import Sentence

REFUSED_BY_PROVIDER = "I can't help with this request: the provider refused to answer it."
"""What is kept in place of an answer that a provider refuses to give; every reader takes it for a refusal."""

_SHORT = 25
"""That an answer has no more tokens is one more sign."""
_THRESHOLD = 3
"""The weight of the signs that make a refusal."""

_GROUNDS = ("topic", "machine", "harm", "idiom")
"""Signs that what declines does so for the sake of the content, not for want of an argument."""


@cache
def _cues() -> Mapping[str, re.Pattern[str]]:
    return compile_lists(read_cues("refusal"))


@cache
def _signs() -> Mapping[str, tuple[int, re.Pattern[str]]]:
    signs = read_cues("refusal_signs")
    groups = signs.pop("groups")
    patterns = compile_lists({"groups": groups, **{name: sign["words"] for name, sign in signs.items()}})
    return {name: (int(signs[name]["weight"]), pattern) for name, pattern in patterns.items()}


def lacks_input(sentences: Sequence[Sentence]) -> bool:
    """Say whether an output asks for the argument, which it has not got.

    Args:
        sentences: The sentences of the output.

    Returns:
        Whether it does.
    """
    return any(_cues()["lacking"].search(sentence.text) for sentence in sentences)


def find_withdrawal(sentences: Sequence[Sentence], explicit: bool) -> tuple[int, int] | None:
    """Find the words with which an output, after general remarks, declines to judge the argument.

    Args:
        sentences: The sentences after the remarks.
        explicit: Whether they must name the argument, or the verdict on it.

    Returns:
        Where the words stand in the original text; ``None`` if nothing declines.
    """
    cues = _cues()
    for sentence in sentences:
        match = cues["decline"].search(sentence.text)
        named = not explicit or cues["object"].search(sentence.text)
        if match and named and not cues["aside"].search(sentence.text):
            return sentence.origin(*match.span())
    return None


def find_refusal(
    sentences: Sequence[Sentence], truncated: bool, outright: bool = False
) -> tuple[int, int] | None:
    """Find the words with which an output declines to answer.

    Args:
        sentences: The sentences of the output.
        truncated: Whether the output breaks off.
        outright: Whether only an outright refusal counts, no mere disclaimer.

    Returns:
        Where the words stand in the original text. ``None`` if nothing declines, if the model only
        misses its input, or if it breaks off in the middle of doing what it first disclaimed.
    """
    cues = _cues()
    decline = _first(cues["decline"], sentences)
    if truncated and _first(cues["performing"], sentences):
        return None
    found = {name: (weight, _first(pattern, sentences)) for name, (weight, pattern) in _signs().items()}
    total = sum(weight for weight, span in found.values() if span)
    grounded = any(found[name][1] for name in _GROUNDS) and total >= _THRESHOLD
    if _first(cues["missing"], sentences) and not (decline and grounded):
        return None
    if decline or outright:
        return decline
    short = sum(len(sentence.tokens) for sentence in sentences) <= _SHORT
    if total + short >= _THRESHOLD:
        return next(span for weight, span in found.values() if weight > 0 and span)
    return _first(cues["disclaim"], sentences)


def _first(pattern: re.Pattern[str], sentences: Sequence[Sentence]) -> tuple[int, int] | None:
    """Return where the first match of a pattern stands in the original text."""
    for sentence in sentences:
        match = pattern.search(sentence.text)
        if match:
            return sentence.origin(*match.span())
    return None
