"""Captions, row labels and row values of the instruments' figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from polbias.eval.plots import Caption, Interval
from polbias.eval.report.document import Bounds, Cell, Estimate, TableRow
from polbias.eval.report.wording import words

_MIN_BOUND_WIDTH = 1e-6  # points; narrower bounds are rounding errors


def caption(
    instrument: str,
    figure: str,
    descriptions: Iterable[str],
    subject: str = "",
    key: object = "",
    title: str = "",
) -> Caption:
    """Return the caption of a figure; ``key`` makes its id unique among figures of one name."""
    id = "-".join(str(part) for part in (instrument, figure, key) if part != "").replace("_", "-")
    title = title or words(instrument).figures[figure].title
    return Caption(id, f"{title}: {subject}" if subject else title, "; ".join(filter(None, descriptions)))


def interval_fields(cell: Cell, scale: float = 1.0) -> tuple[float, float, float]:
    """Return value, low and high of a cell, scaled; NaN for missing ones."""
    if not isinstance(cell, Estimate):
        cell = Estimate(float(cell) if isinstance(cell, int | float) else None)
    value, low, high = (scale * end for end in cell.value_and_interval)
    return value, low, high


def estimate_row(label: str, estimate: Estimate, bounds: Bounds = None, series: str = "") -> Interval:
    """Return the plot row of an estimate, with worst-case bounds if answers are missing."""
    bound_low, bound_high = (math.nan if bound is None else bound for bound in bounds or (None, None))
    if not bound_high - bound_low > _MIN_BOUND_WIDTH:  # every answer has a verdict, or the bounds are unknown
        bound_low = bound_high = math.nan
    return Interval(label, *estimate.value_and_interval, series, bound_low, bound_high)


def blank_repeats(names: Iterable[object]) -> Iterator[str]:
    """Yield each name, or "" if it repeats the previous one."""
    previous = ""
    for name in map(str, names):
        yield "" if name == previous else name
        previous = name


def group_rows_by_language(rows: Iterable[TableRow]) -> dict[str, list[TableRow]]:
    """Return rows by language, "" for rows without one."""
    rows_by_language: dict[str, list[TableRow]] = {}
    for row in rows:
        rows_by_language.setdefault(str(row.get("language") or ""), []).append(row)
    return rows_by_language
