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
        cell: Level of each grouping column.
        n: Rows.
        correct: Rows with the gold label.
        accuracy: ``correct / n``, a fraction; NaN where n is 0.
        low: Lower end of the Wilson 95% interval, a fraction.
        high: Upper end of the Wilson 95% interval, a fraction.
        refusals: Rows with a refusal.
        unparsable: Rows without an extractable label.
        truncated: Rows with a truncated answer.
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
    """Return the share of correct judgements in each cell with rows.

    Args:
        label: label code per answer: 0 and 1 are the verdicts, higher codes are non-answers.
        gold: code of the gold label per answer.
        by: grouping columns; without any, all rows are one cell.

    The Wilson interval assumes independent rows and so describes these items only. For an interval that holds
    for other patterns, pass the correctness of each row to
    :func:`polbias.eval.statistics.cluster_interval`.

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
