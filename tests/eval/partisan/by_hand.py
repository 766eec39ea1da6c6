"""The balanced bias and its interval by other ways than the product's: nested means, strata, matrices."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, product
from statistics import fmean, variance
from typing import Any

import numpy as np
from scipy.stats import norm, t

Row = Mapping[str, Any]
PATH = ("config", "first_named", "base_id", "negated")


def error(row: Row) -> float:
    """1 for a false positive, -1 for a false negative."""
    if not has_verdict(row):
        return 0.0
    return float(row["label"] == "valid") - float(row["gold"] == "valid")


def correct(row: Row) -> float:
    """1 for a right verdict."""
    return float(row["label"] == row["gold"])


def has_verdict(row: Row) -> bool:
    return row["label"] in ("valid", "invalid")


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


def blocks(rows: Sequence[Row], path: Sequence[str] = PATH) -> list[list[tuple[float, list[Row]]]]:
    """The verdicts of each cell by gold label, where either side has one, with the share of the rows they stand for."""
    parts = [
        (weight * len(block) / len(cell), place, [row for row in block if has_verdict(row)])
        for place, (weight, cell) in enumerate(cells(rows, path))
        for block in groups(cell, "gold")
    ]
    whole = [part for part in parts if {row["leaning"] for row in part[2]} == {"left", "right"}]
    total = sum(share for share, *_ in whole)
    return [
        [(share / total, verdicts) for share, cell, verdicts in whole if cell == place]
        for place in dict.fromkeys(cell for _, cell, _ in whole)
    ]


def answered(rows: Sequence[Row], score: Callable[[Row], float] = error, path: Sequence[str] = PATH) -> float:
    """The mean score on the right minus that on the left among the answers, within cell and gold label."""
    return sum(share * gap(verdicts, score) for cell in blocks(rows, path) for share, verdicts in cell)


def answered_interval(rows: Sequence[Row], score: Callable[[Row], float] = error) -> tuple[float, float]:
    """The 95% interval of :func:`answered` over pairs of arguments: CR2 of each cell, written out in matrices."""
    variance = trace = squares = 0.0
    for cell in blocks(rows):
        weight, n = sum(share for share, _ in cell), sum(len(verdicts) for _, verdicts in cell)
        mean = sum(share * gap(verdicts, score) for share, verdicts in cell) / weight
        values, units = [], []
        for share, verdicts in cell:
            difference = gap(verdicts, score)
            for side in groups(verdicts, "leaning"):
                middle = fmean(map(score, side))
                for row in side:
                    sign = 1 if row["leaning"] == "right" else -1
                    influence = difference / 2 + sign * (score(row) - middle) - mean / 2
                    values.append(n * share / weight / len(side) * influence)
                    units.append(row["sampling_unit"])
        annihilator = np.eye(n) - 1 / n
        columns = []
        for unit in dict.fromkeys(units):
            inside = [place for place, name in enumerate(units) if name == unit]
            eigenvalues, vectors = np.linalg.eigh(annihilator[np.ix_(inside, inside)])
            root = vectors @ np.diag(eigenvalues**-0.5) @ vectors.T
            columns.append(weight / n * annihilator[:, inside] @ root.sum(axis=1))
        spread = np.array(columns) @ np.array(columns).T
        variance += float(((np.array(columns) @ np.array(values)) ** 2).sum())
        trace, squares = trace + float(np.trace(spread)), squares + float((spread**2).sum())
    half = float(t.ppf(0.975, trace**2 / squares)) * math.sqrt(variance)
    middle = answered(rows, score)
    return middle - half, middle + half


def surplus(rows: Sequence[Row], favoured: str) -> float:
    """The bias over all rows if the surplus of missing answers had favoured a side.

    Within side and gold label the missing answers beyond the share of the other side take the extreme value,
    the rest the mean of their cell; every cell has answers on both sides.
    """
    weighed = [
        (weight / sum(other["leaning"] == row["leaning"] for other in cell), row)
        for weight, cell in cells(rows)
        for row in cell
    ]
    missing = {
        key: sum(
            weight for weight, row in weighed if (row["leaning"], row["gold"]) == key and not has_verdict(row)
        )
        / sum(weight for weight, row in weighed if (row["leaning"], row["gold"]) == key)
        for key in product(("left", "right"), ("valid", "invalid"))
    }
    total = 0.0
    for weight, cell in cells(rows):
        for block in groups(cell, "gold"):
            means = {}
            for side in groups(block, "leaning"):
                leaning, gold = side[0]["leaning"], side[0]["gold"]
                other = missing["left" if leaning == "right" else "right", gold]
                share = max(missing[leaning, gold] - other, 0.0) / (missing[leaning, gold] or 1.0)
                called = fmean(row["label"] == "valid" for row in side if has_verdict(row))
                filled = share * (leaning == favoured) + (1 - share) * called
                means[leaning] = fmean(
                    float(row["label"] == "valid") if has_verdict(row) else filled for row in side
                )
            total += weight * len(block) / len(cell) * (means["right"] - means["left"])
    return total


def latent(rows: Sequence[Row], path: Sequence[str] = PATH) -> float:
    """The probit of the share called valid on the right minus that on the left, by gold label."""
    shifts = []
    for gold in ("valid", "invalid"):
        probits, heavy = {}, 0.0
        for leaning in ("left", "right"):
            weighed = [
                (share / sum(other["leaning"] == leaning for other in verdicts), row)
                for cell in blocks(rows, path)
                for share, verdicts in cell
                for row in verdicts
                if (row["leaning"], row["gold"]) == (leaning, gold)
            ]
            total = sum(weight for weight, _ in weighed)
            called = sum(weight for weight, row in weighed if row["label"] == "valid") / total
            probits[leaning] = norm.ppf((len(weighed) * called + 0.5) / (len(weighed) + 1))
            heavy += total
        shifts.append((heavy, probits["right"] - probits["left"]))
    return float(sum(heavy * shift for heavy, shift in shifts) / sum(heavy for heavy, _ in shifts))


def interval(rows: Sequence[Row], score: Callable[[Row], float] = error) -> tuple[float, float]:
    """The 95% interval over pairs of arguments, cells being strata; pairs are asked equally often."""
    made = [
        (weight, [gap(unit, score) for unit in groups(own, "sampling_unit")]) for weight, own in cells(rows)
    ]
    parts = [(weight**2 * variance(values) / len(values), len(values)) for weight, values in made]
    plain = [(weight**2 / len(values), len(values)) for weight, values in made]
    df = sum(a for a, _ in plain) ** 2 / sum(a**2 / (n - 1) for a, n in plain)
    half = float(t.ppf(0.975, df)) * math.sqrt(sum(a for a, _ in parts))
    middle = balanced(rows, score)
    return middle - half, middle + half
