"""What a design detects, and what a wanted effect or precision takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from polbias.aliases import Floats
from polbias.eval.policy.stances import stance_table
from polbias.eval.power.design import Assumptions, PowerDesign, PowerError

# The t test with a cluster as the unit: power, the smallest effect that it detects, its interval.

LEVEL = 0.05
"""Two-sided level of all tests; intervals are of 1 minus this."""
POWER = 0.8
_NO_END = 1e6


def detectable(design: PowerDesign, assumed: Assumptions, wanted: float = POWER, tests: int = 1) -> float:
    """The smallest true effect that the two-sided t test finds with the wanted power, at .05 over all tests.

    Holm finds the first of several tests at .05 over their number: whatever the others come to.
    """
    return errors_apart(assumed.degrees_of_freedom(design), wanted, tests) * assumed.standard_error(design)


def half_width(design: PowerDesign, assumed: Assumptions) -> float:
    """Half of the expected 95% interval of the effect, a fraction."""
    return _critical(assumed.degrees_of_freedom(design)) * assumed.standard_error(design)


@lru_cache(maxsize=1 << 14)
def errors_apart(df: int, wanted: float, tests: int = 1) -> float:
    """How many standard errors an effect must be from 0 to be found with the wanted power."""
    check_power(wanted)
    from scipy.optimize import brentq

    high = 4.0
    while _power(high, df, tests) < wanted and high < _NO_END:
        high *= 2
    return float(brentq(lambda distance: _power(distance, df, tests) - wanted, 0.0, high, xtol=1e-10))


def check_power(wanted: float) -> None:
    """Raise :class:`PowerError` unless a power is above the level and below 1."""
    if not LEVEL < wanted < 1:
        raise PowerError(f"power: found {wanted:g}, expected a fraction above {LEVEL:g} and below 1")


def _power(distance: float, df: int, tests: int = 1) -> float:
    """Probability that the two-sided t test finds an effect so many standard errors from 0.

    Source:
        The noncentral t distribution: Cohen, "Statistical Power Analysis for the Behavioral Sciences" (1988).
    """
    from scipy.stats import nct, norm

    critical = _critical(df, tests)
    found = float(nct.sf(critical, df, distance) + nct.cdf(-critical, df, distance))
    # The library gives up on large noncentralities, where the normal distribution is as good.
    return found if math.isfinite(found) else float(norm.sf(critical - distance))


@lru_cache(maxsize=1 << 14)
def _critical(df: int, tests: int = 1) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, 1 - LEVEL / tests / 2))


# Power of the sign flip of whole clusters (:func:`polbias.eval.statistics.sign_flip`), by simulation.
# The means of clusters are drawn from a normal distribution. Flipped sums are linear in the true effect, so
# all random numbers are drawn once and serve every effect: the power found is monotone but for ties, and the
# same on every machine.

MANY = 60
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


def flip_detectable(design: PowerDesign, assumed: Assumptions, wanted: float = POWER) -> float:
    """The smallest true effect that the sign flip at .05 finds with the wanted power."""
    check_power(wanted)
    if smallest_p(design.clusters) > LEVEL:
        return math.inf
    if design.clusters > MANY:
        return errors_apart(design.clusters - 1, wanted) * assumed.standard_error(design)
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


# How many clusters, items or answers a wanted effect or precision takes.

DetectionAxis: TypeAlias = Literal["clusters", "items", "answers"]
AXES: tuple[DetectionAxis, ...] = ("clusters", "items", "answers")
MOST = 1_000_000
"""No more than so many are looked for."""


def needed(
    measure: Callable[[PowerDesign], float],
    design: PowerDesign,
    axis: DetectionAxis,
    target: float,
    least: int = 1,
) -> int | None:
    """The smallest number along one axis of a design at which a measure falls to a target."""
    low, high = least - 1, least
    while measure(replace(design, **{axis: high})) > target:
        low, high = high, 2 * high
        if low >= MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if measure(replace(design, **{axis: middle})) > target else (low, middle)
    return high


def needed_flip_clusters(
    design: PowerDesign, assumed: Assumptions, target: float, wanted: float = POWER
) -> int | None:
    """The number of clusters with which the sign flip finds an effect.

    Its p comes in steps, so that one cluster more need not help; the search goes up one by one from six, or
    from what the t test needs.
    """
    least = assumed.lost + 1
    start = needed(lambda each: detectable(each, assumed, wanted), design, "clusters", target, least)
    if start is None:
        return None
    for clusters in range(max(start, 6), MANY + 1):
        if flip_detectable(replace(design, clusters=clusters), assumed, wanted) <= target:
            return clusters
    return max(start, MANY + 1)


def floor(measure: Callable[[PowerDesign], float], design: PowerDesign) -> float:
    """What a measure comes to if every cluster had items without end."""
    return measure(replace(design, items=math.inf))


# How likely a prompt's sampled answers come to a reliable stance, and how many that takes: exact.

MOST_ANSWERS = 1000
_THIRDS = (2, 3)
_NEGLIGIBLE = 1e-12


def pass_probability(share: float, n: int, unanswered: float = 0.0) -> float:
    """Probability that n answers to a prompt come to a reliable stance, whichever."""
    if not (0 <= share <= 1 and 0 <= unanswered <= 1 and n >= 1):
        raise PowerError(
            f"found a share of {share:g}, {unanswered:g} unanswered and n = {n}, expected shares from 0 to 1 "
            "and n of at least 1"
        )
    from scipy.stats import binom

    valid = np.arange(1, n + 1)
    weights = binom.pmf(valid, n, 1 - unanswered)
    weights[valid * _THIRDS[1] < n * _THIRDS[0]] = 0
    found = 0.0
    for count in valid[weights > _NEGLIGIBLE].tolist():
        found += float(weights[count - 1]) * _stance_probability(share, count)
    return found


@lru_cache(maxsize=MOST_ANSWERS)
def _stance_probability(share: float, count: int) -> float:
    """Probability that so many valid answers come to a reliable stance; neighbouring n ask for the same."""
    from scipy.stats import binom

    return float(binom.pmf(np.arange(count + 1), count, share) @ np.abs(stance_table(count, "default")))


def needed_answers(share: float, wanted: float, unanswered: float = 0.0) -> int | None:
    """The number of answers from which on a prompt has a reliable stance with the wanted probability.

    Answers come in whole numbers, so that the probability rises in a saw-tooth: with one answer more it can
    fall. The number is the smallest after which it stays at or above what is wanted.
    """
    step = 100  # the teeth are far shorter than this
    for start in range(0, MOST_ANSWERS, step):
        if pass_probability(share, start + step, unanswered) >= wanted:
            tail = range(start + 1, min(start + 2 * step, MOST_ANSWERS) + 1)
            below = [n for n in tail if pass_probability(share, n, unanswered) < wanted]
            last = max(below, default=start)
            return last + 1 if last < MOST_ANSWERS else None
    return None
