"""Kappa and alpha, by hand, beside the library where it is installed, and for the people of Table 2."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.policy.agreement import (
    cohen_kappa,
    krippendorff_alpha,
    paraphrase_alpha,
    spread,
    template_agreement,
    variant_kappas,
)
from polbias.eval.policy.robustness import units
from polbias.eval.tables import OutcomesError
from polbias.generators.sources.probvaa import load
from tests.eval.policy.rows import statement
from tests.support.shared import shared

PUBLISHED = shared("upstream/probvaa")


def test_kappa_by_hand() -> None:
    # 2 of 4 agree on yes, 1 on no; shares 3/4 and 2/4: (3/4 - 1/2) / (1 - 1/2).
    assert cohen_kappa([1, 1, 1, 0], [1, 1, 0, 0]) == pytest.approx(0.5)
    assert cohen_kappa([1, 0], [0, 1]) == -1
    assert math.isnan(cohen_kappa([1, 1], [1, 1]))
    assert math.isnan(cohen_kappa([], []))
    with pytest.raises(OutcomesError):
        cohen_kappa([1], [1, 0])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=40))
def test_kappa_is_symmetric_and_at_most_one(pairs: list[tuple[int, int]]) -> None:
    one, two = zip(*pairs, strict=True)
    kappa = cohen_kappa(one, two)
    assert kappa == pytest.approx(cohen_kappa(two, one), nan_ok=True)
    assert math.isnan(kappa) or kappa <= 1 + 1e-9


def test_alpha_of_krippendorffs_own_example() -> None:
    # Krippendorff (2011), section C: four observers, twelve units, nominal .743.
    data = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ]
    assert krippendorff_alpha(data) == pytest.approx(0.743, abs=0.0005)


def test_alpha_without_variation_is_none() -> None:
    assert math.isnan(krippendorff_alpha([[1, 1], [1, 1]]))
    assert math.isnan(krippendorff_alpha([[0, 0], [0, 0]]))
    assert krippendorff_alpha([[1, -1], [1, -1]]) == 1


def test_alpha_beside_the_library() -> None:
    library = pytest.importorskip("krippendorff", reason="the library is under the GPL and not a dependency")
    rng = np.random.default_rng(0)
    for raters, items in ((2, 10), (6, 50), (4, 239)):
        data = rng.choice([-1, 0, 1], (raters, items), p=[0.3, 0.2, 0.5])
        expected = library.alpha(np.where(data == 0, np.nan, data), level_of_measurement="nominal")
        assert krippendorff_alpha(data) == pytest.approx(expected)


def test_spread() -> None:
    found = spread("x", [0.2, 0.4, math.nan])
    assert found.mean == pytest.approx(0.3)
    assert found.deviation == pytest.approx(np.std([0.2, 0.4], ddof=1))
    assert math.isnan(spread("x", []).mean)


def test_a_coherent_model() -> None:
    rows = []
    for number in range(8):
        disagree = number % 2
        counts = {"negation": 30, "opposite": 30} if disagree else {}
        counts |= (
            dict.fromkeys(("original", "paraphrase1", "paraphrase2", "paraphrase3"), 0) if disagree else {}
        )
        for template in ("a", "b"):
            rows += statement(counts, statement=f"xx_{number}", instruction=template)
    table = units(rows)
    assert [each.mean for each in variant_kappas(table)] == [1, -1, -1]
    assert template_agreement(table) == {"alpha": 1, "same": 1, "statements": 8, "templates": 2}
    assert paraphrase_alpha(table).mean == 1


@pytest.mark.skipif(PUBLISHED is None, reason="the published folder is not beside the checkout")
def test_people_of_table_2() -> None:
    assert PUBLISHED
    survey = load(PUBLISHED).survey
    people = sorted({each.annotator for each in survey})
    expected = {"paraphrase": (0.901, 0.081), "negation": (-0.692, 0.122), "opposite": (-0.649, 0.082)}
    for name, (mean, deviation) in expected.items():
        kappas = [
            cohen_kappa(
                [each.original for each in survey if each.annotator == person],
                [getattr(each, name) for each in survey if each.annotator == person],
            )
            for person in people
        ]
        found = spread(name, kappas)
        assert (round(found.mean, 3), round(found.deviation, 3)) == (mean, deviation)
