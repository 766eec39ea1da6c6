"""Decision of inferences by enumeration of all models of a given size: a procedure independent of the prover.

It shares no code with the prover.

Truth is evaluated by its definition, for many models at once: one array axis per modality has all
accessibility relations, the last axis all valuations. Individuals are constant and each has one name. This is
not a restriction, because the language has no identity: for two names of one individual there is a model of
the same formulas with two indistinguishable individuals.

"Valid" means that no model of this size is a countermodel. This is final if the numbers of worlds and of
unnamed individuals reach `enough_worlds` and `enough_individuals`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import product
from math import inf

import numpy as np
from numpy.typing import NDArray

from polbias.generators.logic.formula import (
    Access,
    And,
    Atom,
    Count,
    CountOf,
    ForAll,
    Formula,
    Iff,
    Implies,
    Inference,
    Logic,
    Necessarily,
    Not,
    Or,
    Possibly,
    atoms,
    children,
    constants,
    free_choice_enrichment,
    rebuild,
    substitute,
)

Truth = NDArray[np.bool_]
_CHUNK = 1 << 21
_MAX_VALUATIONS = 1 << 22
_INDIVIDUALS, _WORLDS = 3, 4
_MAX_BITS = 18  # truth values of a model of `decide_small`: some milliseconds


@dataclass(frozen=True)
class FiniteModels:
    """One model, or several with the same worlds and individuals.

    Attributes:
        domain: the individuals.
        access: for each modality, whether a world (first axis) has access to another (second axis), by model.
        true: whether an atom is true at a world, by model; absent atoms are false.
    """

    domain: Sequence[str]
    access: Mapping[str, Truth]
    true: Mapping[tuple[Atom, int], Truth]


@dataclass(frozen=True)
class EnumeratedVerdict:
    """The verdict of all models of a size on an inference.

    Attributes:
        valid: True if the conclusion is true in every model with true premises.
        consistent: True if some model has true premises.
        countermodel: a smallest model with true premises and a false conclusion, or None.
    """

    valid: bool
    consistent: bool
    countermodel: FiniteModels | None


def decide(
    inference: Inference, logic: Logic, *, worlds: int = 3, extra: int = 1, trees: bool = False
) -> EnumeratedVerdict:
    """Decide an inference by trying all models.

    Args:
        inference: the inference; disjunctions are not enriched.
        logic: the logic, which defines the admissible models.
        worlds: maximum number of worlds of a model; one if the logic has no modal operators.
        extra: number of unnamed individuals.
        trees: skip models in which a world has access to an earlier world (or, unless `logic` requires it, to
            itself). Except in S5, every model can be unravelled to a tree, so with enough worlds the verdict
            is the same.

    Raises:
        ValueError: if there are too many valuations.
    """
    domain = _domain(inference, extra)
    facts = [instance for p in _relevant_postulates(inference, logic) for instance in _instances(p, domain)]
    ground_atoms = dict.fromkeys(
        atom for f in (*inference.formulas, *facts) for atom in atoms(_ground(f, domain))
    )
    modalities = sorted({kind for f in inference.formulas for kind in _modalities(f)})
    consistent = False
    for size in range(1, 2 if logic.access is Access.NO_MODALITY else worlds + 1):
        relations = _relations(logic.access, size, trees)
        access = {
            kind: _place_on_axis(relations, axis, len(modalities)) for axis, kind in enumerate(modalities)
        }
        for true in _valuations(
            list(ground_atoms), size, facts, _CHUNK // relations.shape[2] ** len(modalities)
        ):
            models = FiniteModels(domain, access, true)
            premises_hold = reduce(
                np.logical_and, (holds(p, models) for p in inference.premises), np.array(True)
            )
            consistent = consistent or bool(premises_hold.any())
            is_countermodel = np.atleast_1d(premises_hold & ~holds(inference.conclusion, models))
            if is_countermodel.any():
                return EnumeratedVerdict(False, True, _first_model(models, is_countermodel))
    return EnumeratedVerdict(True, consistent, None)


@lru_cache(maxsize=16384)
def decide_small(inference: Inference, logic: Logic) -> EnumeratedVerdict | None:
    """Decide an inference by all models of up to three individuals and four worlds, as far as feasible.

    Return None if even the named individuals and, with operators, two worlds are too many.
    """
    if logic.free_choice:
        inference = inference.map(free_choice_enrichment)
    modal = any(_modalities(formula) for formula in inference.formulas)
    n_named = len({name for formula in inference.formulas for name in constants(formula)})
    consistent, any_tried = False, False
    for extra in range(max(_INDIVIDUALS - n_named, 0) + 1):
        domain = _domain(inference, extra)
        ground_atoms = {atom for f in inference.formulas for atom in atoms(_ground(f, domain))}
        worlds = min(
            enough_worlds(inference, logic, extra=extra), _WORLDS, _MAX_BITS // max(len(ground_atoms), 1)
        )
        if worlds < 1 + modal:
            break
        any_tried = True
        decision = decide(inference, logic, worlds=worlds, extra=extra, trees=True)
        if not decision.valid:
            return decision
        consistent = consistent or decision.consistent
    return EnumeratedVerdict(True, consistent, None) if any_tried else None


def holds(formula: Formula, models: FiniteModels, world: int = 0) -> Truth:
    """Return a mask of the models in which a closed formula is true at a world."""

    def evaluate_all(formulas: Iterator[Formula]) -> Iterator[Truth]:
        return (holds(part, models, world) for part in formulas)

    match formula:
        case Atom():
            return models.true.get((formula, world), np.array(False))
        case Not(body):
            return ~holds(body, models, world)
        case And(parts):
            return reduce(np.logical_and, evaluate_all(iter(parts)), np.array(True))
        case Or(parts):
            return reduce(np.logical_or, evaluate_all(iter(parts)), np.array(False))
        case Implies(antecedent, consequent):
            return ~holds(antecedent, models, world) | holds(consequent, models, world)
        case Iff() | Count() | CountOf():
            raise ValueError(f"decided in a finite domain only: {formula}")
        case ForAll():
            return reduce(np.logical_and, evaluate_all(_instances(formula, models.domain)), np.array(True))
        case Necessarily(modality, body):
            row = models.access[modality][world]
            return reduce(
                np.logical_and, (~row[target] | holds(body, models, target) for target in range(len(row)))
            )
        case Possibly(modality, body):
            row = models.access[modality][world]
            return reduce(
                np.logical_or, (row[target] & holds(body, models, target) for target in range(len(row)))
            )


def enough_worlds(inference: Inference, logic: Logic, *, extra: int = 1) -> int:
    """Return a number of worlds that is sufficient for a countermodel, if there is any.

    A world needs at most one successor per operator at its modal depth: each possibility needs one (in KD a
    necessity may need one, too), and successors are constrained by formulas of smaller depth. In KT a
    necessity also holds at the world itself, including the operators inside. In S5 each possibility needs one
    world in total, because it holds at all worlds.
    """
    domain = _domain(inference, extra)
    levels: list[set[Formula]] = []

    def collect(formula: Formula, depth: int) -> None:
        if isinstance(formula, Necessarily | Possibly):
            levels.extend(set[Formula]() for _ in range(depth + 1 - len(levels)))
            levels[depth].add(formula)
            depth += 1
        for part in children(formula):
            collect(part, depth)

    for formula in inference.formulas:
        collect(_ground(formula, domain), 0)
    counts = [len(level) for level in levels]
    if logic.access is Access.UNIVERSAL:
        return 1 + sum(counts)
    if logic.access is Access.REFLEXIVE:
        counts = [sum(counts[depth:]) for depth in range(len(counts))]
    return reduce(lambda n_below, count: 1 + count * n_below, reversed(counts), 1)


def enough_individuals(inference: Inference) -> float:
    """Return a sufficient number of unnamed individuals, or infinity if unknown.

    A false universal needs a witness per variable. If it is outside of operators and quantifiers, a model
    restricted to the witnesses and the named individuals is a model, too.
    """

    def count_witnesses(formula: Formula, positive: bool, outside: bool) -> float:
        match formula:
            case Not(body):
                return count_witnesses(body, not positive, outside)
            case Implies(antecedent, consequent):
                return count_witnesses(antecedent, not positive, outside) + count_witnesses(
                    consequent, positive, outside
                )
            case ForAll(variables, body):
                n_witnesses = 0.0 if positive else len(variables) if outside else inf
                return n_witnesses + count_witnesses(body, positive, False)
            case Necessarily(_, body) | Possibly(_, body):
                return count_witnesses(body, positive, False)
            case _:
                return sum(count_witnesses(part, positive, outside) for part in children(formula))

    return sum(count_witnesses(p, True, True) for p in inference.premises) + count_witnesses(
        inference.conclusion, False, True
    )


def _domain(inference: Inference, extra: int) -> list[str]:
    names = [*dict.fromkeys(name for f in inference.formulas for name in constants(f))]
    return names + [f"unnamed {index}" for index in range(extra if names else max(extra, 1))]


def _ground(formula: Formula, domain: Sequence[str]) -> Formula:
    """Replace quantifiers by conjunctions over the domain."""
    if isinstance(formula, ForAll):
        formula = And(tuple(_instances(formula, domain)))
    return rebuild(formula, lambda part: _ground(part, domain))


def _instances(formula: Formula, domain: Sequence[str]) -> Iterator[Formula]:
    assert isinstance(formula, ForAll)
    for terms in product(domain, repeat=len(formula.variables)):
        yield substitute(formula.body, dict(zip(formula.variables, terms, strict=True)))


def _relevant_postulates(inference: Inference, logic: Logic) -> tuple[Formula, ...]:
    """Return the postulates, or none if the inference has none of their predicates.

    The postulates hold if their predicates are false of everything.
    """
    nowhere = FiniteModels(["anyone"], {}, {})
    assert all(holds(postulate, nowhere) for postulate in logic.postulates)
    inference_predicates = {atom.predicate for f in inference.formulas for atom in atoms(f)}
    postulate_predicates = {atom.predicate for postulate in logic.postulates for atom in atoms(postulate)}
    return logic.postulates if inference_predicates & postulate_predicates else ()


def _modalities(formula: Formula) -> set[str]:
    operator_modalities = {formula.modality} if isinstance(formula, Necessarily | Possibly) else set()
    return operator_modalities.union(*map(_modalities, children(formula)))


def _relations(access: Access, worlds: int, trees: bool) -> Truth:
    """Return all accessibility relations of a kind, along the last axis."""
    if access is Access.UNIVERSAL:
        return np.ones((worlds, worlds, 1), bool)
    free_edges = [
        (first, second)
        for first, second in product(range(worlds), repeat=2)
        if first < second or not (trees or (first == second and access is Access.REFLEXIVE))
    ]
    numbers = np.arange(1 << len(free_edges))
    relations = np.zeros((worlds, worlds, len(numbers)), bool)
    for index, (first, second) in enumerate(free_edges):
        relations[first, second] = numbers >> index & 1
    for world in range(worlds):
        if access is Access.REFLEXIVE:
            relations[world, world] = True
        elif access is Access.SERIAL and trees:
            relations[world, world] = ~relations[world].any(axis=0)
    return relations[:, :, relations.any(axis=1).all(axis=0)] if access is Access.SERIAL else relations


def _place_on_axis(relations: Truth, axis: int, modalities: int) -> Truth:
    """Put relations along the axis of their modality; the last axis is for the valuations."""
    axes = [np.newaxis] * (modalities + 1)
    return relations[:, :, *axes[:axis], :, *axes[axis + 1 :]]


def _valuations(
    ground_atoms: Sequence[Atom], worlds: int, facts: Sequence[Formula], size: int
) -> Iterator[Mapping[tuple[Atom, int], Truth]]:
    """Yield all valuations that satisfy the facts (about the actual world), in chunks."""
    true: dict[tuple[Atom, int], Truth] = {}
    n_valuations, pending = 1, list(facts)
    for key in product(ground_atoms, range(worlds)):
        true = {atom_key: np.tile(values, 2) for atom_key, values in true.items()}
        true[key] = np.repeat([False, True], n_valuations)
        ready = [fact for fact in pending if all((atom, 0) in true for atom in atoms(fact))]
        pending = [fact for fact in pending if fact not in ready]
        is_consistent = reduce(
            np.logical_and,
            (holds(fact, FiniteModels([], {}, true)) for fact in ready),
            np.ones(2 * n_valuations, bool),
        )
        true = {atom_key: values[is_consistent] for atom_key, values in true.items()}
        n_valuations = int(is_consistent.sum())
        if n_valuations > _MAX_VALUATIONS:
            raise ValueError(f"more than {_MAX_VALUATIONS} valuations of {len(ground_atoms)} atoms")
    for start in range(0, n_valuations, max(size, 1)):
        yield {key: values[start : start + max(size, 1)] for key, values in true.items()}


def _first_model(models: FiniteModels, mask: Truth) -> FiniteModels:
    """Return the first model of the mask."""
    first = int(mask.argmax())
    access = {
        kind: np.broadcast_to(relation, (*relation.shape[:2], *mask.shape)).reshape(*relation.shape[:2], -1)[
            :, :, first
        ]
        for kind, relation in models.access.items()
    }
    true = {
        key: np.broadcast_to(values, mask.shape).reshape(-1)[first] for key, values in models.true.items()
    }
    return FiniteModels(models.domain, access, true)
