"""Differences among answered judgements: topics in which every order was answered, each order as designed.

An order and its rotations are a block: in it every article stands once in every place, so that a liking for a
place cancels out. A block in which an order was asked, but not answered, leaves the estimate and enters the
bounds; who follows the place alone has no bias, whichever orders are refused.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Booleans, Codes, Floats, Indices
from polbias.eval.estimability import Estimability, support
from polbias.eval.nonresponse import ExcessBounds, SidedRows
from polbias.eval.selfassess.schema import ChoiceAnswers
from polbias.eval.statistics import Contrast, contrast

POINTS = 100.0
"""Percentage points of a whole."""


def codes_of(*columns: Indices | Codes) -> Indices:
    """Code of the combination that each row has of several columns, shape ``(n,)``."""
    codes: Indices = np.zeros(columns[0].size, np.intp)
    for column in columns:
        codes = np.unique(codes * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1]
    return codes


def answered_weights(answered: Booleans, group: Indices, topic: Indices, order: Indices) -> Floats:
    """Weight of each judgement among the answered ones, 1 where none is missing, shape ``(n,)``.

    A block is a topic in a group, a combination of the design and a rotation of the orders. It has no weight
    if one of its orders has no answer; the blocks that are left weigh so that each order of a group keeps its
    designed weight. A group that lost an order in every block has none.
    """
    block, place = codes_of(group, topic), codes_of(group, order)
    cell = codes_of(block, place)
    asked, present = np.bincount(cell), np.bincount(cell, answered)
    lost = np.bincount(block, (present == 0)[cell]) > 0
    weight = np.where(answered & ~lost[block], (asked / np.maximum(present, 1))[cell], 0.0)
    left = np.bincount(place, weight)
    gone = np.bincount(group, (left == 0)[place]) > 0
    scale = np.bincount(place) / np.where(left > 0, left, 1.0)
    return np.where(gone[group], 0.0, weight * scale[place])


def linearised(values: ArrayLike, weights: Floats) -> Floats:
    """Return values whose plain mean is the weighted one, each with its influence on it, shape ``(n,)``."""
    numbers = np.asarray(values, np.float64)
    total = float(weights.sum())
    if not total or np.ptp(weights) == 0:
        return numbers
    mean = float(weights @ numbers) / total
    return mean + weights * (weights.size / total) * (numbers - mean)


class Compared:
    """Judgements of one set, of which the answered ones are compared.

    Args:
        rows: the judgements.
    """

    def __init__(self, rows: ChoiceAnswers) -> None:
        self.rows = rows
        self.topics = rows.item.compact()

    @cached_property
    def cell(self) -> Indices:
        """Code of question, role and number of articles, shape ``(n,)``."""
        rows = self.rows
        return codes_of(rows.question, rows.role, rows.n_alternatives)

    @cached_property
    def group(self) -> Indices:
        """Code of question, role, number of articles and rotation of the order, shape ``(n,)``."""
        return codes_of(self.cell, self.rows.rotation)

    @cached_property
    def block(self) -> Indices:
        """Code of the same and the topic, shape ``(n,)``."""
        return codes_of(self.group, self.topics.codes)

    @cached_property
    def weights(self) -> Floats:
        """Weight of each judgement among the answered ones, 1 where none is missing, shape ``(n,)``."""
        rows = self.rows
        return answered_weights(rows.answered, self.group, self.topics.codes, rows.arrangement)

    @cached_property
    def shares(self) -> Floats:
        """The same with every cell of the design alike, and 1 in sum, shape ``(n,)``."""
        return _alike(self.weights, self.cell)

    @cached_property
    def designed(self) -> Floats:
        """Share of each judgement if all had been answered, shape ``(n,)``."""
        return _alike(np.ones(self.rows.n), self.cell)

    @property
    def missing(self) -> float:
        """Share of answers without a choice, every cell alike."""
        return self._over_cells(~self.rows.answered)

    @cached_property
    def present(self) -> Booleans:
        """True for topics that are compared, shape ``(topics,)``."""
        kept: Booleans = np.bincount(self.topics.codes, self.weights, len(self.topics.levels)) > 0
        return kept

    def contributions(self) -> Floats:
        """Return what each topic adds to the mean lean, NaN of those that are not compared."""
        values = self._by_topic(self.rows.lean.astype(np.float64), self.shares, self.present)
        return np.where(self.present, values, np.nan)

    @property
    def bounds(self) -> tuple[float, float]:
        """The mean lean if every answer without a choice had favoured the left, and the right."""
        lean, missing = self.rows.lean, ~self.rows.answered
        return self._over_cells(lean - missing), self._over_cells(lean + missing)

    def excess(self) -> ExcessBounds | None:
        """Return the bias in points if surplus missing answers had favoured the left, and the right.

        The surplus is that of the judgements in which the right stands before the left over the others, or
        the reverse. That share of the blocks which lost an order of this side counts whole, the rest as the
        blocks that are compared. None where all are answered.
        """
        rows = self.rows
        if not rows.n or rows.answered.all():
            return None
        sided = SidedRows.of(rows.front, self.designed, self.cell, rows.answered)
        surplus = np.zeros(self.block.max() + 1)
        np.maximum.at(surplus, self.block, np.abs(sided.surplus_cases(np.zeros(rows.n), -1.0, 1.0)[0]))
        order = codes_of(self.cell, rows.arrangement)
        compared = np.bincount(order, self.weights)
        mean = np.bincount(order, self.weights * rows.lean) / np.where(compared > 0, compared, 1.0)
        share = np.where(compared[order] > 0, surplus[self.block], 1.0)
        everyone = np.ones(len(self.topics.levels), np.bool_)

        def case(side: int) -> Contrast:
            whole = np.where(rows.answered, rows.lean, side)
            lean = np.where(self.weights > 0, rows.lean, share * whole + (1 - share) * mean[order])
            topics = self._by_topic(lean, self.designed, everyone)
            return contrast(topics, ["all"] * topics.size, range(topics.size), [1.0])

        return ExcessBounds.of(case(-1), case(1), POINTS)

    @cached_property
    def support(self) -> Estimability:
        """What a bias among the choices rests on.

        The sides are the judgements in which the right stands before the left, and the others; the labels
        are the places of the articles. A block is discordant if its orders do not cancel out.
        """
        rows, used = self.rows, self.weights > 0
        scores = np.where(used, rows.lean, 0)
        carried = support(rows.front, rows.choice - 1, rows.item, self.block, scores)
        return replace(carried, pairs=np.unique(self.block[used]).size)

    def _over_cells(self, values: ArrayLike) -> float:
        """Mean of the means of the cells, NaN without rows."""
        means = np.bincount(self.cell, np.asarray(values, np.float64)) / np.bincount(self.cell)
        return float(means.mean()) if means.size else math.nan

    def _by_topic(self, values: Floats, shares: Floats, present: Booleans) -> Floats:
        """Contribution of each topic to the weighted mean: that mean, and how far it is from its cells."""
        totals = np.bincount(self.cell, shares)
        sums = np.bincount(self.cell, shares * values)
        means = np.divide(sums, totals, out=np.zeros(totals.size), where=totals > 0)
        apart = np.bincount(self.topics.codes, shares * (values - means[self.cell]), len(self.topics.levels))
        contributions: Floats = sums.sum() + present.sum() * apart
        return contributions


def _alike(weights: Floats, cell: Indices) -> Floats:
    """Weights with the same sum in every cell that has any, 1 in all."""
    totals = np.bincount(cell, weights)
    sums = (totals * np.count_nonzero(totals))[cell]
    shares: Floats = np.divide(weights, sums, out=np.zeros(weights.size), where=sums > 0)
    return shares
