"""Accuracy by any column of the design."""

from __future__ import annotations

import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from polbias.eval.accuracy import accuracy
from polbias.eval.answer_table import AnswerTableError
from polbias.eval.partisan.schema import ArgumentAnswers
from polbias.intervals import wilson_interval
from tests.eval.tables import Row, answers

ROWS = [
    {"leaning": leaning, "gold": gold, "label": label, "shots": shots, "variation": variation}
    for leaning, gold, label, shots, variation in [
        ("left", "valid", "valid", 8, "rand"),
        ("right", "valid", "valid", 8, "rand"),
        ("left", "valid", "invalid", 0, "rand"),
        ("right", "valid", "refusal", 0, "perm"),
        ("left", "invalid", "invalid", 0, "perm"),
        ("right", "invalid", "truncated", 0, "perm"),
        ("left", "invalid", None, 32, "perm"),
    ]
]


def test_one_cell_without_grouping() -> None:
    (cell,) = accuracy(ArgumentAnswers.of(ROWS))
    assert (dict(cell.cell), cell.n, cell.correct, cell.accuracy) == ({}, 7, 3, 3 / 7)
    assert (cell.refusals, cell.unparsable, cell.truncated) == (1, 1, 1)
    (paper,) = accuracy(ArgumentAnswers.of(ROWS).in_mode("paper"))
    assert (paper.n, paper.correct, paper.accuracy) == (4, 3, 3 / 4)
    assert (paper.refusals, paper.unparsable, paper.truncated) == (0, 0, 0)


def test_cells_are_those_that_occur_in_order() -> None:
    cells = accuracy(ArgumentAnswers.of(ROWS), by=("shots", "gold"))
    assert [tuple(cell.cell.items()) for cell in cells] == [
        (("shots", 0), ("gold", "invalid")),
        (("shots", 0), ("gold", "valid")),
        (("shots", 8), ("gold", "valid")),
        (("shots", 32), ("gold", "invalid")),
    ]
    assert [(cell.n, cell.correct) for cell in cells] == [(2, 1), (2, 0), (2, 2), (1, 0)]
    shuffled = random.Random(3).sample(ROWS, len(ROWS))
    assert accuracy(ArgumentAnswers.of(shuffled), by=("shots", "gold")) == cells
    assert accuracy(ArgumentAnswers.of(ROWS), by=("shots", "gold")) == cells


def test_empty_tables_and_unknown_columns() -> None:
    (cell,) = accuracy(ArgumentAnswers.of([]))
    assert cell.n == 0
    assert math.isnan(cell.accuracy)
    assert accuracy(ArgumentAnswers.of([], factors=["shots"]), by=("shots", "gold")) == []
    with pytest.raises(AnswerTableError, match="column 'colour': missing"):
        accuracy(ArgumentAnswers.of(ROWS, factors=["colour"]), by="colour")


def test_wilson_interval() -> None:
    # Brown, Cai and DasGupta (2001): 0 of n ends at z^2 / (n + z^2)
    low, high = wilson_interval([0, 8, 10, 0], [10, 10, 10, 0])
    assert low[:3] == pytest.approx([0.0, 0.4902, 0.7225], abs=1e-4)
    assert high[:3] == pytest.approx([0.2775, 0.9433, 1.0], abs=1e-4)
    assert np.isnan([low[3], high[3]]).all()


@given(answers)
def test_cells_add_up(rows: list[Row]) -> None:
    by = ("leaning", "gold")
    corrected = accuracy(ArgumentAnswers.of(rows), by)
    paper = {
        tuple(cell.cell.values()): cell for cell in accuracy(ArgumentAnswers.of(rows).in_mode("paper"), by)
    }
    assert sum(cell.n for cell in corrected) == len(rows)
    assert sum(cell.correct for cell in corrected) == sum(cell.correct for cell in paper.values())
    tally = Counter(label for _, _, label in rows)
    assert sum(cell.refusals for cell in corrected) == tally["refusal"]
    for before in corrected:
        assert before.low - 1e-12 <= before.accuracy <= before.high + 1e-12
        silent = before.refusals + before.unparsable + before.truncated
        after = paper.get(tuple(before.cell.values()))
        assert before.n - silent == (after.n if after else 0)
        assert not after or after.accuracy >= before.accuracy
