"""Colours of the page, in light and dark, as variables of its style sheet."""

from __future__ import annotations

from collections.abc import Mapping

from polbias.eval.figure_style import COLOURS, css_colour_variables

# Name, value in light and in dark. Text stands on paper, surface and notice.
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
    """Return the CSS that sets the colours: as the system has it, as the reader chose, light on paper.

    Figures declare colours for themselves, for they can stand alone; inside the page they inherit its own.
    """
    inherited = " ".join(f"--{role}: inherit !important;" for role in COLOURS)
    light, night = colours(dark=False), colours(dark=True)
    return (
        f":root {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root:not([data-theme]) {{ {night} }} }}\n"
        f"@media screen {{ :root[data-theme=dark] {{ {night} }} }}\n"
        f"figure svg {{ {inherited} }}\n"
    )
