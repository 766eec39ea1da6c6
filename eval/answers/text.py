"""Preparation of model outputs that all extractors of answers share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polbias.eval.answers.tokens import Sentence, split_sentences

Span = tuple[int, int]

HEAD, TAIL = 8_000, 24_000
"""Of a longer output only so many characters at its beginning and at its end are read."""

_THOUGHT = re.compile(
    r"<(?P<close>/?)(?:seed:)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|inner_monologue)>"
    r"|\[(?P<close_bracket>/?)think\]|◁(?P<close_mark>/?)think▷|<\|(?:begin|(?P<close_word>end))_of_thought\|>"
    r"|<\|channel\|>(?:analysis|commentary|(?P<close_channel>final))<\|message\|>",
    re.IGNORECASE,
)
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
    a block that is opened and never closed is dropped and makes the answer truncated.

    Args:
        text: The output, any string.

    Returns:
        The sentences, whose tokens carry offsets into ``text``.
    """
    outside, unfinished = _outside(text)
    stretches = _window(list(_trim(outside, text)))
    sentences = tuple(sentence for span in stretches for sentence in split_sentences(text, *span))
    tail = text[max(stretches[-1][0], stretches[-1][1] - 200) : stretches[-1][1]] if stretches else ""
    return Prepared(sentences, unfinished or bool(_UNFINISHED.search(tail)))


def visible(text: str) -> str:
    """Return an output without its thinking and without white space at its ends."""
    return "".join(text[start:end] for start, end in _outside(text)[0]).strip()


def _outside(text: str) -> tuple[list[Span], bool]:
    """Return the stretches outside thoughts, and whether a thought is never closed."""
    stretches: list[Span] = []
    position, opened = 0, False
    for tag in _THOUGHT.finditer(text):
        if any(tag.groups()):
            if not opened:
                stretches.clear()
            position, opened = tag.end(), False
        elif not opened:
            stretches.append((position, tag.start()))
            opened = True
    if not opened:
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
