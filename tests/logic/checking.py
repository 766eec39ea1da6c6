"""Whether a verdict is right: its countermodel is one, and its proof leaves no way out."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import inf

import numpy as np

from polbias.generators.logic.encoding import ProofStep
from polbias.generators.logic.enumeration import (
    FiniteModels,
    Truth,
    decide,
    enough_individuals,
    enough_worlds,
    holds,
)
from polbias.generators.logic.formula import (
    FOL,
    INFERIOR,
    SUPERIOR,
    Access,
    And,
    Atom,
    ForAll,
    Formula,
    Implies,
    Inference,
    Logic,
    Necessarily,
    Not,
    Or,
    Possibly,
    atoms,
    constants,
    free_choice_enrichment,
    negate,
    substitute,
)
from polbias.generators.logic.prover import ProofVerdict, prove

_MAX_VARIABLES = 20


def verified(inference: Inference, logic: Logic) -> ProofVerdict:
    """Prove an inference and check the proof or countermodel."""
    verdict = prove(inference, logic)
    read = inference.map(free_choice_enrichment) if logic.free_choice else inference
    assert bool(verdict.proof) == verdict.valid
    assert bool(verdict.countermodel) != verdict.valid
    assert verdict.consistent or verdict.valid
    if verdict.valid:
        check_proof(read, logic, verdict)
    else:
        check_countermodel(read, logic, verdict)
    return verdict


def agreed(inference: Inference, logic: Logic, *, most: int = 5, extra: int | None = None) -> ProofVerdict:
    """Prove an inference, check the verdict, and let an enumeration of all models decide too.

    The enumeration has the last word if it knows enough worlds (at most `most`) and individuals (one or two
    besides those that are named, unless `extra` says how many).
    """
    verdict = verified(inference, logic)
    read = inference.map(free_choice_enrichment) if logic.free_choice else inference
    extra = (1 if enough_individuals(read) in (0, 1, inf) else 2) if extra is None else extra
    enough = enough_worlds(read, logic, extra=extra)
    trees = logic.access is not Access.UNIVERSAL
    decision = decide(read, logic, worlds=min(enough, most), extra=extra, trees=trees)
    assert decision.valid or not verdict.valid
    assert not decision.consistent or verdict.consistent
    if enough <= most and enough_individuals(read) <= extra:
        assert decision.valid == verdict.valid
        assert decision.consistent == verdict.consistent
    return verdict


def check_countermodel(inference: Inference, logic: Logic, verdict: ProofVerdict) -> None:
    """Check that premises and postulates are true at the first world of a countermodel, and the conclusion false.

    What is not listed is false. Worlds whose own view matters to no formula may see nothing; they are made to
    see themselves where the logic wants them to.
    """
    worlds = verdict.countermodel
    assert [world.number for world in worlds] == list(range(len(worlds)))
    assert not any(set(world.true) & set(world.false) for world in worlds)
    true = {(atom, world.number): np.array(True) for world in worlds for atom in world.true}
    if logic is FOL:
        true |= _converses(inference, true)
    named = [name for formula in inference.formulas for name in constants(formula)]
    met = [term for world in worlds for atom in (*world.true, *world.false) for term in atom.terms]
    kinds = {kind for formula in inference.formulas for kind in modalities(formula)}
    access = {kind: np.zeros((len(worlds), len(worlds)), bool) for kind in kinds}
    for world in worlds:
        for kind, other in world.accessible:
            access[kind][world.number, other] = True
    for relation in access.values():
        alone = ~relation.any(axis=1) if logic.access is Access.SERIAL else np.zeros(len(worlds), bool)
        relation |= np.diag(alone | (logic.access is Access.REFLEXIVE))
        relation |= logic.access is Access.UNIVERSAL
    models = FiniteModels(list(dict.fromkeys([*named, *met])) or ["someone"], access, true)
    for formula in (*inference.premises, *logic.postulates):
        assert holds(formula, models), f"{formula} in {worlds}"
    assert not holds(inference.conclusion, models), f"{inference.conclusion} in {worlds}"


def modalities(formula: Formula) -> set[str]:
    """Return the modalities of a formula."""
    match formula:
        case Atom():
            return set()
        case Necessarily(kind, body) | Possibly(kind, body):
            return {kind} | modalities(body)
        case Not(body) | ForAll(_, body):
            return modalities(body)
        case And(parts) | Or(parts):
            return set().union(*map(modalities, parts))
        case Implies(antecedent, consequent):
            return modalities(antecedent) | modalities(consequent)


def _converses(inference: Inference, true: Mapping[tuple[Atom, int], Truth]) -> dict[tuple[Atom, int], Truth]:
    """Return what is true of a comparison because of its converse; a model need not list both."""
    shown = {atom.predicate for formula in inference.formulas for atom in atoms(formula)}
    pairs = {SUPERIOR: INFERIOR, INFERIOR: SUPERIOR}
    return {
        (Atom(pairs[atom.predicate], atom.terms[::-1]), world): value
        for (atom, world), value in true.items()
        if atom.predicate in pairs and pairs[atom.predicate] not in shown
    }


def check_proof(inference: Inference, logic: Logic, verdict: ProofVerdict) -> None:
    """Check that each fact of a proof is allowed, that all cannot hold together, and that none can be spared."""
    for step in verdict.proof:
        _check_step(step, inference, logic)
    said = [step for step in verdict.proof if step.reason == "conclusion"]
    assert len(said) == verdict.consistent
    facts = _Facts(verdict.proof, logic)
    if len(facts.variables) <= _MAX_VARIABLES:
        constraints = facts.evaluate()
        assert not np.logical_and.reduce(constraints).any(), "the facts of the proof can all hold"
        for index, step in enumerate(verdict.proof):
            rest = [constraint for i, constraint in enumerate(constraints) if i != index]
            assert np.logical_and.reduce([np.ones_like(constraints[0]), *rest]).any(), f"{step} can be spared"


def _check_step(step: ProofStep, inference: Inference, logic: Logic) -> None:
    source, said = step.source, step.formula
    positive = not isinstance(source, Not)
    inner = source.body if isinstance(source, Not) else source
    match step.reason:
        case "premise":
            assert said == inference.premises[step.index - 1]
        case "conclusion":
            assert said == negate(inference.conclusion)
        case "postulate":
            assert said in logic.postulates
        case "access":
            assert logic.access in (Access.SERIAL, Access.REFLEXIVE)
            assert (step.world == step.origin) == (logic.access is Access.REFLEXIVE)
        case "instance" | "witness" if isinstance(inner, ForAll):
            assert step.world == step.origin
            assert positive == (step.reason == "instance")
            body = inner.body if positive else negate(inner.body)
            assert said is not None
            assert any(
                substitute(body, dict(zip(inner.variables, terms, strict=True))) == said
                for terms in product(constants(said) or ["nobody"], repeat=len(inner.variables))
            )
        case "instance" | "witness":
            assert isinstance(inner, Necessarily | Possibly)
            assert (isinstance(inner, Necessarily) == positive) == (step.reason == "instance")
            assert said == (inner.body if positive else negate(inner.body))
        case _:
            raise AssertionError(step)


class _Facts:
    """The facts of a proof as a propositional problem; all its valuations are tried.

    Quantified and modal formulas are variables, apart for where they are asserted and where denied, so that
    nothing but the facts connects them to their instances.
    """

    def __init__(self, proof: tuple[ProofStep, ...], logic: Logic) -> None:
        self._proof = proof
        self._universal = logic.access is Access.UNIVERSAL
        self.variables: dict[object, int] = {}
        self._valuations = np.zeros(1, np.uint64)
        for step in proof:
            self._constraint(step)

    def evaluate(self) -> list[Truth]:
        """Return for each fact whether it holds, by valuation."""
        self._valuations = np.arange(1 << len(self.variables), dtype=np.uint64)
        return [self._constraint(step) for step in self._proof]

    def _constraint(self, step: ProofStep) -> Truth:
        inner = step.source.body if isinstance(step.source, Not) else step.source
        if step.formula is None:
            assert isinstance(inner, Necessarily | Possibly)
            return self._edge(inner.modality, step.origin, step.world)
        said = self._true(step.formula, step.world)
        if step.source is None:
            return said
        source = self._true(step.source, step.origin)
        if isinstance(inner, Necessarily | Possibly):
            edge = self._edge(inner.modality, step.origin, step.world)
            return ~source | (edge & said) if step.reason == "witness" else ~(source & edge) | said
        return ~source | said

    def _edge(self, kind: str, world: int, other: int) -> Truth:
        return np.array(True) if self._universal else self._variable((kind, world, other))

    def _variable(self, key: object) -> Truth:
        index = self.variables.setdefault(key, len(self.variables))
        return np.asarray(self._valuations >> np.uint64(index) & np.uint64(1)).astype(bool)

    def _true(self, formula: Formula, world: int, positive: bool = True) -> Truth:
        match formula:
            case Atom():
                return self._variable((formula, world))
            case Not(body):
                return ~self._true(body, world, not positive)
            case And(parts):
                return np.asarray(
                    np.logical_and.reduce([self._true(part, world, positive) for part in parts])
                )
            case Or(parts):
                return np.asarray(np.logical_or.reduce([self._true(part, world, positive) for part in parts]))
            case Implies(antecedent, consequent):
                return ~self._true(antecedent, world, not positive) | self._true(consequent, world, positive)
            case ForAll() | Necessarily() | Possibly():
                return self._variable((formula, world, positive))
