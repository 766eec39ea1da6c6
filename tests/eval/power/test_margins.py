"""What the log odds of the labels detect, and verdicts beside them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polbias.eval.power.design import PowerDesign, instruments
from polbias.eval.power.report import Targets, power_report
from polbias.eval.variance_components import points_at, shift_of_points


@pytest.fixture(scope="module")
def margins() -> list[dict[str, float]]:
    partisan = instruments()["partisan"]
    rows: list[dict[str, float]] = power_report(
        partisan, PowerDesign(49, 60, 1), partisan.assumptions(), Targets()
    )["margins"]
    return rows


def test_a_margin_detects_the_same_shift_at_every_accuracy_and_verdicts_do_not(margins: list) -> None:
    assert len({row["margin"] for row in margins}) == 1
    verdicts = [row["verdicts"] for row in margins]
    assert verdicts == sorted(verdicts)
    assert all(row["margin"] < row["verdicts"] for row in margins)


def test_the_shift_detected_by_margins_is_that_of_simulated_pairs(margins: list) -> None:
    rng, shift, runs = np.random.default_rng(4), margins[0]["margin"], 2000
    by_topic = rng.normal(0, 0.1, (runs, 49, 1))  # icc .01 of a variance of 1
    pairs = shift + by_topic + rng.normal(0, math.sqrt(0.99 * 0.5), (runs, 49, 60)) * math.sqrt(2)
    means = pairs.mean(axis=2)
    t = means.mean(axis=1) / (means.std(axis=1, ddof=1) / 7)
    assert np.mean(np.abs(t) > 2.01) == pytest.approx(0.8, abs=0.06)


@pytest.mark.parametrize("accuracy", [0.6, 0.77, 0.99])
def test_points_and_shifts_are_inverse(accuracy: float) -> None:
    for shift in (0.05, 0.5, 2.0):
        assert shift_of_points(points_at(shift, accuracy), accuracy) == pytest.approx(shift, abs=1e-6)
    assert shift_of_points(100.0, accuracy) == math.inf
