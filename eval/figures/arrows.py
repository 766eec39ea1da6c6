"""Before and after: how a mean moves when a word is exchanged (Jakob et al. 2025, Figure 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polbias.eval.figures.theme import COLOURS, SERIES
from polbias.eval.svg import Caption, columns, drawing, render


@dataclass(frozen=True)
class Arrow:
    """One movement.

    Attributes:
        label: at the left; arrows with the same label stand below each other.
        series: what distinguishes them.
        before: where it starts.
        after: where it ends.
        broken: whether to draw it broken.
    """

    label: str
    series: str
    before: float
    after: float
    broken: bool = False


def arrows(
    rows: Sequence[Arrow], caption: Caption, unit: str, colours: Mapping[str, str] | None = None
) -> str:
    """Draw arrows from before to after.

    Args:
        rows: from top to bottom.
        caption: of the figure.
        unit: label of the axis.
        colours: series to a role of the theme; by default in order.
    """
    labels = list(dict.fromkeys(row.label for row in rows))
    series = list(dict.fromkeys(row.series for row in rows))
    roles = {name: (colours or {}).get(name, SERIES[i % len(SERIES)]) for i, name in enumerate(series)}
    with drawing(7.0, 0.9 + 0.24 * len(rows) + 0.15 * len(labels)) as (figure, axes):
        place, middles = 0.0, []
        for label in labels:
            own = [row for row in rows if row.label == label]
            middles.append(place + (len(own) - 1) / 2)
            for row in own:
                style = {"color": COLOURS[roles[row.series]], "linewidth": 1.8}
                style |= {"linestyle": (0, (4, 2)) if row.broken else "solid"}
                arrow = {"arrowstyle": "->,head_width=0.28,head_length=0.5", **style}
                axes.annotate("", (row.after, place), (row.before, place), arrowprops=arrow)
                axes.plot([row.before], [place], "o", color=COLOURS[roles[row.series]], markersize=4.0)
                place += 1.0
            place += 0.6
        ends = [value for row in rows for value in (row.before, row.after)]
        margin = 0.06 * ((max(ends) - min(ends)) or 1.0) if ends else 0.1
        axes.set_xlim(min(ends, default=0.0) - margin, max(ends, default=1.0) + margin)
        axes.set_ylim(place - 0.6, -0.8)
        axes.set_yticks(middles, labels, color=COLOURS["ink"])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x", alpha=0.6)
        axes.set_xlabel(unit)
        handles = [axes.plot([], [], color=COLOURS[roles[name]], label=name)[0] for name in series]
        if len(series) > 1:
            figure.legend(handles, series, loc="outside lower center", ncols=columns(series, figure))
        return render(figure, caption)
