"""Kinds of figures: arrows, bars, intervals, planes, shares and spider webs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np

from polbias.eval.figure_style import (
    COLOURS,
    SERIES,
    Caption,
    legend,
    legend_columns,
    render,
    series_marker,
    styled_figure,
)

# What the kinds share: colours of series, and axes with a line for each label.


def _colours(names: Iterable[str], chosen: Mapping[str, str] | None = None) -> dict[str, str]:
    """Colours of series in their order, chosen ones by role."""
    roles = chosen or {}
    return {
        name: COLOURS[roles.get(name, SERIES[place % len(SERIES)])]
        for place, name in enumerate(dict.fromkeys(names))
    }


def _lines(
    axes: Any, places: Sequence[float], labels: Sequence[str], limits: tuple[float, float], unit: str
) -> None:
    """Label the lines of a figure that are read from left to right."""
    axes.set_ylim(*limits)
    axes.set_yticks(places, labels, color=COLOURS["ink"])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(unit)


def _bar(axes: Any, x: Sequence[float], y: Sequence[float], colour: str, **style: Any) -> None:
    """Draw an interval where it has ends."""
    if all(map(math.isfinite, (*x, *y))):
        axes.plot(x, y, color=colour, **style)


# Before and after: how a mean moves when a word is exchanged (Jakob et al. 2025, Figure 5).


@dataclass(frozen=True)
class Arrow:
    """One movement.

    Attributes:
        label: at the left; arrows with the same label stand below each other.
        series: what distinguishes them.
        before: where it starts.
        after: where it ends.
        broken: whether to draw it broken.
    """

    label: str
    series: str
    before: float
    after: float
    broken: bool = False


def plot_arrows(
    rows: Sequence[Arrow], caption: Caption, unit: str, colours: Mapping[str, str] | None = None
) -> str:
    """Draw arrows from before to after."""
    labels = list(dict.fromkeys(row.label for row in rows))
    drawn = _colours((row.series for row in rows), colours)
    with styled_figure(7.0, 0.9 + 0.24 * len(rows) + 0.15 * len(labels)) as (figure, axes):
        place, middles = 0.0, []
        for label in labels:
            own = [row for row in rows if row.label == label]
            middles.append(place + (len(own) - 1) / 2)
            for row in own:
                style = {"color": drawn[row.series], "linewidth": 1.8}
                style |= {"linestyle": (0, (4, 2)) if row.broken else "solid"}
                arrow = {"arrowstyle": "->,head_width=0.28,head_length=0.5", **style}
                axes.annotate("", (row.after, place), (row.before, place), arrowprops=arrow)
                axes.plot([row.before], [place], "o", color=drawn[row.series], markersize=4.0)
                place += 1.0
            place += 0.6
        ends = [value for row in rows for value in (row.before, row.after)]
        margin = 0.06 * ((max(ends) - min(ends)) or 1.0) if ends else 0.1
        axes.set_xlim(min(ends, default=0.0) - margin, max(ends, default=1.0) + margin)
        _lines(axes, middles, labels, (place - 0.6, -0.8), unit)
        axes.grid(axis="x", alpha=0.6)
        handles = [axes.plot([], [], color=colour, label=name)[0] for name, colour in drawn.items()]
        if len(drawn) > 1:
            figure.legend(handles, drawn, loc="outside lower center", ncols=legend_columns([*drawn], figure))
        return render(figure, caption)


# Grouped bars with intervals.


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


def plot_bars(
    rows: Sequence[Bar],
    caption: Caption,
    unit: str,
    colours: Mapping[str, str] | None = None,
    reference: float | None = None,
    height: float = 3.6,
) -> str:
    """Draw grouped bars."""
    groups = list(dict.fromkeys(row.group for row in rows))
    drawn = _colours((row.series for row in rows), colours)
    series = [*drawn]
    width = 0.8 / max(1, len(series))
    with styled_figure(max(5.0, min(12.0, 1.6 + 0.38 * len(groups) * len(series))), height) as (figure, axes):
        for number, name in enumerate(series):
            own = [row for row in rows if row.series == name]
            places = [groups.index(row.group) + (number - (len(series) - 1) / 2) * width for row in own]
            axes.bar(places, [row.value for row in own], width * 0.92, color=drawn[name], label=name)
            for place, row in zip(places, own, strict=True):
                _bar(axes, [place, place], [row.low, row.high], COLOURS["ink"], linewidth=1.2)
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
            figure.legend(loc="outside upper right", ncols=legend_columns(series, figure, 5))
        return render(figure, caption)


# Estimates with their intervals, one line each, around the value that means no effect.

_BESIDE = 56  # letters of both sides that fit in one line above the axes
_BOUNDS: Mapping[str, Any] = {
    "linewidth": 1.0,
    "linestyle": (0, (3, 2)),
    "marker": "|",
    "markersize": 8.0,
    "alpha": 0.7,
    "zorder": 1.9,  # behind the interval
}


@dataclass(frozen=True)
class Interval:
    """One row: a mark, a thick line for the interval, a thin dashed one for the worst-case bounds.

    Attributes:
        label: at the left.
        value: the estimate; NaN draws no mark.
        low: lower end of the interval; NaN if there is none.
        high: upper end.
        series: what the row belongs to; rows of a series share colour and marker.
        least: lower worst-case bound; NaN if there is none.
        most: upper one.
    """

    label: str
    value: float
    low: float
    high: float
    series: str = ""
    lower_bound: float = math.nan
    upper_bound: float = math.nan


def plot_intervals(
    rows: Sequence[Interval],
    caption: Caption,
    unit: str,
    null: float = 0.0,
    sides: tuple[str, str] | None = None,
) -> str:
    """Draw estimates with intervals."""
    drawn = _colours(row.series for row in rows)
    series = [*drawn]
    with styled_figure(7.0, 0.9 + 0.3 * len(rows)) as (figure, axes):
        axes.axvline(null, color=COLOURS["muted"], linewidth=1.0, linestyle=(0, (4, 3)))
        for place, row in enumerate(rows):
            colour, shape = drawn[row.series], series_marker(series.index(row.series))
            _bar(axes, [row.lower_bound, row.upper_bound], [place, place], colour, **_BOUNDS)
            _bar(axes, [row.low, row.high], [place, place], colour, linewidth=2.5, solid_capstyle="round")
            if math.isfinite(row.value):
                axes.plot([row.value], [place], shape, color=colour, markersize=6.5)
        _lines(axes, range(len(rows)), [row.label for row in rows], (len(rows) - 0.4, -0.6), unit)
        axes.grid(axis="x", alpha=0.6)
        axes.set_axisbelow(True)
        _fit(axes, rows, null)
        if sides:
            # One above the other where they would meet.
            high = 13.0 if sum(map(len, sides)) > _BESIDE else 0.0
            for text, align, end, up in zip(sides, ("left", "right"), (0.0, 1.0), (high, 0.0), strict=True):
                axes.annotate(
                    text,
                    (end, 1.0),
                    (0.0, 3.0 + up),
                    ha=align,
                    va="bottom",
                    xycoords="axes fraction",
                    textcoords="offset points",
                    color=COLOURS["muted"],
                )
        legend(figure, axes, series)
        return render(figure, caption)


def _fit(axes: Any, rows: Sequence[Interval], null: float) -> None:
    """Take the rows that have an estimate for the limits: bounds without one are as wide as the scale."""
    known = [
        end
        for row in rows
        if math.isfinite(row.value)
        for end in (row.value, row.low, row.high, row.lower_bound, row.upper_bound, null)
        if math.isfinite(end)
    ]
    if known and max(known) > min(known):
        margin = axes.margins()[0] * (max(known) - min(known))
        axes.set_xlim(min(known) - margin, max(known) + margin)


# Points on two axes with their intervals (Jakob et al. 2025, Figure 6).


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


def plot_scatter(rows: Sequence[Point], caption: Caption, x: str, y: str) -> str:
    """Draw points around the origin."""
    drawn = _colours(row.series for row in rows)
    with styled_figure(6.4, 5.0) as (figure, axes):
        axes.axhline(0.0, color=COLOURS["muted"], linewidth=1.0)
        axes.axvline(0.0, color=COLOURS["muted"], linewidth=1.0)
        for number, (name, colour) in enumerate(drawn.items()):
            for row in (row for row in rows if row.series == name and math.isfinite(row.x + row.y)):
                _bar(axes, [row.x - row.x_error, row.x + row.x_error], [row.y, row.y], colour, alpha=0.5)
                _bar(axes, [row.x, row.x], [row.y - row.y_error, row.y + row.y_error], colour, alpha=0.5)
                axes.annotate(row.name, (row.x, row.y), (6, 5), textcoords="offset points", fontsize=8.5)
                axes.plot([row.x], [row.y], series_marker(number), color=colour, markersize=6.5)
        axes.grid(alpha=0.5)
        axes.set_axisbelow(True)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        legend(figure, axes, [*drawn])
        return render(figure, caption)


# Shares that add up to the whole, one bar a line (Kennedy et al. 2025, Figures 1 to 3).

_ENOUGH = 0.07  # of the width, for a number inside


@dataclass(frozen=True)
class Shares:
    """One line.

    Attributes:
        label: at the left.
        parts: name to share in [0, 1]; what is missing to 1 stays empty.
    """

    label: str
    parts: Mapping[str, float]


def plot_stacked_shares(
    rows: Sequence[Shares], caption: Caption, unit: str, colours: Mapping[str, str] | None = None
) -> str:
    """Draw shares beside each other."""
    drawn = _colours((name for row in rows for name in row.parts), colours)
    with styled_figure(7.0, 1.1 + 0.34 * len(rows)) as (figure, axes):
        ends = [0.0] * len(rows)
        for name, colour in drawn.items():
            widths = [row.parts.get(name, 0.0) for row in rows]
            axes.barh(
                *(range(len(rows)), widths, 0.72),
                left=ends,
                color=colour,
                label=name,
                edgecolor=COLOURS["paper"],
                linewidth=0.5,
            )
            for place, width in enumerate(widths):
                if width >= _ENOUGH:
                    middle = ends[place] + width / 2
                    box = {"facecolor": colour, "edgecolor": "none", "pad": 1.5}
                    text = f"{100 * width:.0f}%"
                    axes.text(middle, place, text, ha="center", va="center", color=COLOURS["paper"], bbox=box)
            ends = [end + width for end, width in zip(ends, widths, strict=True)]
        axes.axvline(0.5, color=COLOURS["ink"], linewidth=1.0, linestyle=(0, (4, 3)))
        axes.set_xlim(0.0, 1.0)
        _lines(axes, range(len(rows)), [row.label for row in rows], (len(rows) - 0.4, -0.6), unit)
        figure.legend(loc="outside lower center", ncols=legend_columns([*drawn], figure))
        return render(figure, caption)


# The spider web of a worldview: one spoke per policy issue (Ceron et al. 2024, Figure 5).


@dataclass(frozen=True)
class RadarSeries:
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
    is_sparse: Sequence[bool] = ()


_ACROSS = 3


def plot_radar(spokes: Sequence[str], panels: Sequence[RadarSeries], caption: Caption) -> str:
    """Draw spider webs side by side, one panel a respondent: in one they would hide each other."""
    across = min(_ACROSS, len(panels))
    down = math.ceil(len(panels) / across)
    with styled_figure(3.9 * across, 3.3 * down, projection="polar") as (figure, axes):
        grid = figure.add_gridspec(down, across)
        axes.set_subplotspec(grid[0])
        for number, web in enumerate(panels):
            panel = axes if number == 0 else figure.add_subplot(grid[number], projection="polar")
            _web(panel, spokes, web)
            panel.set_title(web.name, fontsize=10)
        return render(figure, caption)


def _web(axes: Any, spokes: Sequence[str], web: RadarSeries) -> None:
    """Draw a web into polar axes, from -1 to 1."""
    angles = np.linspace(0.0, 2 * math.pi, len(spokes), endpoint=False)
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.set_ylim(-1.0, 1.0)
    ring = np.linspace(0.0, 2 * math.pi, 181)
    axes.plot(ring, np.zeros_like(ring), color=COLOURS["muted"], linewidth=1.2)
    colour = COLOURS[SERIES[0]]
    values = np.asarray(web.values, dtype=float)
    axes.plot(np.append(angles, angles[0]), np.append(values, values[0]), color=colour, linewidth=1.8)
    if np.isfinite(values).any():
        axes.fill(angles, np.nan_to_num(values, nan=0.0), color=colour, alpha=0.12)
    for angle, low, high in zip(angles, web.low, web.high, strict=False):
        axes.plot([angle, angle], [low, high], color=colour, linewidth=3.0, alpha=0.45)
    few = np.asarray(web.is_sparse or [False] * len(spokes), dtype=bool)
    for chosen, face in ((~few, colour), (few, COLOURS["paper"])):
        axes.plot(
            angles[chosen],
            values[chosen],
            series_marker(0),
            color=colour,
            markerfacecolor=face,
            markersize=4.5,
        )
    names = ["\n".join(wrap(name, 16)) for name in spokes]
    axes.set_xticks(angles, names, color=COLOURS["ink"], fontsize=7.5)
    for angle, label in zip(angles, axes.get_xticklabels(), strict=True):
        side = math.sin(angle)
        label.set_horizontalalignment("center" if abs(side) < 0.1 else "left" if side > 0 else "right")
    ticks = np.linspace(-1.0, 1.0, 5)
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks], fontsize=6.5)
    axes.spines["polar"].set_color(COLOURS["line"])


__all__ = [
    "Arrow",
    "Bar",
    "Caption",
    "Interval",
    "Point",
    "RadarSeries",
    "Shares",
    "plot_arrows",
    "plot_bars",
    "plot_intervals",
    "plot_scatter",
    "plot_stacked_shares",
]
