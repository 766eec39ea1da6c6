"""Preparation of responses: removal of reasoning and markup, tokenization."""

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
    """Return the reader with a cache keyed by text, finish reason and question."""

    @lru_cache(maxsize=size)
    def cached(text: str, reason: str | None, *question: Hashable) -> _Outcome:
        return read(Response(text, {"finish_reason": reason} if reason else None), *question)

    def reader(text: str, *question: Hashable) -> _Outcome:
        return cached(str(text), finish_reason(text), *question)  # the cache holds no reasoning

    return reader


HEAD, TAIL = 8_000, 24_000
"""Numbers of characters that are read at the beginning and the end of a longer response."""

SHORT = 1_000
"""Maximum characters of a text whose preparation is cached."""
_STRIPPED = re.compile(r"\s*(?:analysis|commentary)(?=[^\W_]|[\"“„«(\[*]|\s*\Z)")
"""Beginning of a gpt-oss response without its special tokens: "analysisWe must say". In other answers a
punctuation mark or a space follows the word."""
_UNFINISHED = re.compile(r"(?:\w|[,:;(\[{–—-]|(?<=\s)[*_`\"'„“#]+)\s*$")


_FEW_LETTERS = 2


@dataclass(frozen=True)
class PreparedAnswer:
    """A response without its reasoning.

    Attributes:
        sentences: Sentences of the visible answer.
        truncated: Whether the response is truncated: its reasoning is not closed, or its last sentence has no
            end.
    """

    sentences: tuple[Sentence, ...]
    truncated: bool

    @cached_property
    def words(self) -> frozenset[str]:
        """Words with more than two letters; shorter words do not indicate an echo."""
        words = (token.text for sentence in self.sentences for token in sentence.tokens)
        return frozenset(word for word in words if len(word) > _FEW_LETTERS)


def prepare(text: str) -> PreparedAnswer:
    """Strip the reasoning from a response and split the answer into sentences.

    Drops closed ``<think>`` blocks, and all text before a closing tag without an opening tag. Drops an
    unclosed block too, and marks the answer as truncated. The same holds for the tags of other models, and
    for the channels of gpt-oss with and without their special tokens.
    """
    return _prepare(text) if len(text) <= SHORT else _prepare.__wrapped__(text)


@lru_cache(maxsize=1 << 12)
def _prepare(text: str) -> PreparedAnswer:
    """Prepare a text; cached, as statements and short answers recur."""
    outside, unfinished = _visible_spans(text)
    stretches = _head_and_tail(list(_trim(outside, text)))
    sentences = tuple(sentence for span in stretches for sentence in split_sentences(text, *span))
    tail = text[max(stretches[-1][0], stretches[-1][1] - 200) : stretches[-1][1]] if stretches else ""
    return PreparedAnswer(sentences, unfinished is not None or bool(_UNFINISHED.search(tail)))


_OPEN = re.compile(r"[,(\[{„–—]\s*$")


def is_cut_off(text: str, dangling: re.Pattern[str]) -> bool:
    """Whether a response is truncated, with more evidence than a missing full stop.

    Evidence is the finish reason, unclosed reasoning or, without a finish reason, a final word or punctuation
    mark that requires a continuation.
    """
    reason = finish_reason(text)
    if reason in LENGTH_FINISH_REASONS or _visible_spans(text)[1] is not None:
        return True
    tail = text.rstrip()[-200:]
    return reason is None and bool(_OPEN.search(tail) or dangling.search(tail.lower()))


def visible(text: str) -> str:
    """Return a response without its reasoning, stripped of white space."""
    return "".join(text[start:end] for start, end in _visible_spans(text)[0]).strip()


def mask_reasoning(text: str) -> str:
    """Replace the reasoning of a response by line breaks, keeping the offsets of all characters.

    The opening tag of unclosed reasoning is kept, so that the text still counts as truncated.
    """
    stretches, opened = _visible_spans(text)
    pieces, position = [], 0
    for start, end in (*stretches, *([opened] if opened else ())):
        pieces += ["\n" * (start - position), text[start:end]]
        position = end
    return "".join((*pieces, "\n" * (len(text) - position)))


def _visible_spans(text: str) -> tuple[list[Span], Span | None]:
    """Return the spans outside reasoning, and the span of the opening tag of unclosed reasoning."""
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
    """Strip white space from spans, and drop empty spans."""
    for start, end in stretches:
        inner = text[start:end]
        span = end - len(inner.lstrip()), start + len(inner.rstrip())
        if span[0] < span[1]:
            yield span


def _head_and_tail(stretches: list[Span]) -> list[Span]:
    """Return the spans of the head and tail of a very long response."""
    size = sum(end - start for start, end in stretches)
    if size <= HEAD + TAIL:
        return stretches
    return [*_slice_spans(stretches, 0, HEAD), *_slice_spans(stretches, size - TAIL, size)]


def _slice_spans(stretches: Sequence[Span], low: int, high: int) -> Iterator[Span]:
    """Yield the parts of spans between two positions counted along the spans."""
    seen = 0
    for start, end in stretches:
        first, last = max(low - seen, 0), min(high - seen, end - start)
        if first < last:
            yield start + first, start + last
        seen += end - start
