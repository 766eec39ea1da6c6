"""Format numbers of tables by the kind of their column."""

from __future__ import annotations

import math

from polbias.eval.report.document import MINUS, ColumnKind, format_p, format_percent, format_points


def number(value: float) -> str:
    """Format a number without unit: integers with commas, else two decimals, three below 1."""
    if isinstance(value, int):
        return _minus(f"{value:,}")
    return _minus(f"{value:,.3f}" if abs(value) < 1 else f"{value:,.2f}") if value else "0"


def count(value: float) -> str:
    """Format a count with commas, such as ``9,648``."""
    return _minus(f"{value:,.0f}")


_FORMATTERS = {
    "points": format_points,
    "share": lambda value: _minus(format_percent(value)),
    "number": number,
    "count": count,
    "p": format_p,
    "text": number,
}


def format_value(value: float | None, kind: ColumnKind) -> str | None:
    """Format a number by the kind of its column; None for None and NaN."""
    if value is None or math.isnan(value):
        return None
    if math.isinf(value):
        return ("+" if value > 0 else MINUS) + "∞"
    return _FORMATTERS[kind](value)


def interval(low: float | None, high: float | None, kind: ColumnKind) -> str | None:
    """Format an interval, such as ``[−1.0, +7.2]``; None if both ends are missing."""
    ends = [format_value(low, kind), format_value(high, kind)]
    if ends == [None, None]:
        return None
    return "[{}, {}]".format(*(end.rstrip("%") if end else "\N{EN DASH}" for end in ends))


def _minus(text: str) -> str:
    """Return a formatted number with a minus sign instead of a hyphen, and none before zero."""
    unsigned = text.lstrip("-")
    return MINUS + unsigned if text != unsigned and unsigned.strip("0.,%") else unsigned
