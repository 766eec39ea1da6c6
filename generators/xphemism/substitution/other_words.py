"""Words that are no nouns: adjectives keep their ending, adverbs and fixed phrases are put in as they are."""

from __future__ import annotations

from functools import lru_cache

from polbias.generators.language import german_words as german
from polbias.generators.xphemism.substitution import words as closed
from polbias.generators.xphemism.substitution.edits import Span
from polbias.generators.xphemism.substitution.phrase import ENDINGS
from polbias.generators.xphemism.substitution.result import ReviewError
from polbias.generators.xphemism.substitution.tokens import Tokens
from polbias.generators.xphemism.words import Word

_INVARIABLE = ("adverb", "fixed")


@lru_cache(maxsize=4096)
def as_noun(word: Word) -> Word:
    """Return a word as a noun: a verb as "das Ableben", an adjective as "der Arbeitslose".

    Raises:
        ReviewError: If the word is an adverb, a fixed phrase or a verb with a fixed part.
    """
    if word.pos == "noun":
        return word
    if word.singular is None or word.tail or word.pos in _INVARIABLE:
        raise ReviewError("part-of-speech", f'"{word.word}" cannot replace a noun')
    capital = word.singular[:1].upper() + word.singular[1:]
    noun: dict[str, object] = {"pos": "noun", "citation": "sg"}
    if word.pos == "verb":
        noun |= {
            "head": capital,
            "gender": "n",
            "singular": capital,
            "genitive": (capital + "s",),
            "plural": None,
        }
        noun |= {"declension": "strong", "linking": (capital + "s",)}
    else:
        noun |= {
            "head": capital + "e",
            "gender": "m/f",
            "singular": capital + "e",
            "genitive": (capital + "en",),
        }
        noun |= {"plural": capital + "e", "declension": "adjectival", "linking": (capital + "en",)}
    return word.model_copy(update=noun)


def exchange_other(
    tokens: Tokens, first: int, last: int, surface: str, base: Word, exchange: Word
) -> tuple[Span, ...]:
    """Return the change of an adjective, adverb, verb or fixed phrase.

    Args:
        tokens: of the claim.
        first: place of the first token of the word.
        last: place of its last token.
        surface: as it stands there.
        base: the word.
        exchange: what replaces it.

    Raises:
        ReviewError: If the exchange word cannot take the form or place of the base word.
    """
    if base.pos == "adjective":
        text = _adjective(surface, base, exchange)
    elif base.pos == "verb":
        text = _verb(surface, base, exchange)
    elif exchange.pos in _INVARIABLE or exchange.pos == "adjective":
        text = exchange.word
    else:
        raise ReviewError("part-of-speech", f'"{exchange.word}" cannot stand where "{base.word}" stands')
    if surface[:1].isupper():
        text = text[:1].upper() + text[1:]
    _check_cases(tokens, last, base, exchange)
    return (Span(first, last, text, "word"),)


def _adjective(surface: str, base: Word, exchange: Word) -> str:
    """Return an adjective with the ending of another one; comparatives included."""
    low, stem = surface.lower(), (base.singular or base.word).lower()
    if low == base.word.lower():
        if exchange.pos == "adjective" or exchange.pos in _INVARIABLE:
            return exchange.word
    elif exchange.pos == "adjective" and exchange.singular and low.startswith(stem):
        ending = low.removeprefix(stem)
        if ending in ENDINGS or ending.removeprefix("er") in ENDINGS:
            return exchange.singular + ending
    raise ReviewError("part-of-speech", f'"{exchange.word}" cannot take the form of "{surface}"')


def _verb(surface: str, base: Word, exchange: Word) -> str:
    """Return the infinitive or participle of a verb; its finite forms go to a reader."""
    if exchange.pos == "verb" and exchange.singular:
        tail = f"{exchange.tail} " if exchange.tail else ""
        if surface.lower() == base.word.lower():
            return tail + exchange.singular
        if surface.lower() in {form.lower() for form in base.linking} and exchange.linking:
            return tail + exchange.linking[0]
    raise ReviewError("verb-phrase", f'"{exchange.word}" has to be put into the clause by hand')


def _check_cases(tokens: Tokens, last: int, base: Word, exchange: Word) -> None:
    """Refuse a preposition that governs another case than the one that it replaces, before an article."""
    old, new = closed.PREPOSITIONS.get(base.word), closed.PREPOSITIONS.get(exchange.word)
    if old is None or last + 1 >= len(tokens):
        return
    following = tokens[last + 1].low
    if new is None:
        # "Über" is "mehr als" before a number only.
        counted = tokens[last + 1].kind == "number" or following in german.NUMBERS
        if exchange.pos in _INVARIABLE and " " in exchange.word and not counted:
            raise ReviewError("government", f'"{base.word}" is a preposition there')
        return
    cases = {case for _, case, _ in closed.DETERMINER_FORMS.get(following, ())}
    if (cases and not cases & set(new)) or (not cases and set(old) != set(new)):
        raise ReviewError("government", f'"{exchange.word}" governs another case than "{base.word}"')
