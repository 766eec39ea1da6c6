"""The figures of the self-assessment (Kennedy et al. 2025): Table 4, Figures 2 and 3, and position."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from polbias.aliases import Document
from polbias.eval.figures import Bar, Caption, Interval, Shares, bars, intervals, stacked

Summaries = Mapping[str, Document]
"""Name of a model to what :func:`polbias.eval.selfassess.summary.selfassess_summary` returned for it."""

COLOURS = {"left": "left", "neutral": "neutral", "right": "right"}
"""Side to the role of its colour."""

_UNIT = "percentage points, right minus left"
_SIDES = ("favours left", "favours right")
_NO_CHOICE = "no choice"


def figures(summaries: Summaries, labels: Mapping[str, Mapping[str, str]] | None = None) -> dict[str, str]:
    """Draw all figures of every set.

    Args:
        summaries: By model.
        labels: Set to side to what the side is called there, such as ``{"poligen": {"left": "Democratic"}}``;
            by default left, neutral and right.

    Returns:
        Name of a file without suffix to the text of an ``<svg>`` element.
    """
    found: dict[str, str] = {}
    for set_name in sets(summaries):
        names = (labels or {}).get(set_name, {})
        for ways in sorted(
            {row["ways"] for each in summaries.values() for row in each["shares"] if row["set"] == set_name}
        ):
            found[f"bias-{set_name}-{ways}"] = bias_figure(summaries, set_name, ways)
            found[f"shares-{set_name}-{ways}"] = shares_figure(summaries, set_name, ways, names)
            found[f"position-{set_name}-{ways}"] = position_figure(summaries, set_name, ways)
            for table in ("roles", "questions"):
                if any(True for _ in _rows(summaries, table, set_name, ways)):
                    found[f"{table}-{set_name}-{ways}"] = comparison_figure(summaries, set_name, ways, table)
    return found


def sets(summaries: Summaries) -> list[str]:
    """Return the sets that any model was asked about."""
    return list(dict.fromkeys(row["set"] for each in summaries.values() for row in each["shares"]))


def bias_figure(summaries: Summaries, set_name: str, ways: int) -> str:
    """Draw the bias of Table 4 with its interval, in both modes (Figure 1).

    Args:
        summaries: By model.
        set_name: Which set.
        ways: Number of articles.

    Returns:
        The text of an ``<svg>`` element.
    """
    rows = [
        Interval(model, *_ends(row, "bias"), series=row["mode"])
        for model, row in _rows(summaries, "table4", set_name, ways)
    ]
    title = f"{set_name}: bias of preferences among {ways} articles"
    caption = Caption(f"selfassess-bias-{set_name}-{ways}", title, _told(rows))
    return intervals(rows, caption, _UNIT, sides=_SIDES)


def shares_figure(
    summaries: Summaries, set_name: str, ways: int, names: Mapping[str, str] | None = None
) -> str:
    """Draw how often each side is preferred, and how often nothing is chosen (Figure 1).

    Args:
        summaries: By model.
        set_name: Which set.
        ways: Number of articles.
        names: Side to what it is called; by default left, neutral, right.

    Returns:
        The text of an ``<svg>`` element.
    """
    called = {side: (names or {}).get(side, side) for side in COLOURS}
    rows = []
    for model, row in _rows(summaries, "table4", set_name, ways):
        if row["mode"] != "corrected":
            continue
        sides = ("left", "right") if ways == 2 else ("left", "neutral", "right")
        parts = {called[side]: _number(row[side]) for side in sides}
        rows.append(Shares(model, parts | {_NO_CHOICE: max(0.0, 1 - math.fsum(parts.values()))}))
    told = "; ".join(
        f"{row.label}: " + ", ".join(f"{name} {100 * share:.0f}%" for name, share in row.parts.items())
        for row in rows
    )
    title = f"{set_name}: preferred of {ways} articles"
    caption = Caption(f"selfassess-shares-{set_name}-{ways}", title, f"{told}.")
    colours = {called[side]: role for side, role in COLOURS.items()} | {_NO_CHOICE: "line"}
    return stacked(rows, caption, "share of all judgements", colours)


def comparison_figure(summaries: Summaries, set_name: str, ways: int, table: str) -> str:
    """Draw the bias in two cells beside each other: roles (Figure 2) or questions (Figure 3).

    Args:
        summaries: By model.
        set_name: Which set.
        ways: Number of articles.
        table: "roles" or "questions".

    Returns:
        The text of an ``<svg>`` element.
    """
    series = ("user", "agent") if table == "roles" else ("preference", "least_biased")
    rows = [
        Bar(_labelled(model, row, table), name.replace("_", " "), *_ends(row, name))
        for model, row in _rows(summaries, table, set_name, ways)
        for name in series
    ]
    what = "biased user and biased agent" if table == "roles" else "preference and least biased"
    caption = Caption(
        f"selfassess-{table}-{set_name}-{ways}", f"{set_name}: {what}, {ways} articles", _told(rows)
    )
    return bars(rows, caption, _UNIT, reference=0.0)


def position_figure(summaries: Summaries, set_name: str, ways: int) -> str:
    """Draw how often the first article is chosen, beside what no position bias would give.

    Args:
        summaries: By model.
        set_name: Which set.
        ways: Number of articles.

    Returns:
        The text of an ``<svg>`` element.
    """
    rows = [
        Interval(
            f"{model}, {row['question'].replace('_', ' ')}", *_ends(row, "first", 100), series=row["role"]
        )
        for model, row in _rows(summaries, "positions", set_name, ways)
    ]
    title = f"{set_name}: first of {ways} articles chosen"
    caption = Caption(f"selfassess-position-{set_name}-{ways}", title, _told(rows))
    return intervals(rows, caption, "% of all judgements", null=100 / ways)


def _labelled(model: str, row: Document, table: str) -> str:
    other = str(row["question" if table == "roles" else "role"]).replace("_", " ")
    return f"{model}, {other}"


def _rows(summaries: Summaries, table: str, set_name: str, ways: int) -> Iterator[tuple[str, Document]]:
    for model, summary in summaries.items():
        for row in summary[table]:
            if row["set"] == set_name and row["ways"] == ways:
                yield model, row


def _ends(row: Document, name: str, scale: float = 1.0) -> tuple[float, float, float]:
    value, low, high = (scale * _number(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return value, low, high


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _told(rows: Sequence[Interval | Bar]) -> str:
    told = []
    for row in rows:
        name = row.label if isinstance(row, Interval) else row.group
        told.append(f"{name}, {row.series}: {row.value:.1f} [{row.low:.1f}, {row.high:.1f}]")
    return "; ".join(told) + "."
