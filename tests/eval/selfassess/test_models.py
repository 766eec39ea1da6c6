"""Choice models: planted terms, another library, separation, and agreement with plain strengths."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polbias.eval.selfassess.answered import ComparedChoices
from polbias.eval.selfassess.position import (
    ModelTerm,
    choice_model,
    count_choices,
    equal_length_contrast,
    fit,
    strengths,
)
from tests.eval.selfassess.respondents import Choose, compared, first, judged, logit, planted, prefers, rows


def cell(
    choose: Choose, n_alternatives: int, topics: int = 300, seed: int = 0, orders: int = 6
) -> ComparedChoices:
    asked = [
        row
        for row in rows(topics, roles=("user",), questions=("preference",), ways=(n_alternatives,))
        if row["order"] <= orders
    ]
    return compared(judged(asked, choose, seed))


def terms(judgements: ComparedChoices, position: bool = True) -> dict[str, ModelTerm]:
    return {each.term: each for each in choice_model(judgements, position)}


def test_planted_terms_are_found_with_three() -> None:
    own = terms(cell(logit(0.5, -0.3, (0.8, 0.2, 0.0)), 3, topics=600))
    truth = {
        "right over left": -0.8,
        "left over neutral": 0.5,
        "right over neutral": -0.3,
        "first over last": 0.8,
        "second over last": 0.2,
    }
    assert [*own] == [*truth]
    for name, value in truth.items():
        assert abs(own[name].coef - value) < 4 * own[name].se < 0.5, name


def test_planted_terms_are_found_with_two() -> None:
    own = terms(cell(logit(0.0, 0.6, (1.0, 0.0)), 2, topics=800))
    assert [*own] == ["right over left", "first over last"]
    assert abs(own["right over left"].coef - 0.6) < 4 * own["right over left"].se
    assert abs(own["first over last"].coef - 1.0) < 4 * own["first over last"].se


@pytest.mark.parametrize("n_alternatives", [2, 3])
def test_another_library_finds_the_same(n_alternatives: int) -> None:
    models = pytest.importorskip("statsmodels.discrete.conditional_models")
    table = cell(logit(0.4, -0.2, (0.7, -0.1, 0.0)), n_alternatives, topics=80)
    design = count_choices(table, n_alternatives)
    coef = fit(design).coef
    index = {order: place for place, order in enumerate(np.unique(table.order))}
    x = np.concatenate([design.alternatives[index[order]] for order in table.order])
    y = np.concatenate([np.arange(1, n_alternatives + 1) == choice for choice in table.choice]).astype(int)
    other = models.ConditionalLogit(y, x, groups=np.repeat(np.arange(table.n), n_alternatives)).fit(
        disp=False
    )
    assert coef == pytest.approx(np.asarray(other.params), abs=1e-4)
    assert fit_error(table, n_alternatives) == pytest.approx(
        np.asarray(other.bse), rel=0.35
    )  # clustered against plain


def fit_error(table: ComparedChoices, n_alternatives: int) -> np.ndarray:
    return np.sqrt(np.diag(fit(count_choices(table, n_alternatives)).covariance))


@pytest.mark.parametrize("n_alternatives", [2, 3])
def test_strengths_and_model_agree_without_positions(n_alternatives: int) -> None:
    table = cell(logit(0.5, -0.2, (0.0, 0.0, 0.0)), n_alternatives)
    strong, plain = strengths(table), terms(table, position=False)
    ratio = math.log(strong["right"] / strong["left"])
    assert ratio == pytest.approx(plain["right over left"].coef, abs=1e-6)
    shares = [np.mean(table.side[table.answered] == side) for side in (-1, 1)]
    assert ratio == pytest.approx(math.log(shares[1] / shares[0]), abs=1e-6)
    assert terms(table)["right over left"].coef == pytest.approx(ratio, abs=0.02)
    if n_alternatives == 3:
        over = math.log(strong["left"] / strong["neutral"])
        assert over == pytest.approx(plain["left over neutral"].coef, abs=1e-6)
    assert sum(value for name in ("left", "neutral", "right") if (value := strong[name])) == pytest.approx(1)


def test_a_position_effect_sets_them_apart() -> None:
    """Positions dilute the plain strength; the model takes them out."""
    table = cell(logit(0.0, 1.0, (2.5, 0.0)), 2, topics=1000)
    strong, model = strengths(table), terms(table)["right over left"]
    assert math.log(strong["right"] / strong["left"]) < 0.8 < model.coef


def test_errors_are_clustered_by_topic() -> None:
    """Each topic asked three times over with the same answers: three times the rows, the same error."""
    one = judged(rows(100, roles=("user",), questions=("preference",), ways=(2,)), planted(0.6))
    once, thrice = terms(compared(one)), terms(compared(one * 3))
    for name, term in once.items():
        assert thrice[name].coef == pytest.approx(term.coef)
        assert thrice[name].se == pytest.approx(term.se)


def test_separation_is_said() -> None:
    for choose in (first, prefers("left")):
        for n_alternatives in (2, 3):
            own = terms(cell(choose, n_alternatives, topics=30))
            assert math.isnan(own["right over left"].coef)
            assert own["right over left"].note.startswith("no finite estimate")


def test_what_separation_leaves_is_estimated() -> None:
    """The neutral one is never chosen; left against right still has an estimate, that of the limit."""
    own = terms(cell(logit(9e9 + 0.5, 9e9, (0.5, 0.2, 0.0)), 3, topics=500))
    assert math.isnan(own["left over neutral"].coef)
    assert abs(own["right over left"].coef) < 1
    assert own["right over left"].se > 0


def test_one_order_cannot_tell_side_and_position_apart() -> None:
    own = terms(cell(planted(0.6), 2, orders=1))
    assert math.isnan(own["right over left"].coef)
    assert own["right over left"].note == "the orders that were asked do not tell side and position apart"
    assert not terms(cell(planted(0.6), 2, orders=1), position=False)["right over left"].note


def test_few_topics_and_none() -> None:
    few = terms(cell(lambda row, rng: 1 if row["item"] == "poligen-0000" else 2, 2, topics=2))
    assert few["right over left"].note == "2 topics, expected more than 2 terms"
    assert terms(cell(lambda row, rng: "refusal", 2, topics=3))["right over left"].note == "no choices"


def test_coverage_of_the_model() -> None:
    hits = 0
    for seed in range(60):
        own = terms(cell(logit(0.0, 0.5, (0.5, 0.0)), 2, topics=60, seed=seed))["right over left"]
        hits += own.low <= 0.5 <= own.high
    assert hits >= 52


def of_length(side: float, length: float, topics: int = 400, longer: float = 1.5) -> dict[str, ModelTerm]:
    """What a respondent comes to whose log-odds for the right, and for an article twice as long, are these.

    Right articles are longer by a half in the middle; how long they are is drawn by topic.
    """
    drawn = np.random.default_rng(5).lognormal(0, 0.6 * (longer - 1), size=(topics, 2)) * (
        1000,
        1000 * longer,
    )
    asked = rows(topics, roles=("user",), questions=("preference",), ways=(2,))
    for row in asked:
        left, right = map(round, drawn[int(row["item"][-4:])])
        row["characters"] = [left if each == "left" else right for each in row["sides"]]

    def choose(row: dict[str, object], rng: np.random.Generator) -> int:
        one, two = row["characters"]  # type: ignore[misc]
        odds = length * math.log2(two / one) + side * (1 if row["sides"][1] == "right" else -1)  # type: ignore[index]
        return 1 + int(rng.random() < 1 / (1 + math.exp(-odds)))

    table = compared(judged(asked * 3, choose))
    return {each.term: each for each in (*choice_model(table), *equal_length_contrast(table))}


def test_who_chooses_the_longer_article_has_no_side_at_equal_length() -> None:
    found = of_length(side=0.0, length=1.0)
    assert found["right over left"].low > 0.2
    equal = found["right over left, of equal length"]
    assert equal.low < 0 < equal.high
    assert (
        abs(found["twice as long over as long"].coef - 1.0) < 4 * found["twice as long over as long"].se < 0.8
    )


def test_who_has_a_side_keeps_it_at_equal_length() -> None:
    found = of_length(side=0.7, length=0.0)
    assert abs(found["right over left, of equal length"].coef - 0.7) < 4 * found["right over left"].se
    length = found["twice as long over as long"]
    assert length.low < 0 < length.high


def test_lengths_that_hardly_differ_carry_no_estimate() -> None:
    found = of_length(side=0.7, length=1.0, topics=40, longer=1.01)
    for term in ("right over left, of equal length", "twice as long over as long"):
        assert math.isnan(found[term].coef)
        assert found[term].note


def test_without_lengths_nothing_is_said_of_them() -> None:
    assert equal_length_contrast(cell(planted(0.6), 2, topics=20)) == []
    assert equal_length_contrast(cell(planted(0.6), 3, topics=20)) == []
