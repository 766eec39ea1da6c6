"""From a Matplotlib figure to the text of an ``<svg>`` element."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any

from polbias.eval.figures.theme import COLOURS, MARKERS, SERIES, SETTINGS, recoloured, variables
from polbias.files import PolbiasError
from polbias.optional import advice

_PROLOGUE = re.compile(r"^.*?(?=<svg )", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_ID = re.compile(r'(\bid="|xlink:href="#|href="#|url\(#)')
_CHARACTERS = 13  # of a legend, in an inch
_FONT = re.compile(r"'DejaVu Sans', ")


@dataclass(frozen=True)
class Caption:
    """What a figure is, in words.

    Attributes:
        id: unique on the page, letters, digits and hyphens.
        title: one line.
        description: what can be read off, for whoever does not see it.
    """

    id: str
    title: str
    description: str


@contextmanager
def drawing(width: float, height: float, **subplot: Any) -> Iterator[tuple[Any, Any]]:
    """Give a Matplotlib figure with one set of axes, in the style of all figures.

    Args:
        width: inches.
        height: inches.
        subplot: passed on to ``add_subplot``.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise PolbiasError(f"figures need {error.name}, which is not installed; {advice('eval')}") from None
    with matplotlib.rc_context(dict(SETTINGS)):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure, figure.add_subplot(**subplot)


def legend(figure: Any, axes: Any, series: Sequence[str]) -> None:
    """Say below a figure which marker is which series; nothing where there is only one.

    Args:
        figure: of Matplotlib.
        axes: its axes.
        series: names, in the order of their colours and markers.
    """
    if len(series) < 2:
        return
    handles = [
        axes.plot([], [], MARKERS[i % len(MARKERS)], color=COLOURS[SERIES[i % len(SERIES)]])[0]
        for i in range(len(series))
    ]
    figure.legend(handles, series, loc="outside lower center", ncols=columns(series, figure))


def columns(names: Sequence[str], figure: Any, most: int = 4) -> int:
    """Return in how many columns the names of a legend fit the width of a figure.

    Args:
        names: in the legend.
        figure: of Matplotlib.
        most: columns where they are short.
    """
    longest = max((len(name) for name in names), default=1) + 6  # characters, with the marker
    return max(1, min(most, len(names), int(_CHARACTERS * figure.get_figwidth() / longest)))


def render(figure: Any, caption: Caption) -> str:
    """Return the text of a figure; call it inside `drawing`.

    The colours are CSS variables that the element declares for itself; a page may declare its own. Ids are
    made unique by the caption's id.

    Args:
        figure: of Matplotlib.
        caption: title and description.
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
        f"<style>{scope}{{{variables(dark=False)}}}"
        f"@media(prefers-color-scheme:dark){{{scope}{{{variables(dark=True)}}}}}</style>"
    )
    return (
        recoloured(
            f'{head} id="{caption.id}" role="img" aria-labelledby="{label}" style="{style}">'
            f'<title id="{caption.id}-title">{escape(caption.title)}</title>'
            f'<desc id="{caption.id}-description">{escape(caption.description)}</desc>{colours}{body}'
        ).rstrip()
        + "\n"
    )
