"""Estimability: thresholds on either side, and the limit of Clopper and Pearson."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from polbias.eval.estimability import Estimability, discordance, modal_share
from polbias.eval.normative.answers import entailment_answers, selection_answers
from polbias.eval.normative.effects import compare_contents
from polbias.eval.normative.wason import compare_selections
from polbias.eval.partisan.analysis import AnswerSubset
from polbias.eval.partisan.answers import argument_answers
from tests.eval.normative.normative_rows import answered, entailment_rows, wason_rows
from tests.eval.selfassess.respondents import compared, first, judged, prefers, refuse, rows


def arguments(labels: dict[str, list[str | None]], per_cluster: int = 4) -> list[dict[str, Any]]:
    """Pairs, the same gold on both sides in turns; the labels of each side, one for each pair."""
    return [
        {
            "leaning": side,
            "gold": ("valid", "invalid")[place % 2],
            "label": label,
            "cluster_id": f"c{place // per_cluster}",
            "pair_id": f"p{place}",
        }
        for side, own in labels.items()
        for place, label in enumerate(own)
    ]


def bias_support(rows: list[dict[str, Any]]) -> Estimability:
    return AnswerSubset(argument_answers(rows)).support


RIGHT: list[str | None] = ["valid", "invalid"] * 20


@pytest.mark.parametrize(
    ("silent", "state"),
    [(0, None), (20, None), (21, "not answered"), (40, "not answered")],
)
def test_under_half_of_either_side_is_not_answered(silent: int, state: str | None) -> None:
    for side in ("left", "right"):
        other = {"left": "right", "right": "left"}[side]
        found = bias_support(arguments({side: [None] * silent + RIGHT[silent:], other: RIGHT}))
        assert found.state == state
        assert found.missing == silent / 40


@pytest.mark.parametrize(("same", "state"), [(98, "no variation"), (97, None)])
def test_ninety_eight_percent_of_one_label_is_no_variation(same: int, state: str | None) -> None:
    labels: list[str | None] = ["valid"] * same + ["invalid"] * (100 - same)
    found = bias_support(arguments({"left": labels, "right": labels[::-1]}, per_cluster=1))
    assert found.commonest == same / 100
    assert found.state == state


def test_refusals_beside_a_constant_verdict_are_no_variation_either() -> None:
    labels: list[str | None] = ["valid", "valid", "valid", "refusal"] * 10
    assert bias_support(arguments({"left": labels, "right": labels})).state == "no variation"


def test_one_label_is_no_lack_of_variation_where_only_one_is_right() -> None:
    rows_ = [row for row in arguments({"left": RIGHT, "right": RIGHT}) if row["gold"] == "valid"]
    assert bias_support(rows_).state is None


@pytest.mark.parametrize(("wrong", "interval"), [(4, False), (5, True)])
def test_fewer_than_five_discordant_clusters_leave_no_interval_but_a_limit_of_pairs(
    wrong: int, interval: bool
) -> None:
    labels = list(RIGHT)
    for cluster in range(wrong):
        labels[4 * cluster] = "invalid"
    found = bias_support(arguments({"left": labels, "right": RIGHT}))
    assert (found.has_interval, found.discordant, found.clusters) == (interval, wrong, 10)
    assert (found.discordant_pairs, found.pairs) == (wrong, 40)
    expected = stats.binomtest(wrong, 40).proportion_ci(0.95, "exact").high
    assert found.limit == pytest.approx(expected)


def test_errors_that_cancel_within_a_cluster_but_not_within_a_pair_are_discordant() -> None:
    left, right = list(RIGHT), list(RIGHT)
    for cluster in range(6):
        left[4 * cluster] = "invalid"
        right[4 * cluster + 2] = "invalid"
    assert bias_support(arguments({"left": left, "right": right})).discordant == 6


@given(st.integers(0, 40), st.integers(1, 40))
def test_the_limit_is_never_the_share_itself(found: int, pairs: int) -> None:
    found = min(found, pairs)
    limit = Estimability(0.0, 0.0, found, pairs, found, pairs).limit
    assert 0 < limit <= 1
    assert limit > found / pairs or found == pairs


def test_a_pair_that_one_side_does_not_answer_is_not_discordant() -> None:
    found = bias_support(arguments({"left": [None] * 4 + RIGHT[4:], "right": RIGHT}))
    assert (found.discordant_pairs, found.pairs) == (0, 36)


def test_nothing_at_all_is_not_answered() -> None:
    assert bias_support([]).state == "not answered"
    assert modal_share(np.array([-1, -1])) == 0
    assert discordance(np.zeros(0, np.intp), np.zeros(0), []) == (0, 0, 0, 0)


def test_inferences_and_selections() -> None:
    asked, cards = entailment_rows("deontic_logic", contents=8), wason_rows(6)
    for label, state in (("refusal", "not answered"), ("entailment", "no variation")):
        answers = entailment_answers(answered(asked, lambda row, label=label: label))
        assert compare_contents(answers).support().state == state
    for label, state in ((None, "not answered"), ("A,B", "no variation")):
        selections = selection_answers(answered(cards, lambda row, label=label: label))
        assert compare_selections(selections).support().state == state
    for flawless in (
        compare_contents(entailment_answers(answered(asked, lambda row: row["gold"]))).support(),
        compare_selections(selection_answers(answered(cards, lambda row: row["gold"]))).support(),
    ):
        assert (flawless.state, flawless.has_interval) == (None, False)


def test_choices_among_articles() -> None:
    asked = rows(20)
    for choose, state in ((first, "no variation"), (refuse, "not answered"), (prefers("left"), None)):
        assert compared(judged(asked, choose)).support.state == state
