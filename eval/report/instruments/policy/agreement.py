"""How often a respondent agrees and disagrees, among all and among reliable statements (Figure 6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from polbias.aliases import Codes
from polbias.eval.figures import Caption
from polbias.eval.figures.shares import Shares, stacked
from polbias.eval.policy.agreement import spread
from polbias.eval.policy.robustness import Units, units
from polbias.eval.policy.tables import Analysed, Mode
from polbias.eval.report.document import Cell, Column, Estimate, Figure, Table, columns, table_of
from polbias.eval.report.instruments.policy.findings import NAME, heading
from polbias.eval.report.words import words
from polbias.eval.statistics import cluster_interval

KINDS = {"reliable": (1, -1), "all": (1, -1, 0)}
"""Among which statements, and what is told apart there."""
_NAMES = {1: "agree", -1: "disagree", 0: "none"}
_COLOURS = {1: "accent", -1: "second", 0: "neutral"}


def agreement(all_: Sequence[Analysed], mode: Mode) -> Table:
    """Shares of agreement, with the interval over statements or the paper's deviation over instructions.

    Args:
        all_: the respondents.
        mode: the corrected rule of reliability, or the paper's.
    """
    rows: list[dict[str, Cell]] = []
    for each in all_:
        if not each.answered.asked.prompts.n:
            continue
        asked = each.answered.asked
        found = asked.units if mode == "corrected" else units(asked.prompts, "paper")
        for among, codes in KINDS.items():
            answers = found.answers(asked.tests if among == "reliable" else ())
            about: dict[str, Cell] = {"respondent": each.name, "among": heading("agreement", among)}
            rows.append(about | _shares(found, answers, codes, among, mode))
    shares = (Column(name, "share") for code in (1, -1, 0) for name in _columns(code, mode))
    return replace(table_of("agreement", (*columns("respondent among"), *shares), rows), mode=mode)


def agreement_figures(table: Table) -> list[Figure]:
    """Draw the shares of the corrected table, one figure a panel of the paper's.

    Args:
        table: what :func:`agreement` returned.
    """
    about = words(NAME).figures["agreement"]
    figures = []
    for among, codes in KINDS.items():
        names = {code: heading("agreement", _NAMES[code]) for code in codes}
        rows = [
            Shares(str(row["respondent"]), {names[code]: _value(row[_NAMES[code]]) for code in codes})
            for row in table.rows
            if row["among"] == heading("agreement", among)
        ]
        if not rows:
            continue
        told = "; ".join(
            f"{row.label}: " + ", ".join(f"{name} {100 * share:.0f}%" for name, share in row.parts.items())
            for row in rows
        )
        colours = {names[code]: _COLOURS[code] for code in codes}
        title = heading("agreement", among)
        caption = Caption(f"policy-agreement-{among}", f"{about.title}: {title}", told)
        svg = stacked(rows, caption, about.columns["unit"], colours)
        figures.append(Figure("agreement", svg, "agreement", title))
    return figures


def _shares(found: Units, answers: Codes, codes: tuple[int, ...], among: str, mode: Mode) -> dict[str, Cell]:
    kept = answers != 0 if among == "reliable" else np.ones(found.n, np.bool_)
    clusters, instruction = found.statement.select(kept), found.instruction.codes[kept]
    made: dict[str, Cell] = {}
    for code in codes:
        said = (answers[kept] == code).astype(np.float64)
        name = _NAMES[code]
        if mode == "corrected":
            mean = cluster_interval(said, clusters, bounds=(0.0, 1.0))
            ends = [None if not math.isfinite(end) else end for end in (mean.estimate, mean.low, mean.high)]
            made[name] = Estimate(ends[0], *_within(ends[1], ends[2]), mean.n, mean.clusters)
        else:
            values = [
                float(said[instruction == place].mean()) if (instruction == place).any() else math.nan
                for place in range(len(found.instruction.levels))
            ]
            mean_ = spread(name, values)
            known = [None if math.isnan(value) else value for value in (mean_.mean, mean_.deviation)]
            made |= dict(zip(_columns(code, mode), known, strict=True))
    return made


def _within(low: float | None, high: float | None) -> tuple[float | None, float | None]:
    """An interval of a share does not leave 0 to 1."""
    return (None if low is None else max(0.0, low)), (None if high is None else min(1.0, high))


def _columns(code: int, mode: Mode) -> tuple[str, ...]:
    name = _NAMES[code]
    return (name,) if mode == "corrected" else (name, f"{name}_deviation")


def _value(cell: Cell) -> float:
    value = cell.value if isinstance(cell, Estimate) else None
    return 0.0 if value is None else value
