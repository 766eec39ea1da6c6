"""Figures: the same bytes for the same data, well-formed, described, coloured by variables only."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from inspect import unwrap

import pytest

from polbias.eval import plots
from polbias.eval.plots import Arrow, Bar, Caption, Interval, Point, Shares, Web
from tests.support.process import run_python

# anew at every call; the other tests draw a figure once
arrows, bars, intervals, plane, stacked, webs = map(
    unwrap, (plots.arrows, plots.bars, plots.intervals, plots.plane, plots.stacked, plots.webs)
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
        [Web("m", [0.1, 0.5, -0.2], [0.0, 0.2, -0.4], [0.2, 0.7, 0.1], [False, True, False])],
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


def test_bytes_do_not_depend_on_the_process() -> None:
    code = (
        "from tests.eval.figures.test_figures import FIGURES; import hashlib;"
        "print(hashlib.sha256(''.join(make() for make in FIGURES.values()).encode()).hexdigest())"
    )
    found = {run_python(["-c", code], env={"PYTHONHASHSEED": seed}).stdout for seed in ("1", "2")}
    assert len(found) == 1
