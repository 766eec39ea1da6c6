"""Draw the figures of the docs from tables: ``python docs/figures.py`` in a checkout.

A figure shows the table after ``<!-- figure: NAME -->`` in its page: the last text of a row is its label, and
a number is a bar. A cell "low to high" is a line, and "value (low to high)" is a line with a point.
"""

from __future__ import annotations

import re
from pathlib import Path

from matplotlib.figure import Figure

DOCS = Path(__file__).parent
COLOURS = ("#4f46a5", "#b45309", "#0f766e", "#9d174d", "#64748b", "#1d4ed8")
_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
_NUMBER = re.compile(r"[+−-]?\d[\d,]*(?:\.\d+)?")


def table(page: Path) -> tuple[str, list[list[str]]]:
    """Return the name of a page's figure and the cells of its table, the head first."""
    marked = re.search(r"<!-- figure: ([\w-]+) -->\s*((?:\|.*\n)+)", page.read_text("utf-8"))
    if marked is None:
        raise ValueError(f"{page.name}: found no table after '<!-- figure: NAME -->'")
    rows = [[cell.strip(" `*") for cell in line.strip("|").split("|")] for line in marked[2].splitlines()]
    return marked[1], [rows[0], *rows[2:]]


def numbers(cell: str) -> list[float]:
    """Return the numbers of a cell."""
    return [float(number.replace(",", "").replace("−", "-")) for number in _NUMBER.findall(cell)]


def draw_figure(page: Path) -> None:
    """Write the figure of a page."""
    name, (head, *rows) = table(page)
    first_column = min(column for column in range(1, len(head)) if all(numbers(row[column]) for row in rows))
    labels, titles = [_LINK.sub(r"\1", row[first_column - 1]) for row in rows], head[first_column:]
    figure = Figure(figsize=(7, 0.8 + 0.2 * len(rows) * (len(titles) + 0.5)), layout="constrained")
    axes = figure.add_subplot()
    for series, title in enumerate(titles):
        for row_number, row in enumerate(rows):
            values, height = (
                numbers(row[first_column + series]),
                row_number + (series - (len(titles) - 1) / 2) * 0.8 / len(titles),
            )
            style = {"color": COLOURS[series], "label": title if row_number == 0 else None}
            if len(values) == 1:
                axes.barh(height, values[0], 0.7 / len(titles), **style)
                axes.annotate(f" {row[first_column + series]}", (values[0], height), va="center", fontsize=8)
            else:
                axes.plot(values[-2:], [height, height], linewidth=2, **style)
                axes.plot(values[:-2], [height] * (len(values) - 2), "o", color=COLOURS[series])
    axes.set_yticks(range(len(rows)), labels)
    axes.invert_yaxis()
    axes.axvline(0, color="#c9ced6", zorder=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="best")
    figure.savefig(DOCS / "figures" / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    from matplotlib import rcParams

    rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "polbias", "font.size": 9})
    for page in sorted(DOCS.glob("*.md")):
        if "<!-- figure: " in page.read_text("utf-8"):
            draw_figure(page)
