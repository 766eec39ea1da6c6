"""The other places of a claim where a word stands that is exchanged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from polbias.generators.xphemism.matching.hit import Hit
from polbias.generators.xphemism.vocabulary.paradigms import Reading, forms
from polbias.generators.xphemism.words import Word


@lru_cache(maxsize=4096)
def _pattern(word: Word) -> re.Pattern[str]:
    ordered = sorted(forms(word), key=len, reverse=True)
    alternatives = "|".join(re.escape(form).replace(r"\ ", r"\s+") for form in ordered)
    return re.compile(rf"(?<![\w-])(?:{alternatives})(?![\w-])", re.IGNORECASE)


def other_hits(claim: str, word: Word, hit: Hit) -> tuple[Hit, ...]:
    """Return the places of a claim beside a hit where a form of its word stands as a token of its own.

    A noun is found with a capital only.

    Args:
        claim: the text.
        word: the word of the hit.
        hit: the place that is known.
    """
    found: list[Hit] = []
    for match in _pattern(word).finditer(claim):
        start, end = match.span()
        if start < hit.token_end and hit.token_start < end:
            continue
        surface = match[0]
        if (
            word.pos == "noun"
            and not surface.split()[-1 if not word.tail else 0][0].isupper()
            and not word.modifiers
        ):
            continue
        kind = "exact" if surface == word.word else "inflected"
        found.append(Hit(word.word, start, end, start, end, kind, surface))  # type: ignore[arg-type]
    return tuple(found)


@lru_cache(maxsize=4096)
def _by_fold(word: Word) -> Mapping[str, tuple[Reading, ...]]:
    found: dict[str, tuple[Reading, ...]] = {}
    for form, readings in forms(word).items():
        found[form.casefold()] = (*found.get(form.casefold(), ()), *readings)
    return found


def readings_of(word: Word, surface: str) -> tuple[Reading, ...]:
    """Return what a form can be, whatever its capitals and white space; () if it is no form of the word."""
    return _by_fold(word).get(" ".join(surface.split()).casefold(), ())
