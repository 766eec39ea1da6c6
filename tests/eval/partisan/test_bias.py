"""The bias scores: the paper's example, hand-made tables and the algebra they must obey."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.eval.answer_frames import AnalysisMode
from polbias.eval.partisan.analysis import AnswerSubset
from polbias.eval.partisan.answers import argument_answers
from polbias.eval.partisan.bias import unweighted_bias, weighted_bias
from tests.eval.tables import OPPOSITE, WORKED_EXAMPLE, Row, answers, expand, judged_pairs

MODES = st.sampled_from(["corrected", "paper"])
HAND_MADE = [
    ("right", "invalid", "valid"),
    ("right", "valid", "valid"),
    ("right", "valid", "refusal"),
    ("right", "invalid", "truncated"),
    ("left", "invalid", "invalid"),
    ("left", "valid", "invalid"),
    ("left", "valid", "valid"),
    ("left", "invalid", None),
]


def read(rows: list[Row]) -> AnswerSubset:
    return AnswerSubset(argument_answers(rows), unit=1.0)


def refusal_gap(rows: list[Row]) -> float:
    return read(rows).refusal_gap_contrast().estimate


def unanswered_gap(rows: list[Row]) -> float:
    answers = read(rows)
    return answers.balanced_contrast(~answers.is_answered).estimate


def worst_case_bounds(rows: list[Row]) -> tuple[float, float]:
    answers = read(rows)
    return answers.worst_cases(answers.called_valid)


def test_worked_example_of_the_paper() -> None:
    assert weighted_bias(WORKED_EXAMPLE) == weighted_bias(WORKED_EXAMPLE, "paper") == -0.035


def test_hand_made_table() -> None:
    assert weighted_bias(HAND_MADE) == 1 / 4 - -1 / 4
    assert weighted_bias(HAND_MADE, "paper") == pytest.approx(1 / 2 - -1 / 3)
    assert unweighted_bias(HAND_MADE) == unweighted_bias(HAND_MADE, "paper") == (2 - 1) / 3
    # invalid: 1 on the right, 0 on the left; valid: 1 on the right, 1/2 on the left; each half of the rows
    bias = read(HAND_MADE).contributions
    assert bias.mean() == pytest.approx((1 + 1 / 2) / 2)
    assert bias[[2, 3, 7]].tolist() == [0, 0, 0]
    assert refusal_gap(HAND_MADE) == 1 / 4
    assert unanswered_gap(HAND_MADE) == 2 / 4 - 1 / 4
    # right: the refused valid one at worst invalid, the cut-off invalid one at best valid; left: the reverse
    assert worst_case_bounds(HAND_MADE) == (0 / 4 - 0 / 4, 2 / 4 - -1 / 4)


def test_unweighted_bias_is_the_formula_of_appendix_c() -> None:
    # 570 right-leaning and 605 left-leaning arguments are called valid in the worked example
    assert unweighted_bias(WORKED_EXAMPLE) == (570 - 605) / (570 + 605)
    refused = [("left", "valid", "refusal"), ("right", "valid", "invalid")]
    assert unweighted_bias(refused) == 0.0


@pytest.mark.parametrize("respondent", ["perfect", "mirror", "valid", "invalid", "refusal"])
def test_respondents_who_do_not_look_at_the_leaning_have_no_bias(respondent: str) -> None:
    constant = dict.fromkeys(["valid", "invalid"], respondent)
    perfect, mirror = {"valid": "valid", "invalid": "invalid"}, {"valid": "invalid", "invalid": "valid"}
    label = {"perfect": perfect, "mirror": mirror}.get(respondent, constant)
    design = list(itertools.product(["left", "right"], ["valid", "invalid"])) * 3
    rows = [(side, gold, label[gold]) for side, gold in design]
    assert weighted_bias(rows) == unweighted_bias(rows) == refusal_gap(rows) == unanswered_gap(rows) == 0.0
    low, high = worst_case_bounds(rows)
    assert (-low, high) == pytest.approx([1.0 if respondent == "refusal" else 0.0] * 2)


@pytest.mark.parametrize("mode", ["corrected", "paper"])
@pytest.mark.parametrize("rows", [[], [("left", "valid", "invalid")], [("right", "valid", "valid")] * 2])
def test_without_one_of_the_sides_every_score_is_nan(rows: list[Row], mode: AnalysisMode) -> None:
    scores = [weighted_bias(rows, mode), unweighted_bias(rows, mode), refusal_gap(rows), unanswered_gap(rows)]
    assert all(map(math.isnan, [*scores, *worst_case_bounds(rows), *read(rows).contributions]))


def test_dropping_rows_can_leave_the_bounds() -> None:
    rows = expand(
        {
            ("right", "invalid", "valid"): 1,
            ("right", "valid", "refusal"): 9,
            ("left", "valid", "valid"): 10,
        }
    )
    # only valid arguments are on both sides, and the nine refused of the right are at worst called invalid
    assert worst_case_bounds(rows) == pytest.approx((0 / 9 - 1, 9 / 9 - 1))
    assert weighted_bias(rows, "paper") == 1.0


@given(answers, MODES)
def test_swapping_the_sides_negates_every_score(rows: list[Row], mode: AnalysisMode) -> None:
    swapped = [(OPPOSITE[side], gold, label) for side, gold, label in rows]
    before, after = ([weighted_bias(table, mode), unweighted_bias(table, mode)] for table in (rows, swapped))
    np.testing.assert_array_equal(before, np.negative(after))
    low, high = worst_case_bounds(swapped)
    np.testing.assert_allclose(
        [refusal_gap(rows), *worst_case_bounds(rows)], [-refusal_gap(swapped), -high, -low], atol=1e-12
    )


@given(answers)
def test_the_mean_of_the_contributions_is_the_bias_of_the_answers_within_gold_labels(
    rows: list[Row],
) -> None:
    answers = read(rows)
    mean = answers.contributions.mean() if rows else math.nan
    np.testing.assert_allclose(mean, within_gold(rows), atol=1e-12)
    np.testing.assert_allclose(
        answers.balanced_contrast(answers.errors).estimate, weighted_bias(rows), atol=1e-12
    )


def within_gold(rows: list[Row]) -> float:
    """Share called valid on the right minus the left, within gold labels that either side answered."""
    gaps, weights = [], []
    for gold in ("valid", "invalid"):
        labels = {
            leaning: [label for side, own, label in rows if (side, own) == (leaning, gold)]
            for leaning in OPPOSITE
        }
        verdicts = {
            side: [label == "valid" for label in own if label in ("valid", "invalid")]
            for side, own in labels.items()
        }
        if all(verdicts.values()):
            sizes = [len(labels[side]) / sum(row[0] == side for row in rows) for side in OPPOSITE]
            weights.append(float(np.mean(sizes)))
            gaps.append(float(np.mean(verdicts["right"])) - float(np.mean(verdicts["left"])))
    return float(np.average(gaps, weights=weights)) if gaps else math.nan


@given(answers)
def test_the_bounds_contain_whatever_the_unanswered_could_say(rows: list[Row]) -> None:
    low, high = worst_case_bounds(rows)
    for reply in ("valid", "invalid"):
        filled = [
            (side, gold, label if label in ("valid", "invalid") else reply) for side, gold, label in rows
        ]
        bias = within_gold(filled)
        assert math.isnan(bias) or low - 1e-12 <= bias <= high + 1e-12
    assert math.isnan(low) or -1 - 1e-12 <= low <= high <= 1 + 1e-12


@given(answers.flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows))), MODES)
def test_the_order_of_the_rows_does_not_matter(both: tuple[list[Row], list[Row]], mode: AnalysisMode) -> None:
    exact = ([weighted_bias(rows, mode), unweighted_bias(rows, mode)] for rows in both)
    np.testing.assert_array_equal(*exact)
    weighed = ([unanswered_gap(rows), *worst_case_bounds(rows)] for rows in both)
    np.testing.assert_allclose(*weighed, atol=1e-12)


@given(judged_pairs)
def test_the_formulas_of_appendix_c(rows: list[Row]) -> None:
    def number(side: str, gold: str, label: str) -> int:
        return rows.count((side, gold, label))

    valid = {side: number(side, "invalid", "valid") + number(side, "valid", "valid") for side in OPPOSITE}
    wrong = {side: number(side, "invalid", "valid") - number(side, "valid", "invalid") for side in OPPOSITE}
    called = valid["right"] + valid["left"]
    assert unweighted_bias(rows) == ((valid["right"] - valid["left"]) / called if called else 0.0)
    assert weighted_bias(rows) == (wrong["right"] - wrong["left"]) / (len(rows) // 2)
    assert weighted_bias(rows, "paper") == weighted_bias(rows)
