"""Decide inferences of the universal fragment by trying every model over the named individuals.

Where premises and postulates are universally quantified and the conclusion is about named individuals, the
premises with the negated conclusion form a universal theory without functions. By Herbrand's theorem such a
theory has a model if and only if it has one whose individuals are those that are named. Finitely many models
are left, and all are tried: the verdict is a proof, or comes with a countermodel.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
        countermodel: atom to truth value in a model of the premises without the conclusion; None if valid.
    """

    valid: bool
    countermodel: Mapping[str, bool] | None


def decide(inference: Inference, postulates: Sequence[Formula] = POSTULATES) -> Decision:
    """Decide an inference.

    Args:
        inference: universal or ground premises, a ground conclusion.
        postulates: universal formulas that hold in every model; those whose predicates do not occur in the
            inference, or in a postulate that matters for it, are left aside.

    Returns:
        The decision; the countermodel is the first one in a fixed order.

    Raises:
        ValueError: if the conclusion is quantified, nothing is named, or there are too many atoms.
    """
    names = constants(And((inference.conclusion, *inference.premises)))
    renaming = {name: f"i{index}" for index, name in enumerate(names)}
    # One decision serves all inferences that differ in names and in the order of premises only.
    premises = sorted((substitute(premise, renaming) for premise in inference.premises), key=str)
    canonical = Inference(tuple(premises), substitute(inference.conclusion, renaming))
    decision = _decide(canonical, tuple(postulates), tuple(renaming.values()))
    if decision.countermodel is None:
        return decision
    spoken = {new: old for old, new in renaming.items()}
    return Decision(False, {str(substitute(a, spoken)): v for a, v in _atoms_of(decision.countermodel)})


def _atoms_of(model: Mapping[str, bool]) -> Iterable[tuple[Atom, bool]]:
    for text, value in model.items():
        predicate, _, rest = text.partition("(")
        yield Atom(predicate, tuple(rest.rstrip(")").split(", ")) if rest else ()), value


@lru_cache(maxsize=4096)
def _decide(inference: Inference, postulates: tuple[Formula, ...], names: tuple[str, ...]) -> Decision:
    if isinstance(inference.conclusion, ForAll) or not names:
        raise ValueError(f"expected a conclusion about named individuals, found {inference.conclusion}")
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
        return Decision(True, None)
    return Decision(False, {str(atom): bool(values[atom][counter[0]]) for atom in atoms})


def _relevant(postulates: tuple[Formula, ...], predicates: set[str]) -> list[Formula]:
    """Return the postulates that share a predicate with the inference, directly or through one another."""
    known, chosen = set(predicates), []
    waiting = list(postulates)
    while found := [p for p in waiting if _antecedent_predicates(p) & known]:
        chosen += found
        waiting = [p for p in waiting if p not in found]
        known = known.union(*(_predicates(p) for p in found))
    return chosen


def _antecedent_predicates(formula: Formula) -> set[str]:
    body = formula.body if isinstance(formula, ForAll) else formula
    return _predicates(body.antecedent) if isinstance(body, Implies) else _predicates(body)


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
    """Replace every universal quantifier by the conjunction over the named individuals."""
    match formula:
        case ForAll(variables, body):
            chosen = product(names, repeat=len(variables))
            return And(
                tuple(_ground(substitute(body, dict(zip(variables, c, strict=True))), names) for c in chosen)
            )
        case Not(body):
            if isinstance(body, ForAll):
                raise ValueError(f"expected universal premises, found {formula}")
            return Not(_ground(body, names))
        case And(parts):
            return And(tuple(_ground(part, names) for part in parts))
        case Implies(antecedent, consequent):
            return Implies(_ground(antecedent, names), _ground(consequent, names))
        case _:
            return formula


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
