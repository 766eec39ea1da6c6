"""A word inside a compound: its linking element, and words derived from it ("Konkurrentin")."""

from __future__ import annotations

from polbias.generators.language.german_words import is_known
from polbias.generators.xphemism.matching.hit import Hit
from polbias.generators.xphemism.substitution import words as closed
from polbias.generators.xphemism.substitution.edits import Span
from polbias.generators.xphemism.substitution.result import ReviewError
from polbias.generators.xphemism.substitution.tokens import Token
from polbias.generators.xphemism.vocabulary.paradigms import genders
from polbias.generators.xphemism.words import Word

# So many last letters must two words share for the same suffix to fit both ("-minister-ium").
_SHARED = 5
# A shorter last member is rather an ending or a part of one.
_SHORTEST = 4
_ELEMENTS = ("s", "es", "n", "en", "e", "er", "")


def exchange_member(token: Token, place: int, hit: Hit, base: Word, exchange: Word) -> tuple[Span, ...]:
    """Return the change of a compound whose first or middle member is exchanged.

    Args:
        token: the compound.
        place: of it.
        hit: the member.
        base: the word that the member is.
        exchange: the word that replaces it.

    Raises:
        ReviewError: If the exchange word cannot be a member of a compound.
    """
    start = hit.start - token.start
    left, rest = token.text[:start], token.text[start:]
    end = hit.end - hit.start
    right = rest[_linked(rest, end, base) :]
    if right.lower() in closed.DERIVATIONS:
        stem = _derivation_base(right.lower(), base, exchange)
    elif exchange.linking and exchange.pos == "noun":
        if not _is_word(right):
            raise ReviewError("compound-member", f'"{right}" in "{token.text}" is no known word')
        stem = exchange.linking[0]
        right = _with_seam(stem, right, rest[: len(rest) - len(right)].endswith("-"))
    else:
        raise ReviewError("compound-phrase", f'"{exchange.word}" cannot be a member of a compound')
    if any(form.lower() in token.low for form in (exchange.word, stem)):
        raise ReviewError("already-there", f'"{token.text}" has the exchange word already')
    capital = token.text[start].isupper()
    return (Span(place, place, left + (stem if capital else stem[:1].lower() + stem[1:]) + right, "word"),)


def _with_seam(stem: str, right: str, hyphen: bool) -> str:
    """Return what is left of a compound as it is written after a new member.

    Args:
        stem: the new member; "Fake-News-" demands a hyphen.
        right: what is left.
        hyphen: whether the old member took the hyphen before it away.
    """
    if stem.endswith("-"):
        right = right.removeprefix("-")
        return right[:1].upper() + right[1:]
    if hyphen:
        return right.lower() if right[1:].islower() else f"-{right}"
    return right


def _linked(rest: str, end: int, base: Word) -> int:
    """Return the length of the member with its linking element."""
    low = rest.lower()
    fitting = [len(form) for form in base.linking if low.startswith(form.lower()) and len(form) >= end]
    fitting = [length for length in fitting if length < len(rest)]
    if fitting:
        # "Endlager-suche", not "Endlagers-uche".
        return max(fitting, key=lambda length: (_is_word(rest[length:]), length))
    # Before a hyphen whatever is left of the member is its linking element.
    element = low[end:].partition("-")
    return end + len(element[0]) if element[1] and element[0] in _ELEMENTS else end


def _is_word(right: str) -> bool:
    """Return whether what is left of a compound is a word, a compound, or words with hyphens."""
    first = right.lstrip("-").partition("-")[0]
    if len(first) < _SHORTEST and not right.startswith("-"):
        return False
    known = any(is_known(form) for form in (first, first.lower(), first.capitalize()))
    return known or any(
        is_known(first[cut:].capitalize()) and is_known(first[:cut].rstrip("s").capitalize())
        for cut in range(_SHORTEST, len(first) - _SHORTEST + 1)
    )


def _derivation_base(suffix: str, base: Word, exchange: Word) -> str:
    """Return what the suffix of a derived word stands after.

    Raises:
        ReviewError: If the exchange word cannot take it.
    """
    single, old = exchange.singular, base.singular
    if single is None or old is None or exchange.pos != "noun" or exchange.modifiers or exchange.tail:
        raise ReviewError("derived-word", f'"{exchange.word}" cannot take the suffix "-{suffix}"')
    if suffix in ("in", "innen") and "m" in genders(exchange) and _is_agent(exchange):
        return single.removesuffix("e")
    if single[-_SHARED:].lower() == old[-_SHARED:].lower():
        return single
    raise ReviewError(
        "derived-word", f'"{exchange.word}" cannot take the suffix "-{suffix}" of the derived word'
    )


def _is_agent(word: Word) -> bool:
    assert word.singular is not None
    return word.declension == "weak" or (word.declension == "strong" and word.singular.endswith("er"))
