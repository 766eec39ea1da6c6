"""Decision of an inference, with a proof or a countermodel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from polbias.errors import PolbiasError
from polbias.generators.logic.encoding import ACTUAL, Encoding, ProofStep, implies
from polbias.generators.logic.formula import (
    Atom,
    Formula,
    Inference,
    InferenceForm,
    Logic,
    form_of,
    predicates,
    rename,
    substitute,
)
from polbias.optional import LazyModule

if TYPE_CHECKING:
    import z3
else:
    z3 = LazyModule("z3")

# Decide an inference in a named logic, with a readable proof or countermodel.
# z3 decides the constraints of `polbias.generators.logic.encoding`. A proof is a minimal set of facts that
# cannot all hold; a countermodel makes access and atoms false where possible, in a fixed order. Both are
# therefore the same in every version of z3.


@dataclass(frozen=True)
class World:
    """A world of a countermodel.

    Attributes:
        number: 0 is the actual world.
        true: atoms true in the world.
        false: atoms false in the world.
        accessible: (modality, number of a world) for every world accessible from it.
    """

    number: int
    true: tuple[Formula, ...]
    false: tuple[Formula, ...]
    accessible: tuple[tuple[str, int], ...] = ()


class InferenceOutcome(NamedTuple):
    """Whether an inference is valid, and whether its premises are consistent; see `ProofVerdict`."""

    valid: bool
    consistent: bool


@dataclass(frozen=True)
class ProofVerdict:
    """Whether an inference is valid in a logic.

    Attributes:
        valid: True if the conclusion is true wherever the premises are.
        consistent: False if the premises cannot all be true, so that anything follows.
        proof: if valid, facts that cannot hold together, including the negated conclusion (unless the
            premises are inconsistent); else empty.
        countermodel: if invalid, the worlds of a model with true premises and a false conclusion; else empty.
        modal: whether the inference has modal operators.
    """

    valid: bool
    consistent: bool
    proof: tuple[ProofStep, ...]
    countermodel: tuple[World, ...]
    modal: bool


@lru_cache(maxsize=1 << 16)
def prove(inference: Inference, logic: Logic) -> ProofVerdict:
    """Decide an inference, with a proof or a countermodel."""
    form = form_of(inference, _interpreted_predicates(logic))
    return instantiate_verdict(decide(form.inference, logic), form)


def follows(inference: Inference, logic: Logic) -> InferenceOutcome:
    """Decide an inference without a proof or a countermodel."""
    return decide_outcome(form_of(inference, _interpreted_predicates(logic)).inference, logic)


@lru_cache
def _interpreted_predicates(logic: Logic) -> frozenset[str]:
    return frozenset(name for postulate in logic.postulates for name in predicates(postulate))


# The outcome and the proof of an inference share its encoding; a larger cache would fill the memory of z3.
_encoded = lru_cache(maxsize=16)(Encoding)


@lru_cache(maxsize=16384)
def decide_outcome(form: Inference, logic: Logic) -> InferenceOutcome:
    """Decide all inferences of a form without a proof or a countermodel."""
    steps = _encoded(form, logic).steps
    if _satisfiable([constraint for _, constraint in steps]):
        return InferenceOutcome(valid=False, consistent=True)
    # Without the negated conclusion: if the premises alone cannot hold, anything follows.
    premise_constraints = [constraint for step, constraint in steps if step.reason != "conclusion"]
    return InferenceOutcome(valid=True, consistent=_satisfiable(premise_constraints))


@lru_cache(maxsize=16384)
def decide(form: Inference, logic: Logic) -> ProofVerdict:
    """Decide all inferences of a form, with a proof or a countermodel."""
    outcome, encoding = decide_outcome(form, logic), _encoded(form, logic)
    if outcome.valid:
        # Minimal set of steps that cannot all hold; removal is tried from the last step to the first.
        solver = z3.SolverFor("QF_UF")
        steps = [(step, z3.Bool(f"step {index}")) for index, (step, _) in enumerate(encoding.steps)]
        solver.add(*(implies(flag, fact) for (_, flag), (_, fact) in zip(steps, encoding.steps, strict=True)))
        context = solver.ctx.ref()
        denied_conclusion = next(entry for entry in steps if entry[0].reason == "conclusion")
        for entry in [
            denied_conclusion,
            *reversed([entry for entry in steps if entry is not denied_conclusion]),
        ]:
            remaining = [candidate for candidate in steps if candidate is not entry]
            assumptions = (z3.Ast * len(remaining))(*(flag.as_ast() for _, flag in remaining))
            # Faster than `solver.check`, which checks the sort of every assumption on every call.
            if (
                z3.Z3_solver_check_assumptions(context, solver.solver, len(remaining), assumptions)
                == z3.Z3_L_FALSE
            ):
                steps = remaining
        return ProofVerdict(True, outcome.consistent, tuple(step for step, _ in steps), (), encoding.modal)
    predicate_names = {name for formula in form.formulas for name in predicates(formula)}
    return ProofVerdict(False, True, (), _countermodel(encoding, predicate_names), encoding.modal)


def _satisfiable(constraints: Sequence[z3.BoolRef]) -> bool:
    solver = z3.SolverFor("QF_UF")
    solver.add(*constraints)
    return bool(solver.check() == z3.sat)


def _countermodel(encoding: Encoding, predicate_names: set[str]) -> tuple[World, ...]:
    """Return the model that makes access, then atoms, false where possible, in the order of unfolding."""
    solver = z3.SolverFor("QF_UF")
    solver.add(*encoding.relaxed_constraints())
    values: dict[int, bool] = {}
    for variable in [*encoding.access.values(), *encoding.atoms.values()]:
        solver.push()
        solver.add(z3.Not(variable))
        values[variable.get_id()] = solver.check() != z3.sat
        solver.pop()
        solver.add(variable if values[variable.get_id()] else z3.Not(variable))
    edges = [key for key, variable in encoding.access.items() if values[variable.get_id()]]
    reached = [ACTUAL]
    for world in reached:
        reached += [to for _, start, to in edges if start == world and to not in reached]
    if not encoding.access:
        reached = list(range(encoding.worlds))
    number_by_world = {world: index for index, world in enumerate(reached)}

    def atoms_with_value(world: int, truth: bool) -> tuple[Atom, ...]:
        return tuple(
            atom
            for (atom, atom_world), variable in encoding.atoms.items()
            if atom_world == world
            and atom.predicate in predicate_names
            and values[variable.get_id()] is truth
        )

    return tuple(
        World(
            number_by_world[world],
            atoms_with_value(world, True),
            atoms_with_value(world, False),
            tuple((kind, number_by_world[to]) for kind, start, to in edges if start == world),
        )
        for world in reached
    )


def instantiate_verdict(verdict: ProofVerdict, form: InferenceForm) -> ProofVerdict:
    """Return the verdict on a form, with its words and individuals instead of marks."""
    words = form.predicates
    extra_marks = [f"#{index}" for index in range(len(form.people), 40)]
    people = {**form.individuals, **{name: f"someone{index or ''}" for index, name in enumerate(extra_marks)}}

    def instantiate(formula: Formula) -> Formula:
        return rename(substitute(formula, people), words)

    proof = tuple(
        replace(
            step,
            formula=step.formula and instantiate(step.formula),
            source=step.source and instantiate(step.source),
        )
        for step in verdict.proof
    )
    worlds = tuple(
        replace(world, true=tuple(map(instantiate, world.true)), false=tuple(map(instantiate, world.false)))
        for world in verdict.countermodel
    )
    return replace(verdict, proof=proof, countermodel=worlds)


# Result of a verification of gold labels.


@dataclass(frozen=True)
class ProofReport:
    """Counts of a build's gold labels that were proved from its sentences.

    Attributes:
        n_proved: rows whose parsed sentence proves the gold label.
        excused: rows whose sentence contradicts the gold label, with an erratum for it.
        failed: one line per remaining row.
        rows: number of formal gold labels in the build.
    """

    n_proved: int
    excused: int
    failed: tuple[str, ...]
    rows: int


# Result of a parser of sentences: one interpretation, or several of an ambiguous text.


class ReadingError(PolbiasError):
    """A text cannot be parsed, or has too many interpretations."""


@dataclass(frozen=True)
class ItemReading:
    """One interpretation of an item.

    Attributes:
        inference: the logical form of its sentences.
        choices: name of each ambiguity ("scope", "tense", ...) to its resolution; all interpretations of an
            item have the same names.
    """

    inference: Inference
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ReadingResult:
    """The interpretations of a parsed item.

    Attributes:
        readings: all interpretations, the most natural first.
        findings: codes of language errors, such as ``"article"`` or ``"agreement"``.
        either: whether its operators are ambiguous between deontic and epistemic ("must").
    """

    readings: tuple[ItemReading, ...]
    findings: tuple[str, ...] = ()
    either: bool = False
