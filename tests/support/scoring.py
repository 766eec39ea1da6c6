"""Precision and recall of an extractor against gold labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan, sqrt

Z_95 = 1.959963984540054


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
        return wilson(self.hits, self.total)


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


def wilson(hits: int, total: int, z: float = Z_95) -> tuple[float, float]:
    """Compute Wilson's score interval of a proportion.

    Args:
        hits: The number of hits.
        total: The number of trials.
        z: The quantile of the normal distribution; that of 95% by default.

    Returns:
        The lower and the upper bound; (0, 1) without trials.
    """
    if not total:
        return 0.0, 1.0
    share, weight = hits / total, z * z / total
    centre = share + weight / 2
    spread = z * sqrt(share * (1 - share) / total + weight / (4 * total))
    return max(0.0, (centre - spread) / (1 + weight)), min(1.0, (centre + spread) / (1 + weight))


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
