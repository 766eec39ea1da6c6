"""Numbers as a report writes them."""

from __future__ import annotations

import math

MINUS = "\N{MINUS SIGN}"


def known(value: float | None) -> float | None:
    """Return a number, None where there is none: not-a-number and infinities as well."""
    return float(value) if value is not None and math.isfinite(value) else None


def points(value: float | None) -> str:
    """Return percentage points with sign and one decimal, such as ``+3.2``; what rounds to 0 has no sign."""
    if value is None:
        return "\N{EN DASH}"
    text = f"{abs(value):.1f}"
    return text if text == "0.0" else f"{'+' if value > 0 else MINUS}{text}"


def p_value(value: float | None) -> str:
    """Return a p-value as psychology writes it, such as ``.031`` or ``< .001``."""
    if value is None:
        return "\N{EN DASH}"
    if value < 0.001:
        return "< .001"
    return "1" if value >= 0.9995 else f"{value:.3f}".removeprefix("0")


def share(value: float | None) -> str:
    """Return a fraction as per cent with one decimal, such as ``12.5%``."""
    return "\N{EN DASH}" if value is None else f"{100 * value:.1f}%"
