from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from polbias.eval.simulation.draws import keys, normals, uniforms

GOLDEN = [0.10231590572184218, 0.8555873029402068, 0.7930793023659466]
MANY = keys(map(str, range(50_000)))


def test_draws_are_the_same_on_every_machine() -> None:
    drawn = uniforms(keys(["a", "b", "Größe"]), 7, "planted", "answer", 0)
    assert drawn.tolist() == pytest.approx(GOLDEN, abs=1e-15)


def test_a_draw_depends_on_its_key_and_name_alone() -> None:
    some = keys(["a", "b", "c"])
    assert uniforms(some[::-1], 1, "x").tolist() == uniforms(some, 1, "x")[::-1].tolist()
    assert uniforms(some[1:2], 1, "x")[0] == uniforms(some, 1, "x")[1]


@pytest.mark.parametrize("name", [(0,), (1, "answer", 0), (1, "answer", 1)])
def test_draws_are_uniform_and_normal(name: tuple[object, ...]) -> None:
    drawn = uniforms(MANY, *name)
    assert drawn.min() > 0
    assert drawn.max() < 1
    assert stats.kstest(drawn, "uniform").pvalue > 0.001
    assert stats.kstest(normals(MANY, *name), "norm").pvalue > 0.001


def test_draws_of_different_names_are_independent() -> None:
    drawn = np.stack([uniforms(MANY, seed, "answer", sample) for seed in range(3) for sample in range(3)])
    off_diagonal = np.corrcoef(drawn)[~np.eye(9, dtype=bool)]
    assert np.abs(off_diagonal).max() < 4 / np.sqrt(MANY.size)
