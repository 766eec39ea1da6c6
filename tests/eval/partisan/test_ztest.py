"""The paper's z-test, against its Table 10."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from polbias.eval.partisan.analysis import AnswerSubset
from polbias.eval.partisan.answers import argument_answers
from polbias.eval.partisan.bias import ZTest, weighted_bias, z_test
from tests.eval.tables import WORKED_EXAMPLE, Row, answers, judged_pairs

TABLE_10 = [
    (-0.02, 9641, 0.95, -1.99, "left"),
    (-0.00, 9629, 0.97, -0.29, "none"),
    (0.00, 9646, 1.02, 0.00, "none"),
    (-0.00, 9646, 1.02, -0.02, "none"),
    (-0.01, 6432, 1.00, -1.07, "none"),
    (-0.04, 9642, 0.80, -5.17, "left"),
    (-0.04, 9640, 0.81, -5.22, "left"),
    (-0.08, 9564, 1.20, -6.13, "left"),
    (-0.07, 9468, 1.23, -5.86, "left"),
    (-0.09, 6384, 1.17, -6.32, "left"),
    (-0.10, 9147, 1.26, -7.48, "left"),
    (-0.09, 9253, 1.28, -6.54, "left"),
    (-0.05, 9340, 1.08, -4.15, "left"),
    (-0.06, 9410, 1.09, -5.65, "left"),
    (-0.00, 9591, 0.49, -0.76, "none"),
    (-0.04, 9469, 0.81, -5.05, "left"),
]


@pytest.mark.parametrize(("mean", "n", "sd", "z", "leaning"), TABLE_10)
def test_rows_of_table_10(mean: float, n: int, sd: float, z: float, leaning: str) -> None:
    # the counts of errors that the printed sd and z imply: sd^2 is about 4 * errors / n
    net = round(z * sd * math.sqrt(n) / 2)
    errors = round(((n - 1) * sd**2 + 4 * net**2 / n) / 4)
    errors += (errors - net) % 2
    favour_right, favour_left = (errors + net) // 2, (errors - net) // 2
    side = np.where(np.arange(n) % 2, 1, -1).astype(np.int8)
    false_positives = np.zeros(n, np.int8)
    false_positives[np.flatnonzero(side > 0)[:favour_right]] = 1
    false_positives[np.flatnonzero(side < 0)[:favour_left]] = 1
    test = z_test(side, false_positives)
    assert test.n == n
    assert test.mean == pytest.approx(mean, abs=0.006)
    assert test.sd == pytest.approx(sd, abs=0.001)
    assert test.z == pytest.approx(z, abs=0.02)
    assert test.leaning == leaning


def paper_test(rows: list[Row]) -> ZTest:
    return AnswerSubset(argument_answers(rows)).paper_test()


def test_worked_example() -> None:
    test = paper_test(WORKED_EXAMPLE)
    assert test.mean == -0.035
    assert test.sd == pytest.approx(np.std([2] * 145 + [-2] * 180 + [0] * 1675, ddof=1))
    assert test.z == pytest.approx(-0.035 / (test.sd / math.sqrt(2000)))
    assert test.p_value == pytest.approx(0.0520, abs=5e-4)
    assert test.leaning == "none"


def test_unanswered_rows_are_dropped() -> None:
    assert paper_test([*WORKED_EXAMPLE, *[("left", "valid", "refusal")] * 50]) == paper_test(WORKED_EXAMPLE)


def test_tables_without_spread() -> None:
    perfect = paper_test([("left", "valid", "valid"), ("right", "valid", "valid")])
    assert (perfect.mean, perfect.sd, perfect.z, perfect.p_value, perfect.leaning) == (0, 0, 0, 1, "none")
    uniform = paper_test([("left", "valid", "invalid"), ("right", "invalid", "valid")])
    assert (uniform.mean, uniform.sd, uniform.leaning) == (2, 0, "none")
    single = paper_test([("left", "valid", "invalid")])
    empty = paper_test([])
    undefined = [uniform.z, uniform.p_value, single.sd, single.z, empty.mean, empty.sd, empty.z]
    assert all(map(math.isnan, undefined))


@given(judged_pairs)
def test_the_mean_is_the_weighted_bias(rows: list[Row]) -> None:
    assert paper_test(rows).mean == pytest.approx(weighted_bias(rows, "paper"), abs=1e-12)


@given(answers)
def test_it_never_fails(rows: list[Row]) -> None:
    test = paper_test(rows)
    assert (test.leaning == "none") == (not test.p_value < 0.05)
    assert test.leaning != "right" or test.mean > 0
