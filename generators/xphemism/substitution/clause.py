"""Clauses of a claim, and their verbs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from polbias.generators.language import german_words as german
from polbias.generators.xphemism.substitution import words as word_classes
from polbias.generators.xphemism.substitution.phrase import is_adjective, precedes_noun
from polbias.generators.xphemism.substitution.words import Tokens
from polbias.generators.xphemism.vocabulary.paradigms import Number

# Clauses: segmentation, kind, finite verb.

_BOUNDARIES = frozenset(",;:.!?…–—|/")
_NEVER_FINITE = german.NEVER_VERBS.union(
    word_classes.DETERMINER_FORMS,
    word_classes.PREPOSITIONS,
    word_classes.CONTRACTIONS,
    word_classes.INVARIABLE,
    word_classes.CONJUNCTIONS,
    german.PRONOUNS,
) - {"sei"}
_INFINITIVE_ENDINGS = ("en", "ern", "eln", "sein", "tun")
_SUBORDINATORS = german.SUBORDINATORS | german.MAYBE_SUBORDINATORS | {"zumal", "damit", "sodass"}


@dataclass(frozen=True, slots=True)
class ClaimClause:
    """A clause.

    Attributes:
        token_indices: indices of its tokens, without embedded relative clauses.
        kind: "final" (verb-final, after a subordinator or relative pronoun), "zu" (an infinitive with "zu"),
            "second" (all other clauses with a finite verb) or "verbless".
        finite: index of the finite verb, None without one.
        opener: index of the subordinator or relative pronoun, None without one.
    """

    token_indices: tuple[int, ...]
    kind: Literal["final", "zu", "second", "verbless"]
    finite: int | None
    opener: int | None

    def words(self, tokens: Tokens) -> list[str]:
        """Return the words of the clause in lower case."""
        return [tokens[index].low for index in self.token_indices]

    def verbs(self, tokens: Tokens) -> list[str]:
        """Return the verb lemmas of its lower-case words."""
        return [
            german.verb_lemma(tokens[index].low)
            for index in self.token_indices
            if tokens[index].text[0].islower()
        ]


@lru_cache(maxsize=65536)
def finite_number(low: str) -> Number | None:
    """Return the number of a finite verb in the third person, None if the form is not one."""
    if low in _NEVER_FINITE:
        return None
    if low in word_classes.FINITE:
        return "sg"
    if low in word_classes.FINITE_PLURAL:
        return "pl"
    infinitive = german.verb_lemma(low)
    if not infinitive.endswith(_INFINITIVE_ENDINGS):
        return None
    if german.is_finite_lexical(low):
        return "pl" if low.endswith(("en", "ern", "eln")) else "sg"
    if not low.isalpha() or infinitive == low or not infinitive[:1].islower():
        return None
    if low.endswith("e"):
        return "sg"
    # A strong preterite ("stieg", "fand"), not a participle ("gestiegen").
    return None if low.endswith(("en", "er", "es", "em", "t", "end")) else "sg"


def is_finite(tokens: Tokens, index: int) -> bool:
    """Whether a token can be a finite verb and is not an attribute."""
    token = tokens[index]
    if token.kind != "word" or not (token.text[0].islower() or token.begins_sentence):
        return False
    if finite_number(token.low) is None or token.low in german.PREPOSITIONS:
        return False
    if token.low in word_classes.FINITE or token.low in word_classes.FINITE_PLURAL:
        return True
    if index and tokens[index - 1].low == "zu":
        return False
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    precedes_noun_phrase = following is not None and (following.is_noun or is_adjective(tokens, index + 1))
    if precedes_noun_phrase and index and token.low.endswith(("e", "en")):
        return not (precedes_noun(tokens[index - 1].low) or is_adjective(tokens, index - 1))
    return not (token.begins_sentence and token.low.endswith(("t", "en")) and german.is_participle(token.low))


def clause_at(tokens: Tokens, index: int) -> ClaimClause:
    """Return the clause of a token."""
    segments = _segments(tokens)
    segment_index = next(
        (i for i, segment in enumerate(segments) if segment[0] <= index <= segment[-1]), None
    )
    if segment_index is None:
        return ClaimClause((index,), "verbless", None, None)
    indices = list(segments[segment_index])
    if not _has_verb(tokens, indices):
        indices = _join_segments(tokens, segments, segment_index)
    elif is_finite(tokens, indices[0]):
        indices = [*_find_fronted(tokens, segments, segment_index), *indices]
    return _classify_clause(tokens, tuple(indices))


@lru_cache(maxsize=1024)
def _segments(tokens: Tokens) -> tuple[tuple[int, ...], ...]:
    """Return the token indices of each segment between punctuation marks or sentence starts."""
    segments: list[list[int]] = [[]]
    for index, token in enumerate(tokens):
        if token.text in _BOUNDARIES or token.text == "-" or (token.kind == "mark" and token.text in "()[]"):
            segments.append([])
        elif token.kind != "mark":
            if token.begins_sentence and segments[-1]:
                segments.append([])
            segments[-1].append(index)
    return tuple(tuple(segment) for segment in segments if segment)


def _has_verb(tokens: Tokens, indices: Sequence[int]) -> bool:
    return any(is_finite(tokens, index) for index in indices) or _has_zu(tokens, indices)


def _has_zu(tokens: Tokens, indices: Sequence[int]) -> bool:
    return any(
        german.is_zu_infinitive(tokens[index].low)
        or (tokens[index].low == "zu" and german.is_infinitive(word_classes.next_low(tokens, index)))
        for index in indices
    )


def _join_segments(tokens: Tokens, segments: tuple[tuple[int, ...], ...], segment_index: int) -> list[int]:
    """Join a verbless segment with neighbours in its sentence up to one with a verb; return their indices."""
    indices = list(segments[segment_index])
    for following in segments[segment_index + 1 :]:
        if not _same_sentence(tokens, indices[-1], following[0]):
            break
        if (
            _classify_clause(tokens, following).opener is not None
            or tokens[following[0]].low in _SUBORDINATORS
        ):
            continue
        indices += following
        if _has_verb(tokens, following):
            break
    if _has_verb(tokens, indices):
        return indices
    for before in reversed(segments[:segment_index]):
        if not _same_sentence(tokens, before[-1], indices[0]):
            break
        indices = [*before, *indices]
        if _has_verb(tokens, before):
            break
    return sorted(indices)


def _find_fronted(
    tokens: Tokens, segments: tuple[tuple[int, ...], ...], segment_index: int
) -> tuple[int, ...]:
    """Return the verbless segment before a verb-initial one: "der Rat, der tagte, beschloss ..."."""
    for before in reversed(segments[:segment_index]):
        if not _same_sentence(tokens, before[-1], segments[segment_index][0]):
            return ()
        if _classify_clause(tokens, before).opener is None:
            return () if _has_verb(tokens, before) else before
    return ()


def _same_sentence(tokens: Tokens, left: int, right: int) -> bool:
    return not any(
        tokens[index].text in ".!?;:" or tokens[index].begins_sentence for index in range(left + 1, right + 1)
    )


def _classify_clause(tokens: Tokens, indices: tuple[int, ...]) -> ClaimClause:
    finites = [index for index in indices if is_finite(tokens, index)]
    opener = _find_opener(tokens, indices, finites)
    infinitives = all(german.is_infinitive(tokens[index].low) for index in finites)
    if not finites or (infinitives and _has_zu(tokens, indices)):
        return ClaimClause(indices, "zu" if _has_zu(tokens, indices) else "verbless", None, opener)
    if opener is not None:
        certain = [
            index for index in finites if tokens[index].low in word_classes.FINITE or index == indices[-1]
        ]
        return ClaimClause(indices, "final", (certain or finites)[-1], opener)
    first, *others = finites
    if (
        others
        and others[0] == first + 1
        and tokens[first].begins_sentence
        and tokens[first].low not in word_classes.FINITE
    ):
        first = others[0]  # "Unternehmen kostet ..."
    return ClaimClause(indices, "second", first, None)


def _find_opener(tokens: Tokens, indices: tuple[int, ...], finites: list[int]) -> int | None:
    """Return the index of the subordinator or relative pronoun, None if the clause has none."""
    first = indices[0]
    has_final_verb = (
        bool(finites) and finites[-1] >= indices[-1] - 1 and not _is_verb_second(tokens, indices, finites)
    )
    for index in indices[:2]:
        low = tokens[index].low
        if low in ("um", "damit", "zumal") and index == first:
            return index
        if low in german.SUBORDINATORS and not (finites and finites[0] == index + 1):
            return index
        if low in german.MAYBE_SUBORDINATORS and has_final_verb:
            return index
        if low not in word_classes.PREPOSITIONS and low not in word_classes.CLAUSE_CONJUNCTIONS:
            break
    relative = first if tokens[first].low in german.RELATIVES else None
    if relative is None and tokens[first].low in word_classes.PREPOSITIONS and len(indices) > 1:
        relative = indices[1] if tokens[indices[1]].low in german.RELATIVES else None
    can_open = (first > 0 and tokens[first - 1].text == ",") or tokens[first].low in ("was", "wer", "wo")
    if relative is None or not can_open or not has_final_verb:
        return None
    return relative if finites[0] > relative + 1 or finites[0] == indices[-1] > relative else None


def _is_verb_second(tokens: Tokens, indices: tuple[int, ...], finites: list[int]) -> bool:
    """Whether an auxiliary or modal precedes a final infinitive or participle: "die Abgabe müsse enden"."""
    auxiliaries = word_classes.FINITE.keys() | word_classes.FINITE_PLURAL.keys()
    auxiliary_indices = [index for index in finites if tokens[index].low in auxiliaries]
    last = tokens[indices[-1]].low
    return (
        bool(auxiliary_indices)
        and auxiliary_indices[-1] < indices[-1]
        and (german.is_infinitive(last) or german.is_participle(last))
    )


def contains_verb(tokens: Tokens, index: int, verbs: frozenset[str]) -> bool:
    """Whether the clause of a token has one of these verbs, with or without separated prefix.

    Also True for each clause with "zum Opfer": "zum Opfer fallen" takes a dative.
    """
    clause = clause_at(tokens, index)
    words = clause.words(tokens)
    has_match = any(base in verbs or words[-1] + base in verbs for base in clause.verbs(tokens))
    return has_match or "zum opfer" in " ".join(words)


# Number of finite verbs: "steigen" to "steigt" and back.

_NEEDS_E = re.compile(r".*(?:[td]|[^lrhmnaeiouäöü][mn])")


def third_singular(infinitive: str) -> str:
    """Return the third person singular present: "arbeitet" for "arbeiten", "gibt" for "geben"."""
    irregular = word_classes.strong_present(infinitive)
    if irregular is not None:
        return irregular
    if infinitive.endswith(("eln", "ern")):
        return infinitive[:-1] + "t"
    stem = infinitive.removesuffix("en")
    return stem + ("et" if _NEEDS_E.fullmatch(stem) else "t")


@lru_cache(maxsize=8192)
def inflect_finite(low: str, number: Number) -> str | None:
    """Return a finite verb of the third person in a number, in lower case; None if unknown."""
    if number == "pl":
        return word_classes.FINITE.get(low) or _finite_plural(low)
    return word_classes.FINITE_PLURAL.get(low) or _finite_singular(low)


def _infinitive(low: str) -> str:
    """Return the infinitive of a finite form; of "gehört", "gehören" rather than "hören"."""
    lemma = german.verb_lemma(low)
    if lemma != low and word_classes.strong_present(lemma) == low:  # "verfällt" from "verfallen"
        return lemma
    for infinitive in (low.removesuffix("t") + "en", low.removesuffix("et") + "en"):
        if low.endswith("t") and german.is_known(infinitive) and german.is_infinitive(infinitive):
            return infinitive
    return lemma


def _finite_plural(low: str) -> str | None:
    infinitive = _infinitive(low)
    if infinitive == low or not infinitive.endswith("n"):
        return low + "n" if low.endswith("te") else None
    if low in (third_singular(infinitive), infinitive.removesuffix("n"), infinitive.removesuffix("en") + "e"):
        return infinitive
    return low + ("n" if low.endswith("e") else "en")


def _finite_singular(low: str) -> str | None:
    infinitive = german.verb_lemma(low)
    if low == infinitive:
        return third_singular(infinitive)
    if low.endswith("ten"):
        return low[:-1]
    return low.removesuffix("en") if low.endswith("en") else None
