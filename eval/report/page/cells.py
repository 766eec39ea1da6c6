"""Format the cells of the page's tables, and shorten names for figures."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from polbias.eval.report.document import Cell, ColumnKind, Estimate
from polbias.eval.report.page.numbers import count, format_value, interval
from polbias.eval.report.page.page_words import frame


@dataclass(frozen=True)
class PrintedCell:
    """A formatted cell.

    Attributes:
        text: None if there is no value.
        key: sort key; None to sort by the text, empty if missing.
        lines: smaller lines below the text, such as the interval of an estimate.
        counts: of an estimate, in words.
        items: members of a folded list; ``text`` is then their number.
    """

    text: str | None
    key: str | None = None
    lines: tuple[str, ...] = ()
    counts: str = ""
    items: tuple[str, ...] = ()


def print_cell(value: Cell, kind: ColumnKind) -> PrintedCell:
    """Format a cell."""
    if isinstance(value, Estimate):
        text = format_value(value.value, kind) or value.state
        return PrintedCell(text, _sort_key(value.value), interval_lines(value, kind), describe_counts(value))
    if isinstance(value, bool):
        return PrintedCell(frame().labels["true" if value else "false"])
    if isinstance(value, (int, float)):
        return PrintedCell(format_value(value, kind), _sort_key(value))
    return PrintedCell(value or None, None if value else "")


def interval_lines(estimate: Estimate, kind: ColumnKind) -> tuple[str, ...]:
    """Return the line below an estimate: its interval, or the limit that replaces it."""
    if estimate.value is None:
        return ()
    if estimate.limit is not None:
        return (frame().labels["limit"].format(limit=f"{math.ceil(10_000 * estimate.limit) / 100:.2f}%"),)
    interval_text = interval(estimate.low, estimate.high, kind)
    return () if interval_text is None else (interval_text,)


def describe_counts(estimate: Estimate, leave_out: Collection[str] = ()) -> str:
    """Return the counts of an estimate in words; empty if it has none."""
    counts = ((name, getattr(estimate, name)) for name in frame().counts if name not in leave_out)
    parts = (frame().counts[name].format(n=count(n)) for name, n in counts if n is not None)
    return ", ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts)


def _sort_key(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.7g}"


# Names of respondents that fit next to a figure.

_MAX_LETTERS = 34  # letters


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Map respondents to their labels in a figure.

    A name of more than 34 letters loses the part before its last slash, then its middle, unless two names
    would become equal.
    """
    labels = list(names)
    for shorten in (_drop_owner, _elide_middle):
        candidates = [label if len(label) <= _MAX_LETTERS else shorten(label) for label in labels]
        labels = candidates if len(set(candidates)) == len(set(names)) else labels
    return dict(zip(names, labels, strict=True))


def _drop_owner(name: str) -> str:
    return name.rsplit("/", 1)[-1] or name


def _elide_middle(name: str) -> str:
    n_letters = (_MAX_LETTERS - 1) // 2
    return f"{name[:n_letters]}…{name[-n_letters:]}"
