"""Substitution of a word in a claim."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise, takewhile

from polbias.generators.language.german_words import is_known
from polbias.generators.xphemism.matching.text import Hit
from polbias.generators.xphemism.substitution import words as word_classes
from polbias.generators.xphemism.substitution.case_roles import check_text
from polbias.generators.xphemism.substitution.edits import NeedsReviewError, Span, Substitution, apply_edits
from polbias.generators.xphemism.substitution.nouns import NounHit, exchange_noun
from polbias.generators.xphemism.substitution.words import ClaimToken, Tokens, tokenise
from polbias.generators.xphemism.vocabulary.lexicon import Lexicon, Word
from polbias.generators.xphemism.vocabulary.paradigms import ENDINGS, Reading, forms, genders, superlatives

# Readings of a form.


def readings_of(word: Word, surface: str) -> tuple[Reading, ...]:
    """Return the readings of a form, ignoring case and white space; () if it is not a form of the word."""
    plain = " ".join(surface.split()).casefold()
    return tuple(
        reading for form, readings in forms(word).items() if form.casefold() == plain for reading in readings
    )


# Words other than nouns: adjectives keep their ending, fixed phrases replace the word unchanged.


@lru_cache(maxsize=4096)
def nominalise(word: Word) -> Word:
    """Return the noun of a word: "das Ableben" for a verb, "der Arbeitslose" for an adjective.

    Raises:
        NeedsReviewError: if the word cannot replace a noun.
    """
    if word.pos == "noun":
        return word
    if word.singular is None or word.tail or word.pos == "fixed":
        raise NeedsReviewError("part-of-speech", f'"{word.word}" cannot replace a noun')
    singular = word.singular[:1].upper() + word.singular[1:]
    is_verb = word.pos == "verb"
    singular, genitive = (singular, singular + "s") if is_verb else (singular + "e", singular + "en")
    return word.model_copy(
        update={
            "pos": "noun",
            "head": singular,
            "gender": "n" if is_verb else "m/f",
            "citation": "sg",
            "singular": singular,
            "genitive": (genitive,),
            "plural": None if is_verb else singular,
            "declension": "strong" if is_verb else "adjectival",
            "linking": (genitive,),
        }
    )


def exchange_other(first: int, last: int, surface: str, base: Word, exchange: Word) -> tuple[Span, ...]:
    """Return the replacement of an adjective, verb or fixed phrase."""
    if base.pos == "adjective":
        text = _exchange_adjective(surface, base, exchange)
    elif base.pos == "verb":
        text = _exchange_verb(surface, base, exchange)
    elif exchange.pos in ("fixed", "adjective"):
        text = exchange.word
    else:
        raise NeedsReviewError("part-of-speech", f'"{exchange.word}" cannot replace "{base.word}" here')
    if surface[:1].isupper():
        text = text[:1].upper() + text[1:]
    return (Span(first, last, text, "word"),)


def _exchange_adjective(surface: str, base: Word, exchange: Word) -> str:
    """Return the exchange adjective with the ending of the base word, also in comparatives."""
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


def _exchange_verb(surface: str, base: Word, exchange: Word) -> str:
    """Return the infinitive or participle of the exchange verb; finite forms need a review."""
    if exchange.pos == "verb" and exchange.singular:
        tail = f"{exchange.tail} " if exchange.tail else ""
        if surface.lower() == base.word.lower():
            return tail + exchange.singular
        if surface.lower() in {form.lower() for form in base.linking} and exchange.linking:
            return tail + exchange.linking[0]
    raise NeedsReviewError("verb-phrase", f'"{exchange.word}" has to be put into the clause by hand')


# Compound members: linking elements, and derived words ("Konkurrentin").

# Minimum of shared last letters for the same suffix to fit both words ("-minister-ium").
_MIN_SHARED_ENDING = 5
# A shorter last member is more probably an ending or a part of one.
_MIN_MEMBER = 4
_SUPERLATIVE = re.compile("e?st(e[nrsm]?)")
_LINKING_ELEMENTS = ("s", "es", "n", "en", "e", "er", "")
_COMPOUND_ENDINGS = ("", "s", "es", "n", "en", "e", "er", "ern")


def exchange_member(token: ClaimToken, index: int, hit: Hit, base: Word, exchange: Word) -> tuple[Span, ...]:
    """Return the replacement of a compound after exchange of its first or middle member."""
    start = hit.start - token.start
    left, member_and_right = token.text[:start], token.text[start:]
    member_length = hit.end - hit.start
    right = member_and_right[_linked_length(member_and_right, member_length, base) :]
    if right.lower() in word_classes.DERIVATIONS:
        stem = _derivation_base(right.lower(), base, exchange)
    elif exchange.linking and exchange.pos == "noun":
        if not _is_word(right):
            raise NeedsReviewError("compound-member", f'"{right}" in "{token.text}" is no known word')
        stem = exchange.linking[0]
        if right.lower().startswith("werk"):
            stem = word_classes.MEMBERS.get(exchange.word, stem)
        right = _join_right(stem, right, member_and_right[: len(member_and_right) - len(right)].endswith("-"))
    else:
        raise NeedsReviewError("compound-phrase", f'"{exchange.word}" cannot be a member of a compound')
    if any(form.lower() in token.low for form in (exchange.word, stem)):
        raise NeedsReviewError("already-there", f'"{token.text}" has the exchange word already')
    capital = token.text[start].isupper()
    compound = left + (stem if capital else stem[:1].lower() + stem[1:]) + right
    if right.lower() not in word_classes.DERIVATIONS:
        check_compound(token.text, compound)
    return (Span(index, index, compound, "word"),)


def check_compound(base: str, compound: str) -> None:
    """Check a compound after an exchange of one of its members.

    A compound of the dictionary may have a sense of its own ("Frauenhaus"), so that a compound in its place
    ("Damenhaus") must be in a dictionary too. Other compounds mean what their members mean.

    Raises:
        NeedsReviewError: if only the compound of the claim is in the dictionary.
    """
    # Members that only hyphens join are words of their own.
    new_parts = [part for part in compound.split("-") if part not in base.split("-")]
    if is_known(base) and not all(is_known(part) or _is_listed(part) for part in new_parts):
        raise NeedsReviewError("unknown-compound", f'"{compound}" for "{base}" is in no dictionary')


def _is_listed(compound: str) -> bool:
    """Whether the list of compounds has a compound, in any form."""
    low = compound.lower()
    return any(low.removesuffix(ending) in word_classes.COMPOUNDS for ending in _COMPOUND_ENDINGS)


def _join_right(stem: str, right: str, has_hyphen: bool) -> str:
    """Return the remaining members of a compound, with hyphen and case as the new member requires."""
    if stem.endswith("-"):
        right = right.removeprefix("-")
        return right[:1].upper() + right[1:]
    if has_hyphen:
        return right.lower() if right[1:].islower() else f"-{right}"
    return right


def _linked_length(text: str, member_length: int, base: Word) -> int:
    """Return the length of a member with its linking element."""
    low = text.lower()
    lengths = [
        len(form)
        for form in base.linking
        if low.startswith(form.lower()) and member_length <= len(form) < len(text)
    ]
    if lengths:
        # "Endlager-suche", not "Endlagers-uche".
        return max(lengths, key=lambda length: (_is_word(text[length:]), length))
    # Letters between the member and a hyphen are a linking element, if they are one of the list.
    linking_and_rest = low[member_length:].partition("-")
    return (
        member_length + len(linking_and_rest[0])
        if linking_and_rest[1] and linking_and_rest[0] in _LINKING_ELEMENTS
        else member_length
    )


def _is_word(right: str) -> bool:
    """Whether the remaining members are a word, a compound, or words with hyphens."""
    first_word = right.lstrip("-").partition("-")[0]
    if len(first_word) < _MIN_MEMBER and not right.startswith("-"):
        return False
    is_single_word = any(is_known(form) for form in (first_word, first_word.lower(), first_word.capitalize()))
    return is_single_word or any(
        is_known(first_word[cut:].capitalize()) and is_known(first_word[:cut].rstrip("s").capitalize())
        for cut in range(_MIN_MEMBER, len(first_word) - _MIN_MEMBER + 1)
    )


def _derivation_base(suffix: str, base: Word, exchange: Word) -> str:
    """Return the stem of the exchange word before a derivational suffix."""
    singular, base_singular = exchange.singular, base.singular
    if (
        singular is None
        or base_singular is None
        or exchange.pos != "noun"
        or exchange.modifiers
        or exchange.tail
    ):
        raise NeedsReviewError("derived-word", f'"{exchange.word}" cannot take the suffix "-{suffix}"')
    is_strong_agent = exchange.declension == "strong" and singular.endswith("er")
    is_agent = exchange.declension == "weak" or is_strong_agent
    if suffix in ("in", "innen") and "m" in genders(exchange) and is_agent:
        return singular.removesuffix("e")
    if singular[-_MIN_SHARED_ENDING:].lower() == base_singular[-_MIN_SHARED_ENDING:].lower():
        return singular
    raise NeedsReviewError(
        "derived-word", f'"{exchange.word}" cannot take the suffix "-{suffix}" of the derived word'
    )


# Substitution of a word, with all words that agree with it (PolBiX, section 3.3).


def substitute(
    claim: str, hit: Hit, exchange: Word, lexicon: Lexicon, other_hits: Iterable[Hit] = ()
) -> Substitution:
    """Exchange a word of a claim at a hit, and at other hits of the same word.

    The exchange word takes case and number of the base word; article, contraction, adjectives, pronouns and
    verb change to agree. If no rule decides between readings with different results, the status is "review".
    """
    tokens = tokenise(claim)
    base = lexicon.words[hit.word]
    spans: list[Span] = []
    try:
        for occurrence in (hit, *other_hits):
            _check_context(claim, occurrence, exchange)
            spans += _exchange_hit(tokens, occurrence, base, exchange)
        # Two hits may require the same change, but not different changes of one token.
        ordered = sorted(set(spans))
        for left, right in pairwise(ordered):
            if right.first <= left.last:
                raise NeedsReviewError("overlap", "two occurrences of the word change the same place")
    except NeedsReviewError as error:
        return Substitution(claim, "review", str(error), ())
    shifted, edits = apply_edits(claim, tokens, spans)
    return Substitution(shifted, "made", "", edits)


def _check_context(claim: str, hit: Hit, exchange: Word) -> None:
    """Raise NeedsReviewError if the base word has another sense here, or the exchange word does not fit."""
    context = f"{claim[: hit.start]}~{claim[hit.end :]}"
    for name, word in (("other_sense", hit.word), ("own_sense", hit.word), ("valency", exchange.word)):
        pattern = word_classes.CONTEXTS[name].get(word)
        if pattern and bool(pattern.search(context)) == (name != "own_sense"):
            code = name.replace("own", "other").replace("_", "-")
            raise NeedsReviewError(code, f'"{exchange.word}" may not mean here what "{hit.surface}" does')


# Tokens on either side of a word that must not have the exchange word: "Steuern, Gebühren und Abgaben".
_NEIGHBOURHOOD = 4


def _check_neighbours(tokens: Tokens, first: int, last: int, exchange: Word) -> None:
    """Check the words around a hit.

    Raises:
        NeedsReviewError: if one of them is the exchange word, its tail, or a member that it begins with.
    """
    if exchange.pos != "noun":
        return
    tail = (exchange.tail or "").lower().split()
    if tail and [token.low for token in tokens[last + 1 : last + 1 + len(tail)]] == tail:
        raise NeedsReviewError("already-there", f'"{exchange.tail}" follows the word already')
    heads = {form.split()[len(exchange.modifiers)].lower() for form in forms(exchange)}
    before, after = tokens[max(first - _NEIGHBOURHOOD, 0) : first], tokens[last + 1 :][:_NEIGHBOURHOOD]
    for side in (reversed(before), after):
        for token in takewhile(lambda neighbour: neighbour.text not in ".;:!?", side):
            is_elided = token.kind == "word" and token.text.endswith("-")
            begins_exchange = is_elided and exchange.word.lower().startswith(token.low[:-1])
            if begins_exchange or (token.is_noun and token.low in heads):
                raise NeedsReviewError("already-there", f'"{token.text}" is beside the word')


def _exchange_hit(tokens: Tokens, hit: Hit, base: Word, exchange: Word) -> tuple[Span, ...]:
    indices = [index for index, token in enumerate(tokens) if token.start < hit.end and hit.start < token.end]
    first, last = indices[0], indices[-1]
    check_text(tokens, last)
    _check_neighbours(tokens, first, last, exchange)
    if hit.kind == "compound" and hit.member != "head":
        member = nominalise(exchange) if base.pos == "noun" else exchange
        return exchange_member(tokens[first], first, hit, base, member)
    prefix = tokens[first].text[: hit.start - tokens[first].start]
    suffix = tokens[last].text[hit.end - tokens[last].start :]
    if suffix:
        raise NeedsReviewError("token", f'"{tokens[last].text}" continues after the word')
    if base.pos == "noun":
        has_shared_member = (
            first > 1
            and tokens[first - 1].low in word_classes.CONJUNCTIONS
            and tokens[first - 2].text.endswith("-")
        )
        if (
            has_shared_member
            and base.word[-_MIN_SHARED_ENDING:].lower() != exchange.word[-_MIN_SHARED_ENDING:].lower()
        ):
            raise NeedsReviewError(
                "shared-member", f'"{tokens[first - 2].text}" shares a member with the word'
            )
        if prefix and (exchange.modifiers or " " in exchange.word):
            raise NeedsReviewError("compound-phrase", f'"{exchange.word}" cannot be the head of a compound')
        if prefix and exchange.word.lower().startswith(prefix.lower().rstrip("-")):
            raise NeedsReviewError("already-there", f'"{exchange.word}" already begins with "{prefix}"')
        readings = readings_of(base, hit.surface)
        spans = exchange_noun(tokens, NounHit(first, last, base, readings, prefix), nominalise(exchange))
        if prefix:
            check_compound(tokens[first].text, next(span.text for span in spans if span.kind == "word"))
        return spans
    if prefix:
        raise NeedsReviewError("compound-adjective", f'"{tokens[first].text}" is a compound of an adjective')
    return exchange_other(first, last, hit.surface, base, exchange)
