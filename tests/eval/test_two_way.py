"""Two things drawn at once, and the latent scale: against an analysis of variance and known populations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from polbias.eval.statistics import cell_mean_contrast, two_way_cluster_error
from polbias.eval.variance_components import latent_contrast, latent_contrast_contributions, probit_difference


def layout(
    rng: np.random.Generator, bases: int, persons: int, *sds: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    base, person, rest = (
        rng.normal(0, sd, size) for sd, size in zip(sds, (bases, persons, (bases, persons)), strict=True)
    )
    values = base[:, None] + person[None, :] + rest
    first, second = (each.ravel() for each in np.indices(values.shape))
    return values, first, second


def crossed(values: np.ndarray, first: np.ndarray, second: np.ndarray):
    return cell_mean_contrast(values.ravel(), ["all"] * values.size, first, [1.0], crossed=second)


@pytest.mark.parametrize("sds", [(1, 1, 1), (1, 1.5, 0.5), (0.8, 1, 1.5)])
def test_a_balanced_layout_has_the_mean_squares_of_the_analysis_of_variance(sds: tuple[float, ...]) -> None:
    a, b = 24, 8
    values, first, second = layout(np.random.default_rng(3), a, b, *sds)
    rows, columns, mean = values.mean(axis=1), values.mean(axis=0), values.mean()
    of_rows = b * ((rows - mean) ** 2).sum() / (a - 1)
    of_columns = a * ((columns - mean) ** 2).sum() / (b - 1)
    inner = ((values - rows[:, None] - columns + mean) ** 2).sum() / ((a - 1) * (b - 1))
    total = ((values - mean) ** 2).sum() / (a * b - 1)
    parts = np.array([of_rows, of_columns, inner])
    free = np.array([a - 1, b - 1, (a - 1) * (b - 1)])
    weights = np.array([1, 1, 0]) - free / (a * b - 1)
    expected = weights @ parts
    assert expected == pytest.approx(of_rows + of_columns - total)
    found = crossed(values, first, second)
    assert found.standard_error**2 == pytest.approx(expected / (a * b))
    assert found.degrees_of_freedom == pytest.approx(
        max(b - 1, expected**2 / ((weights * parts) ** 2 / free).sum())
    )
    assert (found.clusters, found.crossed) == (a, b)


def test_the_error_is_never_less_than_either_nor_the_degrees_of_freedom_than_the_floor() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        values, first, second = layout(rng, 12, 8, *rng.choice([0.0, 0.3, 1.0], 2), 1)
        found = crossed(values, first, second)
        each = [
            cell_mean_contrast(values.ravel(), ["all"] * values.size, one, [1.0]) for one in (first, second)
        ]
        assert found.standard_error >= max(one.standard_error for one in each) - 1e-12
        assert found.degrees_of_freedom >= 7
    assert all(
        map(math.isnan, two_way_cluster_error((math.nan, math.nan, 1), (1.0, 7.0, 8), (1.0, 90.0, 96)))
    )


@pytest.mark.parametrize("sds", [(1, 1, 1), (1, 0, 1), (0, 1, 1), (0, 0, 1)])
def test_intervals_cover_whatever_was_drawn(sds: tuple[float, ...]) -> None:
    rng = np.random.default_rng(7)
    found = [crossed(*layout(rng, 24, 8, *sds)) for _ in range(600)]
    assert np.mean([each.low <= 0 <= each.high for each in found]) > 0.93


@pytest.mark.parametrize("criterion", [-1.5, 0.0, 1.5])
def test_the_latent_scale_does_not_depend_on_difficulty(criterion: float) -> None:
    rng = np.random.default_rng(11)
    side, gold = np.tile([-1, 1], 40_000), rng.integers(0, 2, 80_000)
    yes = rng.normal(size=side.size) < criterion + 1.2 * gold + 0.2 * side
    clusters = np.arange(side.size) // 400
    value, low, high = probit_difference(yes, side / 40_000, clusters, gold)
    assert value == pytest.approx(0.4, abs=0.05)
    assert low < 0.4 < high


def test_the_latent_scale_of_two_shares() -> None:
    side = np.repeat([1.0, -1.0], 1000)
    yes = np.r_[np.arange(1000) < 800, np.arange(1000) < 500]
    value, low, high = probit_difference(yes, side, np.tile(np.arange(1000), 2))
    assert value == pytest.approx(norm.ppf(0.8), abs=0.01)
    # delta method, sides independent
    error = math.sqrt(0.16 / 1000 / norm.pdf(norm.ppf(0.8)) ** 2 + 0.25 / 1000 / norm.pdf(0) ** 2)
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.35)
    assert all(map(math.isnan, probit_difference([True, False], [1.0, -1.0], np.zeros(2, np.intp))))


def test_a_latent_contrast_is_a_sum_of_probits_within_strata() -> None:
    """Four cells by hand, in two strata of which the second lacks one."""
    shares = (0.9, 0.6, 0.7, 0.8)
    cell = np.repeat(np.arange(4), 1000)
    yes = np.concatenate([np.arange(1000) < 1000 * share for share in shares])
    clusters = np.tile(np.arange(1000), 4)
    signs = (1.0, -1.0, -1.0, 1.0)
    expected = float(np.dot(signs, norm.ppf(shares)))
    value, low, high = latent_contrast(yes, np.full(cell.size, 1e-3), cell, signs, clusters)
    assert value == pytest.approx(expected, abs=0.01)
    assert low < expected < high
    more = np.r_[cell, np.zeros(500, np.intp)], np.r_[yes, np.ones(500)], np.r_[np.zeros(4000), np.ones(500)]
    cells, verdicts, strata = more
    weights, spread = np.full(4500, 1e-3), np.arange(4500) % 1000
    partial, *_ = latent_contrast(verdicts, weights, cells, signs, spread, strata)
    assert partial == pytest.approx(value)
    parts = latent_contrast_contributions(verdicts, weights, cells, signs, strata)
    assert parts.sum() == pytest.approx(partial)
