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
        undefined: Share of the samples with a single value, which have no alpha and are dropped.
    """

    alpha: float
    low: float
    high: float
    items: int
    ratings: int
    level: float
    undefined: float


def cohen_kappa(first: ArrayLike, second: ArrayLike) -> float:
    """Return Cohen's kappa: agreement of two series beyond the agreement expected from their shares.

    Source:
        Cohen, "A Coefficient of Agreement for Nominal Scales" (1960).
    """
    left, right = np.asarray(first), np.asarray(second)
    if left.shape != right.shape or left.ndim != 1:
        raise AnswerTableError(
            f"kappa: found the shapes {left.shape} and {right.shape}, expected two series of one length"
        )
    if not left.size:
        return math.nan
    observed = float(np.mean(left == right))
    expected = math.fsum(
        float(np.mean(left == value)) * float(np.mean(right == value)) for value in np.union1d(left, right)
    )
    return math.nan if expected >= 1 - 1e-12 else (observed - expected) / (1 - expected)


def krippendorff_alpha(ratings: ArrayLike) -> float:
    """Return Krippendorff's alpha of nominal codes; code 0 is a missing rating.

    The library `krippendorff` cannot be a dependency, as it is under the GPL; the tests compare both where it
    is installed.

    Source:
        Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C.
    """
    counts = _counts(ratings)
    return float(_alphas(counts, np.ones((1, counts.shape[0])))[0])


def alpha_interval(ratings: ArrayLike, draws: int = BOOTSTRAP_DRAWS, seed: int = 0) -> AlphaInterval:
    """Return Krippendorff's alpha of nominal codes with a bootstrap interval over items.

    Items are drawn with replacement and keep their ratings: items are a sample, annotators are fixed.

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
        defined = samples[~np.isnan(samples)]
        undefined = 1 - defined.size / draws
        if defined.size:
            low, high = (
                float(end)
                for end in np.quantile(defined, [(1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2])
            )
    return AlphaInterval(estimate, low, high, items, int(counts.sum()), CONFIDENCE_LEVEL, undefined)


def _counts(ratings: ArrayLike) -> Floats:
    """Count the values of each item with two ratings or more, shape ``(items, values)``."""
    table = np.asarray(ratings)
    values = np.unique(table[table != 0])
    if not values.size:
        return np.zeros((0, 0))
    counts = np.stack([(table == value).sum(axis=0) for value in values], axis=1)
    used: Floats = counts[counts.sum(axis=1) >= 2].astype(np.float64)
    return used


def _alphas(counts: Floats, weights: Floats) -> Floats:
    """Return alpha for each row of item weights, shape ``(rows, items)``; NaN where only one value occurs."""
    rated = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / np.maximum(rated - 1, 1)
    total, totals = weights @ rated, weights @ counts
    expected = total**2 - (totals**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        alphas: Floats = 1 - (total - 1) * (total - weights @ agreeing) / expected
    alphas[expected <= 0] = np.nan
    return alphas
