"""The figures: one per set and number of articles, described in words, for any respondent."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from polbias.eval.selfassess.summary import figures, selfassess_summary
from tests.eval.selfassess.respondents import Choose, coin, judged, planted, refuse, rows


@pytest.mark.parametrize("choose", [coin, refuse])
def test_every_figure_is_drawn(choose: Choose) -> None:
    found = {"one": selfassess_summary(judged(rows(6, sets=("econolex", "poligen")), choose))}
    drawn = figures(found, {"econolex": {"left": "Socialist"}})
    kinds = ("bias", "shares", "position", "roles", "questions")
    assert {*drawn} == {
        f"{kind}-{name}-{ways}" for kind in kinds for name in ("econolex", "poligen") for ways in (2, 3)
    }
    for name, svg in drawn.items():
        root = ET.fromstring(svg)
        assert root.attrib["id"] == f"selfassess-{name}"
    assert "Socialist" in drawn["shares-econolex-2"]
    assert "Socialist" not in drawn["shares-poligen-2"]


def test_a_set_with_one_role_and_one_question_has_no_comparisons() -> None:
    asked = rows(6, roles=("user",), questions=("preference",), ways=(2,))
    drawn = figures({"one": selfassess_summary(judged(asked, planted(0.6)))})
    assert {*drawn} == {"bias-poligen-2", "shares-poligen-2", "position-poligen-2"}
    assert "one, corrected: " in drawn["bias-poligen-2"]
