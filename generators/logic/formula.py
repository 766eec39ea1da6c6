"""A small formula language: what the sentences of a formal item say.

Individuals are constants (names of persons or things); groups, properties and comparisons are predicates; a
clause that nothing quantifies into is a predicate without terms. Quantifiers range over named variables.
Necessity and possibility belong to a *modality*: ``deontic`` (obligation O and permission P), ``epistemic``
(certainty □ and possibility ◇), or any other word that a text uses as an operator ("customary"). Scope is the
tree: ``B(a) → O C(a)`` is narrow, ``O(B(a) → C(a))`` wide. Formulas are immutable, hashable and print as
a person would write them; `polbias.generators.logic.syntax` reads them back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

DEONTIC, EPISTEMIC = "deontic", "epistemic"
_SIGNS = {DEONTIC: ("O", "P"), EPISTEMIC: ("□", "◇")}


@dataclass(frozen=True)
class Atom:
    """A predicate applied to terms: ``Republican(a)``, ``superior(a, b)``, ``⟨the sun shine⟩``."""

    predicate: str
    terms: tuple[str, ...] = ()

    def __str__(self) -> str:
        name = self.predicate if is_plain(self.predicate) else f"⟨{self.predicate}⟩"
        return f"{name}({', '.join(self.terms)})" if self.terms else name


def is_plain(predicate: str) -> bool:
    """Return whether a predicate is printed without angle brackets."""
    return predicate.isidentifier() and predicate not in ("O", "P")


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
class Or:
    """Disjunction of any number of formulas."""

    parts: tuple[Formula, ...]

    def __str__(self) -> str:
        return "(" + " ∨ ".join(map(str, self.parts)) + ")"


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


@dataclass(frozen=True)
class Necessarily:
    """Obligation, certainty, or another necessity: true where the body is true in every accessible world."""

    modality: str
    body: Formula

    def __str__(self) -> str:
        return _modal(_SIGNS.get(self.modality, (f"□[{self.modality}]",))[0], self.body)


@dataclass(frozen=True)
class Possibly:
    """Permission, epistemic possibility, or another: true where the body is true in some accessible world."""

    modality: str
    body: Formula

    def __str__(self) -> str:
        return _modal(_SIGNS.get(self.modality, ("", f"◇[{self.modality}]"))[1], self.body)


def _modal(sign: str, body: Formula) -> str:
    text = str(body)
    return f"{sign} {text}" if text[0].isidentifier() else f"{sign}{text}"


Formula = Atom | Not | And | Or | Implies | ForAll | Necessarily | Possibly
Modal = Necessarily | Possibly


@dataclass(frozen=True)
class Inference:
    """Premises in the order of the text, and a conclusion."""

    premises: tuple[Formula, ...]
    conclusion: Formula

    def __str__(self) -> str:
        return "; ".join(map(str, self.premises)) + f" ⊢ {self.conclusion}"

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The premises, then the conclusion."""
        return (*self.premises, self.conclusion)

    def map(self, change: Callable[[Formula], Formula]) -> Inference:
        """Return the inference with every formula changed."""
        return Inference(tuple(map(change, self.premises)), change(self.conclusion))


def every_pair(first_group: str, second_group: str, relation: str) -> ForAll:
    """Return the formula of "all A are <relation> to all B"."""
    groups = And((Atom(first_group, ("x",)), Atom(second_group, ("y",))))
    return ForAll(("x", "y"), Implies(groups, Atom(relation, ("x", "y"))))


def rebuild(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """Return a formula with its immediate parts changed; an atom is returned as it is."""
    match formula:
        case Atom():
            return formula
        case Not(body):
            return Not(change(body))
        case And(parts):
            return And(tuple(change(part) for part in parts))
        case Or(parts):
            return Or(tuple(change(part) for part in parts))
        case Implies(antecedent, consequent):
            return Implies(change(antecedent), change(consequent))
        case ForAll(variables, body):
            return ForAll(variables, change(body))
        case Necessarily(modality, body):
            return Necessarily(modality, change(body))
        case Possibly(modality, body):
            return Possibly(modality, change(body))


def children(formula: Formula) -> tuple[Formula, ...]:
    """Return the immediate parts of a formula, from left to right."""
    match formula:
        case Atom():
            return ()
        case And(parts) | Or(parts):
            return parts
        case Implies(antecedent, consequent):
            return antecedent, consequent
        case Not(body) | ForAll(_, body) | Necessarily(_, body) | Possibly(_, body):
            return (body,)


def negated(formula: Formula) -> Formula:
    """Return the negation, without a double one."""
    return formula.body if isinstance(formula, Not) else Not(formula)


def substitute(formula: Formula, terms: Mapping[str, str]) -> Formula:
    """Replace free variables or constants by other terms."""
    if isinstance(formula, Atom):
        return Atom(formula.predicate, tuple(terms.get(term, term) for term in formula.terms))
    if isinstance(formula, ForAll):
        terms = {old: new for old, new in terms.items() if old not in formula.variables}
    return rebuild(formula, lambda part: substitute(part, terms))


def rename(formula: Formula, predicates: Mapping[str, str]) -> Formula:
    """Replace predicates by other ones."""
    if isinstance(formula, Atom):
        return Atom(predicates.get(formula.predicate, formula.predicate), formula.terms)
    return rebuild(formula, lambda part: rename(part, predicates))


def atoms(formula: Formula) -> tuple[Atom, ...]:
    """Return the atoms of a formula, each once, in the order in which they first come up."""
    if isinstance(formula, Atom):
        return (formula,)
    return tuple(dict.fromkeys(atom for part in children(formula) for atom in atoms(part)))


def constants(formula: Formula, bound: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the individuals that a formula names, in the order in which they first come up."""
    if isinstance(formula, Atom):
        return tuple(dict.fromkeys(term for term in formula.terms if term not in bound))
    if isinstance(formula, ForAll):
        bound |= set(formula.variables)
    return tuple(dict.fromkeys(name for part in children(formula) for name in constants(part, bound)))
