"""Clauses whose subject is not the model: what they deny is an opinion, and declines nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from polbias.eval.answers.cues import Cues, Patterns
from polbias.eval.answers.text import Sentence

_CUES = Cues("voice")


@cache
def _languages() -> tuple[Patterns, ...]:
    """The patterns of each language."""
    return tuple(_CUES.part(language) for language in _CUES.blocks)


def without_opinions(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Put commas, as long as the words, for every clause whose subject is not the model.

    "I believe that the state must not choose" declines nothing, "I must not choose" does. All other words
    keep their places.
    """
    return tuple(_masked(sentence) for sentence in sentences)


def _masked(sentence: Sentence) -> Sentence:
    spans = [span for cues in _languages() for span in _opinions(sentence.text, cues)]
    if not spans:
        return sentence
    tokens, position = [], 0
    for token in sentence.tokens:
        inside = any(start <= position < end for start, end in spans)
        tokens.append(replace(token, text="," * len(token.text), marked=False) if inside else token)
        position += len(token.text) + 1
    return Sentence(tuple(tokens))


def _opinions(text: str, cues: Patterns) -> Iterator[tuple[int, int]]:
    """Yield where clauses stand that have another subject than the model."""
    if not cues["negator"].search(text):
        return
    for match in cues["opens"].finditer(text):
        yield from _clause(text, match.end(), match.end(), cues)
    for match in cues["denies"].finditer(text):
        yield from _clause(text, match.start(), match.end(), cues)
    for match in cues["generic"].finditer(text):
        yield from _clause(text, match.start(), match.end(), cues)
    for match in cues["parted"].finditer(text):
        start, end = next(_clause(text, match.end(), match.end(), cues), (0, 0))
        subject = start + 1
        finite = cues["finite"].search(text, subject, end)
        if finite and finite.start() > subject and not cues["starter"].match(text, subject):
            yield start, end


def _clause(text: str, start: int, begin: int, cues: Patterns) -> Iterator[tuple[int, int]]:
    """Yield a stretch that denies, up to where the model speaks of itself in another clause."""
    speaker = cues["speaker"].search(text, begin)
    end = len(text)
    if speaker:
        end = max(
            (match.start() for match in cues["parted"].finditer(text, begin, speaker.start())), default=0
        )
    if cues["negator"].search(text, start, end):
        yield start, end
