"""Read a selection task back: what its rule says, and which cards can break it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from polbias.generators.logic.formula import Atom, Formula, Implies, Inference, Not
from polbias.generators.logic.logics import FOL
from polbias.generators.logic.prover import prove
from polbias.generators.logic.reading import ReadingError
from polbias.generators.normative.reading import canonical
from polbias.generators.normative.reading.lemmas import same_verb

_RULE = re.compile(r"If an? (?P<unit>.+?) (?P<p>.+?), then the (?P=unit) (?:must )?(?P<q>.+)\.")
_NEGATION = re.compile(r"^(?:(?:does|did|do) not |(is|are|was|were|be) not |not )")


def read_selection(rule: str, cards: Sequence[str]) -> tuple[Implies, str]:
    """Read a selection task.

    Args:
        rule: "If a U P, then the U (must) Q."
        cards: what is to be seen, in order; each says P or Q of a case, or its negation.

    Returns:
        The conditional in ``p`` and ``q``, and the letters of the cards that have to be turned over: those
        that do not make sure that the rule is kept.

    Raises:
        ReadingError: if the rule has another form, or a card says neither P nor Q.
    """
    found = _RULE.fullmatch(rule)
    if not found:
        raise ReadingError(f"found {rule!r}, expected 'If a ... , then the ... .'")
    clauses = {"p": _positive(found["p"])[1], "q": _positive(found["q"])[1]}

    def said(text: str) -> Formula:
        negated, clause = _positive(text)
        same = [name for name, (verb, rest) in clauses.items() if _same(clause, (verb, rest))]
        if len(same) != 1:
            raise ReadingError(f"found {text!r}, expected what the rule {rule!r} speaks of")
        return Not(Atom(same[0])) if negated else Atom(same[0])

    conditional = Implies(said(found["p"]), said(found["q"]))
    turned = [not prove(Inference((said(card),), conditional), FOL).valid for card in cards]
    return conditional, ",".join(letter for letter, turn in zip("ABCD", turned, strict=True) if turn)


def _positive(text: str) -> tuple[bool, tuple[str, str]]:
    """Return whether a clause is negated, and its verb and what follows it without that."""
    bare, count = _NEGATION.subn(lambda match: f"{match[1]} " if match[1] else "", text)
    verb, _, rest = bare.partition(" ")
    return bool(count), (verb, rest)


def _same(one: tuple[str, str], other: tuple[str, str]) -> bool:
    return same_verb(one[0], other[0]) and canonical(one[1]) == canonical(other[1])
