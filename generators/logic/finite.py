"""Decision in a finite domain by enumeration: the truth of a formula in all models at once, as one integer.

A domain has a fixed number of named individuals, groups whose members are known, and either independent
properties or one strict order without ties. Bit i of a mask says whether a formula is true in model i, so
that a connective is one operation on integers. :mod:`polbias.generators.logic.finite_prover` decides the same
inferences with z3 and shares no code with this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import permutations
from operator import and_, or_
from typing import Literal

from polbias.generators.logic.formula import (
    And,
    Atom,
    Comparison,
    Count,
    CountOf,
    ForAll,
    Formula,
    Iff,
    Implies,
    Inference,
    Not,
    Or,
    rebuild,
    substitute,
)

Label = Literal["follows", "excluded", "open", "inconsistent"]
IDENTICAL = "="
"""Predicate of identity; its terms are compared as names."""


@dataclass(frozen=True, eq=False)
class FiniteDomain:
    """The individuals that an inference is about, and the vocabulary of their properties.

    Attributes:
        individuals: all individuals, each with one name.
        groups: members of each group; membership is the same in all models.
        properties: predicates with one term, true or false of each individual independently.
        order: predicate of a strict order of all individuals without ties, or None. A domain has properties
            or an order.
    """

    individuals: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]
    properties: tuple[str, ...] = ()
    order: str | None = None

    def __post_init__(self) -> None:
        if bool(self.properties) == bool(self.order):
            raise ValueError("expected properties or an order")

    @cached_property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms whose truth values differ between models; one of both directions of an order."""
        if self.order:
            return tuple(
                Atom(self.order, (first, second))
                for index, first in enumerate(self.individuals)
                for second in self.individuals[index + 1 :]
            )
        return tuple(Atom(name, (person,)) for name in self.properties for person in self.individuals)

    def ground(self, formula: Formula) -> Formula:
        """Replace quantifiers by conjunctions and counts over the individuals."""
        match formula:
            case ForAll(variables, body):
                variable, *others = variables
                inner = ForAll(tuple(others), body) if others else body
                return And(tuple(self._instances(variable, inner)))
            case CountOf(comparison, number, variable, body):
                return Count(comparison, number, tuple(self._instances(variable, body)))
            case _:
                return rebuild(formula, self.ground)

    def _instances(self, variable: str, body: Formula) -> Iterable[Formula]:
        return (self.ground(substitute(body, {variable: name})) for name in self.individuals)


class Valuations:
    """A set of valuations of atoms, and the truth of formulas in all of them.

    Args:
        domain: individuals, groups and vocabulary.
        mask_by_atom: for each atom, the mask of the valuations in which it is true.
        size: number of valuations.
    """

    def __init__(self, domain: FiniteDomain, mask_by_atom: Mapping[Atom, int], size: int) -> None:
        self.domain, self.mask_by_atom, self.size = domain, mask_by_atom, size
        self.all = (1 << size) - 1

    def mask(self, formula: Formula) -> int:
        """Return the mask of the valuations in which a formula is true."""
        match formula:
            case Atom():
                return self._atom_mask(formula)
            case Not(body):
                return self.all ^ self.mask(body)
            case And(parts):
                return reduce(and_, map(self.mask, parts), self.all)
            case Or(parts):
                return reduce(or_, map(self.mask, parts), 0)
            case Implies(antecedent, consequent):
                return (self.all ^ self.mask(antecedent)) | self.mask(consequent)
            case Iff(left, right):
                return self.all ^ self.mask(left) ^ self.mask(right)
            case Count(comparison, number, parts):
                return self._count_mask(comparison, number, [self.mask(part) for part in parts])
            case ForAll() | CountOf():
                return self.mask(self.domain.ground(formula))
            case _:
                raise ValueError(f"found a modal operator, expected none: {formula}")

    def _atom_mask(self, atom: Atom) -> int:
        if atom in self.mask_by_atom:
            return self.mask_by_atom[atom]
        domain = self.domain
        if atom.predicate == IDENTICAL:
            return self.all * (atom.terms[0] == atom.terms[1])
        if atom.predicate in domain.groups:
            return self.all * (atom.terms[0] in domain.groups[atom.predicate])
        if atom.predicate == domain.order:
            first, second = atom.terms
            if first == second:
                return 0
            return self.all ^ self.mask_by_atom[Atom(domain.order, (second, first))]
        raise ValueError(f"found {atom}, expected an atom of the domain")

    def _count_mask(self, comparison: Comparison, number: int, masks: Sequence[int]) -> int:
        at_least = [self.all, *[0] * (number + 1)]
        for mask in masks:
            for count in range(number + 1, 0, -1):
                at_least[count] |= at_least[count - 1] & mask
        too_many = self.all ^ at_least[number + 1]
        return {"≥": at_least[number], "≤": too_many, "=": at_least[number] & too_many}[comparison]


def all_models(domain: FiniteDomain) -> Valuations:
    """Return all models of a domain."""
    if domain.order:
        orders = list(permutations(range(len(domain.individuals))))
        rank_by_name = [dict(zip(domain.individuals, order, strict=True)) for order in orders]
        masks = {
            atom: sum(
                1 << model
                for model, rank in enumerate(rank_by_name)
                if rank[atom.terms[0]] < rank[atom.terms[1]]
            )
            for atom in domain.atoms
        }
        return Valuations(domain, masks, len(orders))
    return all_valuations(domain, domain.atoms)


def all_valuations(domain: FiniteDomain, atoms: Sequence[Atom]) -> Valuations:
    """Return all valuations of some atoms; those of an order need not be transitive."""
    size = 1 << len(atoms)
    masks = {}
    for index, atom in enumerate(atoms):
        period = 1 << index
        block = ((1 << period) - 1) << period  # false, then true, in blocks of 2^index valuations
        while period < size >> 1:
            period <<= 1
            block |= block << period
        masks[atom] = block
    return Valuations(domain, masks, size)


def decide(inference: Inference, models: Valuations) -> Label:
    """Decide whether a conclusion follows from its premises, is excluded by them, or is left open."""
    premises_true = reduce(and_, map(models.mask, inference.premises), models.all)
    conclusion = models.mask(inference.conclusion)
    return label(bool(premises_true & conclusion), bool(premises_true & ~conclusion))


def label(can_be_true: bool, can_be_false: bool) -> Label:
    """Return the label of a conclusion by whether the premises let it be true, and let it be false."""
    if can_be_true:
        return "open" if can_be_false else "follows"
    return "excluded" if can_be_false else "inconsistent"
