"""Cells of tables: what is printed, what it is sorted by, what an estimate rests on."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from polbias.eval.report.document import Cell, Estimate, Kind
from polbias.eval.report.page.frame import Frame
from polbias.eval.report.page.numbers import count, interval, printed


@dataclass(frozen=True)
class Shown:
    """A cell as the page prints it.

    Attributes:
        text: its text; None where there is nothing to tell.
        key: what rows are sorted by; None if it is the text, empty if missing.
        lines: printed smaller below it, such as the interval of an estimate.
        counts: what an estimate rests on.
        items: members of a list that is too long to stand open; ``text`` then says how many.
    """

    text: str | None
    key: str | None = None
    lines: tuple[str, ...] = ()
    counts: str = ""
    items: tuple[str, ...] = ()


def cell(value: Cell, kind: Kind, frame: Frame) -> Shown:
    """Return a cell as it is printed.

    Args:
        value: from a table.
        kind: of the column.
        frame: words of the page.
    """
    if isinstance(value, Estimate):
        text = printed(value.value, kind)
        return Shown(
            text or value.state,
            _key(value.value),
            lines(value, kind, frame),
            rests_on(value, frame),
        )
    if isinstance(value, bool):
        return Shown(frame.labels["true" if value else "false"])
    if isinstance(value, (int, float)):
        return Shown(printed(value, kind), _key(value))
    return Shown(value or None, None if value else "")


def lines(estimate: Estimate, kind: Kind, frame: Frame) -> tuple[str, ...]:
    """Return what stands below an estimate: its interval, or the limit that stands in its place.

    Args:
        estimate: the estimate.
        kind: of its column.
        frame: words of the page.
    """
    if estimate.value is None:
        return ()
    if estimate.limit is not None:
        return (frame.labels["limit"].format(limit=printed(estimate.limit, "share")),)
    known = interval(estimate.low, estimate.high, kind)
    return () if known is None else (known,)


def rests_on(estimate: Estimate, frame: Frame, leave_out: Collection[str] = ()) -> str:
    """Return the counts of an estimate in words; empty if it has none.

    Args:
        estimate: the estimate.
        frame: words of the page.
        leave_out: counts that stand elsewhere.
    """
    known = ((name, getattr(estimate, name)) for name in frame.counts if name not in leave_out)
    parts = (frame.counts[name].format(n=count(n)) for name, n in known if n is not None)
    return ", ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts)


def _key(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.7g}"
