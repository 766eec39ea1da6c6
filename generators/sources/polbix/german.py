"""What the auditor knows of single German words: which carry content, which are forms of one word."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

from polbias.generators.policy.quality_words import numbers
from polbias.generators.xphemism.substitution.words import (
    CONTRACTIONS,
    DETERMINER_FORMS,
    FINITE,
    FINITE_PLURAL,
    INVARIABLE,
    PREPOSITIONS,
)

_WORDS = Path(__file__).with_name("words.yaml")
_POLARITY = re.compile(r"(?=(un|nicht|miss))")
_TWO_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_LONG, _MIDDLE = 9, 5
"""Length of words from which two letters, or one, may differ between two spellings."""


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(_WORDS.read_text(encoding="utf-8"))
    return data


@cache
def _list(name: str) -> frozenset[str]:
    return frozenset(_data()[name].split())


@cache
def _function_words() -> frozenset[str]:
    closed = (DETERMINER_FORMS, CONTRACTIONS, PREPOSITIONS, INVARIABLE)
    return _list("function").union(*closed)


@lru_cache(maxsize=65536)
def lemma(word: str) -> str:
    """Return the dictionary form of a word, in lower case."""
    import simplemma

    for variant in (word, word.lower()):
        found = simplemma.lemmatize(variant, lang="de")
        if found != variant:
            return str(found).lower()
    return word.lower()


def is_determiner(word: str) -> bool:
    """Return whether a word in lower case is an article or another determiner."""
    return word in DETERMINER_FORMS


def is_function_word(word: str) -> bool:
    """Return whether a word carries no content: article, pronoun, preposition, conjunction, auxiliary."""
    low = word.lower()
    return len(low) == 1 or low in _function_words() or lemma(low) in _list("auxiliaries")


def preposition(word: str) -> str | None:
    """Return the preposition that a word is or holds ("im" holds "in"), None if there is none."""
    low = word.lower()
    return CONTRACTIONS[low][0] if low in CONTRACTIONS else low if low in PREPOSITIONS else None


@lru_cache(maxsize=65536)
def same_word(one: str, other: str) -> bool:
    """Return whether two words are forms of one: "drohenden" and "drohender", "zeigt" and "zeige"."""
    one, other = one.lower(), other.lower()
    if lemma(one) == lemma(other):
        return True
    short, long = sorted((_stem(one), _stem(other)), key=len)
    return len(short) > 2 and short == long


def _stem(word: str) -> str:
    for ending in sorted(_list("endings"), key=len, reverse=True):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word.removesuffix(ending)
    return word


def letters(text: str) -> str:
    """Return letters and digits of a text in lower case, umlauts in two letters, without all else."""
    return "".join(filter(str.isalnum, text.lower())).translate(_TWO_LETTERS)


@lru_cache(maxsize=65536)
def same_spelled_otherwise(one: str, other: str) -> bool:
    """Return whether two texts are one word but for capitals, hyphens, a slip of the pen or a short form.

    A syllable that turns the meaning round ("un-") is no slip of the pen.
    """
    first, second = letters(one), letters(other)
    if first == second:
        return True
    for short, long in ((first, second), (second, first)):
        meant = _data()["abbreviations"].get(short, "").replace("_", "").split()
        if long in map(letters, meant):
            return True
    if numbers(one, "de") == numbers(other, "de") != frozenset():
        return True
    if turned_round(one, other):
        return False
    if first.isdigit() or second.isdigit() or is_function_word(one) or is_function_word(other):
        return False
    length = min(len(first), len(second))
    allowed = 2 if length >= _LONG else 1 if length >= _MIDDLE else 0
    return _distance(first, second, allowed) <= allowed


def turned_round(one: str, other: str) -> bool:
    """Return whether one word is the other with a syllable that turns its meaning round, such as "un-"."""
    short, long = sorted((letters(one), letters(other)), key=len)
    return any(long[: m.start()] + long[m.end(1) :] == short for m in _POLARITY.finditer(long))


def _distance(one: str, other: str, limit: int) -> int:
    """Return how many letters must be changed, added or dropped, at most one more than a limit."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


def is_subjunctive(word: str, beside: str) -> bool:
    """Return whether a finite verb is in the subjunctive, judged beside another form of the same verb."""
    low, other = word.lower(), beside.lower()
    return low in _list("subjunctive") or (
        low.endswith("e")
        and not low.endswith("te")
        and low.removesuffix("e") == other.removesuffix("t") != other
    )


def verb_number(word: str) -> str | None:
    """Return "sg" or "pl" of a finite verb in the third person by its form, None where that is open."""
    low = word.lower()
    if not lemma(word).endswith("n"):
        return None
    if low in FINITE:
        return "sg"
    if low in FINITE_PLURAL or low.endswith("en"):
        return "pl"
    return "sg" if low.endswith(("t", "te", "e")) else None
