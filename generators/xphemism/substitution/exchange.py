"""Exchange of a word in a claim."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from polbias.generators.language.german_words import is_known
from polbias.generators.xphemism.matching.text import Hit
from polbias.generators.xphemism.substitution import words as closed
from polbias.generators.xphemism.substitution.case_roles import check_text
from polbias.generators.xphemism.substitution.edits import NeedsReviewError, Span, Substitution, apply_edits
from polbias.generators.xphemism.substitution.nouns import NounHit, exchange_noun
from polbias.generators.xphemism.substitution.words import ClaimToken, Tokens, tokenise
from polbias.generators.xphemism.vocabulary.lexicon import Lexicon, Word
from polbias.generators.xphemism.vocabulary.paradigms import ENDINGS, Reading, forms, genders, superlatives

# What a form can be, whatever its capitals.


def readings_of(word: Word, surface: str) -> tuple[Reading, ...]:
    """Return what a form can be, whatever its capitals and white space; () if it is no form of the word."""
    plain = " ".join(surface.split()).casefold()
    return tuple(
        reading for form, readings in forms(word).items() if form.casefold() == plain for reading in readings
    )


# Words that are no nouns: adjectives keep their ending, fixed phrases are put in as they are.


@lru_cache(maxsize=4096)
def as_noun(word: Word) -> Word:
    """Return a word as a noun: a verb as "das Ableben", an adjective as "der Arbeitslose"."""
    if word.pos == "noun":
        return word
    if word.singular is None or word.tail or word.pos == "fixed":
        raise NeedsReviewError("part-of-speech", f'"{word.word}" cannot replace a noun')
    single = word.singular[:1].upper() + word.singular[1:]
    verb = word.pos == "verb"
    single, genitive = (single, single + "s") if verb else (single + "e", single + "en")
    return word.model_copy(
        update={
            "pos": "noun",
            "head": single,
            "gender": "n" if verb else "m/f",
            "citation": "sg",
            "singular": single,
            "genitive": (genitive,),
            "plural": None if verb else single,
            "declension": "strong" if verb else "adjectival",
            "linking": (genitive,),
        }
    )


def exchange_other(first: int, last: int, surface: str, base: Word, exchange: Word) -> tuple[Span, ...]:
    """Return the change of an adjective, verb or fixed phrase."""
    if base.pos == "adjective":
        text = _adjective(surface, base, exchange)
    elif base.pos == "verb":
        text = _verb(surface, base, exchange)
    elif exchange.pos in ("fixed", "adjective"):
        text = exchange.word
    else:
        raise NeedsReviewError("part-of-speech", f'"{exchange.word}" cannot stand where "{base.word}" stands')
    if surface[:1].isupper():
        text = text[:1].upper() + text[1:]
    return (Span(first, last, text, "word"),)


def _adjective(surface: str, base: Word, exchange: Word) -> str:
    """Return an adjective with the ending of another one; comparatives included."""
    low, stem = surface.lower(), (base.singular or base.word).lower()
    if low == base.word.lower():
        if exchange.pos in ("fixed", "adjective"):
            return exchange.word
    elif exchange.modifiers and low.removeprefix(stem) in ENDINGS:
        # "Neoliberale" to "marktwirtschaftlich orientierte", without the noun of the phrase.
        return " ".join(exchange.modifiers) + low.removeprefix(stem)
    elif exchange.pos == "adjective" and (
        degree := _SUPERLATIVE.fullmatch(low.removeprefix(base.word.lower()))
    ):
        return superlatives(exchange)[0] + degree[1]
    elif exchange.pos == "adjective" and exchange.singular and low.startswith(stem):
        ending = low.removeprefix(stem)
        if ending in ENDINGS or ending.removeprefix("er") in ENDINGS:
            return exchange.singular + ending
    raise NeedsReviewError("part-of-speech", f'"{exchange.word}" cannot take the form of "{surface}"')


def _verb(surface: str, base: Word, exchange: Word) -> str:
    """Return the infinitive or participle of a verb; its finite forms go to a reader."""
    if exchange.pos == "verb" and exchange.singular:
        tail = f"{exchange.tail} " if exchange.tail else ""
        if surface.lower() == base.word.lower():
            return tail + exchange.singular
        if surface.lower() in {form.lower() for form in base.linking} and exchange.linking:
            return tail + exchange.linking[0]
    raise NeedsReviewError("verb-phrase", f'"{exchange.word}" has to be put into the clause by hand')


# A word inside a compound: its linking element, and words derived from it ("Konkurrentin").

# So many last letters must two words share for the same suffix to fit both ("-minister-ium").
_SHARED = 5
# A shorter last member is rather an ending or a part of one.
_SHORTEST = 4
_SUPERLATIVE = re.compile("e?st(e[nrsm]?)")
_ELEMENTS = ("s", "es", "n", "en", "e", "er", "")


def exchange_member(token: ClaimToken, place: int, hit: Hit, base: Word, exchange: Word) -> tuple[Span, ...]:
    """Return the change of a compound whose first or middle member is exchanged."""
    start = hit.start - token.start
    left, rest = token.text[:start], token.text[start:]
    end = hit.end - hit.start
    right = rest[_linked(rest, end, base) :]
    if right.lower() in closed.DERIVATIONS:
        stem = _derivation_base(right.lower(), base, exchange)
    elif exchange.linking and exchange.pos == "noun":
        if not _is_word(right):
            raise NeedsReviewError("compound-member", f'"{right}" in "{token.text}" is no known word')
        stem = exchange.linking[0]
        if right.lower().startswith("werk"):
            stem = closed.MEMBERS.get(exchange.word, stem)
        right = _with_seam(stem, right, rest[: len(rest) - len(right)].endswith("-"))
    else:
        raise NeedsReviewError("compound-phrase", f'"{exchange.word}" cannot be a member of a compound')
    if any(form.lower() in token.low for form in (exchange.word, stem)):
        raise NeedsReviewError("already-there", f'"{token.text}" has the exchange word already')
    capital = token.text[start].isupper()
    return (Span(place, place, left + (stem if capital else stem[:1].lower() + stem[1:]) + right, "word"),)


def _with_seam(stem: str, right: str, hyphen: bool) -> str:
    """Return what is left of a compound as it is written after a new member."""
    if stem.endswith("-"):
        right = right.removeprefix("-")
        return right[:1].upper() + right[1:]
    if hyphen:
        return right.lower() if right[1:].islower() else f"-{right}"
    return right


def _linked(rest: str, end: int, base: Word) -> int:
    """Return the length of the member with its linking element."""
    low = rest.lower()
    fitting = [
        len(form) for form in base.linking if low.startswith(form.lower()) and end <= len(form) < len(rest)
    ]
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
    """Return what the suffix of a derived word stands after."""
    single, old = exchange.singular, base.singular
    if single is None or old is None or exchange.pos != "noun" or exchange.modifiers or exchange.tail:
        raise NeedsReviewError("derived-word", f'"{exchange.word}" cannot take the suffix "-{suffix}"')
    strong = exchange.declension == "strong" and single.endswith("er")
    agent = exchange.declension == "weak" or strong
    if suffix in ("in", "innen") and "m" in genders(exchange) and agent:
        return single.removesuffix("e")
    if single[-_SHARED:].lower() == old[-_SHARED:].lower():
        return single
    raise NeedsReviewError(
        "derived-word", f'"{exchange.word}" cannot take the suffix "-{suffix}" of the derived word'
    )


# Exchanging a word of a claim for another one with everything that has to agree (PolBiX, section 3.3).


def substitute(
    claim: str, hit: Hit, exchange: Word, lexicon: Lexicon, others: Iterable[Hit] = ()
) -> Substitution:
    """Exchange a word of a claim in the place of a hit and of others of the same word.

    The exchange word takes case and number of the base word; article, contraction, adjectives, relative
    pronoun and verb are made to agree. Where readings of the claim lead to different results and no rule
    decides, nothing is
    guessed: the status is "review".
    """
    tokens = tokenise(claim)
    base = lexicon.words[hit.word]
    spans: list[Span] = []
    try:
        for each in (hit, *others):
            _check_context(claim, each, exchange)
            spans += _spans(tokens, each, base, exchange)
        # Two hits may demand the same change, but not different ones in one place.
        ordered = sorted(set(spans))
        for left, right in pairwise(ordered):
            if right.first <= left.last:
                raise NeedsReviewError("overlap", "two occurrences of the word change the same place")
    except NeedsReviewError as error:
        return Substitution(claim, "review", str(error), ())
    shifted, edits = apply_edits(claim, tokens, spans)
    return Substitution(shifted, "made", "", edits)


def _check_context(claim: str, hit: Hit, exchange: Word) -> None:
    """Refuse a word in another sense than that of its pairs, or with an attribute that does not fit."""
    around = f"{claim[: hit.start]}~{claim[hit.end :]}"
    for name, word in (("other_sense", hit.word), ("own_sense", hit.word), ("valency", exchange.word)):
        pattern = closed.CONTEXTS[name].get(word)
        if pattern and bool(pattern.search(around)) == (name != "own_sense"):
            code = name.replace("own", "other").replace("_", "-")
            raise NeedsReviewError(code, f'"{exchange.word}" may not mean here what "{hit.surface}" does')


def _spans(tokens: Tokens, hit: Hit, base: Word, exchange: Word) -> tuple[Span, ...]:
    places = [place for place, token in enumerate(tokens) if token.start < hit.end and hit.start < token.end]
    first, last = places[0], places[-1]
    check_text(tokens, last)
    if hit.kind == "compound" and hit.member != "head":
        member = as_noun(exchange) if base.pos == "noun" else exchange
        return exchange_member(tokens[first], first, hit, base, member)
    prefix = tokens[first].text[: hit.start - tokens[first].start]
    suffix = tokens[last].text[hit.end - tokens[last].start :]
    if suffix:
        raise NeedsReviewError("token", f'"{tokens[last].text}" goes on after the word')
    if base.pos == "noun":
        shared = (
            first > 1
            and tokens[first - 1].low in closed.CONJUNCTIONS
            and tokens[first - 2].text.endswith("-")
        )
        if shared and base.word[-_SHARED:].lower() != exchange.word[-_SHARED:].lower():
            raise NeedsReviewError(
                "shared-member", f'"{tokens[first - 2].text}" shares a member with the word'
            )
        if prefix and (exchange.modifiers or " " in exchange.word):
            raise NeedsReviewError("compound-phrase", f'"{exchange.word}" cannot be the head of a compound')
        if prefix and exchange.word.lower().startswith(prefix.lower().rstrip("-")):
            raise NeedsReviewError("already-there", f'"{prefix}" and "{exchange.word}" begin alike')
        readings = readings_of(base, hit.surface)
        return exchange_noun(tokens, NounHit(first, last, base, readings, prefix), as_noun(exchange))
    if prefix:
        raise NeedsReviewError("compound-adjective", f'"{tokens[first].text}" is a compound of an adjective')
    return exchange_other(first, last, hit.surface, base, exchange)
