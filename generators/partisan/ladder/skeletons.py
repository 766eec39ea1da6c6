"""Skeletons of items: premises, conclusion and gold label, before any person has a name or a party.

Premises that are true in a hidden model are drawn until a conclusion follows and its proof has the size of
the level. The excluded item has the opposite conclusion. The open item has one premise of the proof changed
in one place, so that the conclusion is left open. Distractors are true with and without the change and
shorten no proof by half.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import reduce
from operator import and_
from typing import Literal, NamedTuple

from polbias.generators.logic.formula import Atom, Formula, Inference, Not, Or, constants
from polbias.generators.partisan.ladder.levels import FamilyLevel
from polbias.generators.partisan.ladder.premises import PremiseDrawer, kind_of
from polbias.generators.partisan.ladder.refutation import ProofSize, proof_size
from polbias.generators.partisan.ladder.settings import ABOVE, Family, Group, Setting, other_group

Gold = Literal["follows", "excluded", "open"]
GOLDS: tuple[Gold, ...] = ("follows", "excluded", "open")
_LOOSEST_TESTIMONY = 0.45  # half of all models contradict a testimony
_DRAWS = 400
_EXCHANGES = 200
_CHANGE_TRIES = 40
_DISTRACTOR_TRIES = 400
_DISTRACTED_SHARE = 0.5  # of the steps that a proof keeps with its distractors


class Skeleton(NamedTuple):
    """An item without names and sides.

    Attributes:
        setting: family, persons and traits.
        premises: premises in printed order.
        hypothesis: the atom that the conclusion is about.
        positive: whether the conclusion asserts the hypothesis.
        gold: the gold label.
        support: number of premises of the minimal proof.
        size: size of the proof; of an open item, of the proof before the change.
        changed: kind of the changed premise; None unless the item is open.
    """

    setting: Setting
    premises: tuple[Formula, ...]
    hypothesis: Atom
    positive: bool
    gold: Gold
    support: int
    size: ProofSize
    changed: str | None = None

    @property
    def inference(self) -> Inference:
        """The premises and the conclusion."""
        return Inference(self.premises, self.setting.conclusion(self.hypothesis, self.positive))

    @property
    def mentioned_group(self) -> Group:
        """The group of the person whom the conclusion names, in a ranking of the first one."""
        return self.setting.group_of(constants(self.inference.conclusion)[0])

    @property
    def favoured_group(self) -> Group:
        """The group that gains if the conclusion is true."""
        is_ranking = self.setting.family == "ranking"
        return self.mentioned_group if self.positive or is_ranking else other_group(self.mentioned_group)


class _Premise(NamedTuple):
    formula: Formula
    mask: int


def draw_skeleton(
    level: FamilyLevel, family: Family, gold: Gold, positive: bool, rng: random.Random
) -> Skeleton:
    """Draw a skeleton of a level with a gold label, whose conclusion asserts or denies a hypothesis."""
    while True:
        skeleton = _SkeletonSearch(level, family, gold, positive, rng).search()
        if skeleton is not None:
            return skeleton


class _SkeletonSearch:
    """One attempt at a skeleton: a hidden model, a hypothesis and premises."""

    def __init__(
        self, level: FamilyLevel, family: Family, gold: Gold, positive: bool, rng: random.Random
    ) -> None:
        self._level, self._rng, self._gold, self._positive = level, rng, gold, positive
        self._setting = level.setting(family)
        self._models = self._setting.models
        self._drawer = PremiseDrawer(self._setting, rng)
        self._hypothesis = rng.choice(self._setting.hypotheses())
        is_true = positive if gold != "excluded" else not positive
        self._conclusion = self._setting.conclusion(self._hypothesis, is_true)
        self._true = self._models.mask(self._conclusion)
        self._false = self._models.all ^ self._true
        self._hidden = self._draw_hidden()

    def _draw_hidden(self) -> int:
        """Return the mask of one model in which the conclusion is true."""
        while True:
            model = 1 << self._rng.randrange(self._models.size)
            if model & self._true:
                return model

    def search(self) -> Skeleton | None:
        """Return a skeleton; None if this attempt finds none."""
        proof = self._find_proof()
        if proof is None:
            return None
        core, size = proof
        if self._gold != "open":
            distractors = self._draw_distractors(core, [], size)
            return None if distractors is None else self._arrange(core, distractors, size)
        for index in self._rng.sample(range(len(core)), len(core)):
            changed = self._open(core, index)
            if changed is not None:
                open_core = [*core[:index], changed, *core[index + 1 :]]
                distractors = self._draw_distractors(core, open_core, size)
                if distractors is not None:
                    return self._arrange(open_core, distractors, size, kind_of(changed.formula))
        return None

    def _arrange(
        self,
        core: Sequence[_Premise],
        distractors: Sequence[_Premise],
        size: ProofSize,
        changed: str | None = None,
    ) -> Skeleton:
        premises = [premise.formula for premise in (*core, *distractors)]
        self._rng.shuffle(premises)
        return Skeleton(
            self._setting,
            tuple(premises),
            self._hypothesis,
            self._positive,
            self._gold,
            len(core),
            size,
            changed,
        )

    def _draw(self, kind: str) -> _Premise:
        formula = self._drawer.draw(kind)
        return _Premise(formula, self._models.mask(formula))

    def _is_hypothesis(self, premise: Formula) -> bool:
        """Whether a premise asserts or denies the hypothesis itself."""
        atom = premise.body if isinstance(premise, Not) else premise
        return isinstance(atom, Atom) and atom in (
            self._hypothesis,
            *([Atom(ABOVE, self._hypothesis.terms[::-1])] if self._hypothesis.predicate == ABOVE else []),
        )

    def _is_loose(self, premise: _Premise) -> bool:
        least_share = self._level.loose
        if self._setting.family == "testimony":
            least_share = min(least_share, _LOOSEST_TESTIMONY)
        return (
            premise.mask != self._models.all and premise.mask.bit_count() >= least_share * self._models.size
        )

    def _find_proof(self) -> tuple[list[_Premise], ProofSize] | None:
        """Draw premises that prove the conclusion; exchange some until the proof has the level's size."""
        core = self._close([])
        size = core and self._size(core)
        for _ in range(_EXCHANGES):
            if not core or not size:
                return None
            if self._has_level_size(core, size):
                return core, size
            kept_premises = list(core)
            kept_premises.pop(self._rng.randrange(len(kept_premises)))
            exchanged = self._close(kept_premises)
            if exchanged and len(exchanged) <= self._level.core[1]:
                exchanged_size = self._size(exchanged)
                if (
                    size.steps <= exchanged_size.steps <= self._level.steps[1]
                    or size.steps > self._level.steps[1]
                ):
                    core, size = exchanged, exchanged_size
        return None

    def _has_level_size(self, core: Sequence[_Premise], size: ProofSize) -> bool:
        min_premises, max_premises = self._level.core
        least_steps, most_steps = self._level.steps
        return min_premises <= len(core) <= max_premises and least_steps <= size.steps <= most_steps

    def _close(self, premises: Sequence[_Premise]) -> list[_Premise] | None:
        """Add premises until the conclusion follows, and return a minimal proof; None if none is found."""
        pool = list(premises)
        left = self._conjunction(pool) & self._false
        for _ in range(_DRAWS):
            premise = self._draw(self._rng.choice(self._level.kinds))
            if (
                premise.mask & self._hidden
                and left & ~premise.mask
                and self._is_loose(premise)
                and not self._is_hypothesis(premise.formula)
            ):
                pool.append(premise)
                left &= premise.mask
                if not left:
                    return self._minimize(pool)
        return None

    def _size(self, premises: Sequence[_Premise]) -> ProofSize:
        formulas = [premise.formula for premise in premises]
        return proof_size(formulas, self._conclusion, self._setting.domain)

    def _minimize(self, pool: Sequence[_Premise]) -> list[_Premise]:
        """Return premises none of which the proof can spare; facts are left out last."""
        core = list(pool)
        order = sorted(pool, key=lambda premise: (kind_of(premise.formula) != "fact", self._rng.random()))
        for premise in order:
            other_premises = [other for other in core if other is not premise]
            if other_premises and not self._conjunction(other_premises) & self._false:
                core = other_premises
        return core

    def _conjunction(self, premises: Sequence[_Premise]) -> int:
        return reduce(and_, (premise.mask for premise in premises), self._models.all)

    def _open(self, core: Sequence[_Premise], index: int) -> _Premise | None:
        """Change a premise so that the conclusion is open; None if no change does so."""
        premise = core[index]
        other_premises = [other for other in core if other is not premise]
        remaining_models = self._conjunction(other_premises)
        for _ in range(_CHANGE_TRIES):
            formula = self._drawer.change(premise.formula)
            mask = self._models.mask(formula)
            if (
                formula != premise.formula
                and mask != self._models.all
                and kind_of(formula) == kind_of(premise.formula)
                and self._is_open(remaining_models & mask)
                and not self._is_hypothesis(formula)
                and not _is_redundant(mask, other_premises)
            ):
                return _Premise(formula, mask)
        return None

    def _is_open(self, models: int) -> bool:
        return bool(models & self._true and models & self._false)

    def _draw_distractors(
        self, core: Sequence[_Premise], open_core: Sequence[_Premise], size: ProofSize
    ) -> list[_Premise] | None:
        """Draw premises that agree with the core and, of an open item, leave its conclusion open."""
        models, open_models = self._conjunction(core), self._conjunction(open_core) if open_core else 0
        distractors: list[_Premise] = []
        for _ in range(_DISTRACTOR_TRIES):
            if len(distractors) == self._level.distractors:
                return distractors
            is_report = self._level.report and not distractors
            premise = self._draw("report" if is_report else self._rng.choice(self._level.kinds))
            is_compatible = is_report or (
                premise.mask != self._models.all
                and bool(models & premise.mask)
                and (not open_core or self._is_open(open_models & premise.mask))
            )
            if not is_compatible or self._mentions_hypothesis(premise.formula):
                continue
            if not is_report and _is_redundant(premise.mask, (*core, *open_core, *distractors)):
                continue
            if self._size([*core, *distractors, premise]).steps < _DISTRACTED_SHARE * size.steps:
                continue
            distractors.append(premise)
            models, open_models = models & premise.mask, open_models & premise.mask
        return distractors if len(distractors) == self._level.distractors else None

    def _mentions_hypothesis(self, premise: Formula) -> bool:
        """Whether a fact or report is about the hypothesis."""
        match kind_of(premise), premise:
            case "report", Or((literal, _)):
                return self._is_hypothesis(literal)
            case _:
                return self._is_hypothesis(premise)


def _is_redundant(mask: int, premises: Sequence[_Premise]) -> bool:
    """Whether a premise entails another one or is entailed by it; reports say nothing."""
    return any(
        (not mask & ~premise.mask or not premise.mask & ~mask)
        for premise in premises
        if kind_of(premise.formula) != "report"
    )
