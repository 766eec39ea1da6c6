"""Shapes of inferences, and whether an inference has the form of a schema."""

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

# The shape of an inference: what is left of it when names and words are numbered as they come.

Shape = tuple[Any, ...]


def canonical_shape(inference: Inference) -> Shape:
    """Return a value that two inferences share exactly if they differ in names, words and variables only."""
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
    """Return an inference in which a clause that is only ever denied is replaced by its denial.

    "If gravity does not exist, objects fall upwards" is about "gravity does not exist" as much as about
    "gravity exists", and a pattern does not care which of the two a metavariable stands for.
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


# Whether an inference has the form of a schema.
# In a schema, predicates, individuals and the modality are metavariables. ``A`` stands for any one atom,
# however many terms it has; ``B(a)`` and ``B(x)`` for one atom about ``a`` and the same said of ``x``, so
# that ``∀x (B(x) → O C(x))`` is the form of "whoever sees Ann is to greet Ann". Different metavariables stand
# for different things.

_Pairs = tuple[tuple[Formula, Formula], ...]
_BOUND_PREFIX = "∀"  # begins the common names that bound variables get; no term of a formula begins like this


def instantiates(inference: Inference, schema: Inference, strict: bool = True) -> bool:
    """Tell whether an inference has the form of a schema."""
    if not strict:
        inference, schema = inference.map(_negation_normal_form), schema.map(_negation_normal_form)
    premises = And(schema.premises), And(inference.premises)
    return _unify((premises, (schema.conclusion, inference.conclusion)), _Match({}, {}, {}, {}, 0), strict)


@dataclass(frozen=True)
class _Match:
    """What metavariables stand for so far.

    Attributes:
        modalities: what each modality of the schema stands for.
        individuals: what each individual of the schema stands for.
        owners: the metavariable (predicate and number of terms) that each atom met is an instance of.
        shapes: what each metavariable stands for: a predicate and, for each of its terms, what the term can
            be: the number of a term of the metavariable, or a constant.
        variables: how many variables have been bound.
    """

    modalities: dict[str, str]
    individuals: dict[str, str]
    owners: dict[Atom, tuple[str, int]]
    shapes: dict[tuple[str, int], tuple[str, tuple[frozenset[int | str], ...]]]
    variables: int

    def has_distinct_values(self) -> bool:
        """Tell whether all metavariables have their terms somewhere, and no two stand for the same."""
        likely = []
        for (_, arity), (predicate, options) in self.shapes.items():
            if set(range(arity)) - set().union(*options):
                return False
            # A term of the metavariable rather than a constant that it happens to be everywhere.
            likely.append(
                (predicate, [min(o, key=lambda term: (isinstance(term, str), term)) for o in options])
            )
        return all(first != second for first, second in combinations(likely, 2))


def _unify(pairs: _Pairs, match: _Match, strict: bool) -> bool:
    """Tell whether metavariables can be chosen so that each first formula becomes the second one."""
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
    """Yield each way in which an atom of the schema can stand for an atom."""
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
    """Yield each way to let the individuals of an atom of the schema stand for terms of an atom."""
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
    """Let a metavariable stand for something, unless it or another one stands for something else or this."""
    if variable not in assignment and value not in assignment.values():
        return assignment | {variable: value}
    return assignment if assignment.get(variable) == value else None


def _negation_normal_form(formula: Formula, positive: bool = True) -> Formula:
    """Return the negation normal form of a formula (or its negation), with conditionals and quantifiers."""
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
