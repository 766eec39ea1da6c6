"""Contrasts of cell means: against the textbook tests that they contain, and against CR2 written out in matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.multiple_testing import holm_adjust
from polbias.eval.statistics import cell_mean_contrast, cluster_interval


def test_two_cells_of_one_row_per_cluster_have_the_error_of_welch() -> None:
    one, two = [1.0, 2.0, 6.0], [0.0, 4.0, 5.0, 7.0]
    found = cell_mean_contrast([*one, *two], [0] * 3 + [1] * 4, range(7), [1, -1])
    assert found.estimate == pytest.approx(3 - 4)
    # variances 7 and 26/3, over 3 and 4 rows
    assert found.standard_error == pytest.approx(math.sqrt(7 / 3 + 26 / 3 / 4))
    assert (found.n, found.clusters, found.cells) == (7, 7, 2)
    assert found.estimate / found.standard_error == pytest.approx(
        stats.ttest_ind(one, two, equal_var=False).statistic
    )


def test_equal_cells_have_the_usual_degrees_of_freedom() -> None:
    values = np.arange(40.0) % 7
    assert cell_mean_contrast(
        values, [0] * 20 + [1] * 20, range(40), [1, -1]
    ).degrees_of_freedom == pytest.approx(38)
    assert cell_mean_contrast(values, [0] * 40, range(40), [1]).degrees_of_freedom == pytest.approx(39)


def test_a_cluster_on_both_sides_is_compared_with_itself() -> None:
    # every cluster has a level of its own, which a paired comparison removes
    high, low = np.array([11.0, 22, 35, 41]), np.array([10.0, 20, 31, 40])
    found = cell_mean_contrast([*high, *low], [1] * 4 + [0] * 4, [*range(4)] * 2, [-1, 1])
    paired = stats.ttest_rel(high, low)
    assert found.estimate == pytest.approx(2)
    assert found.estimate / found.standard_error == pytest.approx(paired.statistic)
    assert found.degrees_of_freedom == pytest.approx(3)
    assert found.p_value == pytest.approx(paired.pvalue)
    low, high = paired.confidence_interval()
    assert (found.low, found.high) == pytest.approx((low, high))


def test_one_cell_is_the_mean_over_clusters() -> None:
    values, clusters = [0, 2, 2, 2, 5, 7], ["a", "a", "b", "b", "c", "c"]
    found, plain = cell_mean_contrast(values, ["x"] * 6, clusters, [1]), cluster_interval(values, clusters)
    assert found.standard_error == pytest.approx(plain.standard_error)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high))


DESIGNS = st.integers(2, 4).flatmap(
    lambda cells: st.lists(
        st.tuples(st.integers(0, cells - 1), st.integers(0, 5), st.integers(0, 3)), min_size=4, max_size=30
    )
)


@given(DESIGNS, st.lists(st.sampled_from([-1.0, -0.5, 0.5, 1.0]), min_size=4, max_size=4))
def test_it_is_cr2_with_the_degrees_of_bell_and_mccaffrey(
    rows: list[tuple[int, int, int]], weights: list[float]
) -> None:
    cell, cluster, values = (np.array(column) for column in zip(*rows, strict=True))
    levels = sorted({*cell.tolist()})
    assume(all(len({*cluster[cell == level].tolist()}) > 1 for level in levels))
    weight = np.array(weights[: len(levels)])
    design = (cell[:, None] == np.array(levels)).astype(float)
    bread = np.linalg.inv(design.T @ design)
    annihilator = np.eye(len(rows)) - design @ bread @ design.T
    residuals = annihilator @ values
    meat, columns = np.zeros_like(bread), []
    for group in {*cluster.tolist()}:
        here = cluster == group
        eigenvalues, vectors = np.linalg.eigh(annihilator[np.ix_(here, here)])
        root = vectors @ np.diag([0 if each < 1e-9 else each**-0.5 for each in eigenvalues]) @ vectors.T
        part = bread @ design[here].T @ root
        meat += np.outer(part @ residuals[here], part @ residuals[here])
        columns.append(annihilator[:, here] @ part.T @ weight)
    spread = np.array(columns) @ np.array(columns).T
    found = cell_mean_contrast(values, cell, cluster, weight)
    assert found.estimate == pytest.approx(weight @ bread @ design.T @ values, abs=1e-9)
    assert found.standard_error == pytest.approx(math.sqrt(max(weight @ meat @ weight, 0)), abs=1e-7)
    assert found.degrees_of_freedom == pytest.approx(np.trace(spread) ** 2 / (spread**2).sum(), rel=1e-6)


def test_what_cannot_be_computed_is_nan() -> None:
    single = cell_mean_contrast([1, 2, 3], ["a", "a", "b"], [1, 2, 3], [1, -1])
    assert single.estimate == -1.5
    nothing = cell_mean_contrast([], [], [], [])
    empty = cell_mean_contrast([1.0, 2.0], ["a", "b"], [1, 2], [0, 0])
    for found in (single, nothing, empty):
        assert all(map(math.isnan, [found.standard_error, found.low, found.high, found.p_value]))
    assert math.isnan(nothing.estimate)
    assert (empty.n, empty.cells, empty.clusters) == (0, 0, 0)


def test_without_variation_the_interval_is_no_point_and_there_is_no_p() -> None:
    unseen = 1 - 0.025 ** (1 / 4)
    for values, estimate in (([1, 1, 0, 0], 1), ([1, 1, 1, 1], 0), ([0.1, 0.1, 0.3, 0.3], -0.2)):
        found = cell_mean_contrast(values, [0, 0, 1, 1], range(4), [1, -1])
        assert found.estimate == pytest.approx(estimate)
        assert found.standard_error == 0
        assert all(map(math.isnan, (found.low, found.high, found.p_value)))
        within = cell_mean_contrast(values, [0, 0, 1, 1], range(4), [1, -1], bounds=(0, 1))
        ends = estimate - unseen * (estimate + 1), estimate + unseen * (1 - estimate)
        assert (within.low, within.high) == pytest.approx(ends)
        assert within.low < within.high


def test_shapes_are_checked() -> None:
    with pytest.raises(AnswerTableError, match="expected one of each per row and a weight per level"):
        cell_mean_contrast([1, 2], [0, 1], [0, 1], [1])


def test_holm_by_hand() -> None:
    assert holm_adjust([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    adjusted = holm_adjust([0.02, math.nan, 0.9])
    assert adjusted[0] == 0.04
    assert math.isnan(adjusted[1])
    assert adjusted[2] == 0.9
    assert holm_adjust([]) == []
