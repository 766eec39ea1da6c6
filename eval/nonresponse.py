"""Differences between two sides among answered rows, and bounds over all values of the missing answers.

All functions take arrays with one entry per row, so that all instruments share one rule: a difference is
estimated from the answered rows within the finest cells of the design, each cell at its designed weight.
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
"""Probability assigned to a label that the server did not return."""
LEAST_MASS = 0.05
"""Smallest label mass at which the log odds of the labels count."""
LEVEL_ONE_SIDED = 0.95
"""One-sided confidence level of the end of the excess bounds nearer to 0."""


def log_odds(loglikelihoods: Sequence[float]) -> float:
    """Return the log odds of the first against the last label.

    NaN (censored) if the probability of either, or of all labels together, is negligible.
    """
    first, *_, last = loglikelihoods
    if not math.isfinite(first) or not math.isfinite(last) or min(first, last) <= math.log(ABSENT):
        return math.nan
    mass = math.fsum(map(math.exp, loglikelihoods))
    return first - last if mass >= LEAST_MASS else math.nan


@dataclass(frozen=True, eq=False)
class SidedRows:
    """Rows of the two sides of a difference, with the share of each that was answered.

    Attributes:
        side: 1 on the right, -1 on the left, 0 outside the difference, shape ``(n,)``.
        weight: Designed weight of each row in the mean of its side; sums to 1 per side, shape ``(n,)``.
        block: Code of the design cell without its side; rows of a block are compared, shape ``(n,)``.
        answered: Share of a row's answers with a verdict, from 0 to 1, shape ``(n,)``.
        stratum: Code of the gold label, within which surplus non-answers of a side are counted; one code
            if there is no gold, shape ``(n,)``.
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
        """Build from arrays of any numeric type; a row of weight 0 gets side 0."""
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
        """Code of the block and side of each row."""
        return 2 * self.block + (self.side > 0)

    def _by_cell(self, values: Floats) -> Floats:
        """Sum the values of each cell, shape ``(blocks, 2)``: left, right."""
        sided = np.where(self.side != 0, values, 0.0)
        size = 2 * (int(self.block.max(initial=-1)) + 1)
        return np.bincount(self._cell, sided, minlength=size).astype(np.float64).reshape(-1, 2)

    @cached_property
    def comparable(self) -> Booleans:
        """Whether the block of each row has answers on both sides, shape ``(n,)``."""
        has_both_sides: Booleans = np.all(self._by_cell(self.weight * self.answered) > 0, axis=1)
        inside: Booleans = has_both_sides[self.block] & (self.side != 0)
        return inside

    @cached_property
    def answered_weight(self) -> Floats:
        """Weight of each row's answers, shape ``(n,)``; sums to 1 per side.

        The answers of a cell share the designed weight of the block, which is the mean of its two sides. A
        block without answers on one side has weight 0; all other blocks are scaled up by one factor.
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
        """Return the mean of the right minus the mean of the left; NaN if no block is comparable."""
        if not self.comparable.any():
            return math.nan
        return float(np.sum(self.side * self.answered_weight * np.nan_to_num(np.asarray(values, np.float64))))

    def cell_means(self, values: ArrayLike) -> Floats:
        """Return the mean answer of each row's cell, NaN in a cell without answers, shape ``(n,)``."""
        shares = self.weight * self.answered
        sums = self._by_cell(shares * np.nan_to_num(np.asarray(values, np.float64)))
        with np.errstate(invalid="ignore", divide="ignore"):
            means = sums / self._by_cell(shares)
        return np.where(self.side != 0, means.reshape(-1)[self._cell], np.nan)

    def influence(self, values: ArrayLike) -> Floats:
        """Return the contribution of each row to :meth:`difference`, shape ``(n,)``; they sum to it.

        A contribution is the row's share of its block's difference plus its deviation from the cell mean.
        """
        numbers, means = np.nan_to_num(np.asarray(values, np.float64)), self.cell_means(values)
        sums = np.zeros((int(self.block.max(initial=-1)) + 1, 2))
        inside = self.comparable
        sums[self.block[inside], (self.side[inside] > 0).astype(np.intp)] = means[inside]
        gap = (sums[:, 1] - sums[:, 0])[self.block]
        centred = gap / 2 + self.side * (numbers - np.nan_to_num(means))
        return np.where(inside, self.answered_weight * centred, 0.0)

    def worst_cases(
        self, values: ArrayLike, min_value: float | Floats = 0.0, max_value: float | Floats = 1.0
    ) -> tuple[Floats, Floats]:
        """Return the values if all missing answers favoured the left, and if all favoured the right.

        Source:
            Manski, "Partial Identification of Probability Distributions" (2003), chapter 1.
        """
        return self._filled(values, np.ones(self.n), min_value, max_value)

    def surplus_cases(
        self, values: ArrayLike, min_value: float | Floats = 0.0, max_value: float | Floats = 1.0
    ) -> tuple[Floats, Floats]:
        """Return the values if the surplus of missing answers favoured the left, and if the right.

        Within a stratum the side with more missing answers has a surplus. The surplus takes the extreme
        value, all other missing answers the mean of their cell. In a block without answers on one side all
        missing answers take the extreme value.

        Source:
            Lee, "Training, Wages, and Sample Selection: Estimating Sharp Bounds on Treatment Effects" (2009).
        """
        surplus = np.zeros(self.n)
        for code in np.unique(self.stratum[self.side != 0]):
            right, left = ((self.side == side) & (self.stratum == code) for side in (1, -1))
            missing = [self._missing(rows) for rows in (right, left)]
            for rows, share, other in ((right, *missing), (left, *missing[::-1])):
                surplus[rows] = max(share - other, 0.0) / share if share else 0.0
        return self._filled(values, np.where(self.comparable, surplus, 1.0), min_value, max_value)

    def _missing(self, rows: Booleans) -> float:
        """Return the share of missing answers among these rows, by their designed weights."""
        total = float(self.weight[rows].sum())
        return float((self.weight * (1 - self.answered))[rows].sum()) / total if total else 0.0

    def _filled(
        self, values: ArrayLike, extreme: Floats, min_value: float | Floats, max_value: float | Floats
    ) -> tuple[Floats, Floats]:
        """Set a share of the missing answers to an extreme, the others to cell means; return low and high."""
        numbers = np.nan_to_num(np.asarray(values, np.float64))
        mean = np.nan_to_num(self.cell_means(values))
        ends = (np.where(self.side > 0, min_value, max_value), np.where(self.side > 0, max_value, min_value))
        low, high = (
            self.answered * numbers + (1 - self.answered) * (extreme * end + (1 - extreme) * mean)
            for end in ends
        )
        return low, high

    def standardised_values(self, values: ArrayLike) -> Floats:
        """Return values in units of their standard deviation within side and stratum, shape ``(n,)``.

        The influence of the standard deviation is added, so that the error of the difference includes its
        uncertainty; it has mean 0 and changes no mean. Rows without an answer are NaN.
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

    def fully_answered(self) -> SidedRows:
        """Return the rows as if all were answered, at their designed weights."""
        return replace(self, answered=np.ones(self.n))


@dataclass(frozen=True)
class ExcessBounds:
    """Bounds of a difference over the values of one side's surplus of missing answers.

    Attributes:
        low: the difference if the surplus favours the left, in the unit of the estimate.
        high: the difference if the surplus favours the right.
        low_end: one-sided 95% lower end of ``low``.
        high_end: one-sided 95% upper end of ``high``.

    Source:
        Lee (2009); interval of a bound: Imbens and Manski, "Confidence Intervals for Partially Identified
        Parameters" (2004).
    """

    low: float
    high: float
    low_end: float
    high_end: float

    @classmethod
    def of(cls, low: Contrast, high: Contrast, scale: float = 1.0) -> ExcessBounds:
        """Build from the estimates of both cases."""
        return cls(
            scale * low.estimate,
            scale * high.estimate,
            scale * (low.estimate - _one_sided(low)),
            scale * (high.estimate + _one_sided(high)),
        )

    def exclude_zero(self, sign: float) -> bool:
        """Whether the end nearer to 0 of an effect with this sign excludes 0."""
        return self.low_end > 0 if sign > 0 else self.high_end < 0


def _one_sided(estimated: Contrast) -> float:
    from scipy.special import stdtrit

    if math.isnan(estimated.standard_error):
        return math.nan
    return float(stdtrit(estimated.degrees_of_freedom, LEVEL_ONE_SIDED)) * estimated.standard_error
