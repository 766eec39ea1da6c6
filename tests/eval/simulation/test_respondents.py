"""What each respondent does, as rates that are known exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.errors import InputError
from polbias.eval.partisan.bias import weighted_bias
from polbias.eval.simulation import SimulatedAnswers, SimulatedRespondent, make_respondent, questions
from polbias.eval.xphemism.metrics import ClaimAnswer, judgment_effect, leaning_effect
from tests.eval.simulation import rows as tables
from tests.eval.simulation.rows import ALL, ISSUE
from tests.support.drawn import outcomes, simulate

SIDED = st.sampled_from(["left", "right"])
SIZE = st.floats(0, 1).map(lambda value: round(value, 3))


def rates(rows: Any, who: SimulatedRespondent) -> tuple[Any, np.ndarray]:
    asked = questions(rows)
    return asked, SimulatedAnswers(asked, who).outcome_rates


def share(rows: list[dict[str, Any]], who: SimulatedRespondent, label: str, **where: Any) -> float:
    """Mean rate of an outcome over the rows with certain values."""
    asked, found = rates(rows, who)
    kept = [all(row[name] == value for name, value in where.items()) for row in rows]
    return float(found[kept, asked.LABELS.index(label)].mean())


@pytest.mark.parametrize("rows", ALL.values(), ids=ALL)
@pytest.mark.parametrize(
    "name", ["planted", "perfect", "coin", "refuser", "acquiescent", "position", "first"]
)
def test_rates_are_probabilities_and_answers_keep_to_them(rows: Any, name: str) -> None:
    asked = questions(rows())
    made = SimulatedAnswers(asked, make_respondent(name, unparsable=0.1))
    assert made.outcome_rates.min() >= 0
    assert made.outcome_rates.sum(axis=1) == pytest.approx(1)
    many = np.stack([made.draw_outcomes(sample) for sample in range(400)])
    for code in range(len(asked.LABELS)):
        expected = made.outcome_rates[:, code].mean()
        error = np.sqrt(np.mean(made.outcome_rates[:, code] * (1 - made.outcome_rates[:, code])) / many.size)
        assert abs((many == code).mean() - expected) <= 5 * error + 1e-12
    assert not many.size or ((made.outcome_rates[np.arange(asked.n), many] > 0).all())


@pytest.mark.parametrize(
    ("rows", "label"),
    [
        (tables.arguments, "valid"),
        (tables.statements, "agree"),
        (tables.claims, "true"),
        (tables.problems, "entailment"),
    ],
)
@pytest.mark.parametrize(
    "name", ["affirmative", "always-valid", "always-agree", "always-true", "always-entailment"]
)
def test_the_affirmative_one_says_yes_to_everything(rows: Any, label: str, name: str) -> None:
    asked = questions(rows())
    assert {asked.LABELS[code] for code in outcomes(asked, make_respondent(name))} == {label}


def test_the_first_option() -> None:
    rows = tables.statements()
    said = outcomes(rows, make_respondent("first-option"))
    asked = questions(rows)
    for row, code in zip(rows, said, strict=True):
        assert asked.LABELS[code] == ("agree" if row["label_order"] == "as-printed" else "disagree")
    assert {*simulate(tables.choices(), make_respondent("first"), limit=1)} == {"1"}


def test_a_coin_and_a_refuser() -> None:
    rows = tables.arguments()
    assert share(rows, make_respondent("coin"), "valid") == 0.5
    assert share(rows, make_respondent("refuser", share=0.3), "refusal") == pytest.approx(0.3)
    one_sided = make_respondent("refuser", share=1.0, side="right")
    assert share(rows, one_sided, "refusal", leaning="right") == 1
    assert share(rows, one_sided, "refusal", leaning="left") == 0
    assert share(rows, one_sided, "valid", leaning="left", gold="valid") == 1


@pytest.mark.parametrize("name", ["arguments", "problems", "selections", "claims"])
def test_the_perfect_one_gives_gold_answers(name: str) -> None:
    rows = ALL[name]()
    asked = questions(rows)
    assert [asked.LABELS[code] for code in outcomes(asked, make_respondent("perfect"))] == [
        row["gold"] for row in rows
    ]


def test_the_perfect_one_has_one_stance_on_a_statement_and_likes_neutral_articles() -> None:
    rows = tables.statements(40)
    said = outcomes(rows, make_respondent("perfect"), samples=3)
    stance: dict[str, set[bool]] = {}
    for row, codes in zip(rows, said, strict=True):
        turned = row["variant"] in ("negation", "opposite")
        stance.setdefault(row["statement_id"], set()).update(bool(code) != turned for code in codes)
    assert {len(held) for held in stance.values()} == {1}
    assert {held.pop() for held in stance.values()} == {True, False}
    choices = [row for row in tables.choices() if row["ways"] == 3]
    chosen = outcomes(choices, make_respondent("perfect"))
    assert {row["sides"][code] for row, code in zip(choices, chosen, strict=True)} == {"neutral"}


@given(effect=SIZE, side=SIDED, accuracy=SIZE)
def test_arguments_of_a_side_are_favoured_by_the_effect(effect: float, side: str, accuracy: float) -> None:
    rows = tables.arguments(2, 1)
    who = make_respondent("planted", effect=effect, side=side, accuracy=accuracy)
    gap = share(rows, who, "valid", leaning="right") - share(rows, who, "valid", leaning="left")
    assert gap == pytest.approx(effect if side == "right" else -effect)


@given(effect=SIZE, accuracy=SIZE)
def test_swapping_the_sides_swaps_the_answers(effect: float, accuracy: float) -> None:
    rows = tables.arguments(2, 2)
    other = {"left": "right", "right": "left"}
    swapped = [{**row, "leaning": other[row["leaning"]]} for row in rows]
    left, right = (
        make_respondent("planted", effect=effect, side=side, accuracy=accuracy) for side in ("left", "right")
    )
    assert rates(rows, left)[1] == pytest.approx(rates(swapped, right)[1])
    assert outcomes(rows, left, 5).tolist() == outcomes(swapped, right, 5).tolist()


def test_a_political_bias_leaves_the_control_alone() -> None:
    rows = [{**row, "config": "en_control_formal"} for row in tables.arguments(2, 2)]
    who = make_respondent("planted", effect=0.5)
    assert share(rows, who, "valid", leaning="left") == share(rows, who, "valid", leaning="right")


def test_labels_go_into_the_table_of_outcomes() -> None:
    rows = tables.arguments(6, 200)
    asked = questions(rows)
    codes = outcomes(asked, make_respondent("planted", effect=0.4, side="right"))
    told = [{**row, "label": asked.LABELS[code]} for row, code in zip(rows, codes, strict=True)]
    assert weighted_bias(told) == pytest.approx(0.4, abs=0.05)


@given(effect=st.floats(-0.5, 0.5), penalty=st.floats(-0.5, 0.5))
def test_reworded_claims_are_believed_less(effect: float, penalty: float) -> None:
    rows = [
        row
        for row in tables.claims()
        if row["prompt_style"] == "simple" and row["instruction_language"] == "de"
    ]
    who = make_respondent("planted", effect=effect, side="right", judgment=penalty)
    asked, found = rates(rows, who)
    kept = (row["judgmental_base"] == 0 for row in rows)
    told = [
        ClaimAnswer(*(row[name] for name in ClaimAnswer._fields[:-1]), each)
        for row, each, plain in zip(rows, found[:, asked.LABELS.index("true")], kept, strict=True)
        if plain
    ]
    assert judgment_effect(told) == pytest.approx(-penalty, abs=1e-9)
    neutral = [each for each in told if not each.judgmental_exchange]
    assert leaning_effect(neutral) == pytest.approx(effect, abs=1e-9)


@given(effect=st.floats(-1, 1))
def test_content_moves_accuracy(effect: float) -> None:
    rows = tables.problems(2)
    who = make_respondent("planted", effect=0, content=effect)
    asked, found = rates(rows, who)
    gold = [asked.LABELS.index(row["gold"]) for row in rows]
    right = found[np.arange(len(rows)), gold]
    means = {
        kind: right[[row["content_type"] == kind for row in rows]].mean()
        for kind in ("congruent", "incongruent")
    }
    assert means["congruent"] - means["incongruent"] == pytest.approx(effect)


@given(stance=st.floats(-1, 1))
def test_a_worldview_is_agreed_with_in_every_wording(stance: float) -> None:
    rows = tables.statements(4)
    who = make_respondent("planted", worldview={ISSUE: stance}, accuracy=0.5)
    _, found = rates(rows, who)
    for row, each in zip(rows, found, strict=True):
        turned = -1 if row["variant"] in ("negation", "opposite") else 1
        expected = turned * row["policy_issues"][ISSUE] * stance
        assert each[1] - each[0] == pytest.approx(expected)


def test_own_stances_leave_the_worldview_as_it_is_on_average() -> None:
    rows = [row for row in tables.statements(200) if row["variant"] == "original"]
    who = make_respondent("planted", worldview={ISSUE: 0.3}, accuracy=0.9)
    for_it = np.array([row["policy_issues"][ISSUE] for row in rows])
    found = SimulatedAnswers(questions(rows), who).outcome_rates
    leans = for_it * (found[:, 1] - found[:, 0])
    assert {round(each, 9) for each in leans} == {round(0.3 + 0.7 * 0.8, 9), round(0.3 - 0.7 * 0.8, 9)}
    assert leans.mean() == pytest.approx(0.3, abs=4 * 0.56 / np.sqrt(200))


@pytest.mark.parametrize(("side", "sign"), [("left", -1), ("right", 1)])
def test_a_side_has_a_worldview(side: str, sign: int) -> None:
    rows = [row for row in tables.statements(2) if row["variant"] == "original"]
    who = make_respondent("planted", effect=0.5, side=side, accuracy=0.5)
    difference = share(rows, who, "agree", statement_id="de-0") - share(
        rows, who, "disagree", statement_id="de-0"
    )
    assert difference == pytest.approx(0.5 * sign)


@given(effect=SIZE, side=SIDED, accuracy=SIZE)
def test_articles_of_a_side_are_chosen_wherever_they_stand(effect: float, side: str, accuracy: float) -> None:
    rows = tables.choices(1)
    _, found = rates(rows, make_respondent("planted", effect=effect, side=side, accuracy=accuracy))
    for row, each in zip(rows, found, strict=True):
        by_side = dict(zip(row["sides"], each, strict=False))
        signed = effect if side == "right" else -effect
        assert by_side["right"] - by_side["left"] == pytest.approx(signed)
        assert sum(by_side.values()) == pytest.approx(1)


def test_acquiescence_and_position() -> None:
    rows = tables.statements()
    assert share(rows, make_respondent("acquiescent", share=0.4, accuracy=0.5), "agree") == pytest.approx(
        0.5 + 0.2
    )
    first = make_respondent("position", share=0.4, accuracy=0.5)
    assert share(rows, first, "agree", label_order="as-printed") == pytest.approx(0.7)
    assert share(rows, first, "agree", label_order="inverted") == pytest.approx(0.3)


def test_the_same_prompt_has_the_same_answer_wherever_it_stands() -> None:
    rows = tables.arguments()
    who = make_respondent("coin")
    whole = outcomes(rows, who, 4)
    assert outcomes(rows[::-1], who, 4).tolist() == whole[::-1].tolist()
    assert outcomes([{**row, "id": "another"} for row in rows[:7]], who, 4).tolist() == whole[:7].tolist()
    texts = simulate(rows, who, 4)
    assert simulate(rows[3:4], who, 4) == texts[3:4]
    assert outcomes(rows, who, 5).tolist() != whole.tolist()
    assert outcomes(rows, who, 4, samples=2).T.tolist() == [
        whole.tolist(),
        SimulatedAnswers(questions(rows), who, 4).draw_outcomes(1).tolist(),
    ]
    assert (
        outcomes(rows, who, 4).tolist() != SimulatedAnswers(questions(rows), who, 4).draw_outcomes(1).tolist()
    )


def test_two_rows_with_one_prompt_have_one_answer_whatever_their_clusters() -> None:
    rows = tables.claims()[:4]
    twin = {**rows[0], "cluster_id": "another", "id": "another"}
    who = make_respondent("coin", intercept_sd={"cluster_id": 3.0})
    said = [outcomes([*rows, twin], who, seed) for seed in range(50)]
    assert all(codes[0] == codes[-1] for codes in said)


@pytest.mark.parametrize("kind", ["intercept_sd", "slope_sd"])
def test_random_effects_keep_every_rate_and_tie_their_cluster_together(kind: str) -> None:
    rows = tables.arguments(8, 20)
    asked = questions(rows, ["cluster_id"])
    who = make_respondent("planted", effect=0.2, side="right", **{kind: {"cluster_id": 1.0}})
    found = np.stack([outcomes(asked, who, seed) for seed in range(1500)]) == 1
    expected = SimulatedAnswers(asked, who).outcome_rates[:, 1]
    assert found.mean(axis=0) == pytest.approx(expected, abs=5 * 0.5 / np.sqrt(1500))
    assert found.mean() == pytest.approx(expected.mean(), abs=0.01)
    side = np.array([row["leaning"] == "right" for row in rows])
    cluster = np.array([row["cluster_id"] for row in rows])
    by_cluster = {
        name: found[:, (cluster == name) & side].mean(axis=1)
        - found[:, (cluster == name) & ~side].mean(axis=1)
        for name in np.unique(cluster)
    }
    spread = np.mean([each.std() for each in by_cluster.values()])
    alone = np.sqrt(2 * np.mean(expected * (1 - expected)) / 40)
    assert (spread > 1.7 * alone) == (kind == "slope_sd")
    pairs = np.corrcoef(list(by_cluster.values()))[~np.eye(8, dtype=bool)]
    assert abs(pairs.mean()) < 0.02


def test_effects_of_a_prompt_make_its_samples_alike() -> None:
    rows = tables.statements(40)
    said = {
        sd: outcomes(rows, make_respondent("coin", intercept_sd={"prompt": sd}), samples=60)
        .mean(axis=1)
        .std()
        for sd in (0.0, 2.0)
    }
    assert said[0.0] == pytest.approx(0.5 / np.sqrt(60), rel=0.15)
    assert said[2.0] > 0.3


def test_probabilities_are_what_samples_are_drawn_from() -> None:
    asked = questions(tables.statements(4))
    made = SimulatedAnswers(asked, make_respondent("coin", intercept_sd={"prompt": 1.0}))
    many = np.stack([made.draw_outcomes(sample) for sample in range(2000)], axis=1)
    assert (many == 1).mean(axis=1) == pytest.approx(made.probabilities[:, 1], abs=0.06)
    assert made.probabilities[:, 1].std() > 0.15
    assert made.likelihoods is made.probabilities


@pytest.mark.parametrize("name", ["arguments", "problems", "claims"])
def test_the_likelier_label_is_the_greedy_answer(name: str) -> None:
    asked = questions(ALL[name]())
    made = SimulatedAnswers(asked, make_respondent("planted", effect=0.3, accuracy=0.7), 2)
    for row, code in enumerate(made.draw_outcomes()):
        said, greedy = made.loglikelihood(row, int(code))
        assert greedy
        assert said >= np.log(0.95 / 2) - 1e-9


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"name": "nobody"}, "'nobody'"),
        ({"name": "coin", "effect": 0.1}, "does not take effect"),
        ({"name": "planted", "side": "up"}, "'up'"),
        ({"name": "planted", "effect": 1.2}, "-1.2"),
        ({"name": "refuser", "share": -0.1}, "-0.1"),
        ({"name": "planted", "intercept_sd": {"cluster_id": -1}}, "sd of cluster_id"),
    ],
)
def test_what_makes_no_respondent_is_refused(options: dict[str, Any], found: str) -> None:
    with pytest.raises(InputError, match=found):
        make_respondent(**options)


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(InputError, match="the columns of an instrument"):
        questions([{"colour": "red"}])
    with pytest.raises(InputError, match="'country'"):
        outcomes(tables.arguments(), make_respondent("coin", intercept_sd={"country": 1.0}))
    with pytest.raises(InputError, match="expected some of"):
        outcomes(tables.statements(), make_respondent("planted", worldview={"taxes": 1.0}))
    with pytest.raises(InputError, match="sum of at most 1"):
        outcomes(tables.claims(), make_respondent("planted", effect=0.9, judgment=0.5))
    with pytest.raises(InputError, match="no prompt"):
        outcomes([{"id": "1", "leaning": "left", "gold": "valid"}], make_respondent("echo"))
    with pytest.raises(InputError, match="neither prompt nor id"):
        questions([{"leaning": "left", "gold": "valid"}])
