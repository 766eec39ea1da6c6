"""How many clusters, items or answers a wanted effect or precision takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias

from polbias.eval.power.designs import Assumptions, Design
from polbias.eval.power.detection import POWER, detectable
from polbias.eval.power.flips import MANY, flip_detectable

Axis: TypeAlias = Literal["clusters", "items", "answers"]
AXES: tuple[Axis, ...] = ("clusters", "items", "answers")
MOST = 1_000_000
"""No more than so many are looked for."""


def needed(
    measure: Callable[[Design], float], design: Design, axis: Axis, target: float, least: int = 1
) -> int | None:
    """The smallest number along one axis of a design at which a measure falls to a target.

    Args:
        measure: From a design to a number that falls, or stays, as the design grows.
        design: Where the other two numbers are taken from.
        axis: Which number is sought.
        target: What the measure has to come down to.
        least: The smallest number that the measure can be taken of.

    Returns:
        The number; None if no number up to :data:`MOST` does it.
    """
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
    design: Design, assumed: Assumptions, target: float, wanted: float = POWER
) -> int | None:
    """The number of clusters with which the sign flip finds an effect.

    Its p comes in steps, so that one cluster more need not help; the search goes up one by one from six, or
    from what the t test needs.

    Args:
        design: Where items and answers are taken from.
        assumed: How answers vary.
        target: The effect, a fraction.
        wanted: Power, a fraction.

    Returns:
        The number; None if no number up to :data:`MOST` does it.
    """
    least = assumed.lost + 1
    start = needed(lambda each: detectable(each, assumed, wanted), design, "clusters", target, least)
    if start is None:
        return None
    for clusters in range(max(start, 6), MANY + 1):
        if flip_detectable(replace(design, clusters=clusters), assumed, wanted) <= target:
            return clusters
    return max(start, MANY + 1)


def floor(measure: Callable[[Design], float], design: Design) -> float:
    """What a measure comes to if every cluster had items without end.

    Args:
        measure: From a design to a number.
        design: Where the number of clusters is taken from.
    """
    return measure(replace(design, items=math.inf))
