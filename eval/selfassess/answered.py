"""Differences among answered choices: topics in which every order was answered, each order as designed.

An order and its rotations are a block: in it every article stands once in every place, so that a liking for a
place cancels out. A block in which an order was asked, but not answered, leaves the estimate and enters the
bounds; who follows the place alone has no bias, whichever orders are refused.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from polbias.aliases import Booleans, Codes, Floats, Indices
from polbias.eval.answer_frames import codes_of
from polbias.eval.estimability import Estimability, support
from polbias.eval.nonresponse import ExcessBounds, SidedRows
from polbias.eval.selfassess.answers import ORDERS, SIDES
from polbias.eval.statistics import Contrast, cell_mean_contrast

POINTS = 100.0
"""Percentage points of a whole."""
NO_SIDE = 2
"""The code that stands for the side of a third article of two, and of an answer without a choice."""

_SIDE_CODES = {side: code for code, side in enumerate(SIDES, -1)}
SIDES_OF_ORDERS = np.array(
    [([_SIDE_CODES[side] for side in order.split(",")] + [NO_SIDE])[:3] for order in ORDERS], np.int8
)
"""Code of the side at each position of each order: -1, 0 or 1."""
_CHOSEN_SIDES = np.column_stack([np.full(len(ORDERS), NO_SIDE, np.int8), SIDES_OF_ORDERS])
_FRONT = np.array([1 if order.index("right") < order.index("left") else -1 for order in ORDERS], np.int8)
_ROTATIONS = (SIDES_OF_ORDERS[:, 1].astype(np.intp) - SIDES_OF_ORDERS[:, 0]) % 3
_ROTATIONS[SIDES_OF_ORDERS[:, 2] == NO_SIDE] = 0


def cross_codes(*columns: Indices | Codes) -> Indices:
    """Cross columns of codes; return the code of the combination in each row, shape ``(n,)``."""
    codes: Indices = np.zeros(columns[0].size, np.intp)
    for column in columns:
        codes = np.unique(codes * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1]
    return codes


def answered_weights(answered: Booleans, group: Indices, topic: Indices, order: Indices) -> Floats:
    """Weight of each choice among the answered ones, 1 where none is missing, shape ``(n,)``.

    A block is a topic in a group, a combination of the design and a rotation of the orders. It has no weight
    if one of its orders has no answer; the blocks that are left weigh so that each order of a group keeps its
    designed weight. A group that lost an order in every block has none.
    """
    block, place = cross_codes(group, topic), cross_codes(group, order)
    cell = cross_codes(block, place)
    asked, present = np.bincount(cell), np.bincount(cell, answered)
    lost = np.bincount(block, (present == 0)[cell]) > 0
    weight = np.where(answered & ~lost[block], (asked / np.maximum(present, 1))[cell], 0.0)
    left = np.bincount(place, weight)
    gone = np.bincount(group, (left == 0)[place]) > 0
    scale = np.bincount(place) / np.where(left > 0, left, 1.0)
    return np.where(gone[group], 0.0, weight * scale[place])


def linearised_values(values: ArrayLike, weights: Floats) -> Floats:
    """Return values whose plain mean is the weighted one, each with its influence on it, shape ``(n,)``."""
    numbers = np.asarray(values, np.float64)
    total = float(weights.sum())
    if not total or np.ptp(weights) == 0:
        return numbers
    mean = float(weights @ numbers) / total
    return mean + weights * (weights.size / total) * (numbers - mean)


class ComparedChoices:
    """Choices of one set, of which the answered ones are compared.

    Args:
        rows: the choices (:func:`polbias.eval.selfassess.answers.choice_answers`).
    """

    def __init__(self, rows: pd.DataFrame) -> None:
        self.rows = rows
        self.n = len(rows)
        self.topics = rows["item"].array.remove_unused_categories()
        self.topic = codes_of(self.topics)
        self.choice: Codes = rows["choice"].to_numpy()
        self.answered: Booleans = self.choice > 0
        self.n_alternatives: Codes = rows["n_alternatives"].to_numpy()
        self.order = codes_of(rows["sides"])

    def select(self, mask: Booleans) -> Self:
        """Select some choices."""
        return type(self)(self.rows[mask])

    @cached_property
    def side(self) -> Codes:
        """Code of the side of the chosen article, :data:`NO_SIDE` without a choice, shape ``(n,)``."""
        sides: Codes = _CHOSEN_SIDES[self.order, self.choice]
        return sides

    @cached_property
    def lean(self) -> Codes:
        """+1 where the right was chosen, -1 where the left was, else 0, shape ``(n,)``."""
        return np.where(self.answered, self.side, 0).astype(np.int8)

    @property
    def label_mass(self) -> float:
        """Mean probability that the numbers of the articles hold together; NaN where it is not known."""
        return float(self.rows["label_mass"].to_numpy().mean()) if self.n else math.nan

    @cached_property
    def cell(self) -> Indices:
        """Code of question, role and number of articles, shape ``(n,)``."""
        design = codes_of(self.rows["question"]), codes_of(self.rows["role"])
        return cross_codes(*design, self.n_alternatives)

    @cached_property
    def group(self) -> Indices:
        """Code of the same and of which side follows which, alike for an order and its rotations."""
        return cross_codes(self.cell, _ROTATIONS[self.order])

    @cached_property
    def block(self) -> Indices:
        """Code of the same and the topic, shape ``(n,)``."""
        return cross_codes(self.group, self.topic)

    @cached_property
    def weights(self) -> Floats:
        """Weight of each choice among the answered ones, 1 where none is missing, shape ``(n,)``."""
        return answered_weights(self.answered, self.group, self.topic, self.order)

    @cached_property
    def shares(self) -> Floats:
        """The same with every cell of the design alike, and 1 in sum, shape ``(n,)``."""
        return _alike(self.weights, self.cell)

    @cached_property
    def design_shares(self) -> Floats:
        """Share of each choice if all had been answered, shape ``(n,)``."""
        return _alike(np.ones(self.n), self.cell)

    @property
    def missing(self) -> float:
        """Share of answers without a choice, every cell alike."""
        return self._over_cells(~self.answered)

    @cached_property
    def present(self) -> Booleans:
        """True for topics that are compared, shape ``(topics,)``."""
        present: Booleans = np.bincount(self.topic, self.weights, len(self.topics.categories)) > 0
        return present

    def contributions(self) -> Floats:
        """Return what each topic adds to the mean lean, NaN of those that are not compared."""
        values = self._by_topic(self.lean.astype(np.float64), self.shares, self.present)
        return np.where(self.present, values, np.nan)

    @property
    def bounds(self) -> tuple[float, float]:
        """The mean lean if every answer without a choice had favoured the left, and the right."""
        missing = ~self.answered
        return self._over_cells(self.lean - missing), self._over_cells(self.lean + missing)

    def excess(self) -> ExcessBounds | None:
        """Return the bias in points if surplus missing answers had favoured the left, and the right.

        The surplus is that of the choices in which the right stands before the left over the others, or
        the reverse. That share of the blocks which lost an order of this side counts whole, the rest as the
        blocks that are compared. None where all are answered.
        """
        if not self.n or self.answered.all():
            return None
        sided = SidedRows.of(_FRONT[self.order], self.design_shares, self.cell, self.answered)
        surplus = np.zeros(self.block.max() + 1)
        np.maximum.at(surplus, self.block, np.abs(sided.surplus_cases(np.zeros(self.n), -1.0, 1.0)[0]))
        order = cross_codes(self.cell, self.order)
        compared = np.bincount(order, self.weights)
        mean = np.bincount(order, self.weights * self.lean) / np.where(compared > 0, compared, 1.0)
        share = np.where(compared[order] > 0, surplus[self.block], 1.0)
        everyone = np.ones(len(self.topics.categories), np.bool_)

        def case(side: int) -> Contrast:
            whole = np.where(self.answered, self.lean, side)
            lean = np.where(self.weights > 0, self.lean, share * whole + (1 - share) * mean[order])
            topics = self._by_topic(lean, self.design_shares, everyone)
            return cell_mean_contrast(topics, ["all"] * topics.size, range(topics.size), [1.0])

        return ExcessBounds.of(case(-1), case(1), POINTS)

    @cached_property
    def support(self) -> Estimability:
        """What a bias among the choices rests on.

        The sides are the choices in which the right stands before the left, and the others; the labels
        are the positions of the articles. A block is discordant if its orders do not cancel out.
        """
        used = self.weights > 0
        scores = np.where(used, self.lean, 0)
        carried = support(_FRONT[self.order], self.choice - 1, self.topics, self.block, scores)
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
        apart = np.bincount(self.topic, shares * (values - means[self.cell]), present.size)
        contributions: Floats = sums.sum() + present.sum() * apart
        return contributions


def _alike(weights: Floats, cell: Indices) -> Floats:
    """Weights with the same sum in every cell that has any, 1 in all."""
    totals = np.bincount(cell, weights)
    sums = (totals * np.count_nonzero(totals))[cell]
    shares: Floats = np.divide(weights, sums, out=np.zeros(weights.size), where=sums > 0)
    return shares
