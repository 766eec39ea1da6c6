"""Shares that add up to the whole, one bar a line (Kennedy et al. 2025, Figures 1 to 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polbias.eval.figures.theme import COLOURS, SERIES
from polbias.eval.svg import Caption, columns, drawing, render

_ENOUGH = 0.07  # of the width, for a number inside


@dataclass(frozen=True)
class Shares:
    """One line.

    Attributes:
        label: at the left.
        parts: name to share in [0, 1]; what is missing to 1 stays empty.
    """

    label: str
    parts: Mapping[str, float]


def stacked(
    rows: Sequence[Shares], caption: Caption, unit: str, colours: Mapping[str, str] | None = None
) -> str:
    """Draw shares beside each other.

    Args:
        rows: from top to bottom.
        caption: of the figure.
        unit: label of the axis.
        colours: part to a role of the theme; by default in order.
    """
    names = list(dict.fromkeys(name for row in rows for name in row.parts))
    with drawing(7.0, 1.1 + 0.34 * len(rows)) as (figure, axes):
        ends = [0.0] * len(rows)
        for number, name in enumerate(names):
            role = (colours or {}).get(name, SERIES[number % len(SERIES)])
            widths = [row.parts.get(name, 0.0) for row in rows]
            axes.barh(
                *(range(len(rows)), widths, 0.72),
                left=ends,
                color=COLOURS[role],
                label=name,
                edgecolor=COLOURS["paper"],
                linewidth=0.5,
            )
            for place, width in enumerate(widths):
                if width >= _ENOUGH:
                    middle = ends[place] + width / 2
                    box = {"facecolor": COLOURS[role], "edgecolor": "none", "pad": 1.5}
                    text = f"{100 * width:.0f}%"
                    axes.text(middle, place, text, ha="center", va="center", color=COLOURS["paper"], bbox=box)
            ends = [end + width for end, width in zip(ends, widths, strict=True)]
        axes.axvline(0.5, color=COLOURS["ink"], linewidth=1.0, linestyle=(0, (4, 3)))
        axes.set_xlim(0.0, 1.0)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)), [row.label for row in rows], color=COLOURS["ink"])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(unit)
        figure.legend(loc="outside lower center", ncols=columns(names, figure))
        return render(figure, caption)
