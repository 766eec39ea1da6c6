"""The figures on X-phemisms (Jakob et al. 2025, Figures 5 and 6), drawn from their tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from polbias.aliases import Document
from polbias.eval.figures import Arrow, Caption, Point, arrows, plane

_LABELS = {
    ("judgmental_exchange", "no"): "not judgmental",
    ("judgmental_exchange", "yes"): "judgmental",
    ("shift", "left"): "leans left",
    ("shift", "none"): "no leaning",
    ("shift", "right"): "leans right",
}
"""What is written beside the arrows of a level of the exchanged word."""
_NORMAL = 1.959963984540054  # the .975 quantile

Rows = Iterable[Document]


def truth_figures(rows: Rows) -> dict[str, str]:
    """Draw mean truth before and after the exchange, by judgement and leaning of the new word (Figure 5).

    Args:
        rows: What :func:`polbias.eval.xphemism.figures.truth_data` returned.

    Returns:
        Name of the figure, one for each prompt and language of the instruction, to the text of an ``<svg>``
        element.
    """
    drawn = {}
    for (prompt, language), own in _grouped(rows, ("prompt", "instruction_language")).items():
        order = list(_LABELS)
        own = sorted(own, key=lambda row: order.index((row["by"], row["level"])))
        found = [
            Arrow(_LABELS[row["by"], row["level"]], str(row["model"]), row["before"], row["after"])
            for row in own
        ]
        told = "; ".join(
            f"{arrow.series}, {arrow.label}: {arrow.before:.1f} to {arrow.after:.1f}" for arrow in found
        )
        name = _named("figure5", prompt, language)
        caption = Caption(
            f"xphemism-{name}", f"Held true before and after the exchange, {prompt} prompt", f"In %: {told}."
        )
        drawn[name] = arrows(found, caption, "claims held true (%)")
    return drawn


def axes_figures(rows: Rows) -> dict[str, str]:
    """Draw the coefficients of the shift on the economic and the social axis (Figure 6).

    Args:
        rows: What :func:`polbias.eval.xphemism.figures.axes_data` returned.

    Returns:
        Name of the figure, one for each language of the instruction that has a point, to the text of an
        ``<svg>`` element.
    """
    drawn = {}
    for (language,), own in _grouped(rows, ("instruction_language",)).items():
        points = [
            Point(
                str(row["model"]),
                x=_number(row["economic"]),
                y=_number(row["social"]),
                x_error=_NORMAL * _number(row["economic_se"]),
                y_error=_NORMAL * _number(row["social_se"]),
                series=f"{row['prompt']} prompt",
            )
            for row in own
        ]
        points = [point for point in points if math.isfinite(point.x + point.y)]
        if points:
            told = "; ".join(
                f"{point.name}, {point.series}: {point.x:+.2f}, {point.y:+.2f}" for point in points
            )
            name = _named("figure6", language)
            caption = Caption(
                f"xphemism-{name}",
                "Coefficient of the shift on both axes",
                f"Economic, social, in logits, with 95% intervals: {told}.",
            )
            drawn[name] = plane(
                points,
                caption,
                "economic: left - / right + (logits)",
                "social: libertarian - / authoritarian +",
            )
    return drawn


def _grouped(rows: Rows, names: Sequence[str]) -> dict[tuple[Any, ...], list[Document]]:
    found: dict[tuple[Any, ...], list[Document]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found


def _named(*parts: object) -> str:
    return "-".join(str(part) for part in parts if part is not None)


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
