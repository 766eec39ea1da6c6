"""Power of the sign flip of whole clusters (:func:`polbias.eval.sign_flip.sign_flip_test`), by simulation.

The means of clusters are drawn from a normal distribution. Flipped sums are linear in the true effect, so all
random numbers are drawn once and serve every effect: the power found is monotone but for ties, and the same
on every machine.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from polbias.aliases import Floats
from polbias.eval.power.design import Assumptions, PowerDesign
from polbias.eval.power.detection import (
    LEVEL,
    POWER,
    check_power,
    minimum_detectable_effect,
    required_effect_in_se,
    required_size,
)

MAX_EXACT_FLIPS = 60
"""Beyond so many clusters the test has the power of the t test, and that is taken."""
_ALL, _ALL_RUNS = 10, 20_000
"""Up to so many clusters all flips are counted; runs then simulated (standard error of the power: .003)."""
_DRAWN_RUNS = 4000
"""Runs simulated with more clusters (.006)."""
_FLIPS = 999
_SEED = 20240
_TIE = 1e-9


def smallest_p(clusters: int) -> float:
    """The smallest p that the sign flip of so many clusters can give, if all flips are counted."""
    return float(min(1.0, 2.0 ** (1 - clusters)))


def sign_flip_mde(design: PowerDesign, assumed: Assumptions, wanted: float = POWER) -> float:
    """The smallest true effect that the sign flip at .05 finds with the wanted power."""
    check_power(wanted)
    if smallest_p(design.clusters) > LEVEL:
        return math.inf
    if design.clusters > MAX_EXACT_FLIPS:
        return required_effect_in_se(design.clusters - 1, wanted) * assumed.standard_error(design)
    return _distance(design.clusters, wanted) * math.sqrt(design.clusters) * assumed.standard_error(design)


class _Flips:
    """Simulated cluster means and their flipped sums without an effect."""

    def __init__(self, clusters: int) -> None:
        rng = np.random.default_rng(np.random.SeedSequence([_SEED, clusters]))
        self.all = clusters <= _ALL
        noise = rng.standard_normal((_ALL_RUNS if self.all else _DRAWN_RUNS, clusters))
        signs = _every_sign(clusters) if self.all else rng.choice([-1.0, 1.0], (_FLIPS, clusters))
        self.clusters = clusters
        self.total = noise.sum(axis=1)
        self.steps = signs.sum(axis=1)
        self.flipped = noise @ signs.T

    def power(self, distance: float) -> float:
        """Share of runs with p at most .05, if the effect is so many standard deviations of a cluster."""
        seen = np.abs(self.total + self.clusters * distance)[:, None] * (1 - _TIE)
        reached = np.count_nonzero(np.abs(self.flipped + self.steps * distance) >= seen, axis=1)
        size = len(self.steps)
        p = reached / size if self.all else (1 + reached) / (1 + size)
        return float(np.mean(p <= LEVEL))


@lru_cache(maxsize=4)
def _flips(clusters: int) -> _Flips:
    return _Flips(clusters)


@lru_cache(maxsize=1 << 10)
def _distance(clusters: int, wanted: float) -> float:
    """The effect in standard deviations of a cluster's mean, by halving."""
    flips = _flips(clusters)
    low, high = 0.0, 1.0
    while flips.power(high) < wanted:
        high *= 2
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if flips.power(middle) >= wanted else (middle, high)
    return high


def _every_sign(clusters: int) -> Floats:
    """All signs with the first held, since the rest mirrors them, shape ``(2^(G - 1), G)``."""
    bits = (np.arange(2 ** (clusters - 1))[:, None] >> np.arange(clusters - 1)) & 1
    signs: Floats = np.column_stack([np.ones(len(bits)), 1.0 - 2.0 * bits])
    return signs


def required_flip_clusters(
    design: PowerDesign, assumed: Assumptions, target: float, wanted: float = POWER
) -> int | None:
    """The number of clusters with which the sign flip finds an effect.

    Its p comes in steps, so that one cluster more need not help; the search goes up one by one from six, or
    from what the t test needs.
    """
    least = assumed.df_lost + 1
    start = required_size(
        lambda each: minimum_detectable_effect(each, assumed, wanted), design, "clusters", target, least
    )
    if start is None:
        return None
    for clusters in range(max(start, 6), MAX_EXACT_FLIPS + 1):
        if sign_flip_mde(replace(design, clusters=clusters), assumed, wanted) <= target:
            return clusters
    return max(start, MAX_EXACT_FLIPS + 1)
