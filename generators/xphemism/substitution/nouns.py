"""Nouns: the exchange word in the case and number of the base word, and its phrase in agreement with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from polbias.generators.xphemism.substitution import words as closed
from polbias.generators.xphemism.substitution.agreement import (
    governs_verb,
    partitive_spans,
    relative_spans,
    verb_spans,
)
from polbias.generators.xphemism.substitution.bare import takes_article, with_article
from polbias.generators.xphemism.substitution.edits import Span, changed
from polbias.generators.xphemism.substitution.evidence import agreements, is_coordinated, narrowed, phrase_at
from polbias.generators.xphemism.substitution.phrase import Phrase, ending_of
from polbias.generators.xphemism.substitution.result import ReviewError
from polbias.generators.xphemism.substitution.risks import (
    check_dative,
    check_number,
    check_possessive,
    check_relative,
    is_abstract,
    is_person,
)
from polbias.generators.xphemism.substitution.tokens import Tokens
from polbias.generators.xphemism.substitution.words import Agreement
from polbias.generators.xphemism.vocabulary.paradigms import (
    Gender,
    Number,
    Reading,
    Strength,
    adjective_ending,
    genders,
    inflect,
)
from polbias.generators.xphemism.words import Word


@dataclass(frozen=True, slots=True)
class NounHit:
    """A noun of a claim that is exchanged.

    Attributes:
        first: place of its first token.
        last: place of its last token.
        base: the word of the lexicon that stands there.
        readings: of its form.
        prefix: what stands before it in a compound, "" otherwise.
    """

    first: int
    last: int
    base: Word
    readings: tuple[Reading, ...]
    prefix: str = ""


def exchange_noun(tokens: Tokens, hit: NounHit, exchange: Word) -> tuple[Span, ...]:
    """Return the changes that exchange a noun.

    Args:
        tokens: of the claim.
        hit: the noun.
        exchange: the noun that replaces it.

    Raises:
        ReviewError: If no rule decides between readings with different results.
    """
    phrase = phrase_at(tokens, hit.first, hit.readings)
    results: dict[Agreement, tuple[Span, ...] | ReviewError] = {}

    def result(agreement: Agreement) -> tuple[Span, ...] | ReviewError:
        if agreement not in results:
            try:
                results[agreement] = _changes(tokens, phrase, hit, exchange, agreement)
            except ReviewError as error:
                results[agreement] = error
        return results[agreement]

    def decided(left: Sequence[Agreement]) -> bool:
        found = [result(agreement) for agreement in left]
        return all(spans == found[0] and not isinstance(spans, ReviewError) for spans in found)

    candidates = agreements(tokens, phrase, hit.readings, hit.base)
    if not candidates:
        raise ReviewError("no-reading", f'"{hit.base.word}" stands there in a form without known case')
    left = narrowed(tokens, phrase, hit.last, candidates, decided)
    chosen = result(left[0])
    if isinstance(chosen, ReviewError):
        raise chosen
    if not decided(left):
        cases = " or ".join(dict.fromkeys(f"{agreement.case} {agreement.number}" for agreement in left))
        raise ReviewError(
            "ambiguous-case", f'"{tokens[hit.first].text}" can be {cases}, with different results'
        )
    return chosen


def target_number(
    base: Word, exchange: Word, number: Number, counted: bool, subject: bool, bare: bool = False
) -> Number:
    """Return the number of the exchange word.

    It is that of the base word if the exchange word has it. Where the words of the pair stand in different
    numbers, a base word in the number of the pair gets the exchange word in that of the pair, unless
    something else in the claim shows the number: the article of a single thing ("ein Rückgang"), or the verb
    of a word that can be counted. Of things and persons that can be counted the plural stays.

    Args:
        base: the word that is replaced.
        exchange: the word that replaces it.
        number: of the base word in the claim.
        counted: whether "ein" stands before it.
        subject: whether a verb agrees with it.
        bare: whether it stands without article.
    """
    numbers: tuple[Number, ...] = ("sg", "pl")
    available = [each for each in numbers if inflect(exchange, "nom", each)]
    if number not in available and available:
        return available[0]
    cited = exchange.citation
    if cited is None or base.citation is None or number != base.citation or cited == base.citation:
        return number
    countable = base.singular is not None and base.plural is not None
    if number == "sg" and (counted or (countable and subject and not is_person(exchange))):
        return number
    if number == "pl" and exchange.plural is not None and (not is_abstract(exchange) or bare):
        return number
    return cited if cited in available else number


def _changes(
    tokens: Tokens, phrase: Phrase, hit: NounHit, exchange: Word, old: Agreement
) -> tuple[Span, ...]:
    determiner = phrase.determined_by(tokens)
    counted = determiner is not None and determiner.stem in closed.SINGULAR_ONLY
    # "Eine solche Förderung" names a kind and counts nothing.
    kind = any(tokens[place].low.startswith("solche") for place in phrase.attributes)
    counted = counted and not (kind and hit.base.plural is None)
    coordinated = is_coordinated(tokens, phrase, hit.last)
    subject = old.case == "nom" and governs_verb(tokens, phrase, hit.last, old.number, coordinated)
    bare = determiner is None and exchange.plural is not None
    number = target_number(hit.base, exchange, old.number, counted, subject, bare)
    new = Agreement(old.case, number, _gender(exchange, old) if number == "sg" else None)
    if number != old.number:
        check_number(tokens, phrase, determiner)
    article = determiner is None and takes_article(tokens, phrase, old, number, hit.base, exchange)
    check_possessive(tokens, hit.last, old, new)
    check_dative(tokens, phrase, old, new)
    check_relative(tokens, phrase, hit.base, old, new)
    left, strength = _determiner(tokens, phrase, determiner, old, new)
    strength = "weak" if article else strength
    own = (
        *_adjectives(tokens, phrase, old, new, strength),
        _noun(tokens, phrase, hit, exchange, new, strength, determiner is None),
    )
    return (
        *left,
        *(with_article(tokens, phrase, new, own) if article else own),
        *(verb_spans(tokens, phrase, new.number) if subject and number != old.number else ()),
        *relative_spans(tokens, hit.last, old, new),
        *partitive_spans(tokens, phrase, hit.last, old.case, hit.base, exchange),
    )


def _gender(exchange: Word, old: Agreement) -> Gender:
    own = genders(exchange)
    return old.gender if old.gender in own and old.gender is not None else (own[0] if own else "n")


def _determiner(
    tokens: Tokens,
    phrase: Phrase,
    determiner: closed.Determiner | None,
    old: Agreement,
    new: Agreement,
) -> tuple[tuple[Span, ...], Strength]:
    """Return the change of article and contraction, and the declension after it."""
    if determiner is None:
        return (), "strong"
    form = closed.determiner_form(determiner, new)
    strength: Strength = determiner.strength if form else "strong"
    if old.column == new.column:
        return (), strength
    if phrase.contracted and phrase.preposition is not None:
        preposition, article = closed.CONTRACTIONS[tokens[phrase.preposition].low]
        if article == form:
            return (), strength
        text = closed.CONTRACTED.get((preposition, form), f"{preposition} {form}")
        return changed(tokens, phrase.preposition, text, "preposition"), strength
    assert phrase.determiner is not None
    if phrase.preposition is not None and determiner == closed.DEFINITE:
        preposition = tokens[phrase.preposition].low
        merged = closed.CONTRACTED.get((preposition, form))
        # "Ins Gefängnis", but "in das alte Gefängnis" as it was "in die alte ...".
        loose = new.case == "acc" and bool(phrase.attributes)
        if merged and not loose and (preposition, tokens[phrase.determiner].low) not in closed.CONTRACTED:
            if tokens[phrase.preposition].text[0].isupper():
                merged = merged.capitalize()
            return (Span(phrase.preposition, phrase.determiner, merged, "preposition"),), strength
    if not form:
        return (Span(phrase.determiner, phrase.determiner, "", "determiner"),), strength
    return changed(tokens, phrase.determiner, form, "determiner"), strength


def _adjectives(
    tokens: Tokens, phrase: Phrase, old: Agreement, new: Agreement, strength: Strength
) -> tuple[Span, ...]:
    if old.column == new.column:
        return ()
    ending = adjective_ending(new.case, new.number, strength, new.gender)
    spans: list[Span] = []
    for place in phrase.attributes:
        text = tokens[place].text
        stem = text.removesuffix(ending_of(text))
        if stem + ending != text:
            spans.append(Span(place, place, stem + ending, "adjective"))
    before = tokens[phrase.head - 1] if phrase.head else None
    if before is not None and before.low in ("viel", "wenig") and old.number != new.number == "pl":
        spans.append(Span(phrase.head - 1, phrase.head - 1, before.text + ending, "adjective"))
    return tuple(spans)


def _noun(
    tokens: Tokens,
    phrase: Phrase,
    hit: NounHit,
    exchange: Word,
    new: Agreement,
    strength: Strength,
    bare: bool,
) -> Span:
    case = new.case
    preposition = tokens[phrase.preposition].low if phrase.preposition is not None else ""
    if case == "gen" and bare and not phrase.attributes and preposition in closed.BARE_UNMARKED:
        case = "acc"
    form = _form(exchange, case, new.number, strength, new.gender)
    if form is None:
        raise ReviewError("no-form", f'"{exchange.word}" has no form in the {new.number} {new.case}')
    if hit.prefix:
        form = hit.prefix + (form if hit.prefix.endswith("-") else form[:1].lower() + form[1:])
    # A hashtag ends at a blank, so that a phrase is no hashtag any more.
    first = hit.first - (" " in form and hit.first > 0 and tokens[hit.first - 1].text == "#")
    return Span(first, hit.last, form, "word")


@lru_cache(maxsize=65536)
def _form(exchange: Word, case: str, number: str, strength: Strength, gender: str | None) -> str | None:
    found = inflect(exchange, case, number, strength, gender)
    return found[0] if found else None
