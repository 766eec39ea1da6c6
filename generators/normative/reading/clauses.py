"""Clauses: a subject, and a verb group with what follows it."""

from __future__ import annotations

from dataclasses import replace

from polbias.generators.logic.reading import ReadingError
from polbias.generators.normative.reading.lexicon import MODAL_ADVERBS
from polbias.generators.normative.reading.nodes import (
    FINITE,
    SUBJUNCTIVE,
    TOP,
    Mood,
    Negation,
    Node,
    Operator,
    operator,
)
from polbias.generators.normative.reading.subjects import leaf
from polbias.generators.normative.reading.text import Words
from polbias.generators.normative.reading.verb_groups import group, have_to
from polbias.generators.normative.reading.verbs import auxiliary_at, divisions

_UNIVERSAL = frozenset(("all", "every", "everyone", "everybody", "each"))
_PLACES = frozenset(("in", "on", "at", "during", "inside", "within"))
_NEITHER = {"neither": "not", "nor": "or"}


def clause(words: Words, mood: Mood = TOP) -> Node:
    """Read a clause that no sentence frame opens.

    Args:
        words: in lower case, without contractions.
        mood: how it is embedded.

    Returns:
        The clause under its own operators and negations.

    Raises:
        ReadingError: there is no subject, or nothing that could be a verb.
    """
    while words and words[-1] in (",", ":"):
        words = words[:-1]
    if not words:
        raise ReadingError("a clause without words")
    if words[0] in _PLACES and "," in words[2:6] and len(words) > 7:
        # "In the hospital, everyone must wear a mask."
        comma = words.index(",", 2)
        words = words[comma + 1 :] + words[:comma]
    if "neither" in words[1:] and "nor" in words:
        words = words[:1] + tuple(_NEITHER.get(word, word) for word in words[1:])
    if len(words) > 2 and words[0] in MODAL_ADVERBS:
        start = 2 if words[1] == "," else 1
        if words[0] not in ("sure", "certain"):
            return operator(MODAL_ADVERBS[words[0]], clause(words[start:], FINITE), outer=True)
    if words[0] == "not" and words[1:2] and words[1] in _UNIVERSAL:
        read = clause(words[1:], mood)
        # "Not every student might have passed": it might be that not every one has.
        if isinstance(read, Operator) and read.word == "might":
            return replace(read, body=Negation(read.body, outer=True))
        return Negation(read, outer=True)
    at = auxiliary_at(words)
    if at > 0:
        return group(words[:at], words[at:], mood)
    found = divisions(words)
    if not found:
        raise ReadingError(f"no verb found in {' '.join(words)!r}")
    best = found[0]
    if best.predicate[0] in ("need", "have") and best.predicate[1:2] == ("to",):
        return have_to(best.subject, best.predicate[1:], best.tense, best.number, mood)
    if mood == SUBJUNCTIVE and best.unmarked:
        return replace(leaf(best.subject, best.predicate), splits=found)
    read = leaf(best.subject, best.predicate, best.tense, best.number)
    return replace(read, splits=found, unmarked=best.unmarked)
