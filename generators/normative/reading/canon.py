"""The normal form of the texts of atoms and terms."""

from __future__ import annotations

from functools import lru_cache

from polbias.generators.language import english
from polbias.generators.normative.reading.lexicon import (
    ADVERBS,
    DETERMINERS,
    POSSESSIVES,
    PREPOSITIONS,
    REFLEXIVES,
)
from polbias.generators.normative.reading.text import Words, lowered, plain, tokens

_DROPPED = frozenset((",", ";", ":", "also", "both", "ever"))
_FUNCTION = (PREPOSITIONS | ADVERBS | DETERMINERS | {"to"}) - {"like", "down", "up", "off", "over", "near"}


@lru_cache(maxsize=1 << 14)
def canonical(text: str) -> str:
    """Return the normal form of a text that names an atom or a term.

    Args:
        text: a clause or verb phrase in the base form, or a noun phrase: "pay one's taxes", "the Earth orbit
            the Sun", "sample be a metal".

    Returns:
        The text in lower case without contractions, quotation marks and commas, and without an article (or
        "be", or "be" and an article) at its beginning; possessives and reflexives that refer to the subject
        are "one's" and "oneself", "a" and "an" are put right, "be able to" is "can".
    """
    return " ".join(canonical_words(lowered(tokens(plain(text).strip().rstrip(".")))))


@lru_cache(maxsize=1 << 14)
def _article(word: str) -> str:
    return english.a(word).split(" ", 1)[0]


@lru_cache(maxsize=1 << 15)
def canonical_words(words: Words) -> Words:
    """Return the normal form of words in lower case without contractions; see `canonical`."""
    out: list[str] = []
    last = len(words) - 1
    for index, word in enumerate(words):
        if word in _DROPPED and not (word == "both" and index == last):
            continue
        if word in POSSESSIVES:
            possessive = index and not (word == "her" and (index == last or words[index + 1] in _FUNCTION))
            out.append("one's" if possessive else word)
        elif word in REFLEXIVES:
            out.append("oneself")
        elif word in ("a", "an"):
            out.append(_article(words[index + 1]) if index < last else word)
        elif word == "to" and out[-2:] == ["be", "able"]:
            out[-2:] = ["can"]
        else:
            out.append(word.replace("\u00a0", " "))
    if len(out) > 1 and out[0] == "be":
        del out[0]
    if len(out) > 1 and out[0] in ("a", "an", "the"):
        del out[0]
    return tuple(out)
