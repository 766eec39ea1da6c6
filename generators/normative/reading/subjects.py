"""Subjects: quantified ones become a quantifier and a class, the others stay as they are."""

from __future__ import annotations

from polbias.generators.normative.reading.lemmas import is_plural
from polbias.generators.normative.reading.lexicon import UNIVERSAL, UNIVERSAL_PEOPLE
from polbias.generators.normative.reading.nodes import Clause
from polbias.generators.normative.reading.quantifiers import disjuncts
from polbias.generators.normative.reading.text import Words


def quantified(subject: Words) -> tuple[str, Words]:
    """Take the quantifier off a noun phrase.

    Args:
        subject: a noun phrase in lower case.

    Returns:
        ``"all"``, ``"any"``, ``"no"``, ``"only"`` or ``""``, and the class: a noun phrase without it.
    """
    if not subject or subject[0] not in UNIVERSAL:
        if subject[:1] == ("those",) and subject[1:2] in (("who",), ("that",), ("which",), ("with",)):
            return "all", subject
        if subject[:2] == ("none", "of"):
            return "no", subject[2:]
        if subject[:1] == ("both",) and "and" in subject[2:-1]:
            several = is_plural(subject[subject.index("and", 2) - 1]) and is_plural(subject[-1])
            return ("all", subject[1:]) if several else ("", subject)
        return "", subject
    first, rest = subject[0], subject[1:]
    kind = UNIVERSAL[first]
    if first == "whoever" and rest:
        return kind, ("anyone", "who", *rest)
    if first in UNIVERSAL_PEOPLE:
        return kind, subject
    if rest[:1] == ("one",) and first in ("no", "any", "every"):
        return kind, ("anyone", *rest[1:])
    if not rest or (kind == "only" and len(rest) < 1):
        return "", subject
    if rest[:1] == ("of",):
        rest = rest[1:]
    if rest[:1] == ("the",):
        rest = rest[1:]
    if not rest:
        return "", subject
    if rest[:1] in (("who",), ("that",)):
        rest = ("those", *rest)
    return kind, rest


def leaf(subject: Words, phrase: Words, tense: str = "", number: str = "") -> Clause:
    """Return a clause with its quantifier and its disjuncts found.

    Args:
        subject: a noun phrase; empty for none.
        phrase: a verb phrase in the base form.
        tense: see `Clause.tense`.
        number: see `Clause.number`.

    Returns:
        The clause.
    """
    quantifier, kept = quantified(subject)
    return Clause(kept, disjuncts(phrase), tense, number, quantifier)
