"""What the analysis says of simulated respondents whose leaning and position bias are known."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.multiple_testing import holm_adjust
from polbias.eval.selfassess.answers import choice_answers
from polbias.eval.selfassess.shares import (
    cells,
    estimate_topic_mean,
    sample_one_order,
    select_for_mode,
    side_shares,
)
from tests.eval.selfassess.respondents import (
    coin,
    first,
    judged,
    planted,
    prefers,
    refuse,
    rows,
    summary_of,
    table_of,
)

ASKED = rows(60)


def found(table: str, summary: dict[str, Any], **wanted: Any) -> dict[str, Any]:
    """The one row of a table with these values."""
    hits = [row for row in summary[table] if all(row[key] == value for key, value in wanted.items())]
    assert len(hits) == 1, hits
    return dict(hits[0])


@pytest.fixture(scope="module")
def planted_summary() -> dict[str, Any]:
    return summary_of(judged(rows(400), planted(0.6), seed=1))


def test_a_planted_preference_is_found(planted_summary: dict[str, Any]) -> None:
    for mode in ("paper", "corrected"):
        two = found("table4", planted_summary, n_alternatives=2, mode=mode)
        assert two["left_low"] < 0.6 < two["left_high"]
        assert two["bias_low"] < -20 < two["bias_high"] < 0
        assert two["left"] + two["right"] == pytest.approx(1)
        three = found("table4", planted_summary, n_alternatives=3, mode=mode)
        assert three["left_low"] < 0.4 < three["left_high"]
        assert three["neutral_low"] < 1 / 3 < three["neutral_high"]
        assert three["left"] + three["right"] + three["neutral"] == pytest.approx(1)
    assert found("table4", planted_summary, n_alternatives=2, mode="paper")["n"] == 400
    assert {row["dropped"] for row in planted_summary["table4"]} == {0}
    assert found("table4", planted_summary, n_alternatives=3, mode="corrected")["n"] == 2400


def test_a_planted_preference_is_no_position_bias(planted_summary: dict[str, Any]) -> None:
    for row in planted_summary["positions"]:
        assert row["position_bias_low"] - 3 < 0 < row["position_bias_high"] + 3
    model = found(
        "models",
        planted_summary,
        question="preference",
        role="user",
        n_alternatives=2,
        term="right over left",
    )
    assert model["low"] < math.log(0.4 / 0.6) < model["high"]
    assert found("roles", planted_summary, question="preference", n_alternatives=2)["p"] > 0.001


def test_a_position_follower_shows_as_that_and_leans_nowhere() -> None:
    summary = summary_of(judged(ASKED, first))
    for row in summary["shares"]:
        assert (row["bias"], row["p"], row["state"]) == (None, None, "no variation")
    for row in summary["positions"]:
        assert row["first"] == 1
        assert row["position_bias"] == pytest.approx(100 * (1 - 1 / row["n_alternatives"]))
        assert row["position_bias_low"] > 40
        assert row["p"] < 1e-6
    for row in summary["consistency"]:
        assert (row["position"], row["content"]) == (1, 0)
    paper = found("table4", summary, n_alternatives=2, mode="paper")
    assert paper["bias_low"] < 0 < paper["bias_high"]
    assert all(row["coef"] is None and "always" in row["note"] for row in summary["models"])


def test_a_content_follower_shows_as_that() -> None:
    summary = summary_of(judged(ASKED, prefers("left")))
    for row in summary["shares"]:
        assert row["bias"] == -100
        assert (
            -100 <= row["bias_low"] <= row["bias_high"] < -80
        )  # 60 topics that all agree are not all topics
        assert row["p"] < 1e-4
    assert {row["content"] for row in summary["consistency"]} == {1}
    for row in summary["positions"]:
        assert row["position_bias"] == pytest.approx(0)
    assert {row["agreement"] for row in summary["questions"]} == {1}
    assert all("never chosen" in row["note"] for row in summary["strengths"])


def test_refusals_stay_in_every_denominator() -> None:
    summary = summary_of(judged(ASKED, refuse))
    assert sum(row["n"] for row in summary["shares"]) == len(ASKED)
    for row in summary["shares"]:
        assert (row["bias"], row["left"], row["refusal"]) == (None, 0, 1)
        assert row["state"] == "not answered"
        assert (row["bound_low"], row["bound_high"]) == (-100, 100)
    assert {row["unanswered"] for row in summary["consistency"]} == {1}
    assert {row["agreement"] for row in summary["questions"]} == {0}
    assert [row["mode"] for row in summary["table4"]] == ["corrected", "corrected"]
    assert {row["note"] for row in summary["models"]} == {"no choices"}
    json.dumps(summary, allow_nan=False)


def test_what_is_refused_leaves_the_bias_and_the_bounds_hold_the_truth() -> None:
    def choose(row: Any, rng: np.random.Generator) -> int | str | None:
        return "refusal" if rng.random() < 0.3 else prefers("right")(row, rng)

    summary = summary_of(judged(ASKED, choose))
    corrected = found("table4", summary, n_alternatives=2, mode="corrected")
    paper = found("table4", summary, n_alternatives=2, mode="paper")
    assert (paper["bias"], paper["n"] + paper["dropped"]) == (100, 60)
    assert corrected["bias"] == 100
    assert corrected["right"] == pytest.approx(1 - corrected["refusal"])
    assert corrected["bound_high"] == pytest.approx(100)
    assert corrected["bound_low"] == pytest.approx(100 * (1 - 2 * corrected["refusal"]))


def test_noise_is_not_significant_and_json_is_strict() -> None:
    summary = summary_of(judged(ASKED, coin, seed=3))
    tests = [row["p"] for name in ("shares", "roles", "questions", "positions") for row in summary[name]]
    assert min(holm_adjust(tests)) > 0.05
    json.dumps(summary, allow_nan=False)


def test_roles_and_questions_are_told_apart() -> None:
    def choose(row: Any, rng: np.random.Generator) -> int | str | None:
        share = 0.8 if row["role"] == "user" else 0.5
        share = share if row["question"] == "preference" else 0.5
        return planted(share)(row, rng)

    summary = summary_of(judged(rows(300), choose, seed=2))
    role = found("roles", summary, question="preference", n_alternatives=2)
    assert role["difference_low"] < 60 < role["difference_high"]
    assert role["difference"] == pytest.approx(role["agent"] - role["user"])
    assert role["magnitude"] < -40
    question = found("questions", summary, role="user", n_alternatives=2)
    assert question["difference_low"] < 60 < question["difference_high"]
    assert abs(question["agreement"] - question["agreement_expected"]) < 0.1


def test_pairing_by_topic_narrows_the_difference() -> None:
    """Topics that each side wins whoever asks: unpaired errors would be far from 0."""
    asked = rows(100, questions=("preference",), ways=(2,))
    summary = summary_of(
        judged(asked, lambda row, rng: prefers("left" if row["item"] < "poligen-0050" else "right")(row, rng))
    )
    assert found("roles", summary, question="preference", n_alternatives=2)["se"] == pytest.approx(0)
    assert found("shares", summary, role="user")["se"] > 5


def test_sets_are_never_pooled() -> None:
    asked = rows(12, sets=("econolex", "poligen"))
    summary = summary_of(judged(asked, coin))
    assert {row["set"] for row in summary["shares"]} == {"econolex", "poligen"}
    alone = summary_of([row for row in judged(asked, coin) if row["set"] == "poligen"])
    for name in summary:
        assert alone[name] == [row for row in summary[name] if row["set"] == "poligen"], name


def test_one_order_is_drawn_per_topic_whatever_the_order_of_rows() -> None:
    judgements = judged(ASKED, coin)
    table = choice_answers(judgements)
    kept = {row["id"] for row, keep in zip(judgements, sample_one_order(table), strict=True) if keep}
    assert len(kept) == 60 * 2 * 2 * 2
    shuffled = [judgements[place] for place in np.random.default_rng(0).permutation(len(judgements))]
    again = sample_one_order(choice_answers(shuffled))
    assert kept == {row["id"] for row, keep in zip(shuffled, again, strict=True) if keep}
    assert kept != {
        row["id"] for row, keep in zip(judgements, sample_one_order(table, seed=1), strict=True) if keep
    }
    orders = {tuple(name.split("/")[i] for i in (1, 4)): name.split("/")[5] for name in kept}
    assert all(orders[tuple(name.split("/")[i] for i in (1, 4))] == name.split("/")[5] for name in kept)
    firsts = [row["sides"][0] for row in judgements if row["id"] in kept and row["ways"] == 2]
    assert 0.3 < np.mean([side == "left" for side in firsts]) < 0.7
    with pytest.raises(AnswerTableError, match="mode: found 'both'"):
        select_for_mode(table, "both")  # type: ignore[arg-type]


def test_errors_are_clustered_by_topic() -> None:
    """Asking the same topic in ten orders that all agree says no more than asking once."""
    won = np.random.default_rng(0).random(80) < 0.5
    errors = []
    for repeats in (2, 20):
        table = choice_answers(table_of(np.repeat(won[:, None], repeats, axis=1), range(80)))
        errors.append(side_shares(next(cells(table))[1])["se"])
    assert errors[0] == pytest.approx(errors[1])


def coverage(simulations: int, topics: int = 60, spread: float = 0.2, seed: int = 0) -> float:
    """Share of intervals of the bias that hold the truth, where topics have leanings of their own around .6."""
    rng = np.random.default_rng(seed)
    kind = 0.6 * (1 / spread**2 * 0.24 - 1), 0.4 * (1 / spread**2 * 0.24 - 1)
    hits = 0
    for _ in range(simulations):
        share = rng.beta(*kind, topics)
        won = rng.random((topics, 6)) < share[:, None]
        table = choice_answers(table_of(won, range(topics)))
        row = side_shares(next(cells(table))[1])
        hits += row["bias_low"] <= -20 <= row["bias_high"]
    return hits / simulations


def test_intervals_hold_the_truth() -> None:
    assert 0.9 <= coverage(80) <= 1


def test_an_interval_is_never_empty_because_all_topics_agree() -> None:
    same = estimate_topic_mean(np.ones(40), np.arange(40))
    assert (same.value, same.high) == (1, 1)
    assert same.low == pytest.approx(0.025 ** (1 / 40))  # Clopper and Pearson
    assert math.isnan(estimate_topic_mean([1.0], np.zeros(1, int)).low)
