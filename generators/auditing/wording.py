"""Clauses of which one sentence alone speaks: what they have to do with each other no reader can tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

from polbias.generators.auditing.audit import decide_modal
from polbias.generators.logic.formula import (
    DEONTIC,
    EPISTEMIC,
    Atom,
    Formula,
    Inference,
    Modal,
    Not,
    alone,
    atoms,
    children,
    modalities,
    rebuild,
)
from polbias.generators.logic.prover import Reading

WORDING = "wording"
_MOST = 4  # what one sentence alone speaks of; of more, too much could follow from too much


def with_wordings(readings: Sequence[Reading], domain: str | None) -> Sequence[Reading]:
    """Return readings, and what the first one comes to if it is not valid and such clauses are related.

    "You must run" does not say that you must move, nor does the form of the two show that it does not follow.
    So it is asked whether it would if the clauses said the same or the contrary of each other, or what a
    premise says were another way to say (or to deny) the conclusion.
    """
    natural = readings[0]
    found = _related(natural.inference, domain)
    if found is None:
        return readings
    apart = [replace(reading, choices={**reading.choices, WORDING: "unrelated"}) for reading in readings]
    return *apart, Reading(found, {**natural.choices, WORDING: "related"})


def _related(inference: Inference, domain: str | None) -> Inference | None:
    """Return an inference with its lone clauses as one if it then follows and did not before."""
    whole = _opaque(inference)
    predicates, people = alone(whole)
    if len({*predicates.values(), *people.values()}) < 2 or _follows(inference, domain):
        return None
    if len(predicates) > _MOST:
        raise ValueError(f"{len(predicates)} clauses of which one sentence alone speaks")
    one = Atom(" / ".join(predicates) or "?")
    person = dict.fromkeys(people, " / ".join(people))
    goal = _said(whole.conclusion, dict.fromkeys(predicates, one), person)
    concluded = len(whole.premises) in (*predicates.values(), *people.values())
    bare = {atom.predicate for premise in whole.premises for atom in _bare(premise)} if concluded else set()
    ways: list[tuple[Formula, ...]] = [
        (one, *((Not(one),) if at else ()), *((goal, Not(goal)) if name in bare else ()))
        for at, name in enumerate(predicates)
    ]
    for chosen in product(*ways):
        meant = dict(zip(predicates, chosen, strict=True))
        found = whole.map(lambda formula, meant=meant: _said(formula, meant, person))  # type: ignore[misc]
        if _follows(found, domain):
            return found
    return None


def _follows(inference: Inference, domain: str | None) -> bool:
    return any(point.valid and point.consistent for point in decide_modal([Reading(inference)], domain))


def _opaque(inference: Inference) -> Inference:
    """Return an inference with operators of its own ("likely") as clauses, where one sentence alone has them."""
    kinds = [modalities(formula) for formula in inference.formulas]

    def change(formula: Formula) -> Formula:
        if isinstance(formula, Modal) and formula.modality not in (DEONTIC, EPISTEMIC):
            if sum(formula.modality in own for own in kinds) == 1:
                return Atom(f"{formula.modality}: {formula.body}")
        return rebuild(formula, change)

    return inference.map(change)


def _bare(formula: Formula) -> tuple[Atom, ...]:
    """Return the atoms of a formula that no operator stands over."""
    if isinstance(formula, Atom):
        return (formula,)
    parts = () if isinstance(formula, Modal) else children(formula)
    return tuple(atom for part in parts for atom in _bare(part))


def _said(formula: Formula, meant: Mapping[str, Formula], person: Mapping[str, str]) -> Formula:
    if isinstance(formula, Atom):
        named = Atom(formula.predicate, tuple(person.get(term, term) for term in formula.terms))
        return meant.get(formula.predicate, named)
    return rebuild(formula, lambda part: _said(part, meant, person))
