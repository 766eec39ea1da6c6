"""Precision and recall of an extractor against gold labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan

from polbias.intervals import wilson_interval


@dataclass(frozen=True, slots=True)
class Proportion:
    """So many hits among so many trials.

    Attributes:
        hits: The number of hits.
        total: The number of trials.
    """

    hits: int
    total: int

    @property
    def value(self) -> float:
        """The share of hits; NaN without trials."""
        return self.hits / self.total if self.total else nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95% interval; (0, 1) without trials."""
        low, high = wilson_interval(self.hits, self.total)
        return (float(low), float(high)) if self.total else (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class ClassScore:
    """How well one label is found.

    Attributes:
        label: The label.
        precision: Which of the predicted are gold.
        recall: Which of the gold are predicted.
    """

    label: str
    precision: Proportion
    recall: Proportion


def confusion(pairs: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], int]:
    """Count how often each gold label gets each prediction.

    Args:
        pairs: Pairs of gold and predicted label.

    Returns:
        The counts by pair; a pair that never occurs counts 0.
    """
    return Counter(pairs)


def score(pairs: Iterable[tuple[str, str]], labels: Sequence[str] | None = None) -> tuple[ClassScore, ...]:
    """Compute precision and recall of each label.

    Args:
        pairs: Pairs of gold and predicted label.
        labels: The labels to score, in this order; by default all that occur, sorted.

    Returns:
        One score for each label.
    """
    table = confusion(pairs)
    wanted = labels if labels is not None else sorted({label for pair in table for label in pair})
    gold: Counter[str] = Counter()
    predicted: Counter[str] = Counter()
    for (truth, guess), count in table.items():
        gold[truth] += count
        predicted[guess] += count
    return tuple(
        ClassScore(
            label,
            precision=Proportion(table[label, label], predicted[label]),
            recall=Proportion(table[label, label], gold[label]),
        )
        for label in wanted
    )
