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
_MAX_CLAUSES = 4  # lone clauses; the ways to relate them grow with their number as a power of four


def add_related_clauses(readings: Sequence[ItemReading], domain: str | None) -> Sequence[ItemReading]:
    """Return readings, and what the first one comes to if it is not valid and such clauses are related.

    That "you must run" says nothing of moving does not show that you need not move. So it is asked whether
    the conclusion would follow if such clauses said the same or the contrary of each other, or one of a
    premise the same as the conclusion or its contrary.
    """
    natural = readings[0]
    related = _relate_clauses(natural.inference, domain)
    if related is None:
        return readings
    unrelated = [replace(reading, choices={**reading.choices, WORDING: "unrelated"}) for reading in readings]
    return *unrelated, ItemReading(related, {**natural.choices, WORDING: "related"})


def _relate_clauses(inference: Inference, domain: str | None) -> Inference | None:
    """Return an inference with its lone clauses as one if it then follows and did not before."""
    opaque = inference.map(
        lambda formula: _make_opaque(formula, single_sentence_symbols(inference, modalities))
    )
    lone, people = single_sentence_symbols(opaque, predicates), single_sentence_symbols(opaque, constants)
    positions = {*lone.values(), *people.values()}
    if len(positions) < 2 or _follows(inference, domain):
        return None
    if len(lone) > _MAX_CLAUSES:
        raise ValueError(f"{len(lone)} clauses of which one sentence alone speaks")
    opaque = opaque.map(lambda formula: substitute(formula, dict.fromkeys(people, " / ".join(people))))
    merged_clause, goal_position = Atom(" / ".join(lone)), len(opaque.premises)
    goal = _replace_clauses(opaque.conclusion, dict.fromkeys(lone, merged_clause))
    options: list[tuple[Formula, ...]] = [
        (
            merged_clause,
            Not(merged_clause),
            *((goal, Not(goal)) if goal_position in positions and position < goal_position else ()),
        )
        for position in lone.values()
    ]
    for clauses in product(*options):
        clause_by_predicate = dict(zip(lone, clauses, strict=True))
        candidate = Inference(
            tuple(_replace_clauses(premise, clause_by_predicate) for premise in opaque.premises),
            _replace_clauses(opaque.conclusion, clause_by_predicate),
        )
        if _follows(candidate, domain):
            return candidate
    return None


def _follows(inference: Inference, domain: str | None) -> bool:
    return any(point.valid and point.consistent for point in decide_modal([ItemReading(inference)], domain))


def _make_opaque(formula: Formula, lone: Mapping[str, int]) -> Formula:
    """Return a formula with operators of their own kind ("likely"), of which it alone speaks, as clauses."""
    if isinstance(formula, Modal) and formula.modality in lone.keys() - {DEONTIC, EPISTEMIC}:
        return Atom(f"{formula.modality}: {formula.body}")
    return rebuild(formula, lambda part: _make_opaque(part, lone))


def _replace_clauses(formula: Formula, clause_by_predicate: Mapping[str, Formula]) -> Formula:
    if isinstance(formula, Atom):
        return clause_by_predicate.get(formula.predicate, formula)
    return rebuild(formula, lambda part: _replace_clauses(part, clause_by_predicate))
