"""Plots: arrows, bars, intervals, scatter, stacked shares and radar."""

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


def _colours(names: Iterable[str], role_by_name: Mapping[str, str] | None = None) -> dict[str, str]:
    """Map each series to its colour, by its role if one is configured, else in order."""
    roles = role_by_name or {}
    return {
        name: COLOURS[roles.get(name, SERIES[index % len(SERIES)])]
        for index, name in enumerate(dict.fromkeys(names))
    }


def _lines(
    axes: Any, positions: Sequence[float], labels: Sequence[str], limits: tuple[float, float], unit: str
) -> None:
    """Label the horizontal lines of a figure."""
    axes.set_ylim(*limits)
    axes.set_yticks(positions, labels, color=COLOURS["ink"])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(unit)


def _bar(axes: Any, x: Sequence[float], y: Sequence[float], colour: str, **style: Any) -> None:
    """Draw an interval if its ends are finite."""
    if all(map(math.isfinite, (*x, *y))):
        axes.plot(x, y, color=colour, **style)


# Change of a mean when a word is exchanged (Jakob et al. 2025, Figure 5).


@dataclass(frozen=True)
class Arrow:
    """One arrow.

    Attributes:
        label: at the left; arrows with the same label are grouped.
        series: name in the legend.
        before: value at the start.
        after: value at the head.
        broken: whether the line is dashed.
    """

    label: str
    series: str
    before: float
    after: float
    broken: bool = False


def plot_arrows(
    rows: Sequence[Arrow], caption: Caption, unit: str, colours: Mapping[str, str] | None = None
) -> str:
    """Draw arrows from the value before to the value after."""
    labels = list(dict.fromkeys(row.label for row in rows))
    colour_by_series = _colours((row.series for row in rows), colours)
    with styled_figure(7.0, 0.9 + 0.24 * len(rows) + 0.15 * len(labels)) as (figure, axes):
        y, middles = 0.0, []
        for label in labels:
            label_rows = [row for row in rows if row.label == label]
            middles.append(y + (len(label_rows) - 1) / 2)
            for row in label_rows:
                style = {"color": colour_by_series[row.series], "linewidth": 1.8}
                style |= {"linestyle": (0, (4, 2)) if row.broken else "solid"}
                arrow = {"arrowstyle": "->,head_width=0.28,head_length=0.5", **style}
                axes.annotate("", (row.after, y), (row.before, y), arrowprops=arrow)
                axes.plot([row.before], [y], "o", color=colour_by_series[row.series], markersize=4.0)
                y += 1.0
            y += 0.6
        ends = [value for row in rows for value in (row.before, row.after)]
        margin = 0.06 * ((max(ends) - min(ends)) or 1.0) if ends else 0.1
        axes.set_xlim(min(ends, default=0.0) - margin, max(ends, default=1.0) + margin)
        _lines(axes, middles, labels, (y - 0.6, -0.8), unit)
        axes.grid(axis="x", alpha=0.6)
        handles = [
            axes.plot([], [], color=colour, label=name)[0] for name, colour in colour_by_series.items()
        ]
        if len(colour_by_series) > 1:
            figure.legend(
                handles,
                colour_by_series,
                loc="outside lower center",
                ncols=legend_columns([*colour_by_series], figure),
            )
        return render(figure, caption)


# Grouped bars with intervals.


@dataclass(frozen=True)
class Bar:
    """One bar.

    Attributes:
        group: label below the axis, such as a model.
        series: name in the legend, such as a leaning.
        value: height; NaN draws no bar.
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
    colour_by_series = _colours((row.series for row in rows), colours)
    series = [*colour_by_series]
    width = 0.8 / max(1, len(series))
    with styled_figure(max(5.0, min(12.0, 1.6 + 0.38 * len(groups) * len(series))), height) as (figure, axes):
        for number, name in enumerate(series):
            series_rows = [row for row in rows if row.series == name]
            positions = [
                groups.index(row.group) + (number - (len(series) - 1) / 2) * width for row in series_rows
            ]
            axes.bar(
                positions,
                [row.value for row in series_rows],
                width * 0.92,
                color=colour_by_series[name],
                label=name,
            )
            for x, row in zip(positions, series_rows, strict=True):
                _bar(axes, [x, x], [row.low, row.high], COLOURS["ink"], linewidth=1.2)
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


# Estimates with their intervals, one line per estimate, around the value of no effect.

_MAX_LETTERS = 56  # of both side labels that fit in one line above the axes
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
    """One estimate: a marker, a thick line for the interval, a dashed line for the worst-case bounds.

    Attributes:
        label: at the left.
        value: the estimate; NaN draws no marker.
        low: lower end of the interval; NaN if there is none.
        high: upper end.
        series: rows of a series share colour and marker.
        lower_bound: lower worst-case bound; NaN if there is none.
        upper_bound: upper worst-case bound.
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
    colour_by_series = _colours(row.series for row in rows)
    series = [*colour_by_series]
    with styled_figure(7.0, 0.9 + 0.3 * len(rows)) as (figure, axes):
        axes.axvline(null, color=COLOURS["muted"], linewidth=1.0, linestyle=(0, (4, 3)))
        markers = [series_marker(series.index(row.series)) for row in rows]
        _draw_intervals(axes, rows, [colour_by_series[row.series] for row in rows], markers)
        _lines(axes, range(len(rows)), [row.label for row in rows], (len(rows) - 0.4, -0.6), unit)
        _fit(axes, rows, null)
        if sides:
            _side_labels(axes, sides, _MAX_LETTERS)
        legend(figure, axes, series)
        return render(figure, caption)


@dataclass(frozen=True)
class Step:
    """One level of difficulty: an accuracy, and an estimate with its interval.

    Attributes:
        label: at the left.
        accuracy: in per cent; NaN draws no marker.
        low: lower end of its interval; NaN if there is none.
        high: upper end.
        estimate: the estimate.
    """

    label: str
    accuracy: float
    low: float
    high: float
    estimate: Interval


def plot_steps(rows: Sequence[Step], caption: Caption, units: tuple[str, str], sides: tuple[str, str]) -> str:
    """Draw accuracies at the left and estimates at the right, the easiest level at the bottom."""
    accuracies = [Interval(row.label, row.accuracy, row.low, row.high) for row in reversed(rows)]
    estimates = [row.estimate for row in reversed(rows)]
    with styled_figure(7.0, 1.2 + 0.3 * len(rows)) as (figure, axes):
        axes.remove()
        left, right = figure.subplots(1, 2)
        for panel_axes, panel, colour, unit in (
            (left, accuracies, COLOURS["neutral"], units[0]),
            (right, estimates, COLOURS[SERIES[0]], units[1]),
        ):
            _draw_intervals(panel_axes, panel, [colour] * len(panel), ["o"] * len(panel))
            _lines(
                panel_axes, range(len(panel)), [row.label for row in panel], (len(panel) - 0.4, -0.6), unit
            )
        left.set_xlim(0, 100)
        right.axvline(0.0, color=COLOURS["muted"], linewidth=1.0, linestyle=(0, (4, 3)))
        right.tick_params(axis="y", labelleft=False)
        _fit(right, estimates, 0.0)
        _side_labels(right, sides, _MAX_LETTERS // 3)
        return render(figure, caption)


def _draw_intervals(
    axes: Any, rows: Sequence[Interval], colours: Sequence[str], markers: Sequence[str]
) -> None:
    """Draw one line per row: bounds, interval, marker."""
    for y, (row, colour, marker) in enumerate(zip(rows, colours, markers, strict=True)):
        _bar(axes, [row.lower_bound, row.upper_bound], [y, y], colour, **_BOUNDS)
        _bar(axes, [row.low, row.high], [y, y], colour, linewidth=2.5, solid_capstyle="round")
        if math.isfinite(row.value):
            axes.plot([row.value], [y], marker, color=colour, markersize=6.5)
    axes.grid(axis="x", alpha=0.6)
    axes.set_axisbelow(True)


def _side_labels(axes: Any, sides: tuple[str, str], max_letters: int) -> None:
    """Name the negative and the positive side above the axes; long names are put on two lines."""
    high = 13.0 if sum(map(len, sides)) > max_letters else 0.0
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


def _fit(axes: Any, rows: Sequence[Interval], null: float) -> None:
    """Set the limits by the rows with an estimate; bounds without an estimate span the whole scale."""
    ends = [
        end
        for row in rows
        if math.isfinite(row.value)
        for end in (row.value, row.low, row.high, row.lower_bound, row.upper_bound, null)
        if math.isfinite(end)
    ]
    if ends and max(ends) > min(ends):
        margin = axes.margins()[0] * (max(ends) - min(ends))
        axes.set_xlim(min(ends) - margin, max(ends) + margin)


# Points on two axes with their intervals (Jakob et al. 2025, Figure 6).


@dataclass(frozen=True)
class Point:
    """One point.

    Attributes:
        name: written next to the point.
        x: horizontal value.
        y: vertical value.
        x_error: half the width of the horizontal interval; NaN if there is none.
        y_error: half the width of the vertical interval; NaN if there is none.
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
    colour_by_series = _colours(row.series for row in rows)
    with styled_figure(6.4, 5.0) as (figure, axes):
        axes.axhline(0.0, color=COLOURS["muted"], linewidth=1.0)
        axes.axvline(0.0, color=COLOURS["muted"], linewidth=1.0)
        for number, (name, colour) in enumerate(colour_by_series.items()):
            for row in (row for row in rows if row.series == name and math.isfinite(row.x + row.y)):
                _bar(axes, [row.x - row.x_error, row.x + row.x_error], [row.y, row.y], colour, alpha=0.5)
                _bar(axes, [row.x, row.x], [row.y - row.y_error, row.y + row.y_error], colour, alpha=0.5)
                axes.annotate(row.name, (row.x, row.y), (6, 5), textcoords="offset points", fontsize=8.5)
                axes.plot([row.x], [row.y], series_marker(number), color=colour, markersize=6.5)
        axes.grid(alpha=0.5)
        axes.set_axisbelow(True)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        legend(figure, axes, [*colour_by_series])
        return render(figure, caption)


# Shares that sum to 1, one bar per line (Kennedy et al. 2025, Figures 1 to 3).

_MIN_WIDTH = 0.07  # of the axis, for a bar with a number inside


@dataclass(frozen=True)
class Shares:
    """One line.

    Attributes:
        label: at the left.
        parts: share by name, from 0 to 1; a remainder to 1 stays empty.
    """

    label: str
    parts: Mapping[str, float]


def plot_stacked_shares(
    rows: Sequence[Shares], caption: Caption, unit: str, colours: Mapping[str, str] | None = None
) -> str:
    """Draw stacked bars of shares."""
    colour_by_name = _colours((name for row in rows for name in row.parts), colours)
    with styled_figure(7.0, 1.1 + 0.34 * len(rows)) as (figure, axes):
        ends = [0.0] * len(rows)
        for name, colour in colour_by_name.items():
            widths = [row.parts.get(name, 0.0) for row in rows]
            axes.barh(
                *(range(len(rows)), widths, 0.72),
                left=ends,
                color=colour,
                label=name,
                edgecolor=COLOURS["paper"],
                linewidth=0.5,
            )
            for y, width in enumerate(widths):
                if width >= _MIN_WIDTH:
                    middle = ends[y] + width / 2
                    box = {"facecolor": colour, "edgecolor": "none", "pad": 1.5}
                    text = f"{100 * width:.0f}%"
                    axes.text(middle, y, text, ha="center", va="center", color=COLOURS["paper"], bbox=box)
            ends = [end + width for end, width in zip(ends, widths, strict=True)]
        axes.axvline(0.5, color=COLOURS["ink"], linewidth=1.0, linestyle=(0, (4, 3)))
        axes.set_xlim(0.0, 1.0)
        _lines(axes, range(len(rows)), [row.label for row in rows], (len(rows) - 0.4, -0.6), unit)
        figure.legend(loc="outside lower center", ncols=legend_columns([*colour_by_name], figure))
        return render(figure, caption)


# Radar plot of a worldview: one spoke per policy issue (Ceron et al. 2024, Figure 5).


@dataclass(frozen=True)
class RadarSeries:
    """One polygon.

    Attributes:
        name: name of the respondent.
        values: one per spoke, from -1 to 1; NaN leaves a gap. Empty shows the name only.
        low: lower ends of the intervals, or empty.
        high: upper ends of the intervals, or empty.
        is_sparse: whether few items of a spoke were answered (drawn hollow), or empty.
    """

    name: str
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    is_sparse: Sequence[bool] = ()


_MAX_ACROSS = 3


def plot_radar(spokes: Sequence[str], panels: Sequence[RadarSeries], caption: Caption) -> str:
    """Draw radar plots, one panel per respondent: in a shared panel they would hide each other."""
    across = min(_MAX_ACROSS, len(panels))
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
    """Draw one polygon into polar axes, from -1 to 1."""
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
    is_sparse = np.asarray(web.is_sparse or [False] * len(spokes), dtype=bool)
    for mask, face in ((~is_sparse, colour), (is_sparse, COLOURS["paper"])):
        axes.plot(
            angles[mask],
            values[mask],
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
