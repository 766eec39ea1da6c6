"""Clauses and their verbs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from polbias.generators.language import german_words as german
from polbias.generators.xphemism.substitution import words as closed
from polbias.generators.xphemism.substitution.phrase import calls_for_noun, is_adjective
from polbias.generators.xphemism.substitution.words import Tokens
from polbias.generators.xphemism.vocabulary.paradigms import Number

# The clause around a noun phrase: its finite verb, its verbs at the end, its other noun phrases.

_BOUNDARIES = frozenset(",;:.!?…–—|/")
_NEVER = german.NEVER_VERBS.union(
    closed.DETERMINER_FORMS,
    closed.PREPOSITIONS,
    closed.CONTRACTIONS,
    closed.INVARIABLE,
    closed.CONJUNCTIONS,
    german.PRONOUNS,
) - {"sei"}
_INFINITIVE = ("en", "ern", "eln", "sein", "tun")
_OPENING = german.SUBORDINATORS | german.MAYBE_SUBORDINATORS | {"zumal", "damit", "sodass"}


@dataclass(frozen=True, slots=True)
class ClaimClause:
    """A clause.

    Attributes:
        places: places of its tokens, without relative clauses inside it.
        kind: "final" (the verb at the end, after a subordinator or relative pronoun), "zu" (an infinitive
            with "zu"), "second" (any clause with a finite verb before its end) or "verbless".
        finite: place of the finite verb, None without one.
        opener: place of the subordinator or relative pronoun, None without one.
    """

    token_indices: tuple[int, ...]
    kind: Literal["final", "zu", "second", "verbless"]
    finite: int | None
    opener: int | None

    def words(self, tokens: Tokens) -> list[str]:
        """Return its words in lower case."""
        return [tokens[place].low for place in self.token_indices]

    def verbs(self, tokens: Tokens) -> list[str]:
        """Return the infinitives of its words that are written in lower case."""
        return [
            german.verb_lemma(tokens[place].low)
            for place in self.token_indices
            if tokens[place].text[0].islower()
        ]


@lru_cache(maxsize=65536)
def finite_number(low: str) -> Number | None:
    """Return the number of a finite verb in the third person, None if the form is none."""
    if low in _NEVER:
        return None
    if low in closed.FINITE:
        return "sg"
    if low in closed.FINITE_PLURAL:
        return "pl"
    base = german.verb_lemma(low)
    if not base.endswith(_INFINITIVE):
        return None
    if german.is_finite_lexical(low):
        return "pl" if low.endswith(("en", "ern", "eln")) else "sg"
    if not low.isalpha() or base == low or not base[:1].islower():
        return None
    if low.endswith("e"):
        return "sg"
    # A strong preterite: "stieg", "fand"; a participle ("gestiegen") is none.
    return None if low.endswith(("en", "er", "es", "em", "t", "end")) else "sg"


def is_finite(tokens: Tokens, place: int) -> bool:
    """Return whether a token can be a finite verb and is no attribute."""
    token = tokens[place]
    if token.kind != "word" or not (token.text[0].islower() or token.begins_sentence):
        return False
    if finite_number(token.low) is None or token.low in german.PREPOSITIONS:
        return False
    if token.low in closed.FINITE or token.low in closed.FINITE_PLURAL:
        return True
    if place and tokens[place - 1].low == "zu":
        return False
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    attributive = following is not None and (following.is_noun or is_adjective(tokens, place + 1))
    if attributive and place and token.low.endswith(("e", "en")):
        return not (calls_for_noun(tokens[place - 1].low) or is_adjective(tokens, place - 1))
    return not (token.begins_sentence and token.low.endswith(("t", "en")) and german.is_participle(token.low))


def clause_at(tokens: Tokens, place: int) -> ClaimClause:
    """Return the clause that a token stands in."""
    segments = _segments(tokens)
    own = next((k for k, segment in enumerate(segments) if segment[0] <= place <= segment[-1]), None)
    if own is None:
        return ClaimClause((place,), "verbless", None, None)
    places = list(segments[own])
    if not _complete(tokens, places):
        places = _joined(tokens, segments, own)
    elif is_finite(tokens, places[0]):
        places = [*_front(tokens, segments, own), *places]
    return _described(tokens, tuple(places))


@lru_cache(maxsize=1024)
def _segments(tokens: Tokens) -> tuple[tuple[int, ...], ...]:
    """Return the places of the tokens between marks."""
    found: list[list[int]] = [[]]
    for place, token in enumerate(tokens):
        if token.text in _BOUNDARIES or token.text == "-" or (token.kind == "mark" and token.text in "()[]"):
            found.append([])
        elif token.kind != "mark":
            if token.begins_sentence and found[-1]:
                found.append([])
            found[-1].append(place)
    return tuple(tuple(segment) for segment in found if segment)


def _complete(tokens: Tokens, places: Sequence[int]) -> bool:
    return any(is_finite(tokens, place) for place in places) or _has_zu(tokens, places)


def _has_zu(tokens: Tokens, places: Sequence[int]) -> bool:
    return any(
        german.is_zu_infinitive(tokens[place].low)
        or (tokens[place].low == "zu" and german.is_infinitive(closed.low_after(tokens, place)))
        for place in places
    )


def _joined(tokens: Tokens, segments: tuple[tuple[int, ...], ...], own: int) -> list[int]:
    """Return a segment without verb with those beside it of the same sentence that complete it."""
    places = list(segments[own])
    for following in segments[own + 1 :]:
        if not _same_sentence(tokens, places[-1], following[0]):
            break
        if _described(tokens, following).opener is not None or tokens[following[0]].low in _OPENING:
            continue
        places += following
        if _complete(tokens, following):
            break
    if _complete(tokens, places):
        return places
    for before in reversed(segments[:own]):
        if not _same_sentence(tokens, before[-1], places[0]):
            break
        places = [*before, *places]
        if _complete(tokens, before):
            break
    return sorted(places)


def _front(tokens: Tokens, segments: tuple[tuple[int, ...], ...], own: int) -> tuple[int, ...]:
    """Return what stands before a clause that goes on with its verb: "der Rat, der tagte, beschloss ..."."""
    for before in reversed(segments[:own]):
        if not _same_sentence(tokens, before[-1], segments[own][0]):
            return ()
        if _described(tokens, before).opener is None:
            return () if _complete(tokens, before) else before
    return ()


def _same_sentence(tokens: Tokens, left: int, right: int) -> bool:
    return not any(
        tokens[place].text in ".!?;:" or tokens[place].begins_sentence for place in range(left + 1, right + 1)
    )


def _described(tokens: Tokens, places: tuple[int, ...]) -> ClaimClause:
    finites = [place for place in places if is_finite(tokens, place)]
    opener = _opener(tokens, places, finites)
    infinitives = all(german.is_infinitive(tokens[place].low) for place in finites)
    if not finites or (infinitives and _has_zu(tokens, places)):
        return ClaimClause(places, "zu" if _has_zu(tokens, places) else "verbless", None, opener)
    if opener is not None:
        clear = [place for place in finites if tokens[place].low in closed.FINITE or place == places[-1]]
        return ClaimClause(places, "final", (clear or finites)[-1], opener)
    first, *others = finites
    if (
        others
        and others[0] == first + 1
        and tokens[first].begins_sentence
        and tokens[first].low not in closed.FINITE
    ):
        first = others[0]  # "Unternehmen kostet ..."
    return ClaimClause(places, "second", first, None)


def _opener(tokens: Tokens, places: tuple[int, ...], finites: list[int]) -> int | None:
    """Return the place of what makes the clause one with the verb at its end, None if it is none."""
    first = places[0]
    at_end = bool(finites) and finites[-1] >= places[-1] - 1 and not _verb_second(tokens, places, finites)
    for place in places[:2]:
        low = tokens[place].low
        if low in ("um", "damit", "zumal") and place == first:
            return place
        if low in german.SUBORDINATORS and not (finites and finites[0] == place + 1):
            return place
        if low in german.MAYBE_SUBORDINATORS and at_end:
            return place
        if low not in closed.PREPOSITIONS and low not in closed.CLAUSE_CONJUNCTIONS:
            break
    relative = first if tokens[first].low in german.RELATIVES else None
    if relative is None and tokens[first].low in closed.PREPOSITIONS and len(places) > 1:
        relative = places[1] if tokens[places[1]].low in german.RELATIVES else None
    opens = (first > 0 and tokens[first - 1].text == ",") or tokens[first].low in ("was", "wer", "wo")
    if relative is None or not opens or not at_end:
        return None
    return relative if finites[0] > relative + 1 or finites[0] == places[-1] > relative else None


def _verb_second(tokens: Tokens, places: tuple[int, ...], finites: list[int]) -> bool:
    """Return whether an auxiliary or modal stands before the end: "die Abgabe müsse enden"."""
    auxiliaries = closed.FINITE.keys() | closed.FINITE_PLURAL.keys()
    known = [place for place in finites if tokens[place].low in auxiliaries]
    last = tokens[places[-1]].low
    return (
        bool(known) and known[-1] < places[-1] and (german.is_infinitive(last) or german.is_participle(last))
    )


def takes(tokens: Tokens, place: int, verbs: frozenset[str]) -> bool:
    """Return whether a verb of the clause around a token is one of these, with or without separated prefix.

    "Zum Opfer fallen" is a verb with a dative, too.
    """
    clause = clause_at(tokens, place)
    words = clause.words(tokens)
    found = any(base in verbs or words[-1] + base in verbs for base in clause.verbs(tokens))
    return found or "zum opfer" in " ".join(words)


# Finite verbs in the other number: "steigen" to "steigt" and back.

_NEEDS_E = re.compile(r".*(?:[td]|[^lrhmnaeiouäöü][mn])")


def third_singular(infinitive: str) -> str:
    """Return the third person singular present: "arbeitet" of "arbeiten", "gibt" of "geben"."""
    irregular = closed.strong_present(infinitive)
    if irregular is not None:
        return irregular
    if infinitive.endswith(("eln", "ern")):
        return infinitive[:-1] + "t"
    stem = infinitive.removesuffix("en")
    return stem + ("et" if _NEEDS_E.fullmatch(stem) else "t")


@lru_cache(maxsize=8192)
def in_number(low: str, number: Number) -> str | None:
    """Return a finite verb of the third person in a number, in lower case."""
    if number == "pl":
        return closed.FINITE.get(low) or _plural(low)
    return closed.FINITE_PLURAL.get(low) or _singular(low)


def _infinitive(low: str) -> str:
    """Return the infinitive of a finite form; "gehört" is first of all one of "gehören", not of "hören"."""
    lemma = german.verb_lemma(low)
    if lemma != low and closed.strong_present(lemma) == low:  # "verfällt" is of "verfallen"
        return lemma
    for infinitive in (low.removesuffix("t") + "en", low.removesuffix("et") + "en"):
        if low.endswith("t") and german.is_known(infinitive) and german.is_infinitive(infinitive):
            return infinitive
    return lemma


def _plural(low: str) -> str | None:
    infinitive = _infinitive(low)
    if infinitive == low or not infinitive.endswith("n"):
        return low + "n" if low.endswith("te") else None
    if low in (third_singular(infinitive), infinitive.removesuffix("n"), infinitive.removesuffix("en") + "e"):
        return infinitive
    return low + ("n" if low.endswith("e") else "en")


def _singular(low: str) -> str | None:
    infinitive = german.verb_lemma(low)
    if low == infinitive:
        return third_singular(infinitive)
    if low.endswith("ten"):
        return low[:-1]
    return low.removesuffix("en") if low.endswith("en") else None
