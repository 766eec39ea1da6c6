"""Grouped bars with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polbias.eval.figures.theme import COLOURS, SERIES
from polbias.eval.svg import Caption, columns, drawing, render


@dataclass(frozen=True)
class Bar:
    """One bar.

    Attributes:
        group: what stands below, such as a model.
        series: what distinguishes the bars of a group, such as a leaning.
        value: its height; NaN leaves it out.
        low: lower end of the interval; NaN if there is none.
        high: upper end.
    """

    group: str
    series: str
    value: float
    low: float = math.nan
    high: float = math.nan


def bars(
    rows: Sequence[Bar],
    caption: Caption,
    unit: str,
    colours: Mapping[str, str] | None = None,
    reference: float | None = None,
    height: float = 3.6,
) -> str:
    """Draw grouped bars.

    Args:
        rows: bars in any order; groups and series come in that of their first bar.
        caption: of the figure.
        unit: label of the vertical axis.
        colours: series to a role of the theme, such as ``{"left": "left"}``; by default in order.
        reference: where to draw a broken line, such as chance.
        height: of the figure, inches; more leaves room for long names of groups.
    """
    groups = list(dict.fromkeys(row.group for row in rows))
    series = list(dict.fromkeys(row.series for row in rows))
    width = 0.8 / max(1, len(series))
    with drawing(max(5.0, min(12.0, 1.6 + 0.38 * len(groups) * len(series))), height) as (figure, axes):
        for number, name in enumerate(series):
            role = (colours or {}).get(name, SERIES[number % len(SERIES)])
            own = [row for row in rows if row.series == name]
            places = [groups.index(row.group) + (number - (len(series) - 1) / 2) * width for row in own]
            axes.bar(
                *(places, [row.value for row in own], width * 0.92),
                color=COLOURS[role],
                label=name,
            )
            for place, row in zip(places, own, strict=True):
                if math.isfinite(row.low) and math.isfinite(row.high):
                    axes.plot([place, place], [row.low, row.high], color=COLOURS["ink"], linewidth=1.2)
        if reference is not None:
            axes.axhline(reference, color=COLOURS["muted"], linewidth=1.0, linestyle=(0, (4, 3)))
        long = max((len(name) for name in groups), default=0) * len(groups) > 70
        turn = {"rotation": 35, "ha": "right"} if long else {}
        axes.set_xticks(range(len(groups)), groups, color=COLOURS["ink"], **turn)
        axes.tick_params(axis="x", length=0)
        axes.grid(axis="y", alpha=0.6)
        axes.set_axisbelow(True)
        axes.set_ylabel(unit)
        if len(series) > 1:
            figure.legend(loc="outside upper right", ncols=columns(series, figure, 5))
        return render(figure, caption)
