"""SVG by hand: elements, axes and the colours of all figures."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any

# Colours are CSS variables, so that the page sets them, light or dark. Each role has the placeholder colour
# that Matplotlib draws, and the values of its variable in light and in dark mode. Left and right are not the
# colours of parties, which differ by country, and are distinct for colour-blind readers.
_ROLES: Mapping[str, tuple[str, str, str]] = {
    "ink": ("#0a0b01", "#1b1f24", "#e8eaed"),
    "muted": ("#0a0b02", "#5b6470", "#a9b1bb"),
    "line": ("#0a0b03", "#c9ced6", "#4a515b"),
    "left": ("#0a0b04", "#0f766e", "#2dd4bf"),
    "right": ("#0a0b05", "#b45309", "#fbbf24"),
    "neutral": ("#0a0b06", "#64748b", "#94a3b8"),
    "accent": ("#0a0b07", "#4f46a5", "#a5b4fc"),
    "second": ("#0a0b08", "#9d174d", "#f9a8d4"),
    "third": ("#0a0b09", "#1d4ed8", "#93c5fd"),
    "paper": ("#0a0b0a", "#ffffff", "#14171b"),
    "fourth": ("#0a0b0b", "#4d7c0f", "#bef264"),
    "fifth": ("#0a0b0c", "#78350f", "#f87171"),
}
COLOURS: Mapping[str, str] = {role: placeholder for role, (placeholder, _, _) in _ROLES.items()}
"""Placeholder colour for Matplotlib by role, such as ink, line, left, right, neutral, accent."""

SERIES = ("accent", "right", "left", "second", "third", "neutral", "fourth", "fifth")
"""Roles of the series of a figure, in order."""

MARKERS = ("o", "s", "D", "^", "v", "P", "X", ">")
"""Markers of the series: colour is never the only difference."""

SETTINGS: Mapping[str, object] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "polbias",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10.0,
    "text.parse_math": False,  # labels are data; a dollar sign is a dollar sign
    "axes.edgecolor": COLOURS["line"],
    "axes.labelcolor": COLOURS["ink"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": COLOURS["muted"],
    "ytick.color": COLOURS["muted"],
    "text.color": COLOURS["ink"],
    "grid.color": COLOURS["line"],
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}
"""Matplotlib settings of every figure; text is measured in Matplotlib's font, equally on every machine."""


def css_colour_variables(dark: bool) -> str:
    """Return the CSS declarations of the colours, for the root of a page or of a figure."""
    return " ".join(f"--{role}: {night if dark else day};" for role, (_, day, night) in _ROLES.items())


def use_css_colours(svg: str) -> str:
    """Replace the placeholder colours of a figure by CSS variables."""
    for role, (placeholder, _, _) in _ROLES.items():
        svg = svg.replace(placeholder, f"var(--{role})")
    return svg


# From a Matplotlib figure to the text of an ``<svg>`` element.

_PROLOGUE = re.compile(r"^.*?(?=<svg )", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_ID = re.compile(r'(\bid="|xlink:href="#|href="#|url\(#)')
_CHARACTERS = 13  # of a legend, in an inch
_FONT = re.compile(r"'DejaVu Sans', ")


@dataclass(frozen=True)
class Caption:
    """Title and description of a figure.

    Attributes:
        id: unique on the page, letters, digits and hyphens.
        title: one line.
        description: contents of the figure, for readers who cannot see it.
    """

    id: str
    title: str
    description: str


@contextmanager
def styled_figure(width: float, height: float, **subplot: Any) -> Iterator[tuple[Any, Any]]:
    """Yield a Matplotlib figure with one set of axes, in the style of all figures."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(dict(SETTINGS)):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure, figure.add_subplot(**subplot)


def series_marker(number: int) -> str:
    """Return the marker of a series; no two series share both colour and marker."""
    return MARKERS[(number + number // len(SERIES)) % len(MARKERS)]


def legend(figure: Any, axes: Any, series: Sequence[str]) -> None:
    """Add a legend below a figure with several series."""
    if len(series) < 2:
        return
    handles = [
        axes.plot([], [], series_marker(i), color=COLOURS[SERIES[i % len(SERIES)]])[0]
        for i in range(len(series))
    ]
    figure.legend(handles, series, loc="outside lower center", ncols=legend_columns(series, figure))


def legend_columns(names: Sequence[str], figure: Any, max_columns: int = 4) -> int:
    """Return the number of legend columns that fit the width of a figure."""
    longest = max((len(name) for name in names), default=1) + 6  # characters, with the marker
    return max(1, min(max_columns, len(names), int(_CHARACTERS * figure.get_figwidth() / longest)))


def render(figure: Any, caption: Caption) -> str:
    """Return the SVG text of a figure; call it inside :func:`styled_figure`.

    The element declares the CSS variables of its colours; a page may override them. The caption's id is the
    prefix of all ids.
    """
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = io.StringIO()
    FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None, "Creator": None})
    text = _METADATA.sub("", _PROLOGUE.sub("", buffer.getvalue()))
    text = _FONT.sub("", _ID.sub(rf"\g<1>{caption.id}-", text))
    head, _, body = text.partition(">")
    width = re.search(r'viewBox="0 0 ([\d.]+)', head)
    limit = f"max-width:{float(width[1]) * 4 / 3:.0f}px;" if width else ""
    head = re.sub(r'\s(?:width|height)="[^"]*"', "", head)
    scope, label = f"#{caption.id}", f"{caption.id}-title {caption.id}-description"
    style = f"{limit}width:100%;height:auto"
    colours = (
        f"<style>{scope}{{{css_colour_variables(dark=False)}}}"
        f"@media(prefers-color-scheme:dark){{{scope}{{{css_colour_variables(dark=True)}}}}}</style>"
    )
    return (
        use_css_colours(
            f'{head} id="{caption.id}" role="img" aria-labelledby="{label}" style="{style}">'
            f'<title id="{caption.id}-title">{escape(caption.title)}</title>'
            f'<desc id="{caption.id}-description">{escape(caption.description)}</desc>{colours}{body}'
        ).rstrip()
        + "\n"
    )
