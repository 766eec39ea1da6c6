"""Spider webs side by side, one panel a respondent (Ceron et al. 2024, Figure 5)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from polbias.eval.plots import Web, draw
from polbias.eval.svg import Caption, drawing, render

_ACROSS = 3


def webs(
    spokes: Sequence[str], panels: Sequence[Web], caption: Caption, limits: tuple[float, float] = (-1.0, 1.0)
) -> str:
    """Draw spider webs that would hide each other in one.

    Args:
        spokes: names, clockwise from the top.
        panels: the webs, row by row; at least one.
        caption: of the figure.
        limits: values at the centre and at the rim; the middle between them is emphasised.
    """
    across = min(_ACROSS, len(panels))
    down = math.ceil(len(panels) / across)
    with drawing(3.9 * across, 3.3 * down, projection="polar") as (figure, axes):
        grid = figure.add_gridspec(down, across)
        axes.set_subplotspec(grid[0])
        for number, web in enumerate(panels):
            panel = axes if number == 0 else figure.add_subplot(grid[number], projection="polar")
            draw(panel, spokes, [web], limits, small=True)
            panel.set_title(web.name, fontsize=10)
        return render(figure, caption)
