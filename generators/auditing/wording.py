"""Relate clauses that occur in one sentence only and that a reader cannot relate to each other."""

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
_MAX_CLAUSES = 4  # lone clauses; n of them can be related in up to 4^n ways


def add_related_clauses(readings: Sequence[ItemReading], domain: str | None) -> Sequence[ItemReading]:
    """Return readings, and a valid reading with related clauses if the first reading is not valid.

    "You must run" does not mention moving, which does not show that you need not move. Therefore clauses of
    one sentence only are set equal or contrary to each other, and a clause of a premise to the conclusion;
    the first such inference that is valid is added.
    """
    natural = readings[0]
    related = _relate_clauses(natural.inference, domain)
    if related is None:
        return readings
    unrelated = [replace(reading, choices={**reading.choices, WORDING: "unrelated"}) for reading in readings]
    return *unrelated, ItemReading(related, {**natural.choices, WORDING: "related"})


def _relate_clauses(inference: Inference, domain: str | None) -> Inference | None:
    """Return the inference with its lone clauses related if only this makes it valid; else None."""
    opaque = inference.map(
        lambda formula: _make_opaque(formula, single_sentence_symbols(inference, modalities))
    )
    lone, people = single_sentence_symbols(opaque, predicates), single_sentence_symbols(opaque, constants)
    positions = {*lone.values(), *people.values()}
    if len(positions) < 2 or _follows(inference, domain):
        return None
    if len(lone) > _MAX_CLAUSES:
        raise ValueError(
            f"found {len(lone)} clauses that occur in one sentence only, expected at most {_MAX_CLAUSES}"
        )
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
    """Return a formula with its lone operators of other modalities ("likely") replaced by clauses."""
    if isinstance(formula, Modal) and formula.modality in lone.keys() - {DEONTIC, EPISTEMIC}:
        return Atom(f"{formula.modality}: {formula.body}")
    return rebuild(formula, lambda part: _make_opaque(part, lone))


def _replace_clauses(formula: Formula, clause_by_predicate: Mapping[str, Formula]) -> Formula:
    if isinstance(formula, Atom):
        return clause_by_predicate.get(formula.predicate, formula)
    return rebuild(formula, lambda part: _replace_clauses(part, clause_by_predicate))
