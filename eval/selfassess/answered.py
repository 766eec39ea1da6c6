"""Differences among answered choices: topics with answers in every order, each order at its designed weight.

An order and its rotations are a block: every article is once at every position, so position bias cancels.
A block with a requested but unanswered order is excluded from the estimate and enters the bounds; a
respondent that follows the position alone has no bias, whichever orders it refuses.
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
"""Percentage points per unit."""
NO_SIDE = 2
"""Side code of the third position in choices between two articles, and of non-answers."""

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
    """Return the code of the combination of some columns in each row, shape ``(n,)``."""
    codes: Indices = np.zeros(columns[0].size, np.intp)
    for column in columns:
        codes = np.unique(codes * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1]
    return codes


def answered_weights(answered: Booleans, group: Indices, topic: Indices, order: Indices) -> Floats:
    """Return the weight of each answered choice, 1 if all are answered, shape ``(n,)``.

    A group is a cell of the design and a rotation of the orders; a block is a topic in a group. A block has
    weight 0 if one of its orders has no answer; the other blocks are weighted so that each order of a group
    has its designed weight. A group with an order that is unanswered in every block has weight 0.
    """
    block, group_order = cross_codes(group, topic), cross_codes(group, order)
    block_order = cross_codes(block, group_order)
    n_rows, n_answered = np.bincount(block_order), np.bincount(block_order, answered)
    is_incomplete = np.bincount(block, (n_answered == 0)[block_order]) > 0
    weight = np.where(
        answered & ~is_incomplete[block], (n_rows / np.maximum(n_answered, 1))[block_order], 0.0
    )
    order_weights = np.bincount(group_order, weight)
    lacks_order = np.bincount(group, (order_weights == 0)[group_order]) > 0
    scale = np.bincount(group_order) / np.where(order_weights > 0, order_weights, 1.0)
    return np.where(lacks_order[group], 0.0, weight * scale[group_order])


def linearised_values(values: ArrayLike, weights: Floats) -> Floats:
    """Return the weighted mean plus the influence of each value, shape ``(n,)``; their mean is the mean."""
    numbers = np.asarray(values, np.float64)
    total = float(weights.sum())
    if not total or np.ptp(weights) == 0:
        return numbers
    mean = float(weights @ numbers) / total
    return mean + weights * (weights.size / total) * (numbers - mean)


class ComparedChoices:
    """Choices of one set; the answered choices are compared.

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
        """Return the selected choices."""
        return type(self)(self.rows[mask])

    @cached_property
    def side(self) -> Codes:
        """Side code of the chosen article, :data:`NO_SIDE` without a choice, shape ``(n,)``."""
        sides: Codes = _CHOSEN_SIDES[self.order, self.choice]
        return sides

    @cached_property
    def lean(self) -> Codes:
        """+1 if the right article was chosen, -1 if the left was, else 0, shape ``(n,)``."""
        return np.where(self.answered, self.side, 0).astype(np.int8)

    @property
    def label_mass(self) -> float:
        """Mean label mass; NaN for generated answers."""
        return float(self.rows["label_mass"].to_numpy().mean()) if self.n else math.nan

    @cached_property
    def cell(self) -> Indices:
        """Code of question, role and number of articles, shape ``(n,)``."""
        design = codes_of(self.rows["question"]), codes_of(self.rows["role"])
        return cross_codes(*design, self.n_alternatives)

    @cached_property
    def group(self) -> Indices:
        """Code of the cell and the rotation: orders that are rotations of each other have equal codes."""
        return cross_codes(self.cell, _ROTATIONS[self.order])

    @cached_property
    def block(self) -> Indices:
        """Code of the group and the topic, shape ``(n,)``."""
        return cross_codes(self.group, self.topic)

    @cached_property
    def weights(self) -> Floats:
        """Weight of each answered choice (:func:`answered_weights`), shape ``(n,)``."""
        return answered_weights(self.answered, self.group, self.topic, self.order)

    @cached_property
    def shares(self) -> Floats:
        """Weights scaled to equal sums in all cells of the design, and to a total of 1, shape ``(n,)``."""
        return _balance_cells(self.weights, self.cell)

    @cached_property
    def design_shares(self) -> Floats:
        """Shares if all choices had been answered, shape ``(n,)``."""
        return _balance_cells(np.ones(self.n), self.cell)

    @property
    def nonresponse_rate(self) -> float:
        """Share of non-answers, all cells weighted equally."""
        return self._mean_over_cells(~self.answered)

    @cached_property
    def is_compared(self) -> Booleans:
        """Whether each topic is compared, shape ``(topics,)``."""
        present: Booleans = np.bincount(self.topic, self.weights, len(self.topics.categories)) > 0
        return present

    def contributions(self) -> Floats:
        """Return the contribution of each topic to the mean lean, NaN for topics that are not compared."""
        values = self._topic_contributions(self.lean.astype(np.float64), self.shares, self.is_compared)
        return np.where(self.is_compared, values, np.nan)

    @property
    def bounds(self) -> tuple[float, float]:
        """Mean lean if every non-answer had favoured the left, and the right."""
        missing = ~self.answered
        return self._mean_over_cells(self.lean - missing), self._mean_over_cells(self.lean + missing)

    def excess(self) -> ExcessBounds | None:
        """Return the bias in points if surplus non-answers had favoured the left, and the right.

        The surplus is the excess of non-answers to choices with the right before the left over the others,
        or the reverse. Of the excluded blocks, this share counts with its non-answers at the extreme, the
        remainder at the mean of the compared blocks. None if all choices are answered.
        """
        if not self.n or self.answered.all():
            return None
        sided_rows = SidedRows.of(_FRONT[self.order], self.design_shares, self.cell, self.answered)
        surplus = np.zeros(self.block.max() + 1)
        np.maximum.at(surplus, self.block, np.abs(sided_rows.surplus_cases(np.zeros(self.n), -1.0, 1.0)[0]))
        order = cross_codes(self.cell, self.order)
        order_weights = np.bincount(order, self.weights)
        mean_lean = np.bincount(order, self.weights * self.lean) / np.where(
            order_weights > 0, order_weights, 1.0
        )
        surplus_share = np.where(order_weights[order] > 0, surplus[self.block], 1.0)
        all_topics = np.ones(len(self.topics.categories), np.bool_)

        def bias_if_favoured(side: int) -> Contrast:
            filled_lean = np.where(self.answered, self.lean, side)
            lean = np.where(
                self.weights > 0,
                self.lean,
                surplus_share * filled_lean + (1 - surplus_share) * mean_lean[order],
            )
            topics = self._topic_contributions(lean, self.design_shares, all_topics)
            return cell_mean_contrast(topics, ["all"] * topics.size, range(topics.size), [1.0])

        return ExcessBounds.of(bias_if_favoured(-1), bias_if_favoured(1), POINTS)

    @cached_property
    def support(self) -> Estimability:
        """Estimability of the bias.

        The two sides are the choices with the right before the left, and the others; the labels are the
        positions of the articles. A block is discordant if the choices in its orders do not cancel.
        """
        is_used = self.weights > 0
        scores = np.where(is_used, self.lean, 0)
        estimability = support(_FRONT[self.order], self.choice - 1, self.topics, self.block, scores)
        return replace(estimability, pairs=np.unique(self.block[is_used]).size)

    def _mean_over_cells(self, values: ArrayLike) -> float:
        """Return the mean of the cell means, NaN without rows."""
        means = np.bincount(self.cell, np.asarray(values, np.float64)) / np.bincount(self.cell)
        return float(means.mean()) if means.size else math.nan

    def _topic_contributions(self, values: Floats, shares: Floats, is_compared: Booleans) -> Floats:
        """Return the contribution of each topic: the weighted mean plus its deviation from its cells."""
        totals = np.bincount(self.cell, shares)
        sums = np.bincount(self.cell, shares * values)
        means = np.divide(sums, totals, out=np.zeros(totals.size), where=totals > 0)
        deviations = np.bincount(self.topic, shares * (values - means[self.cell]), is_compared.size)
        contributions: Floats = sums.sum() + is_compared.sum() * deviations
        return contributions


def _balance_cells(weights: Floats, cell: Indices) -> Floats:
    """Scale weights to equal sums in all cells with weights, and to a total of 1."""
    totals = np.bincount(cell, weights)
    sums = (totals * np.count_nonzero(totals))[cell]
    shares: Floats = np.divide(weights, sums, out=np.zeros(weights.size), where=sums > 0)
    return shares
