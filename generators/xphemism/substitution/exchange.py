"""Exchanging a word of a claim for another one with everything that has to agree (PolBiX, section 3.3)."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from polbias.generators.xphemism.matching.hit import Hit
from polbias.generators.xphemism.substitution.compounds import exchange_member
from polbias.generators.xphemism.substitution.edits import Span, applied
from polbias.generators.xphemism.substitution.nouns import NounHit, exchange_noun
from polbias.generators.xphemism.substitution.occurrences import other_hits, readings_of
from polbias.generators.xphemism.substitution.other_words import as_noun, exchange_other
from polbias.generators.xphemism.substitution.result import ReviewError, Substitution
from polbias.generators.xphemism.substitution.risks import check_mood, check_text
from polbias.generators.xphemism.substitution.tokens import Tokens, tokenise
from polbias.generators.xphemism.vocabulary.lexicon import Lexicon
from polbias.generators.xphemism.words import Word


def substitute(claim: str, hit: Hit, exchange: Word, lexicon: Lexicon) -> Substitution:
    """Exchange a word of a claim, wherever it stands as a word of its own.

    The exchange word takes case and number of the base word; article, contraction, adjectives, relative
    pronoun and verb are made to agree. Where readings of the claim lead to different results and no rule
    decides, nothing is
    guessed: the status is "review".

    Args:
        claim: a German sentence.
        hit: where the base word stands in it.
        exchange: the word that replaces it.
        lexicon: has the base word.

    Returns:
        The shifted claim with its edits. Under review it is the claim as it was, without edits.

    Source: PolBiX, section 3.3 and Appendix C.2 (articles and endings are adjusted, nothing else is changed).
    """
    tokens = tokenise(claim)
    base = lexicon.words.get(hit.word)
    spans: list[Span] = []
    try:
        if base is None:
            raise ReviewError("unknown-word", f'"{hit.word}" is not in the lexicon')
        if hit.proper and not _is_tag(claim, hit):
            raise ReviewError("proper-name", f'"{hit.surface}" is part of a name')
        check_mood(tokens)
        for each in (hit, *other_hits(claim, base, hit)):
            spans += _spans(tokens, each, base, exchange)
        # Two hits may demand the same change, but not different ones in one place.
        ordered = sorted(set(spans))
        for left, right in pairwise(ordered):
            if right.first <= left.last:
                raise ReviewError("overlap", "two occurrences of the word change the same place")
    except ReviewError as error:
        return Substitution(claim, "review", str(error), ())
    shifted, edits = applied(claim, tokens, spans)
    return Substitution(shifted, "made", "", edits)


def _is_tag(claim: str, hit: Hit) -> bool:
    """Return whether the word is all of a hashtag, which is a word of the claim and no name."""
    tagged = "#" in claim[max(0, hit.start - 1) : hit.start]
    return tagged and hit.end == hit.token_end


def _spans(tokens: Tokens, hit: Hit, base: Word, exchange: Word) -> tuple[Span, ...]:
    places = [place for place, token in enumerate(tokens) if token.start < hit.end and hit.start < token.end]
    if not places:
        raise ReviewError("no-token", f'"{hit.surface}" is no word of the claim')
    first, last = places[0], places[-1]
    check_text(tokens, last, hit.kind == "compound" and hit.member != "head")
    if hit.kind == "compound" and hit.member != "head":
        return exchange_member(tokens[first], first, hit, base, _member(base, exchange))
    prefix = tokens[first].text[: hit.start - tokens[first].start]
    suffix = tokens[last].text[hit.end - tokens[last].start :]
    if suffix:
        raise ReviewError("token", f'"{tokens[last].text}" goes on after the word')
    if base.pos == "noun":
        if prefix and (exchange.modifiers or " " in exchange.word):
            raise ReviewError("compound-phrase", f'"{exchange.word}" cannot be the head of a compound')
        if prefix and exchange.word.lower().startswith(prefix.lower().rstrip("-")):
            raise ReviewError("already-there", f'"{prefix}" and "{exchange.word}" begin alike')
        readings = readings_of(base, hit.surface)
        return exchange_noun(tokens, NounHit(first, last, base, readings, prefix), as_noun(exchange))
    if prefix:
        raise ReviewError("compound-adjective", f'"{tokens[first].text}" is a compound of an adjective')
    return exchange_other(tokens, first, last, hit.surface, base, exchange)


@lru_cache(maxsize=4096)
def _member(base: Word, exchange: Word) -> Word:
    return as_noun(exchange) if base.pos == "noun" else exchange
