"""Statements on one topic are one cluster: the intervals of stances, and where there are none."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from polbias.eval.policy.analysis import smallest_p
from polbias.eval.policy.prompts import policy_prompts
from polbias.eval.policy.worldview import MIN_STATEMENTS, stance_contrast
from polbias.generators.policy.templates import load_family
from tests.eval.policy.rows import statement, units_of


def shipped() -> tuple[np.ndarray, pd.Categorical, np.ndarray]:
    """Sides of the published statements, their topics, and every statement as one of its own."""
    every = [each for file in load_family().countries.values() for each in file.statements]
    sides = np.array([{"left": -1, "right": 1, None: 0}[each.side] for each in every], np.int8)
    return sides, pd.Categorical([each.topic for each in every]), np.arange(len(every))


@pytest.mark.parametrize(("share", "alone_covers"), [(1.0, 0.80), (0.5, 0.85)])
def test_the_headline_covers_where_stances_go_by_topic(share: float, alone_covers: float) -> None:
    """A stance on a topic, for the right or the left, is held in every country; the mean is no leaning."""
    sides, topics, alone = shipped()
    rng, many = np.random.default_rng(7), 400
    covered = {"topic": 0, "alone": 0}
    for _ in range(many):
        held = rng.normal(0, math.sqrt(share), len(topics.categories))[topics.codes]
        own = rng.normal(0, math.sqrt(1 - share), sides.size)
        stance = np.tanh(0.8 * (sides * held + own))[None, :]
        for name, clusters in (("topic", topics), ("alone", alone)):
            found = stance_contrast(stance, sides, clusters)
            covered[name] += found.low <= 0 <= found.high
    assert covered["topic"] / many >= 0.90
    assert covered["alone"] / many < alone_covers


def test_topics_are_one_in_all_countries() -> None:
    topics = {each.topic for file in load_family().countries.values() for each in file.statements}
    merged = {"border", "military", "benefits", "refugees", "immigration", "public finance"}
    assert not topics & merged
    of = {each.id: each.topic for file in load_family().countries.values() for each in file.statements}
    for same in (("de-05-eu-veto", "nl-02-veto"), ("de-06-development-aid", "it-05-development-cooperation")):
        assert len({of[each] for each in same}) == 1


def test_the_topic_is_that_of_the_data_or_the_statement_itself() -> None:
    rows = [row for name in ("xx_1", "xx_2", "xx_3") for row in statement(statement=name)]
    assert units_of(rows).design["topic"].nunique() == 3
    for row in rows:
        row["cluster_id"] = "pensions" if row["statement_id"] != "xx_3" else "borders"
    assert [*policy_prompts(rows)["topic"].cat.categories] == ["borders", "pensions"]
    assert units_of(rows).design["topic"].tolist() == ["pensions", "pensions", "borders"]


def test_no_interval_below_four_statements_of_a_sign_and_none_beyond_the_scale() -> None:
    rng = np.random.default_rng(2)
    for fewer in (MIN_STATEMENTS - 1, MIN_STATEMENTS):
        signs = np.array([1] * 8 + [-1] * fewer, np.int8)
        stance = np.where(signs > 0, 0.9, -0.9)[None, :] * rng.choice([-1, 1], signs.size, p=[0.1, 0.9])
        found = stance_contrast(stance, signs, range(signs.size))
        assert math.isnan(found.low) == (fewer < MIN_STATEMENTS)
        assert not math.isnan(found.estimate)
        assert not found.high > 1


def test_the_least_p_is_that_of_whole_topics() -> None:
    signs = np.array([1, 1, 1, -1, -1, -1, 1, -1], np.int8)
    alone, paired = range(8), [0, 0, 1, 2, 2, 3, 4, 4]
    assert smallest_p(signs, alone) == pytest.approx(2 / math.comb(8, 4))
    assert smallest_p(signs, paired) == pytest.approx(2 / (math.comb(4, 2) * 2))
