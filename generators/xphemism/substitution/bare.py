"""Nouns without article: whether the exchange word can stand without one, too, or takes the definite one."""

from __future__ import annotations

from collections.abc import Iterable

from polbias.generators.xphemism.substitution import words as closed
from polbias.generators.xphemism.substitution.edits import Span
from polbias.generators.xphemism.substitution.phrase import Phrase, read_phrase
from polbias.generators.xphemism.substitution.result import ReviewError
from polbias.generators.xphemism.substitution.risks import is_abstract
from polbias.generators.xphemism.substitution.tokens import Tokens
from polbias.generators.xphemism.substitution.words import Agreement
from polbias.generators.xphemism.vocabulary.paradigms import Number
from polbias.generators.xphemism.words import Word


def takes_article(
    tokens: Tokens, phrase: Phrase, old: Agreement, new: Number, base: Word, exchange: Word
) -> bool:
    """Return whether the exchange word takes the definite article where the base word stands without one.

    A collective does ("Medien" to "die Lügenpresse"); what is not counted stands alone ("Proteste" to
    "Bürgerengagement").

    Args:
        tokens: of the claim.
        phrase: of the noun, without determiner.
        old: case and number of the base word.
        new: number of the exchange word.
        base: the base word.
        exchange: the exchange word.

    Raises:
        ReviewError: If the exchange word can be counted and may need an article.
    """
    if _possessed(tokens, phrase):
        return False
    _check_juxtaposed(tokens, phrase, old)
    if new == "pl":
        return False
    collective = (exchange.head or "").lower().endswith(closed.COLLECTIVE)
    if old.number == "pl":
        if not collective and exchange.plural is not None:
            raise ReviewError(
                "article", f'the plural becomes a singular, and "{exchange.word}" may need an article'
            )
        return collective
    if not phrase.attributes and collective and is_abstract(base):
        return True
    if phrase.attributes or is_abstract(exchange):
        return False
    if old.case == "acc" and exchange.plural == exchange.singular and not exchange.modifiers:
        # "Anspruch auf Almosen": the plural looks the same and needs no article.
        return False
    raise ReviewError("article", f'"{exchange.word}" can be counted and may need an article in the singular')


def with_article(
    tokens: Tokens, phrase: Phrase, agreement: Agreement, spans: Iterable[Span]
) -> tuple[Span, ...]:
    """Return the changes of a phrase without determiner with a definite article before it.

    Args:
        tokens: of the claim.
        phrase: without determiner.
        agreement: of the new phrase.
        spans: changes of its adjectives and its noun.
    """
    article = closed.determiner_form(closed.DEFINITE, agreement)
    if phrase.preposition is not None:
        place = phrase.preposition
        merged = closed.CONTRACTED.get((tokens[place].low, article))
        if merged and tokens[place].text[0].isupper():
            merged = merged.capitalize()
        return (Span(place, place, merged or f"{tokens[place].text} {article}", "preposition"), *spans)
    start = min((phrase.head, *phrase.attributes))
    rest = [span for span in spans if not span.first <= start <= span.last]
    opening = next((span for span in spans if span.first <= start <= span.last), None)
    if opening is None:
        opening = Span(start, start, tokens[start].text, "determiner")
    text = opening.text
    if start in phrase.attributes:
        text = text[:1].lower() + text[1:]
    return (Span(opening.first, opening.last, f"{article} {text}", opening.kind), *rest)


def _check_juxtaposed(tokens: Tokens, phrase: Phrase, old: Agreement) -> None:
    """Refuse a noun right after another one, unless a preposition governs that: "im Jahr Proteste"."""
    before = tokens[phrase.head - 1] if phrase.head else None
    if before is None or not before.is_noun or before.opens or before.text in closed.AMOUNTS:
        return
    if phrase.preposition is not None or old.case == "gen" or phrase.head - 1 in phrase.attributes:
        return
    if read_phrase(tokens, phrase.head - 1).preposition is None:
        raise ReviewError(
            "juxtaposed", "it stands right after a noun, and how they belong together is not clear"
        )


def _possessed(tokens: Tokens, phrase: Phrase) -> bool:
    """Return whether a quantity, a genitive or "als" before the noun does the work of an article."""
    start = min((phrase.head, *phrase.attributes))
    if not start:
        return False
    before = tokens[start - 1]
    return (
        before.low in closed.INVARIABLE
        or before.low == "als"
        or (before.is_noun and before.low.endswith("s"))
    )
