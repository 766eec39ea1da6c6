"""Accuracy, over all rows or by any columns of the design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polbias.aliases import Indices
from polbias.eval.answer_table import Level, VerdictTable, crossed
from polbias.intervals import wilson_interval

_LABELS = 5  # two verdicts, refusal, unparsable, truncated


@dataclass(frozen=True)
class AccuracyCell:
    """Accuracy in one cell of the design.

    Args:
        cell: Value of each column grouped by.
        n: Rows.
        correct: Rows whose label is the gold one.
        accuracy: ``correct / n``, a fraction; NaN where n is 0.
        low: Lower end of the Wilson 95% interval, a fraction.
        high: Upper end of the Wilson 95% interval, a fraction.
        refusals: Rows that were refused.
        unparsable: Rows whose answer could not be read.
        truncated: Rows whose answer was cut off.
    """

    cell: Mapping[str, Level]
    n: int
    correct: int
    accuracy: float
    low: float
    high: float
    refusals: int
    unparsable: int
    truncated: int


def accuracy(rows: VerdictTable, by: Sequence[str] | str = ()) -> list[AccuracyCell]:
    """Share of correct judgements in every cell that has rows.

    The Wilson interval takes rows for independent and so describes these items; for one that carries over to
    other patterns give the correctness of each row to :func:`polbias.eval.statistics.cluster_interval`.

    Source:
        Gubelmann and Karray, section 5, Figure 1 and Table 4.
    """
    cells, index = _cells(rows, by)
    n = np.bincount(index, minlength=len(cells))
    correct = np.bincount(index[rows.label == rows.gold], minlength=len(cells))
    share = np.divide(correct, n, out=np.full(len(cells), np.nan), where=n > 0)
    low, high = wilson_interval(correct, n)
    unanswered = np.bincount(index * _LABELS + rows.label, minlength=len(cells) * _LABELS)
    unanswered = unanswered.reshape(-1, _LABELS)[:, 2:]
    columns = (column.tolist() for column in (n, correct, share, low, high, *unanswered.T))
    return [AccuracyCell(*values) for values in zip(cells, *columns, strict=True)]


def _cells(rows: VerdictTable, by: Sequence[str] | str) -> tuple[list[dict[str, Level]], Indices]:
    """The cells in order, and the cell of each row."""
    names = (by,) if isinstance(by, str) else tuple(by)
    if not names:
        return [{}], np.zeros(rows.n, np.intp)
    present, index = crossed([rows.factor(name) for name in names])
    return [dict(zip(names, values, strict=True)) for values in present], index
