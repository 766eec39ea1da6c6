"""Clauses whose subject is not the model: what they deny is an opinion, and declines nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from polbias.eval.extraction.cues import Cues, Patterns
from polbias.eval.extraction.tokens import Sentence

_CUES = Cues("voice")
_SUBJECT_WORDS = 3
"""Of so many words before a verb none is the model's, such as "my", if the subject is another."""


@cache
def _languages() -> tuple[Patterns, ...]:
    """The patterns of each language."""
    return tuple(_CUES.part(language) for language in _CUES.blocks)


def without_opinions(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Put commas, as long as the words, for every clause whose subject is not the model.

    "I believe that the state must not choose" declines nothing, "I must not choose" does. All other words
    keep their places.
    """
    return tuple(_mask_opinions(sentence) for sentence in sentences)


@lru_cache(maxsize=1 << 12)  # several questions are asked of each
def _mask_opinions(sentence: Sentence) -> Sentence:
    spans = [span for cues in _languages() for span in _opinion_spans(sentence.text, cues)]
    if not spans:
        return sentence
    tokens, position = [], 0
    for token in sentence.tokens:
        is_inside = any(start <= position < end for start, end in spans)
        tokens.append(replace(token, text="," * len(token.text), marked=False) if is_inside else token)
        position += len(token.text) + 1
    return Sentence(tuple(tokens))


def _opinion_spans(text: str, cues: Patterns) -> Iterator[tuple[int, int]]:
    """Yield where clauses stand that have another subject than the model."""
    if not cues["negator"].search(text):
        return
    for match in cues["opens"].finditer(text):
        yield from _negated_clause(text, match.end(), match.end(), cues)
    for match in cues["denies"].finditer(text):
        yield from _negated_clause(text, match.start(), match.end(), cues)
    for match in cues["generic"].finditer(text):
        yield from _negated_clause(text, match.start(), match.end(), cues)
    for match in cues["finite"].finditer(text):
        if _has_other_subject(text[: match.start()].split(), cues):
            yield from _negated_clause(text, match.start(), match.start(), cues)


def _has_other_subject(words: list[str], cues: Patterns) -> bool:
    """Say whether the words before a verb end in a subject that is not the model."""
    while words and cues["adverb"].fullmatch(words[-1]):
        words.pop()
    if not words or not words[-1][0].isalnum() or cues["unspoken"].fullmatch(words[-1]):
        return False
    return not any(cues["speaker"].fullmatch(word) for word in words[-_SUBJECT_WORDS:])


def _negated_clause(text: str, start: int, begin: int, cues: Patterns) -> Iterator[tuple[int, int]]:
    """Yield a stretch that denies, up to where the model speaks of itself in another clause."""
    speaker = cues["speaker"].search(text, begin)
    end = len(text)
    if speaker:
        end = max(
            (match.start() for match in cues["parted"].finditer(text, begin, speaker.start())), default=0
        )
    if cues["negator"].search(text, start, end):
        yield start, end
