"""Figures: the same bytes for the same data, well-formed, described, coloured by variables only."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from inspect import unwrap
from typing import Any

import pytest

from polbias.eval import plots
from polbias.eval.figure_style import COLOURS, SERIES, series_marker
from polbias.eval.plots import Arrow, Bar, Caption, Interval, Point, RadarSeries, Shares
from polbias.eval.report.document import Estimate
from polbias.eval.report.figures import estimate_row
from tests.support.process import run_python

# anew at every call; the other tests draw a figure once
arrows, bars, intervals, plane, stacked, webs = map(
    unwrap,
    (
        plots.plot_arrows,
        plots.plot_bars,
        plots.plot_intervals,
        plots.plot_scatter,
        plots.plot_stacked_shares,
        plots.plot_radar,
    ),
)
CAPTION = Caption("figure-x", "Title <&>", "What it shows: 3 < 4.")
FIGURES: dict[str, Callable[[], str]] = {
    "intervals": lambda: intervals(
        [Interval("m <1>", 1.0, 0.5, 1.5, "a"), Interval("m2", math.nan, math.nan, math.nan, "b")],
        CAPTION,
        "points",
        sides=("left", "right"),
    ),
    "bars": lambda: bars(
        [Bar("g", "left", 3.0, 2.0, 4.0), Bar("g", "right", math.nan)], CAPTION, "%", {"left": "left"}, 1.0
    ),
    "webs": lambda: webs(
        ["a", "b", "c"],
        [RadarSeries("m", [0.1, 0.5, -0.2], [0.0, 0.2, -0.4], [0.2, 0.7, 0.1], [False, True, False])],
        CAPTION,
    ),
    "arrows": lambda: arrows(
        [Arrow("m", "s", 0.4, 0.3), Arrow("m", "t", 0.4, 0.2, broken=True)], CAPTION, "truth"
    ),
    "plane": lambda: plane([Point("m", 0.1, -0.2, 0.1, 0.3), Point("n", math.nan, 0.0)], CAPTION, "x", "y"),
    "stacked": lambda: stacked([Shares("m", {"left": 0.6, "right": 0.3})], CAPTION, "share"),
}


@pytest.mark.parametrize("name", FIGURES)
def test_figure_is_repeatable_and_well_formed(name: str) -> None:
    text = FIGURES[name]()
    assert text == FIGURES[name]()
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg")
    assert root.attrib["role"] == "img"
    spoken = {element.attrib.get("id"): element.text for element in root.iter()}
    assert spoken["figure-x-title"] == "Title <&>"
    assert spoken["figure-x-description"] == "What it shows: 3 < 4."
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))
    assert all(each.startswith("figure-x") for each in ids)


@pytest.mark.parametrize("name", FIGURES)
def test_every_colour_is_a_variable_and_nothing_is_fetched(name: str) -> None:
    text = FIGURES[name]()
    drawn = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    assert not re.search(r"#[0-9a-f]{6}\b", drawn)
    assert "var(--ink)" in drawn
    targets = re.findall(r'(?:xlink:)?href="([^"]*)"', drawn)
    assert all(target.startswith("#figure-x-") for target in targets)
    assert set(re.findall(r"url\(([^)]*)\)", drawn)) <= {
        f"#{each}" for each in re.findall(r'id="([^"]*)"', drawn)
    }


def lines_of(figure: Any, row: int) -> dict[str, list[float]]:
    """What is drawn in a row of a figure: x values of mark, interval and bounds."""
    drawn = [line for line in figure.axes[0].lines if set(line.get_ydata()) == {row}]
    kinds = {("-", "None"): "interval", ("--", "|"): "bounds"}
    return {
        kinds.get((line.get_linestyle(), line.get_marker()), "mark"): [*line.get_xdata()] for line in drawn
    }


def test_the_thick_line_is_the_interval_and_the_dashed_one_the_bounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plots, "render", lambda figure, caption: figure)
    tested = Estimate(1.0, -1.5, 2.5)
    rows = [
        estimate_row("bounds", tested, (-20.0, 20.5)),
        estimate_row("no answer is missing", tested, (1.0, 1.0 + 1e-12)),
        estimate_row("at the ceiling", Estimate(0.0, limit=0.05, state="at the ceiling")),
        estimate_row("at the ceiling, bounds", Estimate(0.0, limit=0.05), (-1.0, 1.0)),
        estimate_row("not answered", Estimate(None, state="not answered"), (-60.0, 70.0)),
        estimate_row("unknown", Estimate(None), (None, 3.0)),
    ]
    figure = intervals(rows, CAPTION, "points")
    assert [lines_of(figure, row) for row in range(len(rows))] == [
        {"bounds": [-20.0, 20.5], "interval": [-1.5, 2.5], "mark": [1.0]},
        {"interval": [-1.5, 2.5], "mark": [1.0]},
        {"mark": [0.0]},
        {"bounds": [-1.0, 1.0], "mark": [0.0]},
        {"bounds": [-60.0, 70.0]},
        {},
    ]
    drawn = {line.get_linestyle(): line for line in figure.axes[0].lines if line.get_ydata()[0] == 0}
    assert drawn["--"].get_linewidth() < drawn["-"].get_linewidth() / 2
    assert drawn["--"].get_zorder() < drawn["-"].get_zorder()


def test_bounds_without_an_estimate_do_not_set_the_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "render", lambda figure, caption: figure)
    answered = estimate_row("answered", Estimate(1.0, -1.5, 2.5), (-4.0, 6.0))
    silent = estimate_row("silent", Estimate(None, state="not answered"), (-100.0, 100.0))
    both, alone = (
        intervals(rows, CAPTION, "points").axes[0].get_xlim() for rows in ([answered, silent], [silent])
    )
    assert both == pytest.approx((-4.5, 6.5))
    assert alone == pytest.approx((-110.0, 110.0))


def test_series_differ_in_colour_and_where_colours_repeat_in_marker() -> None:
    assert len({COLOURS[role] for role in SERIES}) >= 8
    looks = [(SERIES[number % len(SERIES)], series_marker(number)) for number in range(4 * len(SERIES))]
    assert len(set(looks)) == len(looks)


def test_bytes_do_not_depend_on_the_process() -> None:
    code = (
        "from tests.eval.figures.test_figures import FIGURES; import hashlib;"
        "print(hashlib.sha256(''.join(make() for make in FIGURES.values()).encode()).hexdigest())"
    )
    found = {run_python(["-c", code], env={"PYTHONHASHSEED": seed}).stdout for seed in ("1", "2")}
    assert len(found) == 1
