"""The text of a response without thoughts and markup, as tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeVar

from polbias.eval.extraction.tokens import Sentence, Span, split_sentences
from polbias.responses import LENGTH_FINISH_REASONS, THOUGHT_MARK, Response, finish_reason

_Outcome = TypeVar("_Outcome")


def cached_reader(read: Callable[..., _Outcome], size: int = 1 << 16) -> Callable[..., _Outcome]:
    """A reader that keeps what it made of the same text, ended for the same reason."""

    @lru_cache(maxsize=size)
    def cached(text: str, reason: str | None, *question: Hashable) -> _Outcome:
        return read(Response(text, {"finish_reason": reason} if reason else None), *question)

    def reader(text: str, *question: Hashable) -> _Outcome:
        return cached(str(text), finish_reason(text), *question)  # the cache holds no thoughts

    return reader


HEAD, TAIL = 8_000, 24_000
"""Of a longer output only so many characters at its beginning and at its end are read."""

SHORT = 1_000
"""Characters of a text that is kept when it is prepared."""
_STRIPPED = re.compile(r"\s*(?:analysis|commentary)(?=[^\W_]|[\"“„«(\[*]|\s*\Z)")
"""How an output of gpt-oss begins once its special tokens are left out: "analysisWe must say". An ordinary
answer has a sign or a space after the word."""
_UNFINISHED = re.compile(r"(?:\w|[,:;(\[{–—-]|(?<=\s)[*_`\"'„“#]+)\s*$")


_FEW_LETTERS = 2


@dataclass(frozen=True)
class PreparedAnswer:
    """An output without its thinking.

    Attributes:
        sentences: The sentences of the visible answer.
        truncated: Whether the output breaks off: a thought is never closed, or the last
            sentence has no end.
    """

    sentences: tuple[Sentence, ...]
    truncated: bool

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all sentences but the shortest, which tell no echo."""
        words = (token.text for sentence in self.sentences for token in sentence.tokens)
        return frozenset(word for word in words if len(word) > _FEW_LETTERS)


def prepare(text: str) -> PreparedAnswer:
    """Strip the thinking from an output and split the rest into sentences.

    A closed ``<think>`` block is dropped, as is all before a closing tag that was never opened;
    a block that is opened and never closed is dropped and makes the answer truncated. So are the marks
    of other models, and the channels of gpt-oss with and without their special tokens.
    """
    return _prepare(text) if len(text) <= SHORT else _prepare.__wrapped__(text)


@lru_cache(maxsize=1 << 12)
def _prepare(text: str) -> PreparedAnswer:
    """Prepare a text; a statement is asked about many times, and short answers come again and again."""
    outside, unfinished = _visible_spans(text)
    stretches = _head_and_tail(list(_trim(outside, text)))
    sentences = tuple(sentence for span in stretches for sentence in split_sentences(text, *span))
    tail = text[max(stretches[-1][0], stretches[-1][1] - 200) : stretches[-1][1]] if stretches else ""
    return PreparedAnswer(sentences, unfinished is not None or bool(_UNFINISHED.search(tail)))


_OPEN = re.compile(r"[,(\[{„–—]\s*$")


def is_cut_off(text: str, dangling: re.Pattern[str]) -> bool:
    """Say whether there is evidence that an output was cut off, not only that its last word has no full stop.

    The server says so, a thought is never closed, or, where the server says nothing, the text ends in a word
    or sign that asks for more.
    """
    reason = finish_reason(text)
    if reason in LENGTH_FINISH_REASONS or _visible_spans(text)[1] is not None:
        return True
    tail = text.rstrip()[-200:]
    return reason is None and bool(_OPEN.search(tail) or dangling.search(tail.lower()))


def visible(text: str) -> str:
    """Return an output without its thinking and without white space at its ends."""
    return "".join(text[start:end] for start, end in _visible_spans(text)[0]).strip()


def mask_reasoning(text: str) -> str:
    """Return an output with line breaks for its thinking, in which every character stands where it stood.

    The mark that opens a thought which is never closed is left, so that it can still be told.
    """
    stretches, opened = _visible_spans(text)
    pieces, position = [], 0
    for start, end in (*stretches, *([opened] if opened else ())):
        pieces += ["\n" * (start - position), text[start:end]]
        position = end
    return "".join((*pieces, "\n" * (len(text) - position)))


def _visible_spans(text: str) -> tuple[list[Span], Span | None]:
    """Return the stretches outside thoughts, and the mark that opens a thought which is never closed."""
    stretches: list[Span] = []
    stripped = _STRIPPED.match(text)
    opened = stripped.span() if stripped else None
    position = 0
    for mark in THOUGHT_MARK.finditer(text):
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


def _head_and_tail(stretches: list[Span]) -> list[Span]:
    """Cut the middle out of a very long output."""
    size = sum(end - start for start, end in stretches)
    if size <= HEAD + TAIL:
        return stretches
    return [*_slice_spans(stretches, 0, HEAD), *_slice_spans(stretches, size - TAIL, size)]


def _slice_spans(stretches: Sequence[Span], low: int, high: int) -> Iterator[Span]:
    """Yield what lies between two positions counted along the stretches."""
    seen = 0
    for start, end in stretches:
        first, last = max(low - seen, 0), min(high - seen, end - start)
        if first < last:
            yield start + first, start + last
        seen += end - start
