"""Clauses whose subject is not the model: their negations are opinions, not refusals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from polbias.eval.extraction.cues import Cues, Patterns
from polbias.eval.extraction.tokens import Sentence

_CUES = Cues("voice")
_SUBJECT_WORDS = 3
"""Words before a verb in which a word such as "my" means that the model is its subject."""


@cache
def _languages() -> tuple[Patterns, ...]:
    """Return the patterns of each language."""
    return tuple(_CUES.part(language) for language in _CUES.blocks)


def without_reported_opinions(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Replace the words of every negated clause whose subject is not the model by commas of equal length.

    "I believe that the state must not choose" is not a refusal, "I must not choose" is. All other words keep
    their positions.
    """
    return tuple(_mask_opinions(sentence) for sentence in sentences)


@lru_cache(maxsize=1 << 12)  # several extractors mask the same sentence
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
    """Yield the spans of negated clauses whose subject is not the model."""
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
    """Whether the words before a verb end in a subject that is not the model."""
    while words and cues["adverb"].fullmatch(words[-1]):
        words.pop()
    if not words or not words[-1][0].isalnum() or cues["unspoken"].fullmatch(words[-1]):
        return False
    return not any(cues["speaker"].fullmatch(word) for word in words[-_SUBJECT_WORDS:])


def _negated_clause(text: str, start: int, begin: int, cues: Patterns) -> Iterator[tuple[int, int]]:
    """Yield the span of a negated clause, up to a clause about the model."""
    speaker = cues["speaker"].search(text, begin)
    end = len(text)
    if speaker:
        end = max(
            (match.start() for match in cues["parted"].finditer(text, begin, speaker.start())), default=0
        )
    if cues["negator"].search(text, start, end):
        yield start, end
