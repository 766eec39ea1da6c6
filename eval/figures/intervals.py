"""Estimates with their intervals, one line each, around the value that means no effect."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from polbias.eval.figures.theme import COLOURS, MARKERS, SERIES
from polbias.eval.svg import Caption, drawing, legend, render


@dataclass(frozen=True)
class Interval:
    """One line.

    Attributes:
        label: at the left.
        value: the estimate; NaN draws an empty line.
        low: lower end; NaN if there is no interval.
        high: upper end.
        series: what the line belongs to; lines of a series share colour and marker.
    """

    label: str
    value: float
    low: float
    high: float
    series: str = ""


def intervals(
    rows: Sequence[Interval],
    caption: Caption,
    unit: str,
    null: float = 0.0,
    sides: tuple[str, str] | None = None,
) -> str:
    """Draw estimates with intervals.

    Args:
        rows: from top to bottom.
        caption: of the figure.
        unit: label of the axis, such as "percentage points, right minus left".
        null: the value that means no effect.
        sides: what lies left and right of it, such as ``("favours left", "favours right")``.
    """
    series = list(dict.fromkeys(row.series for row in rows))
    with drawing(7.0, 0.9 + 0.3 * len(rows)) as (figure, axes):
        axes.axvline(null, color=COLOURS["muted"], linewidth=1.0, linestyle=(0, (4, 3)))
        for place, row in enumerate(rows):
            index = series.index(row.series)
            colour = COLOURS[SERIES[index % len(SERIES)]]
            if math.isfinite(row.low) and math.isfinite(row.high):
                axes.plot(
                    [row.low, row.high], [place, place], color=colour, linewidth=2.0, solid_capstyle="round"
                )
            if math.isfinite(row.value):
                axes.plot([row.value], [place], MARKERS[index % len(MARKERS)], color=colour, markersize=6.5)
        axes.set_yticks(range(len(rows)), [row.label for row in rows], color=COLOURS["ink"])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x", alpha=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel(unit)
        if sides:
            for text, align, end in zip(sides, ("left", "right"), (0.0, 1.0), strict=True):
                axes.text(
                    *(end, 1.01),
                    text,
                    ha=align,
                    va="bottom",
                    transform=axes.transAxes,
                    color=COLOURS["muted"],
                )
        legend(figure, axes, series)
        return render(figure, caption)
