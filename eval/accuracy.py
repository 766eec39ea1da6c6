"""Accuracy, over all rows or by any columns of the design."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polbias.eval.answer_frames import Level, cross
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


def accuracy(
    label: ArrayLike, gold: ArrayLike, by: Mapping[str, Iterable[Any]] | None = None
) -> list[AccuracyCell]:
    """Share of correct judgements in every cell that has rows.

    Args:
        label: of each answer: the codes 0 and 1 of the two verdicts, then those of what is none.
        gold: of each answer: the code of the right verdict.
        by: columns to group by; all rows are one cell without any.

    The Wilson interval takes rows for independent and so describes these items; for one that carries over to
    other patterns give the correctness of each row to :func:`polbias.eval.statistics.cluster_interval`.

    Source:
        Gubelmann and Karray, section 5, Figure 1 and Table 4.
    """
    labels, names = np.asarray(label, np.intp), tuple(by or ())
    cells, index = cross([*by.values()]) if by else ([()], np.zeros(labels.size, np.intp))
    n = np.bincount(index, minlength=len(cells))
    correct = np.bincount(index[labels == np.asarray(gold)], minlength=len(cells))
    share = np.divide(correct, n, out=np.full(len(cells), np.nan), where=n > 0)
    low, high = wilson_interval(correct, n)
    unanswered = np.bincount(index * _LABELS + labels, minlength=len(cells) * _LABELS)
    unanswered = unanswered.reshape(-1, _LABELS)[:, 2:]
    columns = (column.tolist() for column in (n, correct, share, low, high, *unanswered.T))
    return [
        AccuracyCell(dict(zip(names, cell, strict=True)), *values)
        for cell, *values in zip(cells, *columns, strict=True)
    ]
