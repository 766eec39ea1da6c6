"""Preparation of model outputs that all extractors of answers share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polbias.eval.answers.tokens import Sentence, split_sentences

Span = tuple[int, int]

CUT_OFF = "<think>"
"""What is kept in place of an answer that was cut off before it began: a thought that is never closed."""

HEAD, TAIL = 8_000, 24_000
"""Of a longer output only so many characters at its beginning and at its end are read."""

_MARK = re.compile(
    r"<(?P<tag>/?)(?:\w{1,8}:)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|inner_monologue)>"
    r"|\[(?P<bracket>/?)think\]|◁(?P<mark>/?)think▷|<\|channel>(?:thought)?|<(?P<turned>channel\|>)"
    r"|<\|(?:begin_of_thought|start_thinking|inner_prefix"
    r"|(?P<word>end_of_thought|end_thinking|start_response|inner_suffix))\|>"
    r"|<\|(?:start\|>assistant<\|)?channel\|>\s?(?:analysis|commentary|(?P<channel>final))\b"
    r"(?:[^<\n]{0,80}(?:<\|constrain\|>\w{0,20})?<\|message\|>)?"
    r"|assistant(?-i:analysis|commentary|(?P<stripped>final))",
    re.IGNORECASE,
)
"""What opens a thought; what closes one has a group that is not empty."""
_STRIPPED = re.compile(r"\s*(?:analysis|commentary)(?=[^\W_]|[\"“„«(\[*]|\s*\Z)")
"""How an output of gpt-oss begins once its special tokens are left out: "analysisWe must say". An ordinary
answer has a sign or a space after the word."""
_UNFINISHED = re.compile(r"(?:\w|[,:;(\[{–—-]|(?<=\s)[*_`\"'„“#]+)\s*$")


@dataclass(frozen=True, slots=True)
class Prepared:
    """An output without its thinking.

    Attributes:
        sentences: The sentences of the visible answer.
        truncated: Whether the output breaks off: a thought is never closed, or the last
            sentence has no end.
    """

    sentences: tuple[Sentence, ...]
    truncated: bool


def prepare(text: str) -> Prepared:
    """Strip the thinking from an output and split the rest into sentences.

    A closed ``<think>`` block is dropped, as is all before a closing tag that was never opened;
    a block that is opened and never closed is dropped and makes the answer truncated. So are the marks
    of other models, and the channels of gpt-oss with and without their special tokens.

    Args:
        text: The output, any string.

    Returns:
        The sentences, whose tokens carry offsets into ``text``.
    """
    outside, unfinished = _outside(text)
    stretches = _window(list(_trim(outside, text)))
    sentences = tuple(sentence for span in stretches for sentence in split_sentences(text, *span))
    tail = text[max(stretches[-1][0], stretches[-1][1] - 200) : stretches[-1][1]] if stretches else ""
    return Prepared(sentences, unfinished is not None or bool(_UNFINISHED.search(tail)))


def visible(text: str) -> str:
    """Return an output without its thinking and without white space at its ends."""
    return "".join(text[start:end] for start, end in _outside(text)[0]).strip()


def blanked(text: str) -> str:
    """Return an output with line breaks for its thinking, in which every character stands where it stood.

    The mark that opens a thought which is never closed is left, so that it can still be told.
    """
    stretches, opened = _outside(text)
    kept, position = [], 0
    for start, end in (*stretches, *([opened] if opened else ())):
        kept += ["\n" * (start - position), text[start:end]]
        position = end
    return "".join((*kept, "\n" * (len(text) - position)))


def _outside(text: str) -> tuple[list[Span], Span | None]:
    """Return the stretches outside thoughts, and the mark that opens a thought which is never closed."""
    stretches: list[Span] = []
    stripped = _STRIPPED.match(text)
    opened = stripped.span() if stripped else None
    position = 0
    for mark in _MARK.finditer(text):
        if any(mark.groups()):
            if opened is None:
                stretches.clear()
            position, opened = mark.end(), None
        elif opened is None:
            stretches.append((position, mark.start()))
            opened = mark.span()
    if opened is None:
        stretches.append((position, len(text)))
    return stretches, opened


def _trim(stretches: Sequence[Span], text: str) -> Iterator[Span]:
    """Take the white space off the ends of stretches, and drop empty ones."""
    for start, end in stretches:
        inner = text[start:end]
        span = end - len(inner.lstrip()), start + len(inner.rstrip())
        if span[0] < span[1]:
            yield span


def _window(stretches: list[Span]) -> list[Span]:
    """Cut the middle out of a very long output."""
    size = sum(end - start for start, end in stretches)
    if size <= HEAD + TAIL:
        return stretches
    return [*_take(stretches, 0, HEAD), *_take(stretches, size - TAIL, size)]


def _take(stretches: Sequence[Span], low: int, high: int) -> Iterator[Span]:
    """Yield what lies between two positions counted along the stretches."""
    seen = 0
    for start, end in stretches:
        first, last = max(low - seen, 0), min(high - seen, end - start)
        if first < last:
            yield start + first, start + last
        seen += end - start
