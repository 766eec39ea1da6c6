"""A small first-order language: what a sentence of a formal item says.

Individuals are constants (names of persons); groups and comparisons are predicates. Quantifiers range over
named variables. Formulas are immutable, hashable and print as a person would write them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Atom:
    """A predicate applied to terms: ``Republican(a)``, ``superior(a, b)``, ``sunrise``."""

    predicate: str
    terms: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.predicate}({', '.join(self.terms)})" if self.terms else self.predicate


@dataclass(frozen=True)
class Not:
    """Negation."""

    body: Formula

    def __str__(self) -> str:
        return f"¬{self.body}"


@dataclass(frozen=True)
class And:
    """Conjunction of any number of formulas."""

    parts: tuple[Formula, ...]

    def __str__(self) -> str:
        return "(" + " ∧ ".join(map(str, self.parts)) + ")"


@dataclass(frozen=True)
class Implies:
    """Material conditional."""

    antecedent: Formula
    consequent: Formula

    def __str__(self) -> str:
        return f"({self.antecedent} → {self.consequent})"


@dataclass(frozen=True)
class ForAll:
    """Universal quantification over variables."""

    variables: tuple[str, ...]
    body: Formula

    def __str__(self) -> str:
        return "".join(f"∀{variable}" for variable in self.variables) + f" {self.body}"


Formula = Atom | Not | And | Implies | ForAll


@dataclass(frozen=True)
class Inference:
    """Premises in the order of the text, and a conclusion."""

    premises: tuple[Formula, ...]
    conclusion: Formula

    def __str__(self) -> str:
        return "; ".join(map(str, self.premises)) + f" ⊢ {self.conclusion}"


def every_pair(first_group: str, second_group: str, relation: str) -> ForAll:
    """Return the formula of "all A are <relation> to all B"."""
    groups = And((Atom(first_group, ("x",)), Atom(second_group, ("y",))))
    return ForAll(("x", "y"), Implies(groups, Atom(relation, ("x", "y"))))


def substitute(formula: Formula, terms: dict[str, str]) -> Formula:
    """Replace free variables or constants by other terms."""
    match formula:
        case Atom(predicate, arguments):
            return Atom(predicate, tuple(terms.get(term, term) for term in arguments))
        case Not(body):
            return Not(substitute(body, terms))
        case And(parts):
            return And(tuple(substitute(part, terms) for part in parts))
        case Implies(antecedent, consequent):
            return Implies(substitute(antecedent, terms), substitute(consequent, terms))
        case ForAll(variables, body):
            free = {old: new for old, new in terms.items() if old not in variables}
            return ForAll(variables, substitute(body, free))


def constants(formula: Formula, bound: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the individuals that a formula names, in the order in which they first come up."""
    match formula:
        case Atom(_, terms):
            return tuple(dict.fromkeys(term for term in terms if term not in bound))
        case Not(body):
            return constants(body, bound)
        case And(parts):
            return tuple(dict.fromkeys(name for part in parts for name in constants(part, bound)))
        case Implies(antecedent, consequent):
            return constants(And((antecedent, consequent)), bound)
        case ForAll(variables, body):
            return constants(body, bound | set(variables))
