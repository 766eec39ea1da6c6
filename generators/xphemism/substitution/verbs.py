"""Finite verbs in the other number: "steigen" to "steigt" and back."""

from __future__ import annotations

import re
from functools import lru_cache

from polbias.generators.language import german_words as german
from polbias.generators.xphemism.substitution import words as closed
from polbias.generators.xphemism.vocabulary.paradigms import Number

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
    """Return a finite verb of the third person in a number, in lower case.

    Args:
        low: the form in the other number, in lower case.
        number: wanted.

    Returns:
        The form, or None if no rule makes it.
    """
    if number == "pl":
        return closed.FINITE[low] if low in closed.FINITE else _plural(low)
    return closed.FINITE_PLURAL[low] if low in closed.FINITE_PLURAL else _singular(low)


@lru_cache(maxsize=8192)
def is_reported(low: str, reflexive: bool = False) -> bool:
    """Return whether a form can be nothing but a subjunctive of reported speech: "zeige", "müsse".

    Args:
        low: the form in lower case.
        reflexive: whether "sich" follows, so that it is no adjective ("äußere").
    """
    if low in closed.REPORTED:
        return True
    infinitive = german.verb_lemma(low)
    if reflexive and low.endswith("re") and german.is_infinitive(low.removesuffix("e") + "n"):
        infinitive = low.removesuffix("e") + "n"
    if low in closed.FINITE or low == infinitive or not low.endswith("e"):
        return False
    return infinitive.endswith(("en", "ern", "eln")) and low in (
        infinitive.removesuffix("n"),
        infinitive.removesuffix("n") + "e",
        infinitive.removesuffix("en") + "e",
    )


def _infinitive(low: str) -> str:
    """Return the infinitive of a finite form; "gehört" is first of all one of "gehören", not of "hören"."""
    for infinitive in (low.removesuffix("t") + "en", low.removesuffix("et") + "en"):
        if low.endswith("t") and german.is_infinitive(infinitive):
            return infinitive
    return german.verb_lemma(low)


def _plural(low: str) -> str | None:
    infinitive = _infinitive(low)
    if infinitive == low or not infinitive.endswith("n"):
        return low + "n" if low.endswith("te") else None
    if low in (third_singular(infinitive), infinitive.removesuffix("n"), infinitive.removesuffix("en") + "e"):
        return infinitive
    if low.endswith("te"):
        return low + "n"
    if low.endswith("e"):
        return low + "n"
    return low + "en"


def _singular(low: str) -> str | None:
    infinitive = german.verb_lemma(low)
    if low == infinitive:
        return third_singular(infinitive)
    if low.endswith("ten"):
        return low[:-1]
    return low.removesuffix("en") if low.endswith("en") else None
