"""Encoding of an inference as propositional constraints about labelled worlds, each with a readable reason.

A *tableau without branching*: formulas about worlds and individuals are unfolded into instances, and the
propositional remainder is decided by `polbias.generators.logic.prover`. If "necessarily A" is true, A is true
in every accessible world; if false, A is false in some new accessible world. If "all x" is true, its body is
true of every individual; if false, it is false of some new individual. Worlds form a tree no deeper than the
nesting of operators (in S5 one set), so unfolding ends; the fragment is decidable as long as no universal has
a new individual in its scope.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, assert_never

from polbias.generators.logic.formula import (
    Access,
    And,
    Atom,
    Count,
    CountOf,
    ForAll,
    Formula,
    Iff,
    Implies,
    Inference,
    Logic,
    Modal,
    Necessarily,
    Not,
    Or,
    Possibly,
    constants,
    free_choice_enrichment,
    modalities,
    negate,
    substitute,
)
from polbias.optional import LazyModule

if TYPE_CHECKING:
    import z3
else:  # slow to import, and used by proofs only
    z3 = LazyModule("z3")

_MAX_INDIVIDUALS = 12
ACTUAL = 0  # the world in which the premises are true


@dataclass(frozen=True)
class ProofStep:
    """One fact used in a proof.

    Attributes:
        formula: the formula that holds.
        world: the world of the formula; 0 is the actual world.
        reason: ``premise``, ``conclusion``, ``postulate``, ``instance``, ``witness`` or ``access``.
        index: number of the premise, from 1; else 0.
        source: the formula of the instance or witness.
        origin: the world of the source.
    """

    formula: Formula | None
    world: int
    reason: str
    index: int = 0
    source: Formula | None = None
    origin: int = ACTUAL

    @property
    def modality(self) -> str:
        """The modality of the source."""
        source = self.source.body if isinstance(self.source, Not) else self.source
        assert isinstance(source, Necessarily | Possibly)
        return source.modality


def implies(antecedent: z3.BoolRef, consequent: z3.BoolRef) -> z3.BoolRef:
    """Return an implication; faster than `z3.Implies`, which checks the sorts of both."""
    implication = z3.Z3_mk_implies(antecedent.ctx_ref(), antecedent.as_ast(), consequent.as_ast())
    return z3.BoolRef(implication, antecedent.ctx)


class Encoding:
    """The constraints on a countermodel: a model with true premises and a false conclusion.

    Args:
        inference: the inference.
        logic: the logic.

    Raises:
        ValueError: for modal operators in first-order logic, equivalences and counts, two modalities in S5,
            over 12 individuals.

    Attributes:
        steps: each constraint with its reason, in the order of unfolding.
        atoms: the z3 variable of each atom at each world.
        access: the z3 variable of each pair of worlds, by modality.
        worlds: number of worlds.
        modal: whether there are modal operators.
    """

    def __init__(self, inference: Inference, logic: Logic) -> None:
        if logic.free_choice:
            inference = inference.map(free_choice_enrichment)
        modality_names = {kind for formula in inference.formulas for kind in modalities(formula)}
        if logic.access is Access.UNIVERSAL and len(modality_names) > 1:
            raise ValueError(f"{logic.name} is decided for one modality, found {sorted(modality_names)}")
        self._logic, self.modal = logic, bool(modality_names)
        postulates = logic.postulates_of(inference.formulas)
        self._names = list(dict.fromkeys(n for f in (*postulates, *inference.formulas) for n in constants(f)))
        self.steps: list[tuple[ProofStep, z3.BoolRef]] = []
        self.atoms: dict[tuple[Atom, int], z3.BoolRef] = {}
        self.access: dict[tuple[str, int, int], z3.BoolRef] = {}
        self.worlds = 1
        self._nodes: dict[tuple[ForAll | Modal, int, bool], z3.BoolRef] = {}
        self._witnesses: dict[tuple[str, Formula, int], int] = {}
        for postulate in postulates:
            self._assert(ProofStep(postulate, ACTUAL, "postulate"))
        for index, premise in enumerate(inference.premises, 1):
            self._assert(ProofStep(premise, ACTUAL, "premise", index))
        self._assert(ProofStep(negate(inference.conclusion), ACTUAL, "conclusion"))
        self._unfolded: set[tuple[Any, ...]] = set()
        while self._unfold():
            pass

    def relaxed_constraints(self) -> list[z3.BoolRef]:
        """Return the constraints; D requires only some accessible world, not a specific world.

        The same inferences are valid, and a countermodel has no superfluous world.
        """
        return [
            z3.Or(*self._edges_from(step))
            if step.reason == "access" and step.world != step.origin
            else constraint
            for step, constraint in self.steps
        ]

    def _edges_from(self, step: ProofStep) -> list[z3.BoolRef]:
        edge_start = step.modality, step.origin
        return [edge for (*start, _), edge in self.access.items() if tuple(start) == edge_start]

    def _assert(self, step: ProofStep) -> None:
        assert step.formula is not None
        self.steps.append((step, self._truth(step.formula, step.world, True)))

    def _truth(self, formula: Formula, world: int, positive: bool) -> z3.BoolRef:
        """Return a z3 expression that implies the formula (positive) or is implied by it (not positive)."""
        match formula:
            case Atom():
                return self.atoms.setdefault((formula, world), z3.Bool(f"{formula}@{world}"))
            case Not(body):
                return z3.Not(self._truth(body, world, not positive))
            case And(parts):
                return z3.And(*(self._truth(part, world, positive) for part in parts))
            case Or(parts):
                return z3.Or(*(self._truth(part, world, positive) for part in parts))
            case Implies(antecedent, consequent):
                return implies(
                    self._truth(antecedent, world, not positive), self._truth(consequent, world, positive)
                )
            case Iff() | Count() | CountOf():
                raise ValueError(f"decided in a finite domain only: {formula}")
            case ForAll() | Necessarily() | Possibly():
                if self._logic.access is Access.NO_MODALITY and not isinstance(formula, ForAll):
                    raise ValueError(f"logic {self._logic.name!r} has no modal operators, found {formula}")
                key = (formula, world, positive)
                if key not in self._nodes:
                    self._nodes[key] = z3.Bool(f"{formula}@{world}{'+' if positive else '-'}")
                return self._nodes[key]
            case _:
                assert_never(formula)

    def _unfold(self) -> bool:
        """Add the instances for the current formulas, worlds and individuals; return whether any were new."""
        before = len(self.steps)
        for (formula, world, positive), node in list(self._nodes.items()):
            if isinstance(formula, ForAll):
                self.steps += self._unfold_quantifier(formula, world, positive, node)
            else:
                self.steps += self._unfold_operator(formula, world, positive, node)
        return len(self.steps) > before

    def _is_new(self, *instance: Any) -> bool:
        """Whether an instance is new; marks it as unfolded."""
        new = instance not in self._unfolded
        self._unfolded.add(instance)
        return new

    def _unfold_quantifier(
        self, formula: ForAll, world: int, positive: bool, node: z3.BoolRef
    ) -> Iterator[tuple[ProofStep, z3.BoolRef]]:
        if not positive:
            if self._is_new(formula, world):
                witnesses = [f"#{len(self._names) + i}" for i in range(len(formula.variables))]
                self._names += witnesses
                if len(self._names) > _MAX_INDIVIDUALS:
                    raise ValueError(f"more than {_MAX_INDIVIDUALS} individuals are needed for {formula}")
                body = substitute(formula.body, dict(zip(formula.variables, witnesses, strict=True)))
                step = ProofStep(negate(body), world, "witness", source=Not(formula), origin=world)
                yield step, implies(z3.Not(node), z3.Not(self._truth(body, world, False)))
            return
        if not self._names:
            self._names.append("#0")
        for terms in product(tuple(self._names), repeat=len(formula.variables)):
            if self._is_new(formula, world, terms):
                body = substitute(formula.body, dict(zip(formula.variables, terms, strict=True)))
                step = ProofStep(body, world, "instance", source=formula, origin=world)
                yield step, implies(node, self._truth(body, world, True))

    def _unfold_operator(
        self, formula: Modal, world: int, positive: bool, node: z3.BoolRef
    ) -> Iterator[tuple[ProofStep, z3.BoolRef]]:
        modality, body = formula.modality, formula.body
        universal = isinstance(formula, Necessarily) == positive
        source = formula if positive else Not(formula)
        # The formula at every accessible world for a universal, at one world for an existential.
        value = body if positive else negate(body)
        holds = node if positive else z3.Not(node)
        targets = [] if universal else [self._witness(modality, value, world)]
        if universal:
            access = self._logic.access_of(modality)
            if access in (Access.SERIAL, Access.REFLEXIVE) and self._is_new(access, modality, world):
                serial = access is Access.SERIAL
                target = self._witness(modality, Atom("serial"), world) if serial else world
                step = ProofStep(None, target, "access", source=source, origin=world)
                yield step, self._edge(modality, world, target)
            targets = self._reachable(modality, world)
        for target in targets:
            if self._is_new(formula, world, positive, target):
                edge, truth = self._edge(modality, world, target), self._truth(body, target, positive)
                body_truth = truth if positive else z3.Not(truth)
                step = ProofStep(
                    value, target, "instance" if universal else "witness", source=source, origin=world
                )
                yield (
                    step,
                    implies(z3.And(holds, edge), body_truth)
                    if universal
                    else implies(holds, z3.And(edge, body_truth)),
                )

    def _witness(self, modality: str, body: Formula, world: int) -> int:
        """Return the witness world of a formula: in S5 one for all worlds, else one per world."""
        key = (modality, body, ACTUAL if self._logic.access is Access.UNIVERSAL else world)
        if key not in self._witnesses:
            self._witnesses[key] = self.worlds
            self.worlds += 1
        return self._witnesses[key]

    def _reachable(self, modality: str, world: int) -> list[int]:
        if self._logic.access is Access.UNIVERSAL:
            return list(range(self.worlds))
        return [to for (kind, start, to) in self.access if (kind, start) == (modality, world)]

    def _edge(self, modality: str, world: int, target: int) -> z3.BoolRef:
        if self._logic.access is Access.UNIVERSAL:
            return z3.BoolVal(True)
        key = (modality, world, target)
        return self.access.setdefault(key, z3.Bool(f"access {modality} {world} {target}"))
