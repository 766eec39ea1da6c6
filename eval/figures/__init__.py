"""Figures as SVG text: the same bytes for the same data, readable in light and dark, described in words.

Every function takes plain values and returns the text of one ``<svg>`` element, which can stand alone in a
file or inside a page. Matplotlib draws; it is imported when the first figure is.
"""

from polbias.eval.figures.arrows import Arrow, arrows
from polbias.eval.figures.bars import Bar, bars
from polbias.eval.figures.intervals import Interval, intervals
from polbias.eval.figures.plane import Point, plane
from polbias.eval.figures.shares import Shares, stacked
from polbias.eval.plots import Web, spider
from polbias.eval.svg import Caption

__all__ = [
    "Arrow",
    "Bar",
    "Caption",
    "Interval",
    "Point",
    "Shares",
    "Web",
    "arrows",
    "bars",
    "intervals",
    "plane",
    "spider",
    "stacked",
]
