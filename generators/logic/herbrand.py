"""Decide inferences of the universal fragment by trying every model over the named individuals.

Where premises and postulates are universally quantified and the conclusion is about named individuals, the
premises with the negated conclusion form a universal theory without functions. By Herbrand's theorem such a
theory has a model if and only if it has one whose individuals are those that are named. Finitely many models
are left, and all are tried: the verdict is a proof, or comes with a countermodel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from polbias.generators.logic.comparison import POSTULATES
from polbias.generators.logic.formula import (
    And,
    Atom,
    ForAll,
    Formula,
    Implies,
    Inference,
    Not,
    constants,
    substitute,
)

_MAX_ATOMS = 22
Truth = NDArray[np.bool_]


@dataclass(frozen=True)
class Decision:
    """Whether an inference is valid.

    Attributes:
        valid: True if the conclusion holds in every model of the premises and postulates.
        consistent: False if there is no such model, so that anything would follow.
        countermodel: truth values of the atoms in a model of the premises in which the conclusion is
            false; None if valid.
    """

    valid: bool
    consistent: bool
    countermodel: Mapping[Atom, bool] | None


def decide(inference: Inference, postulates: Sequence[Formula] = POSTULATES) -> Decision:
    """Decide an inference.

    Args:
        inference: premises that are ground or universally quantified as a whole, and a ground conclusion.
        postulates: formulas like premises that hold in every model; those that can make no difference are
            left aside.

    Returns:
        The decision; the countermodel is the first one in a fixed order.

    Raises:
        ValueError: if a quantifier stands inside a premise or in the conclusion, nothing is named, or there
            are too many atoms.
    """
    names = constants(And((inference.conclusion, *inference.premises)))
    # No variable of a formula is called like this.
    renaming = {name: f"#{index}" for index, name in enumerate(names)}
    # One decision serves all inferences that differ in names and in the order of premises only.
    premises = sorted((substitute(premise, renaming) for premise in inference.premises), key=str)
    canonical = Inference(tuple(premises), substitute(inference.conclusion, renaming))
    decision = _decide(canonical, tuple(postulates), tuple(renaming.values()))
    if decision.countermodel is None:
        return decision
    spoken = {new: old for old, new in renaming.items()}
    model = {
        Atom(atom.predicate, tuple(spoken[term] for term in atom.terms)): value
        for atom, value in decision.countermodel.items()
    }
    return Decision(False, True, model)


@lru_cache(maxsize=4096)
def _decide(inference: Inference, postulates: tuple[Formula, ...], names: tuple[str, ...]) -> Decision:
    if not names or not _quantifier_free(inference.conclusion):
        raise ValueError(f"expected a conclusion about named individuals, found {inference.conclusion}")
    for premise in (*inference.premises, *postulates):
        if not _quantifier_free(premise.body if isinstance(premise, ForAll) else premise):
            raise ValueError(f"expected quantifiers at the beginning of a premise only, found {premise}")
    predicates = set().union(*(_predicates(f) for f in (*inference.premises, inference.conclusion)))
    relevant = _relevant(postulates, predicates)
    theory = [_ground(f, names) for f in (*inference.premises, *relevant)]
    conclusion = _ground(inference.conclusion, names)
    atoms = sorted(set().union(*(_ground_atoms(f) for f in (*theory, conclusion))), key=str)
    if len(atoms) > _MAX_ATOMS:
        raise ValueError(f"{len(atoms)} atoms; at most {_MAX_ATOMS} can be enumerated")
    worlds = np.arange(1 << len(atoms), dtype=np.uint32)
    values = {atom: (worlds >> index & 1).astype(bool) for index, atom in enumerate(atoms)}
    models = np.ones(len(worlds), bool)
    for formula in theory:
        models &= _evaluate(formula, values)
    counter = np.flatnonzero(models & ~_evaluate(conclusion, values))
    if not len(counter):
        return Decision(True, bool(models.any()), None)
    return Decision(False, True, {atom: bool(values[atom][counter[0]]) for atom in atoms})


def _quantifier_free(formula: Formula) -> bool:
    match formula:
        case Atom():
            return True
        case Not(body):
            return _quantifier_free(body)
        case And(parts):
            return all(_quantifier_free(part) for part in parts)
        case Implies(antecedent, consequent):
            return _quantifier_free(antecedent) and _quantifier_free(consequent)
        case ForAll():
            return False


def _relevant(postulates: tuple[Formula, ...], predicates: set[str]) -> list[Formula]:
    """Return the postulates that can make a difference.

    One that says what follows from a predicate which occurs nowhere else can always be met by letting the
    predicate hold of nothing.
    """
    known, chosen = set(predicates), []
    waiting = list(postulates)
    while found := [p for p in waiting if (needed := _condition(p)) is None or needed in known]:
        chosen += found
        waiting = [p for p in waiting if p not in found]
        known = known.union(*(_predicates(p) for p in found))
    return chosen


def _condition(postulate: Formula) -> str | None:
    """Return the predicate of the atom that a postulate draws a conclusion from, if it has that form."""
    body = postulate.body if isinstance(postulate, ForAll) else postulate
    if isinstance(body, Implies) and isinstance(body.antecedent, Atom):
        return body.antecedent.predicate
    return None


def _predicates(formula: Formula) -> set[str]:
    match formula:
        case Atom(predicate, _):
            return {predicate}
        case Not(body) | ForAll(_, body):
            return _predicates(body)
        case And(parts):
            return set().union(*(_predicates(part) for part in parts))
        case Implies(antecedent, consequent):
            return _predicates(antecedent) | _predicates(consequent)


def _ground(formula: Formula, names: tuple[str, ...]) -> Formula:
    """Replace the quantifier in front of a formula by the conjunction over the named individuals."""
    if not isinstance(formula, ForAll):
        return formula
    variables = formula.variables
    chosen = product(names, repeat=len(variables))
    return And(
        tuple(substitute(formula.body, dict(zip(variables, values, strict=True))) for values in chosen)
    )


def _ground_atoms(formula: Formula) -> set[Atom]:
    match formula:
        case Atom():
            return {formula}
        case Not(body) | ForAll(_, body):
            return _ground_atoms(body)
        case And(parts):
            return set().union(*(_ground_atoms(part) for part in parts))
        case Implies(antecedent, consequent):
            return _ground_atoms(antecedent) | _ground_atoms(consequent)


def _evaluate(formula: Formula, values: Mapping[Atom, Truth]) -> Truth:
    match formula:
        case Atom():
            return values[formula]
        case Not(body):
            return ~_evaluate(body, values)
        case And(parts):
            both: Truth = np.logical_and.reduce([_evaluate(part, values) for part in parts])
            return both
        case Implies(antecedent, consequent):
            return ~_evaluate(antecedent, values) | _evaluate(consequent, values)
        case ForAll():
            raise ValueError(f"not ground: {formula}")
