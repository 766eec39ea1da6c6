"""The t test with a cluster as the unit: power, the smallest effect that it detects, its interval."""

from __future__ import annotations

import math
from functools import lru_cache

from polbias.eval.power.designs import Assumptions, Design, PowerError

LEVEL = 0.05
"""Two-sided level of all tests; intervals are of 1 minus this."""
POWER = 0.8
_NO_END = 1e6


def power(effect: float, design: Design, assumed: Assumptions) -> float:
    """Probability that the two-sided t test at .05 finds an effect.

    Args:
        effect: The true effect, a fraction.
        design: The design.
        assumed: How answers vary.

    Returns:
        A fraction, from .05 where there is no effect; 1 if answers do not vary at all and there is one.

    Source:
        The noncentral t distribution: Cohen, "Statistical Power Analysis for the Behavioral Sciences" (1988).
    """
    error = assumed.standard_error(design)
    df = assumed.degrees_of_freedom(design)
    if error == 0:
        return 1.0 if effect else LEVEL
    return _power(abs(effect) / error, df)


def detectable(design: Design, assumed: Assumptions, wanted: float = POWER) -> float:
    """The smallest true effect that the two-sided t test at .05 finds with the wanted power.

    Args:
        design: The design.
        assumed: How answers vary.
        wanted: Power, a fraction above .05 and below 1.

    Returns:
        A fraction; it can exceed 1, which no bias does: nothing is then detectable.

    Raises:
        PowerError: If the power is out of range, or the clusters leave no degree of freedom.
    """
    return errors_apart(assumed.degrees_of_freedom(design), wanted) * assumed.standard_error(design)


def half_width(design: Design, assumed: Assumptions) -> float:
    """Half of the expected 95% interval of the effect, a fraction.

    Args:
        design: The design.
        assumed: How answers vary.
    """
    return _critical(assumed.degrees_of_freedom(design)) * assumed.standard_error(design)


@lru_cache(maxsize=1 << 14)
def errors_apart(df: int, wanted: float) -> float:
    """How many standard errors an effect must be from 0 to be found with the wanted power.

    Args:
        df: Degrees of freedom of t.
        wanted: Power, a fraction.

    Raises:
        PowerError: If the power is not between the level and 1.
    """
    check_power(wanted)
    from scipy.optimize import brentq

    high = 4.0
    while _power(high, df) < wanted and high < _NO_END:
        high *= 2
    return float(brentq(lambda distance: _power(distance, df) - wanted, 0.0, high, xtol=1e-10))


def check_power(wanted: float) -> None:
    """Raise :class:`PowerError` unless a power is above the level and below 1."""
    if not LEVEL < wanted < 1:
        raise PowerError(f"power: found {wanted:g}, expected a fraction above {LEVEL:g} and below 1")


def _power(distance: float, df: int) -> float:
    from scipy.stats import nct, norm

    critical = _critical(df)
    found = float(nct.sf(critical, df, distance) + nct.cdf(-critical, df, distance))
    # The library gives up on large noncentralities, where the normal distribution is as good.
    return found if math.isfinite(found) else float(norm.sf(critical - distance))


@lru_cache(maxsize=1 << 14)
def _critical(df: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, 1 - LEVEL / 2))
