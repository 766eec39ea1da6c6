"""Distances between parties on the full scale and on three positions (Table 8 of Ceron et al.)."""

from __future__ import annotations

import pandas as pd
import pytest

from polbias.generators.policy.party_scales import FULL_SCALES, correlate_scales, scale_correlations
from tests.support.shared import shared

PUBLISHED = shared("upstream/probvaa")


def answers(*rows: tuple[str, ...]) -> pd.DataFrame:
    names = ("completely agree", "agree", "disagree", "completely disagree")
    return pd.DataFrame(
        [
            {"party": party, "statementID": str(number), "position": names[int(code)]}
            for party, codes in rows
            for number, code in enumerate(codes)
        ]
    )


def test_a_scale_of_extremes_is_kept() -> None:
    table = answers(("a", "000"), ("b", "003"), ("c", "333"))
    found = correlate_scales("es", table, FULL_SCALES["es"])
    assert (found.correlation, found.parties) == (pytest.approx(1.0), 3)


def test_what_three_positions_lose() -> None:
    # full scale: ab 2, ac 2, bc 4, ranks 1.5, 1.5, 3; three positions: ab 0, ac 2, bc 2, ranks 1, 2.5, 2.5
    table = answers(("a", "11"), ("b", "00"), ("c", "12"))
    found = correlate_scales("es", table, FULL_SCALES["es"])
    assert found.correlation == pytest.approx(0.5)


@pytest.mark.skipif(PUBLISHED is None, reason="the published folder is not beside the checkout")
def test_the_published_answers() -> None:
    assert PUBLISHED is not None
    found = {each.country: each for each in scale_correlations(PUBLISHED)}
    assert {country: (round(each.correlation, 2), each.parties) for country, each in found.items()} == {
        "es": (0.95, 7),
        "it": (0.98, 6),
    }
