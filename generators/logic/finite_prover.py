"""Decision in a finite domain by z3, with real quantifiers over an enumerated sort.

Shares no code with :mod:`polbias.generators.logic.finite` but the description of the domain and the names of
the labels: an order is an injection into positions, and a count is a sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from polbias.errors import PolbiasError
from polbias.generators.logic.finite import IDENTICAL, FiniteDomain, Label, label
from polbias.generators.logic.formula import (
    And,
    Atom,
    Count,
    CountOf,
    ForAll,
    Formula,
    Iff,
    Implies,
    Inference,
    Not,
    Or,
)
from polbias.optional import LazyModule

if TYPE_CHECKING:
    import z3
else:
    z3 = LazyModule("z3")

_TIMEOUT_MS = 60_000


class FiniteProver:
    """z3's theory of one domain; decides any number of inferences about it.

    Args:
        domain: individuals, groups and vocabulary.
    """

    def __init__(self, domain: FiniteDomain) -> None:
        self._domain = domain
        self._context = z3.Context()
        self._sort, elements = z3.EnumSort("Person", list(domain.individuals), ctx=self._context)
        self._element = dict(zip(domain.individuals, elements, strict=True))
        boolean, integer = z3.BoolSort(self._context), z3.IntSort(self._context)
        names = (*domain.groups, *domain.properties)
        self._predicates = {name: z3.Function(name, self._sort, boolean) for name in names}
        self._position = z3.Function("position", self._sort, integer)
        self._axioms = [
            self._predicates[group](element) == (name in members)
            for group, members in domain.groups.items()
            for name, element in self._element.items()
        ]
        if domain.order:
            positions = [self._position(element) for element in elements]
            bounds = [z3.And(position >= 1, position <= len(elements)) for position in positions]
            self._axioms += [z3.Distinct(*positions), *bounds]

    def decide(self, inference: Inference) -> Label:
        """Decide whether a conclusion follows from its premises, is excluded by them, or is left open.

        Raises:
            PolbiasError: if z3 gives no answer within a minute.
        """
        solver = z3.Solver(ctx=self._context)
        solver.set("timeout", _TIMEOUT_MS)
        solver.add(*self._axioms, *(self._expression(premise, {}) for premise in inference.premises))
        conclusion = self._expression(inference.conclusion, {})
        can_be_true, can_be_false = (
            self._is_satisfiable(solver, c) for c in (conclusion, z3.Not(conclusion))
        )
        return label(can_be_true, can_be_false)

    def _is_satisfiable(self, solver: z3.Solver, constraint: z3.BoolRef) -> bool:
        answer = solver.check(constraint)
        if answer == z3.unknown:
            raise PolbiasError(f"z3 gave no answer within {_TIMEOUT_MS // 1000} s: {solver.reason_unknown()}")
        return bool(answer == z3.sat)

    def _expression(self, formula: Formula, terms: Mapping[str, Any]) -> Any:
        """Return the z3 expression of a formula; `terms` has the bound variables."""

        def parts_of(formulas: tuple[Formula, ...]) -> list[Any]:
            return [self._expression(part, terms) for part in formulas]

        match formula:
            case Atom():
                return self._atom(formula, terms)
            case Not(body):
                return z3.Not(self._expression(body, terms))
            case And(parts):
                return z3.And(parts_of(parts))
            case Or(parts):
                return z3.Or(parts_of(parts))
            case Implies(left, right):
                return z3.Implies(*parts_of((left, right)))
            case Iff(left, right):
                return self._expression(left, terms) == self._expression(right, terms)
            case ForAll(variables, body):
                bound = [z3.FreshConst(self._sort, name) for name in variables]
                return z3.ForAll(
                    bound, self._expression(body, {**terms, **dict(zip(variables, bound, strict=True))})
                )
            case Count(comparison, number, parts):
                return self._compare(comparison, number, parts_of(parts))
            case CountOf(comparison, number, variable, body):
                values = [
                    self._expression(body, {**terms, variable: element}) for element in self._element.values()
                ]
                return self._compare(comparison, number, values)
            case _:
                raise ValueError(f"found a modal operator, expected none: {formula}")

    def _atom(self, atom: Atom, terms: Mapping[str, Any]) -> Any:
        values = [terms[term] if term in terms else self._element[term] for term in atom.terms]
        if atom.predicate == IDENTICAL:
            return values[0] == values[1]
        if atom.predicate == self._domain.order:
            return self._position(values[0]) < self._position(values[1])
        return self._predicates[atom.predicate](*values)

    def _compare(self, comparison: str, number: int, values: list[Any]) -> Any:
        total = z3.Sum([z3.If(value, 1, 0) for value in values])
        compare: Callable[[Any, int], Any] = {
            "=": lambda a, b: a == b,
            "≤": lambda a, b: a <= b,
            "≥": lambda a, b: a >= b,
        }[comparison]
        return compare(total, number)


@cache
def prover_of(domain: FiniteDomain) -> FiniteProver:
    """Return the prover of a domain, one per domain."""
    return FiniteProver(domain)
