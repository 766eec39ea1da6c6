"""Points on two axes with their intervals (Jakob et al. 2025, Figure 6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from polbias.eval.figures.theme import COLOURS, MARKERS, SERIES
from polbias.eval.svg import Caption, drawing, legend, render


@dataclass(frozen=True)
class Point:
    """One point.

    Attributes:
        name: written beside it.
        x: horizontal value.
        y: vertical value.
        x_error: half the width of its interval; NaN if there is none.
        y_error: the same vertically.
        series: points of a series share colour and marker.
    """

    name: str
    x: float
    y: float
    x_error: float = math.nan
    y_error: float = math.nan
    series: str = ""


def plane(rows: Sequence[Point], caption: Caption, x: str, y: str) -> str:
    """Draw points around the origin.

    Args:
        rows: the points.
        caption: of the figure.
        x: label of the horizontal axis.
        y: label of the vertical axis.
    """
    series = list(dict.fromkeys(row.series for row in rows))
    with drawing(6.4, 5.0) as (figure, axes):
        axes.axhline(0.0, color=COLOURS["muted"], linewidth=1.0)
        axes.axvline(0.0, color=COLOURS["muted"], linewidth=1.0)
        for number, name in enumerate(series):
            colour = COLOURS[SERIES[number % len(SERIES)]]
            for row in (row for row in rows if row.series == name and math.isfinite(row.x + row.y)):
                if math.isfinite(row.x_error):
                    axes.plot(
                        [row.x - row.x_error, row.x + row.x_error], [row.y, row.y], color=colour, alpha=0.5
                    )
                if math.isfinite(row.y_error):
                    axes.plot(
                        [row.x, row.x], [row.y - row.y_error, row.y + row.y_error], color=colour, alpha=0.5
                    )
                axes.annotate(row.name, (row.x, row.y), (6, 5), textcoords="offset points", fontsize=8.5)
                axes.plot([row.x], [row.y], MARKERS[number % len(MARKERS)], color=colour, markersize=6.5)
        axes.grid(alpha=0.5)
        axes.set_axisbelow(True)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        legend(figure, axes, series)
        return render(figure, caption)
