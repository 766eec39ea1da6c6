"""The spider web of a worldview: one spoke per policy issue (Ceron et al. 2024, Figure 5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np

from polbias.eval.figures.theme import COLOURS, MARKERS, SERIES
from polbias.eval.svg import Caption, columns, drawing, render


@dataclass(frozen=True)
class Web:
    """One polygon.

    Attributes:
        name: of the respondent.
        values: one per spoke, within the limits; NaN leaves a gap. Without any the name alone is shown.
        low: lower ends of the intervals, or empty.
        high: upper ends.
        few: spokes on which few items were answered; drawn hollow. Empty if none is.
    """

    name: str
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    few: Sequence[bool] = ()


def spider(
    spokes: Sequence[str], webs: Sequence[Web], caption: Caption, limits: tuple[float, float] = (-1.0, 1.0)
) -> str:
    """Draw a spider web.

    Args:
        spokes: names, clockwise from the top.
        webs: the polygons.
        caption: of the figure.
        limits: values at the centre and at the rim; the middle between them is emphasised.
    """
    with drawing(6.6, 5.2, projection="polar") as (figure, axes):
        draw(axes, spokes, webs, limits)
        if len(webs) > 1 or any(not np.isfinite(web.values).any() for web in webs):
            figure.legend(loc="outside lower center", ncols=columns([web.name for web in webs], figure))
        return render(figure, caption)


def draw(
    axes: Any, spokes: Sequence[str], webs: Sequence[Web], limits: tuple[float, float], small: bool = False
) -> None:
    """Draw webs into polar axes.

    Args:
        axes: of Matplotlib.
        spokes: names, clockwise from the top.
        webs: the polygons.
        limits: values at the centre and at the rim.
        small: whether it is one panel of several, with smaller type.
    """
    angles = np.linspace(0.0, 2 * math.pi, len(spokes), endpoint=False)
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.set_ylim(*limits)
    ring = np.linspace(0.0, 2 * math.pi, 181)
    axes.plot(ring, np.full_like(ring, sum(limits) / 2), color=COLOURS["muted"], linewidth=1.2)
    for number, web in enumerate(webs):
        colour = COLOURS[SERIES[number % len(SERIES)]]
        values = np.asarray(web.values, dtype=float)
        around, closed = np.append(angles, angles[0]), np.append(values, values[0])
        axes.plot(around, closed, color=colour, linewidth=1.8, label=web.name)
        if len(webs) == 1 and np.isfinite(values).any():
            axes.fill(angles, np.nan_to_num(values, nan=sum(limits) / 2), color=colour, alpha=0.12)
        for angle, low, high in zip(angles, web.low, web.high, strict=False):
            axes.plot([angle, angle], [low, high], color=colour, linewidth=3.0, alpha=0.45)
        few = np.asarray(web.few or [False] * len(spokes), dtype=bool)
        for chosen, face in ((~few, colour), (few, COLOURS["paper"])):
            axes.plot(
                *(angles[chosen], values[chosen], MARKERS[number % len(MARKERS)]),
                color=colour,
                markerfacecolor=face,
                markersize=4.5 if small else 6.0,
            )
    size = {"fontsize": 7.5} if small else {}
    names = ["\n".join(wrap(name, 16)) for name in spokes]
    axes.set_xticks(angles, names, color=COLOURS["ink"], **size)
    for angle, label in zip(angles, axes.get_xticklabels(), strict=True):
        side = math.sin(angle)
        label.set_horizontalalignment("center" if abs(side) < 0.1 else "left" if side > 0 else "right")
    ticks = np.linspace(*limits, 5)
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks], fontsize=6.5 if small else 8)
    axes.spines["polar"].set_color(COLOURS["line"])
