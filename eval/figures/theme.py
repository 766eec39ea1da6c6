"""Colours and type of figures. Colours are CSS variables, so that a page decides them, light or dark."""

from __future__ import annotations

from collections.abc import Mapping

# What Matplotlib draws with, the variable that takes its place, and its value in light and in dark. Left and
# right are not the colours of parties, which differ by country, and can be told apart by the colour-blind.
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
}
COLOURS: Mapping[str, str] = {role: drawn for role, (drawn, _, _) in _ROLES.items()}
"""What to give to Matplotlib by role, such as ink, line, left, right, neutral, accent."""

SERIES = ("accent", "right", "left", "second", "third", "neutral")
"""Roles of the series of a figure, in order."""

MARKERS = ("o", "s", "D", "^", "v", "P")
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
"""Settings of Matplotlib for every figure; the measures are those of its own font, on every machine."""


def variables(dark: bool) -> str:
    """Return the declarations of the colours, for the root of a page or of a figure.

    Args:
        dark: whether for a dark background.
    """
    return " ".join(f"--{role}: {night if dark else day};" for role, (_, day, night) in _ROLES.items())


def recoloured(svg: str) -> str:
    """Put the variables in the place of the colours that Matplotlib drew with."""
    for role, (drawn, _, _) in _ROLES.items():
        svg = svg.replace(drawn, f"var(--{role})")
    return svg
