"""Precision, recall and Wilson's interval."""

from __future__ import annotations

from math import isnan

import pytest

from tests.support.scoring import Proportion, confusion, score

PAIRS = [("a", "a"), ("a", "a"), ("a", "b"), ("b", "b"), ("b", "a"), ("c", "b")]


def test_confusion_counts_pairs() -> None:
    table = confusion(PAIRS)
    assert table["a", "a"] == 2
    assert table["a", "c"] == 0
    assert sum(table.values()) == len(PAIRS)


def test_precision_and_recall() -> None:
    a, b, c = score(PAIRS)
    assert (a.label, b.label, c.label) == ("a", "b", "c")
    assert a.precision == Proportion(2, 3)
    assert a.recall == Proportion(2, 3)
    assert b.precision == Proportion(1, 3)
    assert c.recall.value == 0
    assert isnan(c.precision.value)


def test_labels_may_be_given() -> None:
    assert [entry.label for entry in score(PAIRS, ["b", "d"])] == ["b", "d"]


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [(0, 0, 0.0, 1.0), (0, 10, 0.0, 0.27753), (10, 10, 0.72247, 1.0), (8, 10, 0.49016, 0.94332)],
)
def test_wilson(hits: int, total: int, low: float, high: float) -> None:
    assert Proportion(hits, total).interval == pytest.approx((low, high), abs=1e-5)
