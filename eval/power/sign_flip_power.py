"""Power of the sign-flip test over clusters (:func:`polbias.eval.sign_flip.sign_flip_test`), by simulation.

Cluster means are drawn from a normal distribution. Flipped sums are linear in the true effect, so one set of
draws serves every effect: the simulated power is monotone except for ties, and equal on every machine.
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
"""With more clusters the power of the t test, which is practically equal, is used."""
_MAX_ENUMERATED, _ENUMERATED_RUNS = 10, 20_000
"""Up to this many clusters all flips are counted; runs simulated then (standard error of the power: .003)."""
_SAMPLED_RUNS = 4000
"""Runs simulated with more clusters (standard error: .006)."""
_FLIPS = 999
_SEED = 20240
_TIE = 1e-9


def smallest_p(clusters: int) -> float:
    """Return the smallest possible p of the sign-flip test, if all flips are counted."""
    return float(min(1.0, 2.0 ** (1 - clusters)))


def sign_flip_mde(design: PowerDesign, assumptions: Assumptions, power: float = POWER) -> float:
    """Return the smallest true effect that the sign-flip test at level .05 detects with this power."""
    check_power(power)
    if smallest_p(design.clusters) > LEVEL:
        return math.inf
    if design.clusters > MAX_EXACT_FLIPS:
        return required_effect_in_se(design.clusters - 1, power) * assumptions.standard_error(design)
    return (
        _effect_in_sd(design.clusters, power)
        * math.sqrt(design.clusters)
        * assumptions.standard_error(design)
    )


class _FlipSimulation:
    """Simulated cluster means without an effect, and their flipped sums."""

    def __init__(self, clusters: int) -> None:
        rng = np.random.default_rng(np.random.SeedSequence([_SEED, clusters]))
        self.is_enumerated = clusters <= _MAX_ENUMERATED
        noise = rng.standard_normal((_ENUMERATED_RUNS if self.is_enumerated else _SAMPLED_RUNS, clusters))
        signs = (
            _enumerate_signs(clusters) if self.is_enumerated else rng.choice([-1.0, 1.0], (_FLIPS, clusters))
        )
        self.clusters = clusters
        self.noise_sums = noise.sum(axis=1)
        self.sign_sums = signs.sum(axis=1)
        self.flipped_sums = noise @ signs.T

    def power(self, effect: float) -> float:
        """Return the share of runs with p at most .05; effect in standard deviations of a cluster."""
        observed = np.abs(self.noise_sums + self.clusters * effect)[:, None] * (1 - _TIE)
        n_extreme = np.count_nonzero(np.abs(self.flipped_sums + self.sign_sums * effect) >= observed, axis=1)
        n_flips = len(self.sign_sums)
        p = n_extreme / n_flips if self.is_enumerated else (1 + n_extreme) / (1 + n_flips)
        return float(np.mean(p <= LEVEL))


@lru_cache(maxsize=4)
def _simulate_flips(clusters: int) -> _FlipSimulation:
    return _FlipSimulation(clusters)


@lru_cache(maxsize=1 << 10)
def _effect_in_sd(clusters: int, power: float) -> float:
    """Return the detectable effect in standard deviations of a cluster mean, by bisection."""
    simulation = _simulate_flips(clusters)
    low, high = 0.0, 1.0
    while simulation.power(high) < power:
        high *= 2
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if simulation.power(middle) >= power else (middle, high)
    return high


def _enumerate_signs(clusters: int) -> Floats:
    """Return all sign vectors with first sign +1 (the others mirror them), shape ``(2^(G - 1), G)``."""
    bits = (np.arange(2 ** (clusters - 1))[:, None] >> np.arange(clusters - 1)) & 1
    signs: Floats = np.column_stack([np.ones(len(bits)), 1.0 - 2.0 * bits])
    return signs


def required_flip_clusters(
    design: PowerDesign, assumptions: Assumptions, target: float, power: float = POWER
) -> int | None:
    """Return the number of clusters with which the sign-flip test detects the target effect.

    Its p is discrete, so one more cluster may not help; the search tries each number from six, or from the
    number that the t test requires.
    """
    min_clusters = assumptions.df_lost + 1
    start = required_size(
        lambda candidate: minimum_detectable_effect(candidate, assumptions, power),
        design,
        "clusters",
        target,
        min_clusters,
    )
    if start is None:
        return None
    for clusters in range(max(start, 6), MAX_EXACT_FLIPS + 1):
        if sign_flip_mde(replace(design, clusters=clusters), assumptions, power) <= target:
            return clusters
    return max(start, MAX_EXACT_FLIPS + 1)
