"""Cells of the page's tables, and the words, colours and notices that all reports share."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from polbias.eval.figure_style import COLOURS, variables
from polbias.eval.report.document import MINUS, Cell, ColumnKind, Estimate, Notice, p_value, points, share
from polbias.eval.report.wording import TemplateWords, load

# Numbers as tables print them, by the kind of their column; None where there is nothing to print.


def number(value: float) -> str:
    """Return a number of no special unit: integers as they are, else two decimals, three below 1."""
    if isinstance(value, int):
        return _minus(f"{value:,}")
    return _minus(f"{value:,.3f}" if abs(value) < 1 else f"{value:,.2f}") if value else "0"


def count(value: float) -> str:
    """Return a count with commas, such as ``9,648``."""
    return _minus(f"{value:,.0f}")


_PRINTERS = {
    "points": points,
    "share": lambda value: _minus(share(value)),
    "number": number,
    "count": count,
    "p": p_value,
    "text": number,
}


def printed(value: float | None, kind: ColumnKind) -> str | None:
    """Return a number as its column shows it; None if there is none (also where it is NaN)."""
    if value is None or math.isnan(value):
        return None
    if math.isinf(value):
        return ("+" if value > 0 else MINUS) + "∞"
    return _PRINTERS[kind](value)


def interval(low: float | None, high: float | None, kind: ColumnKind) -> str | None:
    """Return an interval such as ``[−1.0, +7.2]``; None unless an end is known."""
    ends = [printed(low, kind), printed(high, kind)]
    if ends == [None, None]:
        return None
    return "[{}, {}]".format(*(end.rstrip("%") if end else "\N{EN DASH}" for end in ends))


def _minus(text: str) -> str:
    """Return a formatted number with a real minus, and none before a zero."""
    bare = text.lstrip("-")
    return MINUS + bare if text != bare and bare.strip("0.,%") else bare


# Words that all reports share (``templates/report/page.yaml``).


class GuideEntry(TemplateWords):
    """An entry of the guide.

    Attributes:
        term: what is explained.
        text: paragraphs.
    """

    term: str
    text: tuple[str, ...]


class PageWords(TemplateWords):
    """The words of the page itself, by id.

    Attributes:
        headings: of the parts of the page.
        captions: of the page's own tables and figures.
        notes: sentences below headings, tables and figures.
        labels: of controls and small things.
        counts: of what an estimate rests on, with ``{n}``.
        plurals: one and many, with ``{n}``.
        columns: headings that tables share, by the name of the column.
        guide: how to read the page.
    """

    headings: Mapping[str, str]
    captions: Mapping[str, str]
    notes: Mapping[str, str]
    labels: Mapping[str, str]
    counts: Mapping[str, str]
    plurals: Mapping[str, tuple[str, str]]
    columns: Mapping[str, str]
    guide: Mapping[str, GuideEntry]

    def plural(self, id: str, number: int) -> str:
        """Return a number with what it counts, such as ``3 respondents``."""
        return self.plurals[id][number != 1].format(n=count(number))


@lru_cache(maxsize=1)
def frame() -> PageWords:
    """Return the words of the page."""
    return load("templates/report/page.yaml", PageWords)


# Cells of tables: what is printed, what it is sorted by, what an estimate rests on.


@dataclass(frozen=True)
class PrintedCell:
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


def cell(value: Cell, kind: ColumnKind) -> PrintedCell:
    """Return a cell as it is printed."""
    if isinstance(value, Estimate):
        text = printed(value.value, kind) or value.state
        return PrintedCell(text, _key(value.value), lines(value, kind), rests_on(value))
    if isinstance(value, bool):
        return PrintedCell(frame().labels["true" if value else "false"])
    if isinstance(value, (int, float)):
        return PrintedCell(printed(value, kind), _key(value))
    return PrintedCell(value or None, None if value else "")


def lines(estimate: Estimate, kind: ColumnKind) -> tuple[str, ...]:
    """Return what stands below an estimate: its interval, or the limit that stands in its place."""
    if estimate.value is None:
        return ()
    if estimate.limit is not None:
        return (frame().labels["limit"].format(limit=f"{math.ceil(10_000 * estimate.limit) / 100:.2f}%"),)
    known = interval(estimate.low, estimate.high, kind)
    return () if known is None else (known,)


def rests_on(estimate: Estimate, leave_out: Collection[str] = ()) -> str:
    """Return the counts of an estimate in words; empty if it has none."""
    known = ((name, getattr(estimate, name)) for name in frame().counts if name not in leave_out)
    parts = (frame().counts[name].format(n=count(n)) for name, n in known if n is not None)
    return ", ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts)


def _key(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.7g}"


# Names of respondents that fit beside a figure.

_WIDTH = 34  # letters


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return labels of respondents for a figure.

    Of a name that is too long, what stands before the last slash is left out, then the middle; unless two
    respondents would become the same.
    """
    labels = list(names)
    for shorter in (_without_owner, _elided):
        tried = [label if len(label) <= _WIDTH else shorter(label) for label in labels]
        labels = tried if len(set(tried)) == len(set(names)) else labels
    return dict(zip(names, labels, strict=True))


def _without_owner(name: str) -> str:
    return name.rsplit("/", 1)[-1] or name


def _elided(name: str) -> str:
    half = (_WIDTH - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


# Colours of the page: those of the figures, and a few for its boxes, as variables for light and dark.

# Name, value in light and in dark. Text stands on paper, surface and notice.
_BOXES: Mapping[str, tuple[str, str]] = {
    "surface": ("#f4f5f7", "#1d2127"),
    "notice": ("#fdf4e3", "#2c2413"),
    "focus": ("#1d4ed8", "#93c5fd"),
}

TEXT = ("ink", "muted", "accent", "right")
"""Roles that text is set in."""


def colours(dark: bool) -> str:
    """Return the declarations of all colours of the page."""
    boxes = " ".join(f"--{role}: {night if dark else day};" for role, (day, night) in _BOXES.items())
    return f"color-scheme: {'dark' if dark else 'light'}; {variables(dark)} {boxes}"


def declarations() -> str:
    """Return the CSS that sets the colours: as the system has it, as the reader chose, light on paper.

    Figures declare colours for themselves, for they can stand alone; inside the page they inherit its own.
    """
    inherited = " ".join(f"--{role}: inherit !important;" for role in COLOURS)
    light, night = colours(dark=False), colours(dark=True)
    return (
        f":root {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root:not([data-theme]) {{ {night} }} }}\n"
        f"@media screen {{ :root[data-theme=dark] {{ {night} }} }}\n"
        f"figure svg {{ {inherited} }}\n"
    )


# Notices, serious ones first, with the same words said once.


@dataclass(frozen=True)
class MergedNotice:
    """One or more notices that say the same of different places.

    Attributes:
        found: what is the matter.
        done: what was done about it.
        serious: whether figures are affected.
        where: the places, in order.
    """

    found: str
    done: str
    serious: bool
    where: tuple[str, ...]


def said(notices: Iterable[Notice]) -> list[MergedNotice]:
    """Return notices with equal words as one, serious ones first."""
    places: dict[tuple[bool, str, str], dict[str, None]] = {}
    for notice in notices:
        places.setdefault((notice.serious, notice.problem, notice.action), {})[notice.where] = None
    ordered = sorted(places, key=lambda key: not key[0])
    return [
        MergedNotice(found, done, serious, tuple(places[serious, found, done]))
        for serious, found, done in ordered
    ]
