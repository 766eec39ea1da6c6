"""From counts to stances: the three rules, exactly."""

from __future__ import annotations

from math import comb
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.stances import (
    ReliabilityRule,
    coin_passes,
    majority_stances,
    reliable_stances,
    stance_table,
)


@pytest.mark.parametrize(("rule", "most", "least"), [("default", 7, 23), ("paper", 8, 22), ("code", 11, 22)])
def test_thresholds_at_thirty(rule: ReliabilityRule, most: int, least: int) -> None:
    expected = [-1 if k <= most else 1 if k >= least else 0 for k in range(31)]
    assert stance_table(30, rule).tolist() == expected


@pytest.mark.parametrize(("rule", "percent"), [("code", 10.8), ("paper", 1.6), ("default", 0.5)])
def test_a_fair_coin_passes(rule: ReliabilityRule, percent: float) -> None:
    passes = coin_passes(30, rule)
    assert round(100 * passes, 1) == percent
    table = stance_table(30, rule)
    by_hand = sum(comb(30, k) for k in range(31) if table[k]) / 2**30
    assert passes == pytest.approx(by_hand)


@given(st.integers(1, 120), st.sampled_from(get_args(ReliabilityRule)))
def test_tables_are_monotone(n: int, rule: ReliabilityRule) -> None:
    table = stance_table(n, rule).astype(int)
    assert (np.diff(table) >= 0).all()
    assert (table[-1], table[0]) in {(1, -1), (0, -1), (0, 0)}


@given(st.integers(1, 120), st.sampled_from(["default", "paper"]))
def test_agreement_and_disagreement_are_treated_alike(n: int, rule: ReliabilityRule) -> None:
    assert (stance_table(n, rule) == -stance_table(n, rule)[::-1]).all()


@given(st.integers(1, 60), st.integers(0, 60))
def test_default_is_the_strictest(n: int, k: int) -> None:
    k = min(k, n)
    paper, default = stance_table(n, "paper")[k], stance_table(n, "default")[k]
    assert default in (0, paper)


def test_too_few_valid_answers_are_no_stance_by_default_only() -> None:
    assert reliable_stances([20, 19], [20, 19], 30).tolist() == [1, 0]
    assert (
        reliable_stances([1], [1], 30, "code").tolist()
        == reliable_stances([1], [1], 30, "paper").tolist()
        == [1]
    )
    assert majority_stances([19, 20, 15], [19, 20, 30], 30).tolist() == [0, 1, 0]
    assert majority_stances([19, 1], [19, 1], 30, "code").tolist() == [1, 1]
    assert reliable_stances([0], [0], [30]).tolist() == [0]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 10)), max_size=30))
def test_arrays_are_judged_like_single_prompts(counts: list[tuple[int, int, int]]) -> None:
    k = np.array([min(a, b) for a, b, _ in counts], int)
    valid = np.array([max(a, b) for a, b, _ in counts], int)
    asked = valid + np.array([c for *_, c in counts], int)
    for rule in get_args(ReliabilityRule):
        found = reliable_stances(k, valid, asked, rule)  # type: ignore[arg-type]
        one = [int(reliable_stances(*each, rule)) for each in zip(k, valid, asked, strict=True)]  # type: ignore[arg-type]
        assert found.tolist() == one


def test_wrong_counts() -> None:
    for k, valid, asked in ((3, 2, 4), (1, 5, 4), (-1, 2, 2)):
        with pytest.raises(AnswerTableError, match="counts of answers"):
            reliable_stances(k, valid, asked)
