"""The balanced bias and its interval by other ways than the product's: nested means, and a sum of strata."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from statistics import fmean, variance
from typing import Any

from scipy.stats import t

Row = Mapping[str, Any]
PATH = ("config", "first_named", "base_id", "negated")


def error(row: Row) -> float:
    """1 for a false positive, -1 for a false negative."""
    if row["label"] not in ("valid", "invalid"):
        return 0.0
    return float(row["label"] == "valid") - float(row["gold"] == "valid")


def refused(row: Row) -> float:
    return float(row["label"] == "refusal")


def groups(rows: Iterable[Row], name: str) -> list[list[Row]]:
    ordered = sorted(rows, key=lambda row: str(row[name]))
    return [[*group] for _, group in groupby(ordered, key=lambda row: str(row[name]))]


def gap(rows: Sequence[Row], score: Callable[[Row], float] = error) -> float:
    """Mean score on the right minus that on the left."""
    right, left = ([score(row) for row in rows if row["leaning"] == side] for side in ("right", "left"))
    return fmean(right) - fmean(left)


def balanced(rows: Sequence[Row], score: Callable[[Row], float] = error, path: Sequence[str] = PATH) -> float:
    """The mean over configs of the mean over orders of the mean over bases, and so on."""
    if not path:
        return gap(rows, score)
    return fmean(balanced(group, score, path[1:]) for group in groups(rows, path[0]))


def cells(rows: Sequence[Row], path: Sequence[str] = PATH) -> list[tuple[float, list[Row]]]:
    """The rows of each cell, with its weight."""
    if not path:
        return [(1.0, [*rows])]
    parts = groups(rows, path[0])
    return [(weight / len(parts), own) for part in parts for weight, own in cells(part, path[1:])]


def answered(rows: Sequence[Row], path: Sequence[str] = PATH) -> float:
    """The bias among the answers: by cell and gold label, where either side has one, at its share of the rows."""
    total, sums = 0.0, 0.0
    for weight, cell in cells(rows, path):
        for block in groups(cell, "gold"):
            verdicts = [row for row in block if row["label"] in ("valid", "invalid")]
            if {row["leaning"] for row in verdicts} == {"left", "right"}:
                share = weight * len(block) / len(cell)
                total, sums = total + share, sums + share * gap(verdicts)
    return sums / total


def interval(rows: Sequence[Row], score: Callable[[Row], float] = error) -> tuple[float, float]:
    """The 95% interval over pairs of arguments, cells being strata; pairs are asked equally often."""
    made = [(weight, [gap(unit, score) for unit in groups(own, "unit")]) for weight, own in cells(rows)]
    parts = [(weight**2 * variance(values) / len(values), len(values)) for weight, values in made]
    plain = [(weight**2 / len(values), len(values)) for weight, values in made]
    df = sum(a for a, _ in plain) ** 2 / sum(a**2 / (n - 1) for a, n in plain)
    half = float(t.ppf(0.975, df)) * math.sqrt(sum(a for a, _ in parts))
    middle = balanced(rows, score)
    return middle - half, middle + half
