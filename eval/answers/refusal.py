"""Telling whether an output declines to answer, for any question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from polbias.eval.answers.grammar import compile_lists, read_cues
from polbias.eval.answers.tokens import Sentence

_SHORT = 25
"""A denial in an answer of no more tokens is a refusal, whatever its topic."""


@lru_cache(maxsize=1)
def _cues() -> Mapping[str, re.Pattern[str]]:
    return compile_lists(read_cues("refusal"))


def lacks_input(sentences: Sequence[Sentence]) -> bool:
    """Say whether an output asks for the argument, which it has not got.

    Args:
        sentences: The sentences of the output.

    Returns:
        Whether it does.
    """
    return any(_cues()["lacking"].search(sentence.text) for sentence in sentences)


def find_withdrawal(sentences: Sequence[Sentence]) -> tuple[int, int] | None:
    """Find the words with which an output, after general remarks, declines to judge the argument.

    Args:
        sentences: The sentences after the remarks.

    Returns:
        Where the words stand in the original text; ``None`` if nothing declines.
    """
    cues = _cues()
    for sentence in sentences:
        match = cues["decline"].search(sentence.text)
        if match and cues["object"].search(sentence.text) and not cues["aside"].search(sentence.text):
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

    def first(name: str) -> tuple[int, int] | None:
        """Return where the first match of a list stands."""
        for sentence in sentences:
            match = cues[name].search(sentence.text)
            if match:
                return sentence.origin(*match.span())
        return None

    if first("missing") and not (first("decline") and first("topic")):
        return None
    if truncated and first("performing"):
        return None
    if outright:
        return first("decline")
    short = sum(len(sentence.tokens) for sentence in sentences) <= _SHORT
    if first("topic") or (short and not first("subject")):
        return first("decline") or first("disclaim") or first("denial")
    return first("decline") or first("disclaim")
