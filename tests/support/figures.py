"""Figures, most of a report's time: drawn once in a process, and not at all where no test looks at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any

from polbias.eval import plots
from polbias.eval.report.document import Section
from polbias.eval.report.reporter import ReportSettings, load_reporter

KINDS = ("plot_arrows", "plot_bars", "plot_intervals", "plot_scatter", "plot_stacked_shares", "plot_radar")
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg"></svg>'


_draw_none = False


def _drawn_once(draw: Callable[..., str]) -> Callable[..., str]:
    svg_of: dict[str, str] = {}

    @wraps(draw)
    def figure(*what: object, **how: object) -> str:
        if _draw_none:
            return EMPTY
        key = repr((what, how))
        if key not in svg_of:
            svg_of[key] = draw(*what, **how)
        return svg_of[key]

    return figure


def draw_once() -> None:
    """Draw equal figures once; before the sections of the report are imported, which take the functions over."""
    for kind in KINDS:
        setattr(plots, kind, _drawn_once(getattr(plots, kind)))


@contextmanager
def without_figures() -> Iterator[None]:
    """Draw none, for tests that look at none."""
    global _draw_none
    before, _draw_none = _draw_none, True
    try:
        yield
    finally:
        _draw_none = before


def findings_alone(name: str, answers: Mapping[str, Any]) -> Section:
    """The section of an instrument with its findings, without tables and figures."""
    return Section(name, tuple(answers), load_reporter(name).build_findings(answers, ReportSettings()))
