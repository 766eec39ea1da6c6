"""What letters in a text are: the word, a form of it, a member of a compound, or nothing of that."""

from __future__ import annotations

from collections.abc import Sequence

from polbias.generators.xphemism.matching.hit import Hit, HitKind
from polbias.generators.xphemism.matching.members import member_of
from polbias.generators.xphemism.matching.patterns import Pattern
from polbias.generators.xphemism.matching.text import Token


def read(
    pattern: Pattern, words: Sequence[Token], first: int, last: int, start: int, small_nouns: bool
) -> Hit | None:
    """Return what letters of a text are.

    Args:
        pattern: the letters.
        words: of the text.
        first: place of the word in which they begin.
        last: place of the word in which they end.
        start: offset of the letters.
        small_nouns: whether the text writes nouns small.

    Returns:
        A hit without surface and tags; None if they only happen to stand there.
    """
    token, end = words[first], start + len(pattern.letters)
    small_nouns = small_nouns or token.address is not None
    whole_end = words[last].whole_end
    if pattern.whole and token.start == start and words[last].end == end:
        phrase = words[first : last + 1]
        if not _spelled(pattern, phrase, small_nouns) or _other_word(pattern, words, first, last):
            return None
        if whole_end > end:  # Asylbewerber:innen
            return Hit(pattern.word, start, end, start, whole_end, "compound", "", "first")
        kind: HitKind = "exact" if _is_citation(pattern, phrase) else "inflected"
        return Hit(pattern.word, start, end, start, whole_end, kind, "")
    if first != last:
        return None
    member = member_of(pattern, token, start - token.start, small_nouns)
    if member is None:
        return None
    return Hit(pattern.word, start, start + pattern.stem, token.start, whole_end, "compound", "", member)


def _spelled(pattern: Pattern, phrase: Sequence[Token], small_nouns: bool) -> bool:
    """Return whether nouns have their capitals, and a single word of another kind none inside a sentence."""
    for token, capital in zip(phrase, pattern.capitals, strict=False):
        if capital and token.text[:1].islower() and not small_nouns:
            return False
    token = phrase[0]
    if len(phrase) > 1 or pattern.capitals[0] or not token.text[:1].isupper():
        return True
    return pattern.pos == "noun" or token.initial or token.text.isupper()


def _other_word(pattern: Pattern, words: Sequence[Token], first: int, last: int) -> bool:
    """Return whether the capital of a sentence start hides another word: an adjective, or "Mittels"."""
    if not words[first].initial:
        return False
    if pattern.genitive:
        return True
    if not pattern.attributive or last + 1 == len(words):
        return False
    following = words[last + 1]
    return following.start == words[last].end + 1 and following.text[:1].isupper()


def _is_citation(pattern: Pattern, phrase: Sequence[Token]) -> bool:
    """Return whether the word stands there as in the lexicon, but for the capital of its first letter."""
    surface = " ".join(token.text for token in phrase)
    return surface[1:] == pattern.word[1:] and surface[:1].lower() == pattern.word[:1].lower()
