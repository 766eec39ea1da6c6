"""Answers without a stance: the leaning is of the answers given, and the bounds say what the others could do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from polbias.aliases import Floats, Indices
from polbias.eval.policy.analysis import BalancedStance, estimate_balanced_stance
from polbias.eval.policy.answers import COUNTS, ORDERS, VARIANTS
from polbias.eval.policy.prompts import policy_prompts
from polbias.eval.policy.respondent import PolicyAnswers
from polbias.eval.policy.robustness import acquiescence, label_order_gap
from polbias.eval.policy.worldview import balanced_stance
from polbias.eval.report.paired import count_unanswered, paired_differences
from tests.eval.policy.rows import prompt, units_of
from tests.support.policy_samples import text_side

N, STATEMENTS = 30, 40
Counts = Callable[[int, int, int], tuple[int, int]]
"""Number of the statement, its sign and the contrast of the text to answers that agree and that disagree."""


def asked(counts: Counts) -> PolicyAnswers:
    """The answers to statements of the right (odd numbers) and of the left, each on a topic of its own."""
    prompts = policy_prompts(
        [
            prompt(variant, order=order, statement=f"xx_{number:02}", side=_text_side(number, variant))
            for number in range(STATEMENTS)
            for variant in VARIANTS
            for order in ORDERS
        ]
    )
    table = np.zeros((len(prompts), 5), np.intp)
    for row, (number, contrast) in enumerate(
        zip(prompts["statement"].cat.codes, prompts["direction"], strict=True)
    ):
        agree, disagree = counts(int(number), _sign(number), int(contrast))
        table[row, :3] = disagree, agree, N - agree - disagree
    return _with(prompts, table)


def _with(prompts: pd.DataFrame, table: Indices) -> PolicyAnswers:
    return PolicyAnswers(prompts.assign(**dict(zip(COUNTS, table.T, strict=True))))


def _sign(number: int) -> int:
    return 1 if number % 2 else -1


def _text_side(number: int, variant: str) -> str | None:
    return text_side({"law_and_order": _sign(number)}, variant)


def leaning(answers: PolicyAnswers) -> BalancedStance:
    return estimate_balanced_stance(answers, answers.sides, reliable=False)


def random_answers(seed: int, missing: float = 0.0) -> PolicyAnswers:
    rng = np.random.default_rng(seed)

    def counts(number: int, sign: int, contrast: int) -> tuple[int, int]:
        valid = N - int(rng.binomial(N - 1, missing))
        agree = int(rng.binomial(valid, rng.random()))
        return agree, valid - agree

    return asked(counts)


def agree_shares(answers: PolicyAnswers) -> Floats:
    return (1 + answers.net) / 2


@pytest.mark.parametrize("seed", range(3))
def test_the_leaning_is_the_difference_of_the_sides(seed: int) -> None:
    answers = random_answers(seed)
    rows = answers.sided_rows(answers.sides)
    by_statement = balanced_stance(answers.net_by_statement.value[None, :], answers.sides)[0]
    for side in (1, -1):
        assert rows.weight[rows.side == side].sum() == pytest.approx(1, abs=1e-12)
    assert rows.difference(agree_shares(answers)) == pytest.approx(by_statement, abs=1e-12)
    assert leaning(answers).estimate.value == pytest.approx(100 * by_statement, abs=1e-10)
    some = random_answers(seed, missing=0.3)
    expected = some.sided_rows(some.sides).difference(agree_shares(some))
    assert leaning(some).estimate.value == pytest.approx(100 * expected, abs=1e-10)


def test_who_says_yes_and_refuses_one_side_has_no_leaning() -> None:
    """It agrees with 90% of whatever it answers, and refuses a third of the texts for the right."""

    def counts(number: int, sign: int, contrast: int) -> tuple[int, int]:
        return (18, 2) if sign * contrast > 0 else (27, 3)

    found = leaning(asked(counts))
    assert found.estimate.value == pytest.approx(0, abs=1e-9)
    assert found.gap is not None
    assert found.gap.value == pytest.approx(100 / 3)
    assert found.estimate.refusals == STATEMENTS * 6 * 10
    # right: .9 * 2/3 + 1/3 at most; left: .9 throughout
    assert found.bounds == pytest.approx((100 * (0.6 - 0.9), 100 * (0.6 + 1 / 3 - 0.9)))


def test_single_refusals_of_one_side_are_no_leaning() -> None:
    """One answer a prompt, as the task of the leaning asks for."""
    rng = np.random.default_rng(1)
    base = asked(lambda number, sign, contrast: (N, 0)).prompts
    favours_right = base["direction"] * np.where(base["statement"].cat.codes % 2, 1, -1) > 0
    values = []
    for _ in range(30):
        label = np.where(rng.random(len(base)) < 0.9, 1, 0)
        label = np.where(favours_right & (rng.random(len(base)) < 0.3), 2, label)
        values.append(leaning(_with(base, np.eye(5, dtype=np.intp)[label])).estimate.value)
    assert abs(np.mean(values)) < 1.5  # 27 points if a refusal counted 0


def test_a_statement_that_lost_a_direction_leaves_and_is_in_the_bounds_whole() -> None:
    def counts(number: int, sign: int, contrast: int) -> tuple[int, int]:
        stance = (24, 6) if (sign * contrast > 0) == (number % 4 > 1) else (9, 21)
        return (0, 0) if (number, contrast) == (1, -1) else stance

    answers = asked(counts)
    found = leaning(answers)
    compared = answers.sides * (np.arange(STATEMENTS) != 1)
    without = balanced_stance(np.nan_to_num(answers.net_by_statement.value)[None, :], compared)[0]
    assert np.isnan(answers.net_by_statement.value).sum() == 1
    assert found.estimate.value == pytest.approx(100 * without)
    assert found.estimate.clusters == STATEMENTS - 1
    assert (found.estimate.pairs, found.positive) == (STATEMENTS - 1, 20)
    assert found.bounds is not None
    low, high = found.bounds
    assert low is not None
    assert high is not None
    # one of twenty statements of the right, of which one direction may say anything
    assert high - low == pytest.approx(100 / 20 / 2)
    assert found.scores is not None
    assert len(found.scores.ids) == STATEMENTS
    assert np.isnan(found.scores.values).nonzero()[0].tolist() == [1]
    assert np.nanmean(found.scores.values) == pytest.approx(found.estimate.value)


def test_respondents_are_compared_on_statements_that_both_answered() -> None:
    def without(lost: set[int]) -> BalancedStance:
        return leaning(asked(lambda number, sign, contrast: (0, 0) if number in lost else (20, 10)))

    first, second = (without(lost).scores for lost in ({3}, {4, 5}))
    assert first is not None
    assert second is not None
    assert len(paired_differences(first, second).ids) == STATEMENTS - 3
    assert count_unanswered(first, second) == (1, 2)


def test_missing_answers_of_both_sides_alike_are_no_surplus() -> None:
    def stance(valid: int) -> tuple[int, int]:
        return 2 * valid // 3, valid // 3

    alike = leaning(asked(lambda number, sign, contrast: stance(15)))
    assert alike.excess is not None
    assert (alike.excess.low, alike.excess.high) == pytest.approx((0, 0), abs=1e-9)
    right = leaning(asked(lambda number, sign, contrast: stance(15 if sign * contrast > 0 else 24)))
    assert right.excess is not None
    # Missing are half of the right and a fifth of the left: a surplus of .3, of which 2/3 agree by its mean.
    assert (right.excess.low, right.excess.high) == pytest.approx((-100 * 0.3 * 2 / 3, 100 * 0.3 / 3))
    assert right.excess.low_end <= right.excess.low
    complete = leaning(asked(lambda number, sign, contrast: stance(30)))
    assert complete.excess is None


def test_a_refusal_gap_of_few_topics_is_bounded_by_statements() -> None:
    """Whoever refuses a statement in both directions tells no sides apart."""
    even = leaning(asked(lambda number, sign, contrast: (10, 10) if number % 3 else (20, 10))).gap
    assert even is not None
    assert (even.low, even.p) == (None, None)
    assert (even.discordant, even.pairs) == (0, STATEMENTS)
    assert even.limit == pytest.approx(1 - 0.025 ** (1 / STATEMENTS))
    sided = leaning(asked(lambda number, sign, contrast: (10, 10) if sign * contrast > 0 else (20, 10))).gap
    assert sided is not None
    assert sided.discordant == STATEMENTS


def test_habits_are_those_of_the_answers_given() -> None:
    """Who agrees with everything but refuses half of all negations is a yes-man all the same."""
    rows = [
        prompt(variant, agree, agree, order, asked=N)
        for order in ORDERS
        for variant, agree in {"original": 30, "negation": 15}.items()
    ]
    assert acquiescence(units_of(rows)).estimate == 1
    first = [prompt("original", 12, 12), prompt("original", 0, 30, order="inverted")]
    assert label_order_gap(units_of(first)).estimate == 1
