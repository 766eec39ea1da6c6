"""Power of the t test over clusters: the smallest effect it detects, and the answers that it takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Literal, TypeAlias

from polbias.eval.power.design import Assumptions, PowerDesign, PowerError

# The t test with a cluster as the unit: power, the smallest effect that it detects, its interval.

LEVEL = 0.05
"""Two-sided level of all tests; intervals are of 1 minus this."""
POWER = 0.8
_NO_END = 1e6


def minimum_detectable_effect(
    design: PowerDesign, assumed: Assumptions, wanted: float = POWER, tests: int = 1
) -> float:
    """The smallest true effect that the two-sided t test finds with the wanted power, at .05 over all tests.

    Holm finds the first of several tests at .05 over their number: whatever the others come to.
    """
    return required_effect_in_se(assumed.degrees_of_freedom(design), wanted, tests) * assumed.standard_error(
        design
    )


def half_width(design: PowerDesign, assumed: Assumptions) -> float:
    """Half of the expected 95% interval of the effect, a fraction."""
    return _critical(assumed.degrees_of_freedom(design)) * assumed.standard_error(design)


@lru_cache(maxsize=1 << 14)
def required_effect_in_se(df: int, wanted: float, tests: int = 1) -> float:
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


# How many clusters, items or answers a wanted effect or precision takes.

DetectionAxis: TypeAlias = Literal["clusters", "items", "answers"]
AXES: tuple[DetectionAxis, ...] = ("clusters", "items", "answers")
MAX_SIZE = 1_000_000
"""No more than so many are looked for."""


def required_size(
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
        if low >= MAX_SIZE:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if measure(replace(design, **{axis: middle})) > target else (low, middle)
    return high


def asymptotic_limit(measure: Callable[[PowerDesign], float], design: PowerDesign) -> float:
    """What a measure comes to if every cluster had items without end."""
    return measure(replace(design, items=math.inf))
