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
    constants,
    modalities,
    predicates,
    rebuild,
    single_sentence_symbols,
    substitute,
)
from polbias.generators.logic.prover import ItemReading

WORDING = "wording"
_MOST = 4  # lone clauses; the ways to relate them grow with their number as a power of four


def add_related_clauses(readings: Sequence[ItemReading], domain: str | None) -> Sequence[ItemReading]:
    """Return readings, and what the first one comes to if it is not valid and such clauses are related.

    That "you must run" says nothing of moving does not show that you need not move. So it is asked whether
    the conclusion would follow if such clauses said the same or the contrary of each other, or one of a
    premise the same as the conclusion or its contrary.
    """
    natural = readings[0]
    found = _related(natural.inference, domain)
    if found is None:
        return readings
    apart = [replace(reading, choices={**reading.choices, WORDING: "unrelated"}) for reading in readings]
    return *apart, ItemReading(found, {**natural.choices, WORDING: "related"})


def _related(inference: Inference, domain: str | None) -> Inference | None:
    """Return an inference with its lone clauses as one if it then follows and did not before."""
    whole = inference.map(lambda formula: _opaque(formula, single_sentence_symbols(inference, modalities)))
    lone, people = single_sentence_symbols(whole, predicates), single_sentence_symbols(whole, constants)
    places = {*lone.values(), *people.values()}
    if len(places) < 2 or _follows(inference, domain):
        return None
    if len(lone) > _MOST:
        raise ValueError(f"{len(lone)} clauses of which one sentence alone speaks")
    whole = whole.map(lambda formula: substitute(formula, dict.fromkeys(people, " / ".join(people))))
    one, end = Atom(" / ".join(lone)), len(whole.premises)
    goal = _said(whole.conclusion, dict.fromkeys(lone, one))
    ways: list[tuple[Formula, ...]] = [
        (one, Not(one), *((goal, Not(goal)) if end in places and place < end else ()))
        for place in lone.values()
    ]
    for chosen in product(*ways):
        meant = dict(zip(lone, chosen, strict=True))
        found = Inference(
            tuple(_said(each, meant) for each in whole.premises), _said(whole.conclusion, meant)
        )
        if _follows(found, domain):
            return found
    return None


def _follows(inference: Inference, domain: str | None) -> bool:
    return any(point.valid and point.consistent for point in decide_modal([ItemReading(inference)], domain))


def _opaque(formula: Formula, lone: Mapping[str, int]) -> Formula:
    """Return a formula with operators of their own kind ("likely"), of which it alone speaks, as clauses."""
    if isinstance(formula, Modal) and formula.modality in lone.keys() - {DEONTIC, EPISTEMIC}:
        return Atom(f"{formula.modality}: {formula.body}")
    return rebuild(formula, lambda part: _opaque(part, lone))


def _said(formula: Formula, meant: Mapping[str, Formula]) -> Formula:
    if isinstance(formula, Atom):
        return meant.get(formula.predicate, formula)
    return rebuild(formula, lambda part: _said(part, meant))
