"""Outputs that are a bare reply, or begin with one: shared by the questions that are answered yes or no."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from polbias.eval.answers.tokens import Sentence
from polbias.eval.answers.verdict import Verdict


def whole_reply(
    sentences: Sequence[Sentence], patterns: Mapping[str, re.Pattern[str]], marks: str
) -> Verdict | None:
    """Read an output that is nothing but a reply.

    Args:
        sentences: of the output.
        patterns: what the whole of it must match, by label.
        marks: signs around the reply that do not count.
    """
    if len(sentences) != 1:
        return None
    text = sentences[0].text.strip(marks)
    for label, pattern in patterns.items():
        if pattern.fullmatch(text):
            return Verdict(label, "reply", sentences[0].origin(0, len(sentences[0].text)))
    return None


def opening_reply(sentences: Sequence[Sentence], patterns: Mapping[str, re.Pattern[str]]) -> Verdict | None:
    """Read a yes or no that begins an output which says nothing clearer.

    Args:
        sentences: of the output.
        patterns: what its beginning must match, by label.
    """
    for label, pattern in patterns.items():
        match = pattern.match(sentences[0].text) if sentences else None
        if match:
            return Verdict(label, "reply", sentences[0].origin(*match.span()))
    return None
