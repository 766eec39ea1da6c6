"""Other formulas for the same: modal conditions as single clauses, prohibitions as duties not to do."""

from __future__ import annotations

from polbias.generators.logic.formula import (
    DEONTIC,
    EPISTEMIC,
    Atom,
    ForAll,
    Formula,
    Implies,
    Inference,
    Modal,
    Necessarily,
    Not,
    Or,
    Possibly,
    atoms,
    rebuild,
)

_MARKS = {
    (DEONTIC, True): "permitted",
    (DEONTIC, False): "obligatory",
    (EPISTEMIC, True): "possible",
    (EPISTEMIC, False): "certain",
}


def prohibits(inference: Inference) -> bool:
    """Whether a rule of an inference says that something is not permitted, or that it must not be done."""
    for premise in inference.premises:
        rule = premise.body if isinstance(premise, ForAll) else premise
        match rule:
            case Implies(_, Not(Possibly()) | Necessarily(_, Not())):
                return True
    return False


def with_duties(inference: Inference) -> Inference:
    """Return an inference in terms of what must be and must not be, and not of what may be."""

    def change(formula: Formula) -> Formula:
        match formula:
            case Not(Possibly(modality, body)):
                return Necessarily(modality, Not(change(body)))
            case Possibly(modality, body):
                return Not(Necessarily(modality, Not(change(body))))
        return rebuild(formula, change)

    return inference.map(change)


def with_opaque_conditions(inference: Inference) -> Inference:
    """Return an inference with a modal condition as one clause if nothing else is said of its content.

    "If smoking is allowed here, you must open a window" has smoking being allowed as its condition; that this
    is modal matters only if the item speaks of smoking elsewhere.
    """
    for premise in inference.premises:
        if not isinstance(premise, Implies):
            continue
        condition = premise.antecedent
        while isinstance(condition, Not):
            condition = condition.body
        opaque = _opaque(condition)
        if opaque:
            return _replaced(inference, condition, opaque)
    return inference


def _opaque(condition: Formula) -> Atom | None:
    """Return a modal or disjunctive condition as one clause; None for any other."""
    if isinstance(condition, Or):
        return _either(condition.parts)
    if not isinstance(condition, Modal):
        return None
    atom = condition.body.body if isinstance(condition.body, Not) else condition.body
    if not isinstance(atom, Atom):
        return None
    mark = _MARKS.get((condition.modality, isinstance(condition, Possibly)), condition.modality)
    negation = "not " if condition.body is not atom else ""
    return Atom(f"{negation}{atom.predicate} [{mark}]", atom.terms)


def _either(parts: tuple[Formula, ...]) -> Atom | None:
    said = [part.predicate for part in parts if isinstance(part, Atom) and not part.terms]
    return Atom(" or ".join(said)) if len(said) == len(parts) else None


def _replaced(inference: Inference, condition: Formula, opaque: Atom) -> Inference:
    """Return an inference with one clause for a part of it that has its content to itself."""

    def named(formula: Formula) -> Formula:
        return opaque if formula == condition else rebuild(formula, named)

    changed = inference.map(named)
    left = {found.predicate for formula in changed.formulas for found in atoms(formula)}
    return inference if left & {found.predicate for found in atoms(condition)} else changed


def with_opaque_contents(inference: Inference) -> Inference:
    """Return an inference with one premise with a disjunctive or conditional content as one clause.

    "It is not certain that it is red or green" against "it might not be red or green": if both speak of the
    same, nothing depends on what it is made of.
    """
    if len(inference.premises) != 1:
        return inference
    one, other = (_content(formula) for formula in inference.formulas)
    if one != other or not isinstance(one, Or | Implies):
        return inference
    whole = _either(one.parts) if isinstance(one, Or) else _when(one)
    return _replaced(inference, one, whole) if whole else inference


def _when(conditional: Implies) -> Atom | None:
    match conditional:
        case Implies(Atom(condition, ()), Atom(consequence, ())):
            return Atom(f"{consequence} if {condition}")
    return None


def _content(formula: Formula) -> Formula:
    """Return what stands under the negations and operators of a formula."""
    while isinstance(formula, Not | Modal):
        formula = formula.body
    return formula


def only_denied(inference: Inference) -> bool:
    """Whether one clause is all that an inference speaks of, and is denied wherever it stands."""
    bare: list[Formula] = []

    def visit(formula: Formula) -> Formula:
        if isinstance(formula, Not) and isinstance(formula.body, Atom):
            return formula
        if isinstance(formula, Atom):
            bare.append(formula)
        return rebuild(formula, visit)

    inference.map(visit)
    return not bare


def with_named_denials(inference: Inference) -> Inference:
    """Return an inference with "not A" as one clause, and A, where it stands alone, as the denial of that."""
    denied = _conditions(inference)

    def named(formula: Formula) -> Formula:
        if (
            isinstance(formula, Not)
            and isinstance(formula.body, Atom)
            and (not denied or formula.body in denied)
        ):
            return _denial(formula.body)
        return (
            Not(_denial(formula))
            if isinstance(formula, Atom) and formula in denied
            else rebuild(formula, named)
        )

    return inference.map(named)


def _denial(atom: Atom) -> Atom:
    return Atom(f"not {atom.predicate}", atom.terms)


def _conditions(inference: Inference) -> frozenset[Formula]:
    """Return the clauses whose denial is the condition of a conditional."""
    return frozenset(
        premise.antecedent.body
        for premise in inference.premises
        if isinstance(premise, Implies) and isinstance(premise.antecedent, Not)
    )


def denied_condition(inference: Inference) -> bool:
    """Whether an inference has a clause alone, too, whose denial is the condition of a conditional."""
    denied = _conditions(inference)
    return any(isinstance(clause, Atom) and clause in inference.formulas for clause in denied)
