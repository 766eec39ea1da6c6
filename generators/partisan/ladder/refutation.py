"""The size of a proof: steps and cases of a refutation of the premises and the denied conclusion.

A step is a literal that one sentence alone forces, given the literals before; where nothing more is forced,
two cases are distinguished, about the atom that forces most in the worse of both. The size depends on the
sentences only, not on a solver.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from polbias.generators.logic.finite import FiniteDomain, all_valuations
from polbias.generators.logic.formula import And, Atom, Formula, Implies, Not, atoms

_MAX_CASES = 400
_CANDIDATES = 10  # atoms tried for a case distinction
Literals = Mapping[int, bool]


class ProofSize(NamedTuple):
    """The size of a refutation.

    Attributes:
        steps: number of forced literals and contradictions, over all cases.
        cases: number of cases that end in a contradiction.
    """

    steps: int
    cases: int


class _Constraint(NamedTuple):
    """A sentence as the valuations of its atoms that make it true.

    Attributes:
        atoms: its atoms.
        allowed: mask of the valuations that make it true.
        true: mask of the valuations in which an atom is true, by atom.
        false: mask of the valuations in which an atom is false, by atom.
    """

    atoms: tuple[Atom, ...]
    allowed: int
    true: tuple[int, ...]
    false: tuple[int, ...]


@lru_cache(maxsize=1 << 16)
def _constraint(formula: Formula, domain: FiniteDomain) -> _Constraint:
    ground = domain.ground(formula)
    varying = set(domain.atoms)
    names = dict.fromkeys(
        atom if atom in varying else Atom(atom.predicate, atom.terms[::-1])
        for atom in atoms(ground)
        if atom in varying or (atom.predicate == domain.order and len(set(atom.terms)) == 2)
    )
    valuations = all_valuations(domain, tuple(names))
    true = tuple(valuations.mask_by_atom[atom] for atom in names)
    return _Constraint(
        tuple(names), valuations.mask(ground), true, tuple(valuations.all ^ mask for mask in true)
    )


@lru_cache(maxsize=64)
def _order_axioms(domain: FiniteDomain) -> Sequence[Formula]:
    """Return transitivity for every three individuals; none without an order."""
    if not domain.order:
        return ()
    axioms = []
    for first, second, third in combinations(domain.individuals, 3):
        one, two, around = (
            Atom(domain.order, pair) for pair in ((first, second), (second, third), (first, third))
        )
        axioms.append(
            And((Implies(And((one, two)), around), Implies(And((Not(one), Not(two))), Not(around))))
        )
    return tuple(axioms)


def proof_size(premises: Iterable[Formula], conclusion: Formula, domain: FiniteDomain) -> ProofSize:
    """Return the size of the proof of a conclusion from its premises."""
    sentences = (*premises, *_order_axioms(domain), Not(conclusion))
    return _Refutation([_constraint(sentence, domain) for sentence in sentences]).size()


class _Refutation:
    """A search for a contradiction among constraints."""

    def __init__(self, constraints: Sequence[_Constraint]) -> None:
        number_by_atom: dict[Atom, int] = {}
        self._constraints = constraints
        self._numbers = [
            [number_by_atom.setdefault(atom, len(number_by_atom)) for atom in constraint.atoms]
            for constraint in constraints
        ]
        self._constraints_of: list[list[int]] = [[] for _ in number_by_atom]
        for index, numbers in enumerate(self._numbers):
            for number in numbers:
                self._constraints_of[number].append(index)
        self._steps = self._cases = 0

    def size(self) -> ProofSize:
        """Refute the constraints and return the size of the refutation."""
        self._refute({}, range(len(self._constraints)))
        return ProofSize(self._steps, self._cases)

    def _refute(self, literals: Literals, changed: Iterable[int]) -> None:
        forced, steps = self._propagate(literals, changed)
        self._steps += steps
        free = () if forced is None else [n for n in range(len(self._constraints_of)) if n not in forced]
        if forced is None or not free or self._cases > _MAX_CASES:
            self._cases += 1
            return
        candidates = sorted(free, key=lambda number: -len(self._constraints_of[number]))[:_CANDIDATES]
        atom = max(candidates, key=lambda number: self._look_ahead(forced, number))
        for value in (False, True):
            self._refute({**forced, atom: value}, self._constraints_of[atom])

    def _look_ahead(self, literals: Literals, number: int) -> tuple[int, int]:
        """Return how many literals are forced in the worse and in the better case of an atom."""
        counts = []
        for value in (False, True):
            forced, _ = self._propagate({**literals, number: value}, self._constraints_of[number])
            counts.append(1000 if forced is None else len(forced) - len(literals))
        return min(counts), max(counts)

    def _propagate(self, literals: Literals, changed: Iterable[int]) -> tuple[Literals | None, int]:
        """Add the literals that single constraints force; None if a constraint is contradicted.

        Returns:
            the literals, and the number of steps.
        """
        known_values, steps = dict(literals), 0
        queue = deque(changed)
        queued = set(queue)
        while queue:
            index = queue.popleft()
            queued.discard(index)
            constraint, numbers = self._constraints[index], self._numbers[index]
            allowed, free = constraint.allowed, []
            for position, number in enumerate(numbers):
                value = known_values.get(number)
                if value is None:
                    free.append((position, number))
                else:
                    allowed &= constraint.true[position] if value else constraint.false[position]
            if not allowed:
                return None, steps + 1
            for position, number in free:
                can_be_true = allowed & constraint.true[position]
                if can_be_true and allowed & constraint.false[position]:
                    continue
                known_values[number] = bool(can_be_true)
                steps += 1
                for other in self._constraints_of[number]:
                    if other != index and other not in queued:
                        queue.append(other)
                        queued.add(other)
        return known_values, steps
