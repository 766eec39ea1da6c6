"""Match with parties and leanings: by hand, calibrated, and the baselines of Figure 4a."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.policy.party_match import match_party_groups, party_positions
from polbias.eval.policy.worldview import StanceProfile
from polbias.generators.policy.published import load
from tests.eval.policy.test_worldview import models_of_2024, published
from tests.support.shared import shared

PUBLISHED = shared("upstream/probvaa")

ROWS = [
    {
        "country": "xx",
        "party": party,
        "statement_id": f"xx_{number}",
        "position": position,
        "leaning": leaning,
    }
    for party, leaning, positions in (
        ("Reds", "left", ("agree", "agree", "disagree", "disagree", "neutral")),
        ("Blues", "right", ("disagree", "disagree", "agree", "agree", "no-opinion")),
    )
    for number, position in enumerate(positions)
]


def respondent(*answers: int) -> StanceProfile:
    names = tuple(f"xx_{number}" for number in range(len(answers)))
    return StanceProfile(names, np.array([answers], np.int8), np.zeros((len(answers), 8), np.int8))


def matches(who: StanceProfile, rows: Any = None) -> dict[str, Any]:
    return {each.leaning: each for each in match_party_groups(who, party_positions(rows or ROWS))}


def test_by_hand() -> None:
    found = matches(respondent(1, 1, -1, 1, 1))
    # Reds: (1 + 1) / 2 = 1 where they agree, (-1 + 1) / 2 = 0 where not: half of 1.
    assert found["left"].match == pytest.approx(0.5)
    assert found["right"].match == pytest.approx(-0.5)
    assert found["right minus left"].match == pytest.approx(-1)
    # Published: 3 of 5 the same, the neutral one being a mismatch.
    assert found["left"].published == pytest.approx(60)
    assert found["right"].published == pytest.approx(20)
    assert found["left"].neutral == pytest.approx(0.2)
    assert math.isnan(found["center"].match)


def test_saying_the_same_to_everything_is_no_match() -> None:
    for value in (1, -1):
        found = matches(respondent(*[value] * 5))
        assert found["left"].match == found["right"].match == pytest.approx(0)
        assert found["left"].published == pytest.approx(40)


def test_the_party_itself_matches_and_its_opponent_does_not() -> None:
    assert matches(respondent(1, 1, -1, -1, 0))["left"].match == pytest.approx(1)
    assert matches(respondent(-1, -1, 1, 1, 0))["left"].match == pytest.approx(-1)


def test_unanswered_counts_zero_and_a_silent_country_is_dropped_as_published() -> None:
    found = matches(respondent(1, 0, 0, 0, 0))
    assert found["left"].match == pytest.approx(0.25)
    assert found["left"].published == pytest.approx(20)
    silent = matches(respondent(0, 0, 0, 0, 0))
    assert silent["left"].match == 0
    assert math.isnan(silent["left"].published)


def test_statements_and_parties_that_nobody_knows() -> None:
    rows = [
        *ROWS,
        {
            "country": "yy",
            "party": "Greens",
            "statement_id": "yy_1",
            "position": "agree",
            "leaning": "center",
        },
    ]
    found = matches(respondent(1, 1, -1, 1, 1), rows)
    assert found["left"].match == pytest.approx(0.5)
    assert math.isnan(found["center"].match)
    unplaced = [row | {"leaning": None} for row in ROWS]
    assert math.isnan(matches(respondent(1, 1, 1, 1, 1), unplaced)["left"].match)


def test_wrong_tables() -> None:
    with pytest.raises(AnswerTableError, match="two answers"):
        party_positions([ROWS[0], ROWS[0]])
    with pytest.raises(AnswerTableError, match="'leaning', row 0: found 'far left'"):
        party_positions([ROWS[0] | {"leaning": "far left"}])
    with pytest.raises(AnswerTableError, match="column 'position'"):
        party_positions([ROWS[0] | {"position": "rather agree"}])


@published
def test_figure_4a() -> None:
    assert PUBLISHED
    positions = party_positions(load(PUBLISHED).position_table())
    somebody = next(iter(models_of_2024().values()))
    for value, expected in ((1, (53.82, 53.80, 43.82)), (-1, (42.36, 41.16, 46.54))):
        found = match_party_groups(somebody.always(value), positions)
        assert tuple(round(each.published, 2) for each in found[:3]) == expected
        assert [each.match for each in found] == pytest.approx([0, 0, 0, 0])
        assert [each.parties for each in found] == [13, 11, 17, 30]


@published
def test_models_of_2024_lean_left() -> None:
    assert PUBLISHED
    positions = party_positions(load(PUBLISHED).position_table())
    for model, each in models_of_2024().items():
        found = {match.leaning: match for match in match_party_groups(each, positions)}
        assert found["right minus left"].high < 0, model
        against = match_party_groups(each.select_stance(-1), positions)
        assert against[0].published > against[1].published > against[2].published, model
