"""Canonical shapes of inferences, and matching of inferences to schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from polbias.generators.logic.formula import (
    And,
    Atom,
    ForAll,
    Formula,
    Inference,
    Modal,
    Necessarily,
    Not,
    Or,
    Possibly,
    children,
    rebuild,
    substitute,
)

# The shape of an inference: names and words are replaced by numbers in order of occurrence.

Shape = tuple[Any, ...]


def canonical_shape(inference: Inference) -> Shape:
    """Return a value that is equal for inferences that differ in names, words and variables only."""
    words: dict[str, int] = {}
    names: dict[str, int] = {}

    def shape(formula: Formula, bound: Mapping[str, str], depth: int) -> Shape:
        if isinstance(formula, Atom):
            word = words.setdefault(formula.predicate, len(words))
            # A bound variable is a string, an individual a number.
            return (word, *[bound.get(t) or names.setdefault(t, len(names)) for t in formula.terms])
        if isinstance(formula, ForAll):
            inner = {variable: f"x{depth + i}" for i, variable in enumerate(formula.variables)}
            return ("ForAll", len(inner), shape(formula.body, {**bound, **inner}, depth + len(inner)))
        modality = (formula.modality,) if isinstance(formula, Modal) else ()
        return (type(formula).__name__, *modality, *[shape(part, bound, depth) for part in children(formula)])

    return tuple([shape(formula, {}, 0) for formula in inference.formulas])


def name_denials(inference: Inference) -> Inference:
    """Replace clauses that occur only under a negation by a clause for this negation.

    "If gravity does not exist, objects fall upwards" can have "gravity does not exist" or "gravity exists" as
    its clause; a metavariable of a pattern may represent either.
    """
    undenied = {atom for formula in inference.formulas for atom in _iter_undenied(formula)}

    def rename_denials(formula: Formula) -> Formula:
        match formula:
            case Not(Atom(predicate, terms) as clause) if clause not in undenied:
                return Atom(f"not {predicate}", terms)
        return rebuild(formula, rename_denials)

    return inference.map(rename_denials)


def _iter_undenied(formula: Formula) -> Iterator[Atom]:
    if isinstance(formula, Atom):
        yield formula
    for part in children(formula):
        if not (isinstance(formula, Not) and isinstance(part, Atom)):
            yield from _iter_undenied(part)


# Match an inference to a schema.
# In a schema, predicates, individuals and the modality are metavariables. ``A`` represents any one atom,
# with any number of terms; ``B(a)`` and ``B(x)`` represent one atom about ``a`` and the same atom about
# ``x``: ``∀x (B(x) → O C(x))`` is the form of "whoever sees Ann is to greet Ann". Different metavariables
# have different values.

_Pairs = tuple[tuple[Formula, Formula], ...]
_BOUND_PREFIX = "∀"  # prefix of the common names of bound variables; no term of a formula has it


def instantiates(inference: Inference, schema: Inference, strict: bool = True) -> bool:
    """Whether an inference has the form of a schema."""
    if not strict:
        inference, schema = inference.map(_negation_normal_form), schema.map(_negation_normal_form)
    premises = And(schema.premises), And(inference.premises)
    return _unify((premises, (schema.conclusion, inference.conclusion)), _Match({}, {}, {}, {}, 0), strict)


@dataclass(frozen=True)
class _Match:
    """Partial assignment of values to metavariables.

    Attributes:
        modalities: modality of the schema to its value.
        individuals: individual of the schema to its value.
        owners: matched atom to its metavariable (predicate and number of terms).
        shapes: metavariable to a predicate and, for each term of the predicate, the possible sources of the
            term: the number of a term of the metavariable, or a constant.
        variables: number of bound variables.
    """

    modalities: dict[str, str]
    individuals: dict[str, str]
    owners: dict[Atom, tuple[str, int]]
    shapes: dict[tuple[str, int], tuple[str, tuple[frozenset[int | str], ...]]]
    variables: int

    def has_distinct_values(self) -> bool:
        """Whether all terms of all metavariables are used, and no two metavariables have the same value."""
        likely = []
        for (_, arity), (predicate, options) in self.shapes.items():
            if set(range(arity)) - set().union(*options):
                return False
            # Prefer a term of the metavariable to a constant with the same value everywhere.
            likely.append(
                (predicate, [min(o, key=lambda term: (isinstance(term, str), term)) for o in options])
            )
        return all(first != second for first, second in combinations(likely, 2))


def _unify(pairs: _Pairs, match: _Match, strict: bool) -> bool:
    """Whether an extension of the match turns the first formula of each pair into the second."""
    if not pairs:
        return match.has_distinct_values()
    (schema, formula), remaining_pairs = pairs[0], pairs[1:]
    match schema, formula:
        case Atom(), Atom():
            return any(
                _unify(remaining_pairs, candidate, strict)
                for candidate in _match_atom(schema, formula, match)
            )
        case ForAll(variables, body), ForAll(formula_variables, formula_body):
            if len(variables) != len(formula_variables):
                return False
            common = [f"{_BOUND_PREFIX}{match.variables + index}" for index in range(len(variables))]
            body = substitute(body, dict(zip(variables, common, strict=True)))
            formula_body = substitute(formula_body, dict(zip(formula_variables, common, strict=True)))
            match = replace(match, variables=match.variables + len(common))
            return _unify(((body, formula_body), *remaining_pairs), match, strict)
        case (Necessarily(modality, _), Necessarily(formula_modality, _)) | (
            Possibly(modality, _),
            Possibly(formula_modality, _),
        ):
            modalities = _extend_assignment(match.modalities, modality, formula_modality)
            if modalities is None:
                return False
            match = replace(match, modalities=modalities)
        case (And(parts), And(members)) | (Or(parts), Or(members)) if not strict and parts:
            splits = ((members[i], And(members[:i] + members[i + 1 :])) for i in range(len(members)))
            tail = And(parts[1:])
            return any(
                _unify(((parts[0], part), (tail, remaining), *remaining_pairs), match, strict)
                for part, remaining in splits
            )
    schema_parts, formula_parts = children(schema), children(formula)
    if type(schema) is not type(formula) or len(schema_parts) != len(formula_parts):
        return False
    return _unify((*zip(schema_parts, formula_parts, strict=True), *remaining_pairs), match, strict)


def _match_atom(schema: Atom, formula: Atom, match: _Match) -> Iterator[_Match]:
    """Yield the match extended in each way that an atom of the schema can represent the atom."""
    variable = (schema.predicate, len(schema.terms))
    owner = match.owners.get(formula, variable)
    predicate, current_options = match.shapes.get(variable, (formula.predicate, ()))
    if (owner, predicate) != (variable, formula.predicate):
        return
    for individuals in _assign_individuals(schema.terms, formula.terms, match.individuals):
        values = [individuals.get(term, term) for term in schema.terms]
        options = tuple(
            frozenset(index for index, value in enumerate(values) if value == term)
            | frozenset(() if term.startswith(_BOUND_PREFIX) else (term,))
            for term in formula.terms
        )
        if variable in match.shapes:
            if len(current_options) != len(options):
                return
            options = tuple(old & new for old, new in zip(current_options, options, strict=True))
        if all(options):
            yield replace(
                match,
                individuals=individuals,
                owners=match.owners | {formula: variable},
                shapes=match.shapes | {variable: (predicate, options)},
            )


def _assign_individuals(
    schema: tuple[str, ...], formula: tuple[str, ...], assignment: dict[str, str]
) -> Iterator[dict[str, str]]:
    """Yield each assignment of terms of an atom to the individuals of an atom of the schema."""
    unassigned = next(
        (term for term in schema if term not in assignment and not term.startswith(_BOUND_PREFIX)), None
    )
    if unassigned is None:
        yield assignment
        return
    for term in dict.fromkeys(formula):
        extended = _extend_assignment(assignment, unassigned, term)
        if extended is not None and not term.startswith(_BOUND_PREFIX):
            yield from _assign_individuals(schema, formula, extended)


def _extend_assignment(assignment: dict[str, str], variable: str, value: str) -> dict[str, str] | None:
    """Assign a value to a metavariable; None if it has another value, or another metavariable this value."""
    if variable not in assignment and value not in assignment.values():
        return assignment | {variable: value}
    return assignment if assignment.get(variable) == value else None


def _negation_normal_form(formula: Formula, positive: bool = True) -> Formula:
    """Return the negation normal form of a formula or its negation; conditionals and quantifiers stay."""
    match formula:
        case Not(body):
            return _negation_normal_form(body, not positive)
        case And(parts) | Or(parts) if not positive:
            dual = Or if isinstance(formula, And) else And
            return dual(tuple(_negation_normal_form(part, False) for part in parts))
        case Necessarily(modality, body) | Possibly(modality, body) if not positive:
            is_necessity = isinstance(formula, Necessarily)
            return (Possibly if is_necessity else Necessarily)(modality, _negation_normal_form(body, False))
        case _:
            rebuilt = rebuild(formula, _negation_normal_form)
            return rebuilt if positive else Not(rebuilt)
