"""Power of the t test over clusters: minimum detectable effects and required sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Literal, TypeAlias

from polbias.eval.power.design import Assumptions, PowerDesign, PowerError

LEVEL = 0.05
"""Two-sided level of all tests; the confidence level of intervals is 1 minus this."""
POWER = 0.8
_MAX_EFFECT_IN_SE = 1e6


def minimum_detectable_effect(
    design: PowerDesign, assumptions: Assumptions, power: float = POWER, tests: int = 1
) -> float:
    """Return the smallest true effect that the t test detects with this power, two-sided level .05 / tests.

    Holm's adjustment tests the smallest p of several tests at this level, whatever the other p values are.
    """
    return required_effect_in_se(
        assumptions.degrees_of_freedom(design), power, tests
    ) * assumptions.standard_error(design)


def half_width(design: PowerDesign, assumptions: Assumptions) -> float:
    """Return half the width of the expected 95% interval of the effect, as a fraction."""
    return _critical(assumptions.degrees_of_freedom(design)) * assumptions.standard_error(design)


@lru_cache(maxsize=1 << 14)
def required_effect_in_se(df: int, power: float, tests: int = 1) -> float:
    """Return the effect, in standard errors, that the t test detects with this power."""
    check_power(power)
    from scipy.optimize import brentq

    upper = 4.0
    while _power(upper, df, tests) < power and upper < _MAX_EFFECT_IN_SE:
        upper *= 2
    return float(brentq(lambda effect_in_se: _power(effect_in_se, df, tests) - power, 0.0, upper, xtol=1e-10))


def check_power(power: float) -> None:
    """Raise :class:`PowerError` unless the power is above the level and below 1."""
    if not LEVEL < power < 1:
        raise PowerError(f"power: found {power:g}, expected a fraction above {LEVEL:g} and below 1")


def _power(effect_in_se: float, df: int, tests: int = 1) -> float:
    """Return the power of the two-sided t test for an effect in standard errors.

    Source:
        The noncentral t distribution: Cohen, "Statistical Power Analysis for the Behavioral Sciences" (1988).
    """
    from scipy.stats import nct, norm

    critical = _critical(df, tests)
    power = float(nct.sf(critical, df, effect_in_se) + nct.cdf(-critical, df, effect_in_se))
    # scipy returns NaN for large noncentralities, where the normal approximation is as good.
    return power if math.isfinite(power) else float(norm.sf(critical - effect_in_se))


@lru_cache(maxsize=1 << 14)
def _critical(df: int, tests: int = 1) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, 1 - LEVEL / tests / 2))


DetectionAxis: TypeAlias = Literal["clusters", "items", "answers"]
AXES: tuple[DetectionAxis, ...] = ("clusters", "items", "answers")
MAX_SIZE = 1_000_000
"""Largest size that the search tries."""


def required_size(
    measure: Callable[[PowerDesign], float],
    design: PowerDesign,
    axis: DetectionAxis,
    target: float,
    min_size: int = 1,
) -> int | None:
    """Return the smallest size along an axis at which a measure is at most the target; None if too large."""
    low, high = min_size - 1, min_size
    while measure(replace(design, **{axis: high})) > target:
        low, high = high, 2 * high
        if low >= MAX_SIZE:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if measure(replace(design, **{axis: middle})) > target else (low, middle)
    return high


def asymptotic_limit(measure: Callable[[PowerDesign], float], design: PowerDesign) -> float:
    """Return the limit of a measure as the number of items per cluster goes to infinity."""
    return measure(replace(design, items=math.inf))
