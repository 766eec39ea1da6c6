"""An effect with all that a report says of it: interval, p, refusals, bounds, and item by item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from polbias.aliases import Floats, Indices
from polbias.eval.columns import AnswerTable, Factor, crossed
from polbias.eval.contrasts import Contrast, contrast
from polbias.eval.normative.effects import effect_cells, effect_support, unlike_most
from polbias.eval.normative.schema import LABELS, Judgements
from polbias.eval.normative.wason import SILENT, Selections
from polbias.eval.report.document import Estimate, Finding, Scores
from polbias.eval.report.numbers import known
from polbias.eval.support import Support, discordant

POINTS = 100.0
Counts: TypeAlias = tuple[int, int, int]
"""Numbers of refusals, unparsable and truncated answers."""


@dataclass(frozen=True, eq=False)
class Scored(AnswerTable):
    """Answers as right or wrong.

    Attributes:
        ids: of the items, one per answer.
        correct: 1 for a right answer, else 0, shape ``(n,)``.
        outcome: index into :data:`polbias.eval.normative.wason.SILENT`, -1 for an answer, shape ``(n,)``.
        said: the answer, a number from 0 for each that can be given, below 0 for none, shape ``(n,)``.
        gold: the right one, in the same way.
        clusters: of the answers.
        factors: the design.
    """

    ids: tuple[str, ...]
    correct: Floats
    outcome: Indices
    said: Indices
    gold: Indices
    clusters: Factor
    factors: dict[str, Factor]

    @classmethod
    def of_problems(cls, ids: tuple[str, ...], table: Judgements) -> Scored:
        """Score the answers to entailment problems."""
        outcome = table.label.astype(np.intp) - LABELS.index(SILENT[0])
        factors = {**table.factors}
        correct = table.correct.astype(np.float64)
        said = np.where(table.answered, table.label, -1).astype(np.intp)
        gold = table.gold.astype(np.intp)
        contents = table.factor("cluster_id")
        return cls(ids, correct, np.maximum(outcome, -1), said, gold, contents, factors)

    @classmethod
    def of_selections(cls, ids: tuple[str, ...], table: Selections) -> Scored:
        """Score the answers to selection problems: right is just the right cards."""
        contents, factors = table.factor("cluster_id"), {**table.factors}
        return cls(ids, table.exact, table.silent, table.said, table.right, contents, factors)

    def where(self, **wanted: str) -> Scored:
        """Keep the answers in one cell of the design.

        Args:
            wanted: factor to level.
        """
        kept = np.ones(len(self.ids), np.bool_)
        for name, level in wanted.items():
            factor = self.factors[name]
            code = factor.levels.index(level) if level in factor.levels else -1
            kept &= factor.codes == code
        return self.select(kept)


@dataclass(frozen=True, eq=False)
class Effect:
    """The difference in accuracy between two levels of a factor.

    Attributes:
        estimate: in points.
        refusal_gap: the same for refusals.
        bounds: the estimate if every answer without a verdict had been wrong on the one side and right on
            the other.
        scores: what the estimate is the mean of; None where there is no estimate.
    """

    estimate: Estimate
    refusal_gap: Estimate
    bounds: tuple[float, float]
    scores: Scores | None


def effect(
    scored: Scored, compared: str, strata: Sequence[str], high: str, low: str, grouped: int = 0
) -> Effect | None:
    """Compare two levels of a factor within strata, as :func:`polbias.eval.normative.effects.effect` does.

    Args:
        scored: the answers.
        compared: the factor.
        strata: what is held fixed.
        high: the level that is counted positively.
        low: the level that is counted negatively.
        grouped: as for :func:`polbias.eval.normative.effects.effect_cells`.

    Returns:
        The effect; None if no stratum has both levels.
    """
    fixed = [scored.factors[name] for name in strata]
    cells, weights = effect_cells(scored.factors[compared], fixed, high, low, grouped)
    if not weights.any():
        return None
    share = (weights / np.bincount(cells.codes, minlength=len(weights)))[cells.codes]
    inside = share != 0
    silent = scored.outcome >= 0
    found = contrast(scored.correct, cells, scored.clusters, weights, bounds=(0, 1))
    refused = (scored.outcome == SILENT.index("refusal")).astype(np.float64)
    gap = contrast(refused, cells, scored.clusters, weights, bounds=(0, 1))
    counts = tally(scored.outcome[inside])
    doubtful = share[silent]
    stratum = crossed(fixed)[1]
    answers = scored.correct, scored.said, scored.gold
    carried = effect_support(*answers, np.sign(share), stratum, scored.clusters)
    uneven = unlike_most(refused[inside], stratum[inside])
    even = discordant(np.arange(uneven.size), uneven, scored.clusters.select(inside))
    return Effect(
        estimate=_estimate(found, counts).on(carried),
        refusal_gap=_estimate(gap, counts).on(Support(None, 0.0, even, found.clusters)),
        bounds=(
            POINTS * (found.estimate + float(doubtful[doubtful < 0].sum())),
            POINTS * (found.estimate + float(doubtful[doubtful > 0].sum())),
        ),
        scores=_scores(scored, share, stratum) if carried.estimable else None,
    )


def unmatched(scored: Scored, compared: str, strata: Sequence[str], high: str, lows: Sequence[str]) -> int:
    """Count the answers that some comparison leaves out because their stratum lacks the other level.

    Args:
        scored: the answers.
        compared: the factor.
        strata: what is held fixed.
        high: the level that is compared with each of the others.
        lows: the others.
    """
    factor = scored.factors[compared]
    fixed = [scored.factors[name] for name in strata]
    alone = np.zeros(len(scored.ids), np.bool_)
    for low in lows:
        cells, weights = effect_cells(factor, fixed, high, low)
        levels = [code for code, level in enumerate(factor.levels) if level in (high, low)]
        alone |= np.isin(factor.codes, levels) & (weights[cells.codes] == 0)
    return int(alone.sum())


def finding(
    respondent: str, measure: str, key: str, about: str, found: Effect, headline: bool, generated: bool
) -> Finding:
    """Return an effect as a finding of the report."""
    return Finding(
        instrument="normative",
        respondent=respondent,
        measure=measure,
        key=key,
        about=about,
        estimate=found.estimate,
        headline=headline,
        bounds=found.bounds,
        refusal_gap=found.refusal_gap if generated else None,
        scores=found.scores,
    )


def tally(outcome: Indices) -> Counts:
    """Count the answers without a verdict.

    Args:
        outcome: index into :data:`polbias.eval.normative.wason.SILENT`, -1 for an answer, shape ``(n,)``.
    """
    refusals, unparsable, truncated = (int((outcome == code).sum()) for code in range(len(SILENT)))
    return refusals, unparsable, truncated


def _estimate(found: Contrast, counts: Counts) -> Estimate:
    value, low, high = (known(POINTS * each) for each in (found.estimate, found.low, found.high))
    return Estimate(value, low, high, found.n, found.clusters, *counts, p=known(found.p_value))


def _scores(scored: Scored, share: Floats, stratum: Indices) -> Scores:
    """Contributions of items, whose mean is the estimate.

    An answer contributes its share in the estimate times how far it is above the middle of its stratum. The
    shares of a stratum add up to 0, so the middle changes no estimate; without it a model that is right more
    often than another, whatever the content, would differ from it up on the one side and down on the other,
    which would pass for noise.
    """
    size = np.bincount(stratum, weights=np.abs(share))
    middle = np.bincount(stratum, weights=np.abs(share) * scored.correct)
    middle = np.divide(middle, size, out=np.zeros_like(middle), where=size > 0)
    inside = np.flatnonzero(share)
    ids, first, item = np.unique(
        np.array(scored.ids, np.str_)[inside], return_index=True, return_inverse=True
    )
    parts = share[inside] * (scored.correct[inside] - middle[stratum[inside]])
    values = np.asarray(POINTS * len(ids) * np.bincount(item, weights=parts), np.float64)
    codes = scored.clusters.codes[inside][first].tolist()
    return Scores(ids.tolist(), values, [str(scored.clusters.levels[code]) for code in codes])
