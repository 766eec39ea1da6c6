"""Variance components: known ones are found again, and give back the standard error."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polbias.eval.columns import OutcomesError
from polbias.eval.power.design import Assumptions, Design
from polbias.eval.statistics import cluster_interval
from polbias.eval.variance import components


def test_known_components_are_found_again_in_an_unbalanced_design():
    rng = np.random.default_rng(8)
    rows = []
    for cluster in range(900):
        shift = rng.normal(0, math.sqrt(0.3))
        for item in range(rng.integers(1, 8)):
            own = rng.normal(0, math.sqrt(0.5))
            rows += [(shift + own + rng.normal(), cluster, item) for _ in range(rng.integers(1, 5))]
    values, clusters, items = zip(*rows, strict=True)
    found = components(values, clusters, items)
    assert found.variance == pytest.approx(1.8, rel=0.05)
    assert found.icc == pytest.approx(0.3 / 1.8, abs=0.03)
    assert found.repeat == pytest.approx(0.5 / 1.5, abs=0.04)
    assert found.clusters == 900
    assert found.items * 900 * found.answers == pytest.approx(len(rows))


def test_they_give_back_the_cluster_robust_error_of_a_balanced_design():
    rng = np.random.default_rng(2)
    table = rng.normal(0, 1, (12, 1, 1)) + rng.normal(0, 1, (12, 5, 1)) + rng.normal(0, 1, (12, 5, 3))
    clusters, items = np.indices((12, 15))
    codes = clusters.ravel().tolist()
    found = components(table.ravel(), codes, (items // 3).ravel().tolist())
    assumed = Assumptions(found.variance, found.icc, found.repeat)
    error = cluster_interval(table.ravel(), codes).standard_error
    assert assumed.standard_error(Design(12, 5, 3)) == pytest.approx(error)


def test_one_answer_per_item_and_one_item_per_cluster():
    values = [1.0, -1.0, 0.0, 1.0, 1.0, 0.0]
    alone = components(values, [0, 0, 1, 1, 2, 2], range(6))
    assert (alone.items, alone.answers, alone.repeat) == (2, 1, 1)
    single = components(values, [0, 0, 1, 1, 2, 2], [0] * 6)
    assert (single.items, single.answers, single.repeat) == (1, 2, 0)
    assert single.variance == pytest.approx(alone.variance)


def test_what_cannot_be_estimated_is_named():
    with pytest.raises(OutcomesError, match="come to the same"):
        components([1.0, 1.0], [0, 1], [0, 0])
    with pytest.raises(OutcomesError, match="found 1 clusters"):
        components([1.0, 0.0], [0, 0], [0, 1])
    with pytest.raises(OutcomesError, match="2 values"):
        components([1.0, 0.0], [0], [0, 1])
