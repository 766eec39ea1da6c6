"""Agreement beyond chance: Cohen's kappa of two series, Krippendorff's alpha of many raters."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Floats
from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.statistics import CONFIDENCE_LEVEL

BOOTSTRAP_DRAWS = 2000
"""Bootstrap samples of items."""


@dataclass(frozen=True)
class AlphaInterval:
    """Krippendorff's alpha with a percentile interval.

    Args:
        alpha: The estimate; NaN where fewer than two values occur.
        low: Lower end of the interval; NaN if no sample has an alpha.
        high: Upper end of the interval; NaN if no sample has an alpha.
        items: Items with at least two ratings.
        ratings: Ratings of those items.
        level: Confidence level, a fraction.
        undefined: Share of the samples that hold one value only and have no alpha; they are left out.
    """

    alpha: float
    low: float
    high: float
    items: int
    ratings: int
    level: float
    undefined: float


def cohen_kappa(first: ArrayLike, second: ArrayLike) -> float:
    """Cohen's kappa: agreement of two series beyond what their own shares would give.

    Source:
        Cohen, "A Coefficient of Agreement for Nominal Scales" (1960).
    """
    one, two = np.asarray(first), np.asarray(second)
    if one.shape != two.shape or one.ndim != 1:
        raise AnswerTableError(f"kappa: found the shapes {one.shape} and {two.shape}, expected two series")
    if not one.size:
        return math.nan
    observed = float(np.mean(one == two))
    expected = math.fsum(float(np.mean(one == v)) * float(np.mean(two == v)) for v in np.union1d(one, two))
    return math.nan if expected >= 1 - 1e-12 else (observed - expected) / (1 - expected)


def krippendorff_alpha(ratings: ArrayLike) -> float:
    """Krippendorff's alpha of nominal codes, of which 0 is a missing one.

    Written out here because the library of that name is under the GPL; the tests compare the two where it is
    installed.

    Source:
        Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C.
    """
    counts = _counts(ratings)
    return float(_alphas(counts, np.ones((1, counts.shape[0])))[0])


def alpha_interval(ratings: ArrayLike, draws: int = BOOTSTRAP_DRAWS, seed: int = 0) -> AlphaInterval:
    """Krippendorff's alpha of nominal codes with a bootstrap interval over items.

    Items are drawn with replacement, their ratings stay together: items are what a guideline is applied to,
    and the annotators are the ones there are.

    Source:
        Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13 (percentile interval).
    """
    counts = _counts(ratings)
    items = counts.shape[0]
    estimate = float(_alphas(counts, np.ones((1, items)))[0])
    low = high = math.nan
    undefined = 1.0
    if items:
        weights = np.random.default_rng(seed).multinomial(items, np.full(items, 1 / items), size=draws)
        samples = _alphas(counts, weights.astype(np.float64))
        known = samples[~np.isnan(samples)]
        undefined = 1 - known.size / draws
        if known.size:
            low, high = (
                float(end)
                for end in np.quantile(known, [(1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2])
            )
    return AlphaInterval(estimate, low, high, items, int(counts.sum()), CONFIDENCE_LEVEL, undefined)


def _counts(ratings: ArrayLike) -> Floats:
    """How often each item got each value, shape ``(items, values)``, of items with two ratings or more."""
    table = np.asarray(ratings)
    values = np.unique(table[table != 0])
    if not values.size:
        return np.zeros((0, 0))
    counts = np.stack([(table == value).sum(axis=0) for value in values], axis=1)
    used: Floats = counts[counts.sum(axis=1) >= 2].astype(np.float64)
    return used


def _alphas(counts: Floats, weights: Floats) -> Floats:
    """Alpha for every row of weights of the items, shape ``(rows, items)``; NaN where one value occurs."""
    rated = counts.sum(axis=1)
    same = (counts * (counts - 1)).sum(axis=1) / np.maximum(rated - 1, 1)
    total, totals = weights @ rated, weights @ counts
    expected = total**2 - (totals**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        alphas: Floats = 1 - (total - 1) * (total - weights @ same) / expected
    alphas[expected <= 0] = np.nan
    return alphas
