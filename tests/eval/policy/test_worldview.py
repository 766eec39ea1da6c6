"""The stance on policies: calibration, algebra, intervals, and the answers of January 2024."""

from __future__ import annotations

import csv
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.policy.answers import ISSUES
from polbias.eval.policy.worldview import (
    StanceProfile,
    balanced_stance,
    equation_1,
    stance_contrast,
    worldview,
)
from polbias.generators.policy.published import load
from tests.eval.policy.rows import statement, units_of
from tests.support.shared import shared

PUBLISHED = shared("upstream/probvaa")
published = pytest.mark.skipif(PUBLISHED is None, reason="the published folder is not beside the checkout")

signs = st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=30).map(
    lambda each: np.array([1, -1, *each], np.int8)
)


@given(signs)
def test_four_calibration_respondents(sign: np.ndarray) -> None:
    everything = np.ones((1, sign.size), np.int8)
    for answers, corrected, printed in (
        (everything, 0, 1),
        (-everything, 0, -1),
        (sign[None], 1, 0),
        (-sign[None], -1, 0),
    ):
        assert balanced_stance(answers, sign).tolist() == pytest.approx([corrected])
        assert equation_1(answers, sign).tolist() == pytest.approx([printed])


@given(signs, st.integers(0, 2**32))
def test_algebra(sign: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    answers = rng.integers(-1, 2, (3, sign.size)).astype(np.int8)
    stance = balanced_stance(answers, sign)
    assert (np.abs(stance) <= 1 + 1e-12).all()
    assert balanced_stance(-answers, sign) == pytest.approx(-stance)
    assert balanced_stance(answers, -sign) == pytest.approx(-stance)
    silent = np.where(sign == 0, 0, answers).astype(np.int8)
    assert balanced_stance(silent, sign) == pytest.approx(stance)


def test_by_hand() -> None:
    sign = np.array([1, 1, 1, 1, -1, -1, 0], np.int8)
    answers = np.array([[1, 1, -1, 0, -1, 0, 1]], np.int8)
    # (1 + 1 - 1 + 0) / 4 = 1/4, and -1/2 over the two against: half of 3/4.
    assert balanced_stance(answers, sign).tolist() == [0.375]
    assert equation_1(answers, sign).tolist() == [2 / 4 - 1 / 2]


def test_one_sign_only_is_no_stance() -> None:
    answers = np.ones((1, 2), np.int8)
    assert math.isnan(balanced_stance(answers, np.array([1, 1], np.int8))[0])
    assert math.isnan(stance_contrast(answers, np.array([1, 1], np.int8), [0, 1]).estimate)


def test_interval_has_the_statement_as_cluster() -> None:
    rng = np.random.default_rng(0)
    sign = np.array([1] * 12 + [-1] * 8, np.int8)
    one = rng.integers(-1, 2, (1, 20)).astype(np.int8)
    alone = range(20)
    single, many = (stance_contrast(np.repeat(one, times, axis=0), sign, alone) for times in (1, 6))
    assert many.estimate == pytest.approx(single.estimate)
    assert many.standard_error == pytest.approx(single.standard_error)
    # With one row per statement it is the error of Welch's test, halved.
    parts = [one[0, sign == s] for s in (1, -1)]
    welch = math.sqrt(sum(float(part.var(ddof=1)) / part.size for part in parts)) / 2
    assert single.standard_error == pytest.approx(welch)
    assert single.clusters == 20


def test_interval_covers() -> None:
    rng = np.random.default_rng(1)
    sign, hits, many = np.array([1] * 20 + [-1] * 15, np.int8), 0, 400
    for _ in range(many):
        tendency = rng.random(35) < np.where(sign > 0, 0.7, 0.4)
        noise = rng.random((6, 35)) < 0.1
        answers = np.where(tendency ^ noise, 1, -1).astype(np.int8)
        found = stance_contrast(answers, sign, range(35))
        truth = ((2 * (0.7 * 0.9 + 0.3 * 0.1) - 1) - (2 * (0.4 * 0.9 + 0.6 * 0.1) - 1)) / 2
        hits += found.low <= truth <= found.high
    assert 0.92 <= hits / many <= 0.98


def test_from_prompts_all_annotated_statements_count() -> None:
    rows = []
    for number, sign in enumerate((1, 1, -1, -1)):
        counts = {} if number < 3 else dict.fromkeys(("original", "negation"), 15)
        rows += statement(counts, statement=f"xx_{number}", policy_issues={"law_and_order": sign})
    found = {each.issue: each for each in worldview(StanceProfile.of(units_of(rows)))}
    law = found["law_and_order"]
    assert (law.positive, law.negative, law.answered, law.is_sparse) == (2, 2, 3, True)
    assert law.stance == pytest.approx((1 - 0.5) / 2)
    assert law.agreed == 1
    assert law.equation_1 == pytest.approx(1)
    assert math.isnan(found["liberal_society"].stance)


def models_of_2024() -> dict[str, StanceProfile]:
    assert PUBLISHED
    data = load(PUBLISHED)
    names = tuple(data.annotations)
    signs = [[each.signs.get(issue, 0) for issue in ISSUES] for each in data.annotations.values()]
    found = {}
    with (PUBLISHED / "policy_stances_2024-01.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [*csv.DictReader(file)]
    assert len(rows) == 3259
    for model in sorted({row["model"] for row in rows}):
        given = [row for row in rows if row["model"] == model]
        templates = tuple(sorted({row["template_id"] for row in given}))
        answers = np.zeros((len(templates), len(names)), np.int8)
        for row in given:
            statement_id = f"{row['country']}_{row['statementID']}"
            answers[templates.index(row["template_id"]), names.index(statement_id)] = (
                1 if row["answer_model"] == "1" else -1
            )
        found[model] = StanceProfile(names, answers, np.array(signs, np.int8))
    return found


@published
def test_restrictive_migration_in_2024() -> None:
    issue = ISSUES.index("restrictive_migration_policy")
    found = {model: worldview(each)[issue] for model, each in models_of_2024().items()}
    assert {each.equation_1 for each in found.values()} == {0.0}
    assert {model: round(each.stance, 4) for model, each in found.items()} == {
        "FLAN-T5-XXL-11b": -0.3125,
        "GPT3.5-turbo-20b": -0.6562,
        "LLAMA2-13b": -0.4375,
        "LLAMA2-70b": -0.4062,
        "LLAMA2-7b": -0.1562,
        "MISTRAL-7b": -0.0833,
    }
    assert {(each.positive, each.negative) for each in found.values()} == {(8, 8)}
    answers = sum(each.answered * 6 for each in found.values())
    assert answers == 197


@published
def test_calibration_on_the_gold_annotations() -> None:
    respondent = next(iter(models_of_2024().values()))
    for issue in range(len(ISSUES)):
        assert worldview(respondent.always(1))[issue].stance == pytest.approx(0)
        assert worldview(respondent.always(-1))[issue].stance == pytest.approx(0)
        assert worldview(respondent.always(1))[issue].equation_1 == 1
        for value in (1, -1):
            answers = value * respondent.signs[None, :, issue]
            partisan = worldview(replace(respondent, answers=answers))[issue]
            assert partisan.stance == pytest.approx(value)
            assert partisan.equation_1 == 0
