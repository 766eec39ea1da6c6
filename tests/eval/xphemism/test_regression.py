"""Estimates by known values, and what becomes of those that have none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import ArrayLike

from polbias.eval.separation import find_estimable_terms, identified_columns, independent_columns
from polbias.eval.xphemism.regression import RegressionDesign, fit_logit


def design(
    successes: ArrayLike,
    columns: dict[str, ArrayLike],
    trials: ArrayLike = 1,
    clusters: ArrayLike | None = None,
) -> RegressionDesign:
    made = np.asarray(successes, float)
    named = {"intercept": np.ones(made.size)} | columns
    return RegressionDesign(
        made,
        np.broadcast_to(np.asarray(trials, float), made.shape).copy(),
        np.column_stack([np.asarray(values, float) for values in named.values()]),
        tuple(named),
        np.arange(made.size) if clusters is None else np.asarray(clusters, np.intp),
    )


def logit(share: float) -> float:
    return math.log(share / (1 - share))


def test_two_groups_by_hand() -> None:
    """The coefficient is the log odds ratio, its plain error the root of the sum of the reciprocal cells."""
    made = design([3, 1, 2, 5], {"x": [0, 0, 1, 1]}, trials=[5, 5, 8, 8])
    found = fit_logit(made, clustered=False)
    assert found.coef["x"] == pytest.approx(logit(7 / 16) - logit(4 / 10), abs=1e-9)
    assert found.se["x"] == pytest.approx(math.sqrt(1 / 4 + 1 / 6 + 1 / 7 + 1 / 9), abs=1e-8)
    assert found.note == {}


def test_clustered_error_of_a_mean_by_hand() -> None:
    """With an intercept only the sandwich is the sum of squared cluster residuals over the information squared."""
    successes, clusters = np.array([1, 1, 0, 1, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 2, 2, 3, 3])
    share, n, groups = successes.mean(), 9, 4
    sums = np.bincount(clusters, successes - share)
    correction = groups / (groups - 1) * (n - 1) / (n - 1)
    expected = math.sqrt(correction * (sums**2).sum()) / (n * share * (1 - share))
    assert fit_logit(design(successes, {}, clusters=clusters), clustered=True).se[
        "intercept"
    ] == pytest.approx(expected)


def test_quasi_separation_leaves_the_other_terms() -> None:
    """All of z = 1 are successes: z has no estimate, x has that of the rows with z = 0."""
    x = np.array([0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1])
    z = np.array([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
    y = np.array([0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1])
    found = fit_logit(design(y, {"x": x, "z": z}), clustered=False)
    assert math.isnan(found.coef["z"])
    assert found.note["z"] == "no finite estimate: answers are separated"
    assert found.coef["x"] == pytest.approx(logit(3 / 4) - logit(1 / 4), abs=1e-8)
    assert found.note["x"].startswith("3 rows predicted perfectly")


def test_separation_in_a_combination_of_columns() -> None:
    """Neither column separates by itself, their difference does."""
    a, b = np.array([0, 1, 2, 3, 1, 2, 3, 4]), np.array([1, 2, 3, 4, 0, 1, 2, 3])
    found = find_estimable_terms(
        np.column_stack([np.ones(8), a, b]), np.array([0] * 4 + [1] * 4, float), np.ones(8)
    )
    assert found.varying.all()
    assert not found.finite.any()
    assert not found.rows.any()


def test_rows_with_both_answers_cannot_be_separated() -> None:
    found = find_estimable_terms(
        np.column_stack([np.ones(4), [0, 0, 1, 1]]), np.array([1.0, 2, 3, 2]), np.full(4, 3.0)
    )
    assert found.finite.all()


@pytest.mark.parametrize("clustered", [False, True])
def test_nothing_to_estimate_is_said_and_does_not_crash(clustered: bool) -> None:
    empty = fit_logit(design([], {"x": []}), clustered)
    assert math.isnan(empty.coef["x"])
    assert "no answer" in empty.note["x"]
    same = fit_logit(design([1] * 6, {"x": [0, 1] * 3}), clustered)
    assert math.isnan(same.p["x"])
    assert "separated" in same.note["x"]
    constant = fit_logit(design([0, 1, 1, 0, 1, 0], {"x": [1] * 6, "z": [0, 1, 0, 1, 1, 0]}), clustered)
    assert constant.note["x"] == "not told apart from the other terms"
    assert math.isfinite(constant.coef["z"])


def test_too_few_clusters_are_said() -> None:
    found = fit_logit(design([0, 1, 1, 0], {"x": [0, 0, 1, 1]}, clusters=[0, 0, 1, 1]), clustered=True)
    assert "2 clusters" in found.note["x"]
    assert math.isnan(found.se["x"])


def test_repeated_runs_change_no_estimate() -> None:
    y, x = np.array([0, 1, 1, 0, 1, 1, 1]), [0, 0, 0, 1, 1, 1, 1]
    assert fit_logit(design(y, {"x": x}), False).coef == pytest.approx(
        fit_logit(design(3 * y, {"x": x}, trials=3), False).coef
    )


def test_columns_that_depend_on_each_other() -> None:
    one = np.ones(5)
    x = np.array([0.0, 1, 0, 1, 1])
    table = np.column_stack([one, x, 1 - x, [0, 0, 1, 1, 0]])
    assert independent_columns(table) == [0, 1, 3]
    assert identified_columns(table).tolist() == [False, False, False, True]
    assert identified_columns(table[:0]).tolist() == [False] * 4
