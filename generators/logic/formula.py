"""Formulas of modal and first-order logic."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Set
from dataclasses import dataclass
from enum import Enum
from typing import Literal

# A small formula language for the sentences of formal items.
# Individuals are constants (names of persons or things); groups, properties and comparisons are predicates; a
# clause without quantified variables is a predicate without terms. Quantifiers bind named variables.
# Necessity and possibility have a *modality*: ``deontic`` (obligation O and permission P), ``epistemic`` (□
# and ◇) or one of its flavours, or any other word that a text uses as an operator ("customary"). Scope is the
# tree: ``B(a) → O C(a)`` is narrow, ``O(B(a) → C(a))`` wide. Formulas are immutable, hashable and print in
# the usual notation; `polbias.generators.logic.syntax` parses it.

DEONTIC, EPISTEMIC = "deontic", "epistemic"
ALETHIC, CERTAINTY, KNOWLEDGE = "alethic", "certainty", "knowledge"
FLAVOURS = (ALETHIC, CERTAINTY, KNOWLEDGE)  # of the epistemic domain; none implies another
Comparison = Literal["=", "≤", "≥"]
COMPARISONS: tuple[Comparison, ...] = ("=", "≤", "≥")
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
    """Whether a predicate is printed without angle brackets."""
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
class Iff:
    """Material equivalence."""

    left: Formula
    right: Formula

    def __str__(self) -> str:
        return f"({self.left} ↔ {self.right})"


@dataclass(frozen=True)
class Count:
    """The number of true formulas among several, compared with a number."""

    comparison: Comparison
    number: int
    parts: tuple[Formula, ...]

    def __str__(self) -> str:
        return f"#[{', '.join(map(str, self.parts))}] {self.comparison} {self.number}"


@dataclass(frozen=True)
class CountOf:
    """The number of individuals of which the body is true, compared with a number."""

    comparison: Comparison
    number: int
    variable: str
    body: Formula

    def __str__(self) -> str:
        return f"#{self.variable} {self.body} {self.comparison} {self.number}"


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
    """Permission, or another possibility: true where the body is true in some accessible world."""

    modality: str
    body: Formula

    def __str__(self) -> str:
        return _modal(_SIGNS.get(self.modality, ("", f"◇[{self.modality}]"))[1], self.body)


def _modal(sign: str, body: Formula) -> str:
    text = str(body)
    return f"{sign} {text}" if text[0].isidentifier() else f"{sign}{text}"


Formula = Atom | Not | And | Or | Implies | Iff | ForAll | Count | CountOf | Necessarily | Possibly
# Equivalences and counts are decided in a finite domain only (polbias.generators.logic.finite).
Modal = Necessarily | Possibly


@dataclass(frozen=True)
class Inference:
    """Premises in text order, and a conclusion."""

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
    """Return a formula with its immediate parts changed; an atom is returned unchanged."""
    match formula:
        case Atom():
            return formula
        case Not(body):
            return Not(change(body))
        case And(parts) | Or(parts):
            return type(formula)(tuple(map(change, parts)))
        case Implies(antecedent, consequent):
            return Implies(change(antecedent), change(consequent))
        case Iff(left, right):
            return Iff(change(left), change(right))
        case ForAll(variables, body):
            return ForAll(variables, change(body))
        case Count(comparison, number, parts):
            return Count(comparison, number, tuple(map(change, parts)))
        case CountOf(comparison, number, variable, body):
            return CountOf(comparison, number, variable, change(body))
        case Necessarily(modality, body) | Possibly(modality, body):
            return type(formula)(modality, change(body))


def children(formula: Formula) -> tuple[Formula, ...]:
    """Return the immediate parts of a formula, from left to right."""
    match formula:
        case Atom():
            return ()
        case And(parts) | Or(parts) | Count(_, _, parts):
            return parts
        case Implies(left, right) | Iff(left, right):
            return left, right
        case CountOf(_, _, _, body) | Not(body) | ForAll(_, body) | Necessarily(_, body) | Possibly(_, body):
            return (body,)


def bound_variables(formula: Formula) -> tuple[str, ...]:
    """Return the variables that a quantifier binds; none for another formula."""
    match formula:
        case ForAll(variables, _):
            return variables
        case CountOf(_, _, variable, _):
            return (variable,)
        case _:
            return ()


def negate(formula: Formula) -> Formula:
    """Return the negation, without double negation."""
    return formula.body if isinstance(formula, Not) else Not(formula)


def substitute(formula: Formula, terms: Mapping[str, str]) -> Formula:
    """Replace free variables or constants by terms."""
    if isinstance(formula, Atom):
        return Atom(formula.predicate, tuple(terms.get(term, term) for term in formula.terms))
    if bound_here := bound_variables(formula):
        terms = {variable: term for variable, term in terms.items() if variable not in bound_here}
    return rebuild(formula, lambda part: substitute(part, terms))


def rename(formula: Formula, predicates: Mapping[str, str]) -> Formula:
    """Replace predicates."""
    if isinstance(formula, Atom):
        return Atom(predicates.get(formula.predicate, formula.predicate), formula.terms)
    return rebuild(formula, lambda part: rename(part, predicates))


def atoms(formula: Formula) -> tuple[Atom, ...]:
    """Return the distinct atoms of a formula, in order of first occurrence."""
    if isinstance(formula, Atom):
        return (formula,)
    return tuple(dict.fromkeys(atom for part in children(formula) for atom in atoms(part)))


def constants(formula: Formula, bound: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the distinct individuals of a formula, in order of first occurrence."""
    if isinstance(formula, Atom):
        return tuple(dict.fromkeys(term for term in formula.terms if term not in bound))
    bound |= set(bound_variables(formula))
    return tuple(dict.fromkeys(name for part in children(formula) for name in constants(part, bound)))


def modalities(formula: Formula) -> frozenset[str]:
    """Return the modalities of the operators in a formula."""
    operator_modalities = frozenset({formula.modality} if isinstance(formula, Modal) else ())
    return operator_modalities.union(*map(modalities, children(formula)))


def predicates(formula: Formula) -> tuple[str, ...]:
    """Return the distinct predicates of a formula, in order of first occurrence."""
    return tuple(dict.fromkeys(atom.predicate for atom in atoms(formula)))


def single_sentence_symbols(
    inference: Inference, symbols_of: Callable[[Formula], Collection[str]]
) -> dict[str, int]:
    """Map symbols that occur in a single sentence to the index of the sentence."""
    symbols_by_sentence = [symbols_of(formula) for formula in inference.formulas]
    return {
        name: position
        for position, names in enumerate(symbols_by_sentence)
        for name in names
        if sum(name in symbols for symbols in symbols_by_sentence) == 1
    }


# Meaning postulates of the comparison words: relations between "superior", "inferior", "comparable", "equal".
# Any other comparison ("taller", "älter") is unrelated to quality and has no postulate.

SUPERIOR, INFERIOR, COMPARABLE, EQUAL = "superior", "inferior", "comparable", "equal"
INTERPRETED_PREDICATES = (SUPERIOR, INFERIOR, COMPARABLE, EQUAL)


def _pair_postulate(antecedent: str, consequent: Formula) -> Formula:
    return ForAll(("x", "y"), Implies(Atom(antecedent, ("x", "y")), consequent))


def _chain_postulate(first: str, second: str) -> Formula:
    steps = And((Atom(first, ("x", "y")), Atom(second, ("y", "z"))))
    return ForAll(("x", "y", "z"), Implies(steps, Atom(SUPERIOR, ("x", "z"))))


POSTULATES: tuple[Formula, ...] = (
    # superior and inferior are converses
    _pair_postulate(SUPERIOR, Atom(INFERIOR, ("y", "x"))),
    _pair_postulate(INFERIOR, Atom(SUPERIOR, ("y", "x"))),
    # both are asymmetric (one postulate implies the other)
    _pair_postulate(SUPERIOR, Not(Atom(SUPERIOR, ("y", "x")))),
    # comparable rules out both
    _pair_postulate(COMPARABLE, Not(Atom(SUPERIOR, ("x", "y")))),
    _pair_postulate(COMPARABLE, Not(Atom(INFERIOR, ("x", "y")))),
    # superior is transitive, also through equals; equal excludes superior and is symmetric
    _chain_postulate(SUPERIOR, SUPERIOR),
    _chain_postulate(EQUAL, SUPERIOR),
    _chain_postulate(SUPERIOR, EQUAL),
    _pair_postulate(EQUAL, Not(Atom(SUPERIOR, ("x", "y")))),
    _pair_postulate(EQUAL, Atom(EQUAL, ("y", "x"))),
)


# The logical form of an inference: the inference without its names and words.


@dataclass(frozen=True)
class InferenceForm:
    """A logical form, and the words and individuals of its inference.

    Attributes:
        inference: with marks instead of predicates and individuals, numbered by first occurrence.
        words: predicates, in the order of their marks.
        people: individuals, in the order of their marks.
    """

    inference: Inference
    words: tuple[str, ...]
    people: tuple[str, ...]

    @property
    def predicates(self) -> Mapping[str, str]:
        """Mark to predicate."""
        return {_word(index): word for index, word in enumerate(self.words)}

    @property
    def individuals(self) -> Mapping[str, str]:
        """Mark to individual."""
        return {_person(index): name for index, name in enumerate(self.people)}


def form_of(inference: Inference, kept_predicates: Set[str] = frozenset()) -> InferenceForm:
    """Return the form of an inference; inferences that differ only in names and words have the same form."""
    words: dict[str, str] = {}
    people: dict[str, str] = {}

    def insert_marks(formula: Formula, bound: frozenset[str]) -> Formula:
        if isinstance(formula, Atom):
            word = formula.predicate
            if word not in kept_predicates:
                word = words.setdefault(word, _word(len(words)))
            terms = (t if t in bound else people.setdefault(t, _person(len(people))) for t in formula.terms)
            return Atom(word, tuple(terms))
        bound |= set(bound_variables(formula))
        return rebuild(formula, lambda part: insert_marks(part, bound))

    marked_inference = inference.map(lambda formula: insert_marks(formula, frozenset()))
    return InferenceForm(marked_inference, tuple(words), tuple(people))


# No predicate or individual of a text has such a name, and the marks sort by first occurrence.
def _word(index: int) -> str:
    return f"#{index:03}"


def _person(index: int) -> str:
    return f"#{index}"


# The named logics for deciding inferences.


class Access(Enum):
    """The condition on the worlds accessible from a world, the same in every modality."""

    NO_MODALITY = "modal operators are not allowed"
    ANY = "nothing"
    SERIAL = "there is one (D): what ought to be is possible"
    REFLEXIVE = "it has access to itself (T): what is necessary is true"
    UNIVERSAL = "all worlds have access to all (S5)"


def _required_predicates(postulate: Formula) -> set[str]:
    match postulate:
        case ForAll(_, Implies(antecedent, _)):
            return set(predicates(antecedent))
        case _:
            return set()


@dataclass(frozen=True)
class Logic:
    """A logic with a name.

    Attributes:
        name: name in columns and reports.
        access: condition on the accessibility relation of its Kripke models.
        free_choice: whether a disjunction under an operator offers a choice (`free_choice_enrichment`).
        postulates: closed formulas that hold in every model (first-order logic only).
        serial: modalities that are serial (D), whatever `access` is.
    """

    name: str
    access: Access
    free_choice: bool = False
    postulates: tuple[Formula, ...] = ()
    serial: frozenset[str] = frozenset()

    def postulates_of(self, formulas: Iterable[Formula]) -> tuple[Formula, ...]:
        """Return the postulates that can matter for formulas.

        The antecedents of the others may be false of everybody.
        """
        used_predicates = {name for formula in formulas for name in predicates(formula)}
        while True:
            applicable = [
                postulate
                for postulate in self.postulates
                if _required_predicates(postulate) <= used_predicates
            ]
            if used_predicates >= (
                new_predicates := {name for postulate in applicable for name in predicates(postulate)}
            ):
                return tuple(applicable)
            used_predicates |= new_predicates

    def access_of(self, modality: str) -> Access:
        """Return the accessibility condition of a modality."""
        return Access.SERIAL if modality in self.serial else self.access


FOL = Logic("fol", Access.NO_MODALITY, postulates=POSTULATES)
K = Logic("k", Access.ANY)
KD = Logic("kd", Access.SERIAL)
# Necessity and knowledge imply truth; certainty does not.
KT = Logic("kt", Access.REFLEXIVE, serial=frozenset({CERTAINTY}))
S5 = Logic("s5", Access.UNIVERSAL)
# Standard deontic logic with the enriched "or" (Kamp 1973; paper 3, section 2.1).
FREE_CHOICE = Logic("kd+fc", Access.SERIAL, free_choice=True)

MODAL_LOGICS = (K, KD, KT, S5, FREE_CHOICE)


# The enriched interpretation of "or": a disjunction under an operator offers a choice (Kamp 1973).


def free_choice_enrichment(formula: Formula, positive: bool = True) -> Formula:
    """Rewrite operators over a disjunction so that each disjunct is a permitted (possible) option.

    ``P(A ∨ B)`` becomes ``P A ∧ P B``; ``O(A ∨ B)`` becomes ``O(A ∨ B) ∧ P A ∧ P B``. Under a negation
    nothing changes: "You may not take A or B" forbids both, as it does without the enrichment.
    """
    match formula:
        case Possibly(modality, Or(parts)) if positive:
            return And(tuple(Possibly(modality, part) for part in parts))
        case Necessarily(modality, Or(parts)) if positive:
            return And((formula, *(Possibly(modality, part) for part in parts)))
        case Not(body):
            return Not(free_choice_enrichment(body, not positive))
        case Implies(antecedent, consequent):
            return Implies(
                free_choice_enrichment(antecedent, not positive), free_choice_enrichment(consequent, positive)
            )
        case _:
            return rebuild(formula, lambda part: free_choice_enrichment(part, positive))
