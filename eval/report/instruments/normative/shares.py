"""Shares of right answers as estimates, in many cells of the design at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from polbias.aliases import Booleans, Codes, Floats
from polbias.eval.accuracy import AccuracyCell, accuracy, wilson_interval
from polbias.eval.columns import Factor, Level, Mode, crossed
from polbias.eval.contrasts import contrast
from polbias.eval.normative.analysis import Counts, tally
from polbias.eval.normative.schema import LABELS, Judgements
from polbias.eval.normative.wason import SILENT
from polbias.eval.report.document import Estimate
from polbias.eval.report.instruments.normative.layout import TYPES
from polbias.eval.report.numbers import known
from polbias.eval.statistics import cluster_interval


def accuracies(table: Judgements, by: Sequence[str], mode: Mode) -> Mapping[tuple[Level, ...], Estimate]:
    """Accuracy in every cell that has answers.

    Args:
        table: the answers.
        by: columns that make the cells.
        mode: "corrected": with an interval, Wilson's where every content occurs once in the cell, else over
            contents; "paper": without one, as printed.

    Returns:
        Values of the columns to the share of right answers.
    """
    if not table.n:
        return {}
    cells = crossed([table.factor(name) for name in by])[1]
    clusters = table.factor("cluster_id")
    order = np.argsort(cells, kind="stable")
    ends = np.flatnonzero(np.diff(cells[order])) + 1
    found = {}
    for cell, rows in zip(accuracy(table, by), np.split(order, ends), strict=True):
        codes = clusters.codes[rows]
        own = Factor(codes, clusters.levels)
        found[tuple(cell.cell[name] for name in by)] = _estimate(cell, table.correct[rows], own, mode)
    return found


def mean(
    values: ArrayLike,
    clusters: Factor,
    counts: Counts | None = None,
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> Estimate:
    """A mean with its interval over clusters.

    Args:
        values: one per answer, shape ``(n,)``.
        clusters: of the answers.
        counts: refusals, unparsable and truncated answers among them.
        bounds: of the values.
    """
    found = cluster_interval(values, clusters, bounds=bounds)
    value, low, high = (known(each) for each in (found.estimate, found.low, found.high))
    return Estimate(value, low, high, found.n, found.clusters, *(counts or ()))


def share(values: ArrayLike, clusters: Factor, counts: Counts | None = None) -> Estimate:
    """The same for a mean of fractions, with an interval that ends at 0 and 1.

    It is Wilson's where all values are 0 or 1 and each is a cluster of its own.
    """
    numbers = np.asarray(values, np.float64)
    found = _clipped(mean(numbers, clusters, counts, (0.0, 1.0)))
    if found.n and found.n == found.clusters and np.isin(numbers, (0.0, 1.0)).all():
        low, high = wilson_interval(numbers.sum(), found.n)
        return replace(found, low=float(low), high=float(high))
    return found


def by_type(table: Judgements) -> Mapping[str, Estimate]:
    """Accuracy by type of content over the patterns that occur with all types, each with the same weight.

    Args:
        table: the answers in one setting.
    """
    present, index = crossed([table.factor("pattern"), table.factor("content_type")])
    shared = [pattern for pattern, _ in present if {(pattern, kind) for kind in TYPES} <= {*present}]
    cells, clusters = Factor(index, tuple(range(len(present)))), table.factor("cluster_id")
    found = {}
    for kind in TYPES if shared else ():
        weights = np.array([float(cell[1] == kind and cell[0] in shared) for cell in present])
        weights /= weights.sum()
        own = contrast(table.correct.astype(np.float64), cells, clusters, weights, bounds=(0, 1))
        value, low, high = (known(each) for each in (own.estimate, own.low, own.high))
        counts = silences(table.label[weights[index] > 0])
        found[kind] = _clipped(Estimate(value, low, high, own.n, own.clusters, *counts))
    return found


def silences(labels: Codes) -> Counts:
    """Count the answers without a verdict among labels, codes of :data:`polbias.eval.normative.schema.LABELS`."""
    return tally(labels.astype(np.intp) - LABELS.index(SILENT[0]))


def _estimate(cell: AccuracyCell, correct: Booleans, clusters: Factor, mode: Mode) -> Estimate:
    counts = cell.refusals, cell.unparsable, cell.truncated
    contents = len(np.unique(clusters.codes))
    if mode == "paper":
        return Estimate(cell.accuracy, n=cell.n, clusters=contents, unparsable=cell.unparsable)
    if contents == cell.n:
        return Estimate(cell.accuracy, cell.low, cell.high, cell.n, contents, *counts)
    return share(correct, clusters, counts)


def _clipped(found: Estimate) -> Estimate:
    low = None if found.low is None else max(0.0, found.low)
    high = None if found.high is None else min(1.0, found.high)
    return replace(found, low=low, high=high)


def finite_mean(values: Floats) -> float | None:
    """Return the mean of what is a number, None if nothing is."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else None
