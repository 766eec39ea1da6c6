"""Accuracy by any column of the design."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from polbias.eval.accuracy import AccuracyCell, accuracy
from polbias.eval.partisan.answers import LABELS, VERDICTS
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


FRAME = pd.DataFrame(ROWS)


def by_codes(rows: pd.DataFrame, *by: str) -> list[AccuracyCell]:
    codes = [pd.Categorical(rows[name].fillna("unparsable"), LABELS).codes for name in ("label", "gold")]
    return accuracy(*codes, {name: rows[name] for name in by})


def test_one_cell_without_grouping() -> None:
    (cell,) = by_codes(FRAME)
    assert (dict(cell.cell), cell.n, cell.correct, cell.accuracy) == ({}, 7, 3, 3 / 7)
    assert (cell.refusals, cell.unparsable, cell.truncated) == (1, 1, 1)


def test_cells_are_those_that_occur_in_order() -> None:
    cells = by_codes(FRAME, "shots", "gold")
    assert [tuple(cell.cell.items()) for cell in cells] == [
        (("shots", 0), ("gold", "invalid")),
        (("shots", 0), ("gold", "valid")),
        (("shots", 8), ("gold", "valid")),
        (("shots", 32), ("gold", "invalid")),
    ]
    assert [(cell.n, cell.correct) for cell in cells] == [(2, 1), (2, 0), (2, 2), (1, 0)]
    assert by_codes(FRAME.sample(frac=1, random_state=3), "shots", "gold") == cells


def test_a_table_without_rows() -> None:
    (cell,) = by_codes(FRAME[:0])
    assert cell.n == 0
    assert math.isnan(cell.accuracy)
    assert by_codes(FRAME[:0], "shots", "gold") == []


def test_wilson_interval() -> None:
    # Brown, Cai and DasGupta (2001): 0 of n ends at z^2 / (n + z^2)
    low, high = wilson_interval([0, 8, 10, 0], [10, 10, 10, 0])
    assert low[:3] == pytest.approx([0.0, 0.4902, 0.7225], abs=1e-4)
    assert high[:3] == pytest.approx([0.2775, 0.9433, 1.0], abs=1e-4)
    assert np.isnan([low[3], high[3]]).all()


@given(answers)
def test_cells_add_up(rows: list[Row]) -> None:
    frame = pd.DataFrame(rows, columns=["leaning", "gold", "label"])
    cells = by_codes(frame, "leaning", "gold")
    assert sum(cell.n for cell in cells) == len(rows)
    assert sum(cell.correct for cell in cells) == sum(gold == label for _, gold, label in rows)
    tally = Counter(label for _, _, label in rows)
    assert sum(cell.refusals for cell in cells) == tally["refusal"]
    for cell in cells:
        assert cell.low - 1e-12 <= cell.accuracy <= cell.high + 1e-12
        n_silent = cell.refusals + cell.unparsable + cell.truncated
        place = tuple(cell.cell.values())
        assert cell.n - n_silent == sum(row[:2] == place and row[2] in VERDICTS for row in rows)
