"""Telling whether an output declines to answer, for any question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from polbias.eval.answers.grammar import compile_lists, read_cues
from polbias.eval.answers.text import Sentence


@lru_cache(maxsize=1)
def _cues() -> Mapping[str, re.Pattern[str]]:
    return compile_lists(read_cues("refusal"))


def find_refusal(sentences: Sequence[Sentence], truncated: bool) -> tuple[int, int] | None:
    """Find the words with which an output declines to answer.

    Args:
        sentences: The sentences of the output.
        truncated: Whether the output breaks off.

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
    return first("decline") or first("disclaim")
