"""The estimates of a part of the answers: bias, accuracy, gaps, each with its interval over clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polbias.eval.columns import Factor
from polbias.eval.partisan.answers import Asked
from polbias.eval.partisan.bias import (
    bias_support,
    contributions,
    unweighted_bias,
    weighted_bias,
    worst_case_bounds,
)
from polbias.eval.partisan.schema import LABELS
from polbias.eval.report.document import Estimate
from polbias.eval.report.numbers import known
from polbias.eval.statistics import SignFlip, cluster_interval, sign_flip
from polbias.eval.support import Support, discordant

Floats = NDArray[np.float64]
_POINTS = (-100.0, 100.0)
_REFUSAL, _VALID = LABELS.index("refusal"), LABELS.index("valid")


class Cell:
    """A part of what a respondent was asked, in which every config has the same weight.

    Args:
        asked: all of it.
        mask: which answers.
    """

    def __init__(self, asked: Asked, mask: NDArray[np.bool_]) -> None:
        self.asked, self.mask = asked, mask
        self.rows = asked.rows.select(mask)
        tally: list[int] = np.bincount(self.rows.label, minlength=len(LABELS)).tolist()
        _, _, self.refusals, self.unparsable, self.truncated = tally

    @property
    def n(self) -> int:
        """Number of answers."""
        return self.rows.n

    @property
    def unanswered(self) -> int:
        """Number of those without a verdict."""
        return self.refusals + self.unparsable + self.truncated

    @cached_property
    def _configs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Config of each answer, from 0, and the number of answers by config."""
        _, codes, sizes = np.unique(
            self.asked.factors["config"].codes[self.mask], return_inverse=True, return_counts=True
        )
        return codes, sizes

    @cached_property
    def weights(self) -> Floats:
        """Weight of each answer, with mean 1; the same in sum for every config."""
        codes, sizes = self._configs
        weights: Floats = (self.n / (len(sizes) * sizes))[codes] if self.n else np.zeros(0)
        return weights

    @property
    def _side(self) -> Floats:
        """+1 for the right, -1 for the left."""
        return self.rows.leaning.astype(np.float64)

    @cached_property
    def contributions(self) -> Floats:
        """What each answer adds to the weighted bias, in points; their mean is the bias."""
        made: Floats = 100 * contributions(self.rows) * self.weights
        return made

    def tested(self, seed: int) -> SignFlip:
        """Return the test that the weighted bias is 0, the sign flip of whole clusters.

        Args:
            seed: of the flips where there are too many clusters to count them all.
        """
        return sign_flip(self.contributions, self.rows.clusters or [], seed)

    @cached_property
    def support(self) -> Support:
        """What the bias rests on."""
        return bias_support(self.rows)

    def bias(self, p: float | None = None) -> Estimate:
        """Return the weighted bias in points.

        Args:
            p: of its test, if it was made.
        """
        return self._mean(100 * contributions(self.rows), p=p, bounds=_POINTS).on(self.support)

    def accuracy(self) -> Estimate:
        """Return the share of right verdicts among all answers."""
        return self._mean(self.rows.label == self.rows.gold)

    def unweighted(self) -> Estimate:
        """Return the unweighted bias in points (Appendix C), None where nothing is called valid."""
        called = (self.rows.label == _VALID) * self.weights
        found = self._mean(100 * self._side, called, bounds=_POINTS)
        return found if self.support.estimable else found.on(self.support)

    def refusal_gap(self, seed: int | None = None) -> Estimate:
        """Return refusals on the right minus on the left, in points.

        Args:
            seed: of the sign flip of whole clusters; None leaves the test out.
        """
        refused = self.rows.label == _REFUSAL
        scores, clusters = self._side * refused, self.rows.clusters or Factor.of([])
        p = None if seed is None else known(sign_flip(scores * self.weights, clusters, seed).p_value)
        pairs = self.rows.pairs or clusters
        count = int(np.unique(clusters.codes).size)
        return self._gap(refused, p).on(Support(None, 0.0, discordant(pairs.codes, scores, clusters), count))

    def unanswered_gap(self) -> Estimate:
        """Return answers without a verdict on the right minus on the left, in points."""
        return self._gap(~self.rows.answered)

    def unanswered_share(self) -> Estimate:
        """Return the share of answers without a verdict."""
        return self._mean(~self.rows.answered)

    def probability_bias(self) -> Estimate:
        """Return the weighted bias of the probabilities themselves, in points."""
        return self._gap(self.asked.share[self.mask] - self.rows.gold)

    def mass(self) -> Estimate:
        """Return the mean probability that both labels hold together."""
        return self._mean(self.asked.mass[self.mask])

    def bounds(self) -> tuple[float | None, float | None]:
        """Return the least and the greatest bias, in points, whatever was not answered would have said."""
        codes, sizes = self._configs
        found = [worst_case_bounds(self.rows.select(codes == code)) for code in range(len(sizes))]
        low, high = (known(100 * float(np.mean(ends))) if ends else None for ends in _columns(found))
        return low, high

    def paper(self) -> tuple[float | None, float | None]:
        """Return weighted and unweighted bias in points as the paper computes them, over all rows at once."""
        return (
            known(100 * weighted_bias(self.rows, "paper")),
            known(100 * unweighted_bias(self.rows, "paper")),
        )

    def paper_accuracy(self) -> float | None:
        """Return the share of right verdicts among the answers with one."""
        answered = int(np.count_nonzero(self.rows.answered))
        right = int(np.count_nonzero(self.rows.label == self.rows.gold))
        return right / answered if answered else None

    def about(self, value: float | None) -> Estimate:
        """Return a number that rests on the answers with a verdict, without an interval.

        Args:
            value: the number.
        """
        return Estimate(
            value,
            n=self.n - self.unanswered,
            refusals=self.refusals,
            unparsable=self.unparsable,
            truncated=self.truncated,
        )

    def _gap(self, scores: ArrayLike, p: float | None = None) -> Estimate:
        """Mean of scores on the right minus that on the left, in points; sides are of equal number."""
        return self._mean(200 * self._side * np.asarray(scores, dtype=np.float64), p=p, bounds=_POINTS)

    def _mean(
        self,
        values: ArrayLike,
        weights: Floats | None = None,
        p: float | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
    ) -> Estimate:
        weights = self.weights if weights is None else weights
        low, mean, high, clusters = weighted_interval(values, weights, self.rows.clusters or [], bounds)
        return Estimate(mean, low, high, self.n, clusters, self.refusals, self.unparsable, self.truncated, p)


def _columns(pairs: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [low for low, _ in pairs], [high for _, high in pairs]


def weighted_interval(
    values: ArrayLike,
    weights: ArrayLike,
    clusters: Iterable[Any] | Factor,
    bounds: tuple[float, float] | None = None,
) -> tuple[float | None, float | None, float | None, int]:
    """Return a weighted mean with its interval over clusters.

    The weighted mean is to the first order the plain mean of ``mean + weight * (value - mean)``, the weights
    having mean 1; the interval is that of these.

    Args:
        values: shape ``(n,)``.
        weights: of the values, from 0, shape ``(n,)``.
        clusters: of the values.
        bounds: smallest and largest mean that a cluster can have.

    Returns:
        Lower end, mean, upper end (None where there is none) and the number of clusters.
    """
    numbers, heavy = np.asarray(values, np.float64), np.asarray(weights, np.float64)
    total = float(heavy.sum())
    if not total > 0:
        return None, None, None, cluster_interval(np.zeros(heavy.size), clusters).clusters
    mean = float((numbers * heavy).sum()) / total
    spread = mean + heavy * (heavy.size / total) * (numbers - mean)
    found = cluster_interval(spread, clusters, bounds=bounds)
    return known(found.low), known(mean), known(found.high), found.clusters
