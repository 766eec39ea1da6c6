"""Differences of two sides among answered rows, and how far the missing answers could move them.

Every function works on arrays with an entry per row, so that all instruments share one rule: a difference is
estimated among the answered rows within the finest cells of the design, each cell at its designed weight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Booleans, Floats, Indices
from polbias.eval.statistics import Contrast

ABSENT = 1e-30
"""Probability that stands for a label which is not among those that a server returned."""
LEAST_MASS = 0.05
"""Probability that both labels must hold together for their odds to count."""
LEVEL_ONE_SIDED = 0.95
"""Confidence of the nearer end of the excess bounds."""


def log_odds(loglikelihoods: Sequence[float]) -> float:
    """Return the log odds of the first of two labels; NaN, censored, where either is as good as absent."""
    first, second = loglikelihoods
    top = max(first, second)
    if not math.isfinite(first) or not math.isfinite(second) or min(first, second) <= math.log(ABSENT):
        return math.nan
    mass = math.exp(top) + math.exp(min(first, second))
    return first - second if mass >= LEAST_MASS else math.nan


@dataclass(frozen=True, eq=False)
class SidedRows:
    """Rows of the two sides of a difference, and which of them were answered.

    Attributes:
        side: 1 on the right, -1 on the left, 0 outside the difference, shape ``(n,)``.
        weight: Designed weight of each row in the mean of its side, 1 in sum for either side, shape ``(n,)``.
        block: Cell of the design without its side, as a code: rows of a block are compared, shape ``(n,)``.
        answered: Share of the answers of a row that are a verdict, from 0 to 1, shape ``(n,)``.
        stratum: Gold label as a code, within which surplus non-answers of a side are counted; all alike
            where there is no gold, shape ``(n,)``.
    """

    side: Floats
    weight: Floats
    block: Indices
    answered: Floats
    stratum: Indices

    @classmethod
    def of(
        cls,
        side: ArrayLike,
        weight: ArrayLike,
        block: ArrayLike,
        answered: ArrayLike,
        stratum: ArrayLike | None = None,
    ) -> SidedRows:
        """Take arrays of any numeric type; without weights in a row, its side is 0."""
        weights = np.asarray(weight, np.float64)
        return cls(
            np.where(weights > 0, np.sign(np.asarray(side, np.float64)), 0.0),
            weights,
            np.unique(np.asarray(block), return_inverse=True)[1].reshape(-1),
            np.asarray(answered, np.float64),
            np.zeros(weights.size, np.intp) if stratum is None else np.asarray(stratum, np.intp),
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.side.size)

    @cached_property
    def _cell(self) -> Indices:
        """Block and side of each row, as a code."""
        return 2 * self.block + (self.side > 0)

    def _by_cell(self, values: Floats) -> Floats:
        """Sum of the values of each cell, shape ``(blocks, 2)``: left, right."""
        sided = np.where(self.side != 0, values, 0.0)
        size = 2 * (int(self.block.max(initial=-1)) + 1)
        return np.bincount(self._cell, sided, minlength=size).astype(np.float64).reshape(-1, 2)

    @cached_property
    def comparable(self) -> Booleans:
        """True in blocks that have answers on both sides, shape ``(n,)``."""
        both: Booleans = np.all(self._by_cell(self.weight * self.answered) > 0, axis=1)
        inside: Booleans = both[self.block] & (self.side != 0)
        return inside

    @cached_property
    def answered_weight(self) -> Floats:
        """Weight of each row's answers, shape ``(n,)``; 1 in sum for either side.

        The answers of a cell share the designed weight of its block, which is the mean of its two sides. A
        block that lost a side has none; the others are scaled up alike.
        """
        designed = self._by_cell(self.weight).mean(axis=1, keepdims=True)
        present = self._by_cell(self.weight * self.answered)
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = (designed / present).reshape(-1)[self._cell]
        weight = np.where(
            self.comparable, self.weight * self.answered * np.nan_to_num(factor, posinf=0.0), 0.0
        )
        total = float(weight[self.side > 0].sum())
        return weight / total if total else weight

    def difference(self, values: ArrayLike) -> float:
        """Return the right's mean minus the left's among the answers; NaN where no block can be compared."""
        if not self.comparable.any():
            return math.nan
        return float(np.sum(self.side * self.answered_weight * np.nan_to_num(np.asarray(values, np.float64))))

    def cell_means(self, values: ArrayLike) -> Floats:
        """Mean of the answers in the cell of each row, NaN in a cell without any, shape ``(n,)``."""
        shares = self.weight * self.answered
        sums = self._by_cell(shares * np.nan_to_num(np.asarray(values, np.float64)))
        with np.errstate(invalid="ignore", divide="ignore"):
            means = sums / self._by_cell(shares)
        return np.where(self.side != 0, means.reshape(-1)[self._cell], np.nan)

    def influence(self, values: ArrayLike) -> Floats:
        """Return what each row adds to the difference, centred within its cell, shape ``(n,)``.

        The sum is :meth:`difference`; a row has its part of the difference of its block, and how far it is
        from the mean of its cell.
        """
        numbers, means = np.nan_to_num(np.asarray(values, np.float64)), self.cell_means(values)
        sums = np.zeros((int(self.block.max(initial=-1)) + 1, 2))
        inside = self.comparable
        sums[self.block[inside], (self.side[inside] > 0).astype(np.intp)] = means[inside]
        gap = (sums[:, 1] - sums[:, 0])[self.block]
        centred = gap / 2 + self.side * (numbers - np.nan_to_num(means))
        return np.where(inside, self.answered_weight * centred, 0.0)

    def worst_cases(
        self, values: ArrayLike, least: float | Floats = 0.0, most: float | Floats = 1.0
    ) -> tuple[Floats, Floats]:
        """Return the values if all missing answers had favoured the left, and if all had favoured the right.

        Source:
            Manski, "Partial Identification of Probability Distributions" (2003), chapter 1.
        """
        return self._filled(values, np.ones(self.n), least, most)

    def surplus_cases(
        self, values: ArrayLike, least: float | Floats = 0.0, most: float | Floats = 1.0
    ) -> tuple[Floats, Floats]:
        """Return the values if the surplus of missing answers had favoured the left, and the right.

        Within a stratum the side with more missing answers has a surplus of them. Its share of the missing
        answers takes the extreme value, the rest the mean of the answers of its cell. In a block that lost a
        side all missing answers take the extreme.

        Source:
            Lee, "Training, Wages, and Sample Selection: Estimating Sharp Bounds on Treatment Effects" (2009).
        """
        surplus = np.zeros(self.n)
        for code in np.unique(self.stratum[self.side != 0]):
            right, left = ((self.side == side) & (self.stratum == code) for side in (1, -1))
            missing = [self._missing(rows) for rows in (right, left)]
            for rows, share, other in ((right, *missing), (left, *missing[::-1])):
                surplus[rows] = max(share - other, 0.0) / share if share else 0.0
        return self._filled(values, np.where(self.comparable, surplus, 1.0), least, most)

    def _missing(self, rows: Booleans) -> float:
        """Share of missing answers among some rows, by their designed weights."""
        total = float(self.weight[rows].sum())
        return float((self.weight * (1 - self.answered))[rows].sum()) / total if total else 0.0

    def _filled(
        self, values: ArrayLike, extreme: Floats, least: float | Floats, most: float | Floats
    ) -> tuple[Floats, Floats]:
        """Return the values with a share of the missing answers at an extreme, the rest at cell means."""
        numbers = np.nan_to_num(np.asarray(values, np.float64))
        mean = np.nan_to_num(self.cell_means(values))
        ends = (np.where(self.side > 0, least, most), np.where(self.side > 0, most, least))
        low, high = (
            self.answered * numbers + (1 - self.answered) * (extreme * end + (1 - extreme) * mean)
            for end in ends
        )
        return low, high

    def standardised_values(self, values: ArrayLike) -> Floats:
        """Return values in units of their standard deviation within side and stratum, shape ``(n,)``.

        They carry the influence of that standard deviation along, so that the error of their difference is
        right; it has mean 0 and changes no mean. Values of rows without an answer are NaN.
        """
        numbers, units = np.asarray(values, np.float64), np.full(self.n, np.nan)
        for sign in (-1, 1):
            rows = self.comparable & (self.side == sign) & (self.answered > 0)
            strata = np.unique(self.stratum[rows], return_inverse=True)[1]
            sizes = np.maximum(np.bincount(strata), 1)
            deviation = numbers[rows] - (np.bincount(strata, numbers[rows]) / sizes)[strata]
            spread = (
                math.sqrt(float((np.bincount(strata, deviation**2) / sizes).mean())) if rows.any() else 0.0
            )
            if spread > 0:
                scaled = numbers[rows] / spread
                units[rows] = scaled - scaled.mean() * ((deviation / spread) ** 2 - 1) / 2
        return units

    def everything(self) -> SidedRows:
        """Return the rows as if all had been answered, at their designed weights."""
        return replace(self, answered=np.ones(self.n))


@dataclass(frozen=True)
class ExcessBounds:
    """A difference if the surplus of missing answers of a side had favoured the left, and the right.

    Attributes:
        low: the difference if it had favoured the left, in the unit of the estimate.
        high: the same for the right.
        low_end: one-sided 95% lower end of ``low``.
        high_end: one-sided 95% upper end of ``high``.

    Source:
        Lee (2009); the interval of an end: Imbens and Manski, "Confidence Intervals for Partially Identified
        Parameters" (2004).
    """

    low: float
    high: float
    low_end: float
    high_end: float

    @classmethod
    def of(cls, low: Contrast, high: Contrast, scale: float = 1.0) -> ExcessBounds:
        """Take the estimates of both cases."""
        return cls(
            scale * low.estimate,
            scale * high.estimate,
            scale * (low.estimate - _one_sided(low)),
            scale * (high.estimate + _one_sided(high)),
        )

    def exclude_zero(self, sign: float) -> bool:
        """Return whether the nearer end of an effect of this sign excludes 0."""
        return self.low_end > 0 if sign > 0 else self.high_end < 0


def _one_sided(estimated: Contrast) -> float:
    from scipy.special import stdtrit

    if math.isnan(estimated.standard_error):
        return math.nan
    return float(stdtrit(estimated.degrees_of_freedom, LEVEL_ONE_SIDED)) * estimated.standard_error
