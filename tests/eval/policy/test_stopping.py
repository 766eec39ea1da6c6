"""Stopping: what is never asked could not have changed a decision."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.calls import KINDS, draw_contraries, draw_cumulative_counts, draw_p_agree, run_stopping_plan
from polbias.eval.policy.stopping import BATCHES, StoppingPlan, project_outcomes
from polbias.eval.stances import majority_stances, reliable_stances

UNITS = 10_000 // len(KINDS) // 6 + 1
"""Statements of each kind of model, in six instructions: 10,000 units in all."""


def counted(said: Sequence[str]) -> tuple[int, int, int]:
    text = "".join(said)
    return text.count("a"), text.count("d"), text.count("u")


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_what_is_left_is_what_all_continuations_come_to(n: int) -> None:
    found = project_outcomes(n)
    for left in range(min(n, 5) + 1):
        more = {counted(said) for said in product("adu", repeat=left)}
        for a, d in product(range(n - left + 1), repeat=2):
            state = a, d, n - left - a - d
            if state[2] < 0:
                continue
            ends = np.add(state, [*more])
            final = ends[:, 0], ends[:, :2].sum(axis=1), ends.sum(axis=1)
            stance, side = ({*each(*final).tolist()} for each in (reliable_stances, majority_stances))
            bits = sum(1 << code % 3 for code in stance) | sum(8 << code % 3 for code in side)
            assert found.possible_outcomes[state] == bits


def test_thirty_equal_answers_are_settled_after_twenty_three() -> None:
    found = project_outcomes(30).possible_outcomes
    stance = [int(found[m, 0, 0]) & 7 for m in range(31)]
    side = [int(found[m, 0, 0]) >> 3 for m in range(31)]
    assert [each.bit_count() for each in stance].index(1) == 23
    assert [each.bit_count() for each in side].index(1) == 20


@given(st.lists(st.sampled_from("adu"), min_size=30, max_size=30))
@settings(max_examples=200, deadline=None)
def test_a_leap_skips_nothing_that_could_have_settled_a_prompt(said: list[str]) -> None:
    found = project_outcomes(30)
    states = [counted(said[:m]) for m in range(31)]
    for kind, mask in enumerate((7, 56)):
        for m, state in enumerate(states[:-1]):
            leap = int(found.leap[(*state, kind)])
            here = {int(found.possible_outcomes[later]) & mask for later in states[m : m + leap]}
            assert len(here) == 1


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_stopping_decides_as_all_answers_do(kind: str, several: bool) -> None:
    rng = np.random.default_rng(["ABCDEF".index(kind), several])
    contrary = draw_contraries(rng, UNITS)
    answers = draw_cumulative_counts(draw_p_agree(KINDS[kind], rng, UNITS), rng)
    every = StoppingPlan(contrary, 30)
    every.counts = answers[:, :, 30]
    decided, stance = every.decided_stances()
    assert decided.all()
    plan, _ = run_stopping_plan(answers, contrary, accepts_n=several)
    assert plan.decided_stances()[0].all()
    assert (plan.decided_stances()[1] == stance).all()
    assert plan.n_due.max() <= 30
    assert plan.n_due.min() >= (BATCHES[0] if several else 1)
    assert plan.n_due.mean() < 0.65 * 30
    likely, _ = run_stopping_plan(answers, contrary, 0.005, several)
    assert likely.n_due.mean() <= plan.n_due.mean()
    assert (likely.decided_stances()[1] != stance).mean() < 0.01
