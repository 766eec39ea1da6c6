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

    def of(formula: Formula, bound: Mapping[str, str], depth: int) -> Shape:
        if isinstance(formula, Atom):
            word = words.setdefault(formula.predicate, len(words))
            # A bound variable is a string, an individual a number.
            return (word, *[bound.get(t) or names.setdefault(t, len(names)) for t in formula.terms])
        if isinstance(formula, ForAll):
            inner = {variable: f"x{depth + i}" for i, variable in enumerate(formula.variables)}
            return ("ForAll", len(inner), of(formula.body, {**bound, **inner}, depth + len(inner)))
        modality = (formula.modality,) if isinstance(formula, Modal) else ()
        return (type(formula).__name__, *modality, *[of(part, bound, depth) for part in children(formula)])

    return tuple([of(formula, {}, 0) for formula in inference.formulas])


def name_denials(inference: Inference) -> Inference:
    """Return an inference in which a clause that is only ever denied is replaced by its denial.

    "If gravity does not exist, objects fall upwards" is about "gravity does not exist" as much as about
    "gravity exists", and a pattern does not care which of the two a metavariable stands for.
    """
    bare = {atom for formula in inference.formulas for atom in _undenied(formula)}

    def named(formula: Formula) -> Formula:
        match formula:
            case Not(Atom(predicate, terms) as clause) if clause not in bare:
                return Atom(f"not {predicate}", terms)
        return rebuild(formula, named)

    return inference.map(named)


def _undenied(formula: Formula) -> Iterator[Atom]:
    if isinstance(formula, Atom):
        yield formula
    for part in children(formula):
        if not (isinstance(formula, Not) and isinstance(part, Atom)):
            yield from _undenied(part)


# Whether an inference has the form of a schema.
# In a schema, predicates, individuals and the modality are metavariables. ``A`` stands for any one atom,
# however many terms it has; ``B(a)`` and ``B(x)`` for one atom about ``a`` and the same said of ``x``, so
# that ``∀x (B(x) → O C(x))`` is the form of "whoever sees Ann is to greet Ann". Different metavariables stand
# for different things.

_Pairs = tuple[tuple[Formula, Formula], ...]
_BOUND = "∀"  # begins the common names that bound variables get; no term of a formula begins like this


def instantiates(inference: Inference, schema: Inference, strict: bool = True) -> bool:
    """Tell whether an inference has the form of a schema."""
    if not strict:
        inference, schema = inference.map(_normal), schema.map(_normal)
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

    def distinct(self) -> bool:
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
        return match.distinct()
    (schema, formula), rest = pairs[0], pairs[1:]
    match schema, formula:
        case Atom(), Atom():
            return any(_unify(rest, chosen, strict) for chosen in _atoms(schema, formula, match))
        case ForAll(variables, body), ForAll(others, other):
            if len(variables) != len(others):
                return False
            common = [f"{_BOUND}{match.variables + index}" for index in range(len(variables))]
            body = substitute(body, dict(zip(variables, common, strict=True)))
            other = substitute(other, dict(zip(others, common, strict=True)))
            match = replace(match, variables=match.variables + len(common))
            return _unify(((body, other), *rest), match, strict)
        case (Necessarily(modality, _), Necessarily(found, _)) | (Possibly(modality, _), Possibly(found, _)):
            modalities = _assigned(match.modalities, modality, found)
            if modalities is None:
                return False
            match = replace(match, modalities=modalities)
        case (And(parts), And(those)) | (Or(parts), Or(those)) if not strict and parts:
            chosen = ((those[i], And(those[:i] + those[i + 1 :])) for i in range(len(those)))
            following = And(parts[1:])
            return any(
                _unify(((parts[0], part), (following, remaining), *rest), match, strict)
                for part, remaining in chosen
            )
    mine, its = children(schema), children(formula)
    if type(schema) is not type(formula) or len(mine) != len(its):
        return False
    return _unify((*zip(mine, its, strict=True), *rest), match, strict)


def _atoms(schema: Atom, formula: Atom, match: _Match) -> Iterator[_Match]:
    """Yield each way in which an atom of the schema can stand for an atom."""
    variable = (schema.predicate, len(schema.terms))
    owner = match.owners.get(formula, variable)
    predicate, known = match.shapes.get(variable, (formula.predicate, ()))
    if (owner, predicate) != (variable, formula.predicate):
        return
    for individuals in _individuals(schema.terms, formula.terms, match.individuals):
        meant = [individuals.get(term, term) for term in schema.terms]
        options = tuple(
            frozenset(index for index, other in enumerate(meant) if other == term)
            | frozenset(() if term.startswith(_BOUND) else (term,))
            for term in formula.terms
        )
        if variable in match.shapes:
            if len(known) != len(options):
                return
            options = tuple(old & new for old, new in zip(known, options, strict=True))
        if all(options):
            yield replace(
                match,
                individuals=individuals,
                owners=match.owners | {formula: variable},
                shapes=match.shapes | {variable: (predicate, options)},
            )


def _individuals(
    schema: tuple[str, ...], formula: tuple[str, ...], known: dict[str, str]
) -> Iterator[dict[str, str]]:
    """Yield each way to let the individuals of an atom of the schema stand for terms of an atom."""
    unknown = next((term for term in schema if term not in known and not term.startswith(_BOUND)), None)
    if unknown is None:
        yield known
        return
    for term in dict.fromkeys(formula):
        chosen = _assigned(known, unknown, term)
        if chosen is not None and not term.startswith(_BOUND):
            yield from _individuals(schema, formula, chosen)


def _assigned(known: dict[str, str], variable: str, value: str) -> dict[str, str] | None:
    """Let a metavariable stand for something, unless it or another one stands for something else or this."""
    if variable not in known and value not in known.values():
        return known | {variable: value}
    return known if known.get(variable) == value else None


def _normal(formula: Formula, positive: bool = True) -> Formula:
    """Return the negation normal form of a formula (or its negation), with conditionals and quantifiers."""
    match formula:
        case Not(body):
            return _normal(body, not positive)
        case And(parts) | Or(parts) if not positive:
            dual = Or if isinstance(formula, And) else And
            return dual(tuple(_normal(part, False) for part in parts))
        case Necessarily(modality, body) | Possibly(modality, body) if not positive:
            necessity = isinstance(formula, Necessarily)
            return (Possibly if necessity else Necessarily)(modality, _normal(body, False))
        case _:
            inside = rebuild(formula, _normal)
            return inside if positive else Not(inside)
