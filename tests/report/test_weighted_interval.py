"""The weighted mean and its interval."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.partisan.analysis import weighted_interval
from polbias.eval.statistics import cluster_interval

numbers = st.lists(st.tuples(st.floats(-10, 10), st.integers(0, 3)), min_size=1, max_size=30)


@given(numbers, st.floats(0.1, 10))
def test_equal_weights_give_the_plain_interval(values: list[tuple[float, int]], weight: float) -> None:
    contributions, clusters = zip(*values, strict=True)
    low, mean, high, count = weighted_interval(
        contributions, [weight] * len(values), pd.Categorical(clusters)
    )
    plain = cluster_interval(contributions, clusters)
    assert mean == pytest.approx(plain.estimate, abs=1e-9)
    assert count == plain.clusters
    if plain.standard_error > 0:
        assert (low, high) == pytest.approx((plain.low, plain.high), abs=1e-6)


@given(numbers, st.lists(st.integers(0, 3), min_size=30, max_size=30))
def test_whole_weights_are_copies(values: list[tuple[float, int]], weights: list[int]) -> None:
    contributions, clusters = zip(*values, strict=True)
    used = weights[: len(values)]
    _, mean, _, _ = weighted_interval(contributions, used, pd.Categorical(clusters))
    copies = np.repeat(contributions, used)
    assert mean == (pytest.approx(copies.mean(), abs=1e-9) if copies.size else None)
