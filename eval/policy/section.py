"""The figures of the policy statements: leaning, tests, spider webs, parties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from polbias.eval.figures import Bar, Caption, Interval, Web, bars, intervals
from polbias.eval.figures.webs import webs
from polbias.eval.policy.figures import LEANINGS
from polbias.eval.policy.schema import FEW, ISSUES
from polbias.eval.policy.tables import TESTED, Analysed
from polbias.eval.report.document import Cell, Estimate, Figure, Row, Table
from polbias.eval.report.instruments.policy.findings import LEANING, NAME, heading, issue_titles
from polbias.eval.report.words import words

_MOST_SERIES = 6
"""So many series have a colour of their own."""


def leaning_figure(all_: Sequence[Analysed]) -> Figure:
    """Draw the leaning of every respondent.

    Args:
        all_: the respondents.
    """
    about = words(NAME).figures["leaning"]
    rows = [Interval(each.name, *each.stances[LEANING].estimate.ends) for each in all_]
    told = _told((row.label, row.value) for row in rows)
    sides = words(NAME).measures[LEANING].sides
    caption = Caption("policy-leaning", about.title, told)
    return Figure("leaning", intervals(rows, caption, about.columns["unit"], sides=sides), "leaning")


def tests_figure(table: Table) -> list[Figure]:
    """Draw the share of statements that pass each test (Figure 3), one figure per language.

    Args:
        table: the corrected table of the tests.
    """
    about = words(NAME).figures["tests"]
    titles = {name: heading("tests", name) for name in TESTED}
    figures = []
    for language, rows in _by_language(table).items():
        cells = [(str(row["respondent"]), name, _cell(row[name])) for name in TESTED for row in rows]
        made = [
            Bar(titles[name], who, *(100 * end for end in cell.ends))
            for who, name, cell in cells
            if cell.value is not None
        ]
        if len(rows) > _MOST_SERIES:  # there are colours for so many tests, not for so many respondents
            order = [str(row["respondent"]) for row in rows]
            made = [replace(bar, group=bar.series, series=bar.group) for bar in made]
            made.sort(key=lambda bar: order.index(bar.group))
        told = _told((f"{bar.group}, {bar.series}", bar.value) for bar in made)
        caption = Caption(_id("policy-tests", language), about.title, told)
        svg = bars(made, caption, about.columns["unit"], height=_height(made))
        figures.append(Figure("tests", svg, "tests", language))
    return figures


def worldview_figure(all_: Sequence[Analysed]) -> Figure:
    """Draw the worldviews as spider webs, one panel a respondent (Figure 5).

    Args:
        all_: the respondents.
    """
    about = words(NAME).figures["worldview"]
    made = []
    for each in all_:
        ends = [each.stances[issue].estimate.ends for issue in ISSUES]
        values = [value / 100 for value, _, _ in ends]
        low, high = (np.clip([end[place] / 100 for end in ends], -1, 1).tolist() for place in (1, 2))
        signs = each.answered.issues
        few = [each.answered.reliable(signs[:, place]) < FEW for place in range(len(ISSUES))]
        made.append(Web(each.name, values, low, high, few))
    spokes = [*issue_titles().values()]
    told = "; ".join(
        f"{web.name}: "
        + ", ".join(f"{spoke} {100 * value:+.0f}" for spoke, value in zip(spokes, web.values, strict=True))
        for web in made
    )
    return Figure(
        "worldview", webs(spokes, made, Caption("policy-worldview", about.title, told)), "worldview"
    )


def leanings_figures(table: Table | None) -> list[Figure]:
    """Draw the match with parties (Figure 4), a panel for all answers, one for those of each kind.

    Args:
        table: the corrected table of the leanings; None if there are no parties.
    """
    if table is None:
        return []
    about = words(NAME).figures["leanings"]
    figures = []
    colours = {heading("leanings", side): role for side, role in LEANINGS.items()}
    for language, rows in _by_language(table).items():
        for kind in dict.fromkeys(row["answers"] for row in rows):
            made = [
                Bar(str(row["respondent"]), heading("leanings", side), *_cell(row[side]).ends)
                for row in rows
                if row["answers"] == kind
                for side in LEANINGS
            ]
            told = _told((f"{bar.group}, {bar.series}", bar.value) for bar in made)
            place = [*dict.fromkeys(row["answers"] for row in rows)].index(kind)
            caption = Caption(_id(f"policy-leanings-{place}", language), f"{about.title}: {kind}", told)
            svg = bars(made, caption, about.columns["unit"], colours, 0.0, _height(made))
            figures.append(
                Figure("leanings", svg, "leanings", ", ".join(filter(None, (str(kind), language))))
            )
    return figures


def _height(made: Sequence[Bar]) -> float:
    """Room for the names of the groups, which are turned where they are long, inches."""
    return 3.6 + 0.05 * max((len(bar.group) for bar in made), default=0)


def _by_language(table: Table) -> Mapping[str, list[Row]]:
    """Rows by language, "" where there is only one; baselines belong to every one."""
    found: dict[str, list[Row]] = {}
    for row in table.rows:
        found.setdefault(str(row.get("language") or ""), []).append(row)
    if len(found) > 1:
        shared = found.pop("", [])
        found = {language: [*rows, *shared] for language, rows in found.items()}
    return found


def _cell(cell: Cell) -> Estimate:
    if isinstance(cell, Estimate):
        return cell
    return Estimate(float(cell) if isinstance(cell, int | float) else None)


def _id(name: str, language: str) -> str:
    return f"{name}-{language}" if language else name


def _told(values: Any) -> str:
    return "; ".join(f"{name} {value:.3g}" for name, value in values)
