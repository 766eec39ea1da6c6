"""Colours of the page, light and dark, as CSS variables."""

from __future__ import annotations

from collections.abc import Mapping

from polbias.eval.figure_style import COLOURS, css_colour_variables

# Name to light and dark value. Text is set on paper, surface and notice.
_BOXES: Mapping[str, tuple[str, str]] = {
    "surface": ("#f4f5f7", "#1d2127"),
    "notice": ("#fdf4e3", "#2c2413"),
    "focus": ("#1d4ed8", "#93c5fd"),
}

TEXT = ("ink", "muted", "accent", "right")
"""Roles that text is set in."""


def colours(dark: bool) -> str:
    """Return the declarations of all colours of the page."""
    boxes = " ".join(f"--{role}: {night if dark else day};" for role, (day, night) in _BOXES.items())
    return f"color-scheme: {'dark' if dark else 'light'}; {css_colour_variables(dark)} {boxes}"


def css_colour_rules() -> str:
    """Return the CSS of the colours: the system's scheme, the reader's choice, and light for print.

    Figures declare colours, because they can be used outside the page; inside it they inherit the page's.
    """
    inherited = " ".join(f"--{role}: inherit !important;" for role in COLOURS)
    light, night = colours(dark=False), colours(dark=True)
    return (
        f":root {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root:not([data-theme]) {{ {night} }} }}\n"
        f"@media screen {{ :root[data-theme=dark] {{ {night} }} }}\n"
        f"figure svg {{ {inherited} }}\n"
    )
