"""The bias of the ladder and what stands beside it, by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

from benchmarks.ladder_rows import ladder_rows
from polbias.eval.ladder.analysis import LadderSubset, mention_effect, subsets_by
from polbias.eval.ladder.answers import LABELS, VERDICTS
from polbias.eval.statistics import cluster_interval
from polbias.eval.variance_components import discordant_odds, shift_of_odds
from tests.eval.ladder.answered import Row, answered

SCORES = {"follows": 1, "open": 0, "excluded": -1}


def drawn_labels(rows: Sequence[Row], seed: int, labels: Sequence[str] = VERDICTS) -> list[str]:
    """Draw labels, more often follows for the right."""
    rng = np.random.default_rng(seed)
    return [
        "follows"
        if row["leaning"] == "right" and rng.random() < 0.2
        else str(rng.choice([*labels, row["gold"]]))
        for row in rows
    ]


def pair_differences(labels: Sequence[str]) -> list[float]:
    """Half the score of the right minus half of the left, in points; twins follow each other."""
    return [
        50.0 * (SCORES[right] - SCORES[left]) for left, right in zip(labels[::2], labels[1::2], strict=True)
    ]


def test_the_bias_is_the_mean_over_pairs_with_an_interval_over_skeletons() -> None:
    rows = [*ladder_rows("us_en_l3", 90)]
    labels = drawn_labels(rows, 1)
    bias = LadderSubset(answered(rows, labels).rows).bias()
    by_hand = cluster_interval(pair_differences(labels), range(90))
    assert bias.value == pytest.approx(by_hand.estimate)
    assert (bias.low, bias.high) == (pytest.approx(by_hand.low), pytest.approx(by_hand.high))
    assert (bias.n, bias.clusters, bias.pairs) == (180, 90, 90)


def test_levels_have_equal_weights_and_countries_share_skeletons() -> None:
    easy, hard = [*ladder_rows("us_en_l1", 90)], [*ladder_rows("us_en_l2", 18)]
    abroad = [*ladder_rows("de_de_l2", 18)]
    rows = [*easy, *hard, *abroad]
    labels = drawn_labels(rows, 2)
    part = LadderSubset(answered(rows, labels).rows)
    means = [
        np.mean(pair_differences(part_labels))
        for part_labels in (labels[:180], labels[180:216], labels[216:])
    ]
    assert part.bias().value == pytest.approx(np.mean(means))
    assert part.bias().clusters == 90 + 18


def test_prompts_with_examples_weigh_as_much_as_those_without() -> None:
    without = [*ladder_rows("us_en_l3", 90)]
    with_examples = [
        {**row, "shots": 6, "id": f"6shot/{row['id']}", "pair_id": f"6shot/{row['pair_id']}"}
        for row in without[:36]
    ]
    labels = drawn_labels([*without, *with_examples], 3)
    rows = answered([*without, *with_examples], labels).rows
    means = [np.mean(pair_differences(part_labels)) for part_labels in (labels[:180], labels[180:])]
    assert LadderSubset(rows).bias().value == pytest.approx(np.mean(means))
    assert [part.bias().value for _, part in subsets_by(rows, "shots")] == pytest.approx(means)


def test_a_perfect_and_a_partisan_respondent() -> None:
    rows = [*ladder_rows("gb_en_l2", 90)]
    perfect = LadderSubset(answered(rows, [row["gold"] for row in rows]).rows)
    assert (perfect.accuracy().value, perfect.bias().value, perfect.log_odds().value) == (1.0, 0.0, None)
    partisan = LadderSubset(
        answered(rows, ["follows" if row["leaning"] == "right" else "excluded" for row in rows]).rows
    )
    assert partisan.bias().value == pytest.approx(100)
    assert partisan.follows_bias().value == pytest.approx(100)
    assert partisan.accuracy().value == pytest.approx(1 / 3)
    assert partisan.log_odds().value == pytest.approx(math.log(90.5 / 0.5))
    assert partisan.log_odds().high is None


def test_follows_alone_counts_open_and_excluded_alike() -> None:
    rows = [*ladder_rows("us_en_l3", 90)]
    part = LadderSubset(
        answered(rows, ["open" if row["leaning"] == "right" else "excluded" for row in rows]).rows
    )
    assert part.bias().value == pytest.approx(50)
    assert part.follows_bias().value == 0


def test_the_mention_effect_is_of_the_name_and_not_of_the_gain() -> None:
    rows = [*ladder_rows("us_en_l3", 180)]
    named = answered(rows, ["follows" if row["mentioned"] == "right" else "excluded" for row in rows]).rows
    effect = mention_effect(named)
    assert effect is not None
    assert effect.value == pytest.approx(100)
    testimony = dict(subsets_by(named, "family"))["testimony"]
    assert testimony.bias().value == pytest.approx(0, abs=1e-9)
    gaining = answered(rows, ["follows" if row["leaning"] == "right" else "excluded" for row in rows]).rows
    effect = mention_effect(gaining)
    assert effect is not None
    assert effect.value == pytest.approx(0, abs=1e-9)
    assert mention_effect(gaining[gaining["family"] == "ranking"]) is None


def test_a_missing_verdict_takes_its_pair_along_and_the_bounds_take_every_value() -> None:
    rows = [*ladder_rows("us_en_l3", 18)]
    labels = drawn_labels(rows, 3)
    labels[0] = labels[7] = "refusal"
    part = LadderSubset(answered(rows, labels).rows)
    complete = [
        [first if number == 0 else second if number == 7 else label for number, label in enumerate(labels)]
        for first, second in itertools.product(VERDICTS, repeat=2)
    ]
    values = [LadderSubset(answered(rows, filled).rows).bias().value or 0.0 for filled in complete]
    assert part.bounds() == (pytest.approx(min(values)), pytest.approx(max(values)))
    excess = part.excess()
    assert excess is not None
    assert min(values) - 1e-9 <= excess.low <= excess.high <= max(values) + 1e-9
    bias = part.bias()
    assert (bias.refusals, bias.pairs) == (2, 16)
    both = [
        pair
        for number, pair in enumerate(
            pair_differences([*labels[:0], "open", *labels[1:7], "open", *labels[8:]])
        )
        if number not in (0, 3)
    ]
    assert bias.value == pytest.approx(np.mean(both))
    assert part.refusal_gap().value == pytest.approx(0)


def test_refusals_of_hard_arguments_of_one_side_leave_the_bias_of_a_fair_respondent_near_0() -> None:
    rng, biases = np.random.default_rng(4), []
    rows = [*ladder_rows("us_en_l3", 90)]
    for _ in range(60):
        labels = []
        for row in rows:
            answer = row["gold"] if rng.random() < 0.5 else str(rng.choice(VERDICTS, p=(0.1, 0.2, 0.7)))
            is_refused = row["leaning"] == "right" and row["gold"] == "excluded" and rng.random() < 0.5
            labels.append("refusal" if is_refused else answer)
        part = LadderSubset(answered(rows, labels).rows)
        biases.append(part.bias().value)
        assert (part.refusal_gap().value or 0) > 0
    assert abs(np.mean(biases)) < 3 * np.std(biases) / math.sqrt(60)


def test_the_log_odds_are_the_conditional_estimate_whatever_the_ability() -> None:
    rng, effect = np.random.default_rng(5), 0.8
    for ability in (-1.0, 1.0, 3.0):
        right, left = (
            rng.random(200_000) < 1 / (1 + np.exp(-(ability + shift))) for shift in (effect / 2, -effect / 2)
        )
        odds = discordant_odds(right.astype(float) - left, np.arange(200_000))
        assert odds.value == pytest.approx(effect, abs=0.05)
        assert odds.low < effect < odds.high
        assert odds.influence.sum() == pytest.approx(0, abs=1e-9)


def test_the_latent_shift_converts_the_log_odds_and_is_the_mean_of_its_contributions() -> None:
    rows = [*ladder_rows("us_en_l3", 90)]
    labels = drawn_labels(rows, 6)
    labels[3] = "unparsable"
    part = LadderSubset(answered(rows, labels).rows)
    assert part.latent_shift().value == pytest.approx(shift_of_odds(part.odds.value))
    contributions = part.latent_contributions()
    assert contributions[part.is_in_answered_pair].mean() == pytest.approx(part.latent_shift().value)
    assert not contributions[~part.is_in_answered_pair].any()
    assert part.contributions().sum() == pytest.approx(part.bias().value)


def test_without_a_discordant_pair_the_odds_have_no_bound() -> None:
    odds = discordant_odds(np.zeros(20), range(20))
    assert (odds.value, odds.low, odds.high) == (0.0, -math.inf, math.inf)


def test_families_that_differ_are_found() -> None:
    rows = [*ladder_rows("us_en_l3", 180)]
    labels = drawn_labels(rows, 7, labels=("follows", "open", "excluded"))
    even = LadderSubset(answered(rows, labels).rows).p_heterogeneity("family")
    tilted = [
        ("follows" if row["leaning"] == "right" else "excluded") if row["family"] == "rules" else label
        for row, label in zip(rows, labels, strict=True)
    ]
    assert even is not None
    assert even > 0.01
    p = LadderSubset(answered(rows, tilted).rows).p_heterogeneity("family")
    assert p is not None
    assert p < 1e-6
    assert LadderSubset(answered(rows, labels).rows).p_heterogeneity("config") is None


@pytest.mark.parametrize(("label", "state"), [("refusal", "not answered"), ("open", "no variation")])
def test_some_respondents_have_no_bias_to_estimate(label: str, state: str) -> None:
    rows = [*ladder_rows("us_en_l3", 30)]
    bias = LadderSubset(answered(rows, [label] * 60).rows).bias()
    assert (bias.state, bias.value, bias.p) == (state, None, None)


def test_all_labels_have_a_code_in_the_order_of_their_scores() -> None:
    assert [LABELS.index(label) - 1 for label in ("excluded", "open", "follows")] == [-1, 0, 1]
