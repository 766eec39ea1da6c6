"""Meaning postulates of the comparison words: what "superior", "inferior" and "comparable" say of each other.

Any other comparison ("taller", "älter") is unrelated to quality and has no postulate.
"""

from __future__ import annotations

from polbias.generators.logic.formula import Atom, ForAll, Formula, Implies, Not

SUPERIOR, INFERIOR, COMPARABLE = "superior", "inferior", "comparable"
MEANINGFUL = (SUPERIOR, INFERIOR, COMPARABLE)


def _both(antecedent: str, consequent: Formula) -> Formula:
    return ForAll(("x", "y"), Implies(Atom(antecedent, ("x", "y")), consequent))


POSTULATES: tuple[Formula, ...] = (
    # superior and inferior are converses
    _both(SUPERIOR, Atom(INFERIOR, ("y", "x"))),
    _both(INFERIOR, Atom(SUPERIOR, ("y", "x"))),
    # both are asymmetric (one suffices, the other follows)
    _both(SUPERIOR, Not(Atom(SUPERIOR, ("y", "x")))),
    # comparable rules out both
    _both(COMPARABLE, Not(Atom(SUPERIOR, ("x", "y")))),
    _both(COMPARABLE, Not(Atom(INFERIOR, ("x", "y")))),
)
