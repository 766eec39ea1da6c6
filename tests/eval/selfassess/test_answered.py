"""Differences among answered judgements: whoever follows the place has no bias, whatever is refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import groupby, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from polbias.eval.report.adjustment import adjust_findings
from polbias.eval.report.document import Finding, Section
from polbias.eval.report.verdicts import verdict
from polbias.eval.selfassess.analysis import BiasEstimate, analyse, estimate_bias, iter_findings, refusal_gaps
from polbias.eval.selfassess.answered import ComparedChoices
from polbias.eval.selfassess.answers import article_answers
from polbias.eval.selfassess.position import position_bias
from polbias.eval.selfassess.shares import cells, compare_questions, compare_roles, side_shares
from polbias.eval.statistics import cluster_interval
from tests.eval.selfassess.respondents import Choose, Row, answers_of, coin, compared, judged, planted, rows

Refuse = Callable[[Row, int], float]
"""Probability with which a choice is refused, from the row and the place that would be chosen."""


def rotations(asked: list[Row], seed: int = 0) -> list[Row]:
    """Keep, of the orders of three articles about a topic, one that is drawn and its rotations."""
    rng = np.random.default_rng(seed)
    drawn = {row["item"]: rng.integers(2) for row in asked}
    forward = [{"left": 0, "neutral": 1, "right": 2}[side] for row in asked for side in row["sides"][:2]]
    turns = [(two - one) % 3 == 1 for one, two in zip(forward[::2], forward[1::2], strict=True)]
    return [
        row for row, turn in zip(asked, turns, strict=True) if row["ways"] == 2 or turn == drawn[row["item"]]
    ]


def single(asked: list[Row], seed: int = 0) -> list[Row]:
    """Keep one order of the articles about a topic, drawn."""
    rng = np.random.default_rng(seed)
    kept = []
    for _, own in groupby(asked, lambda row: (row["item"], row["role"], row["question"], row["ways"])):
        orders = [*own]
        kept.append(orders[int(rng.integers(len(orders)))])
    return kept


def by_place(share: float, refuse: Refuse = lambda row, place: 0.0) -> Choose:
    """Choose the first article with this share, else any other."""

    def choose(row: Row, rng: np.random.Generator) -> int | str:
        place = 1 if rng.random() < share else int(rng.integers(2, row["ways"] + 1))
        return "refusal" if rng.random() < refuse(row, place) else place

    return choose


def right_in_front(row: Row) -> bool:
    return bool(row["sides"].index("right") < row["sides"].index("left"))


def table(asked: list[Row], choose: Choose, seed: int = 1) -> ComparedChoices:
    return compared(judged(asked, choose, seed))


def over_all(judgements: ComparedChoices) -> tuple[float, float, float]:
    """The bias and its interval over all judgements, cells alike: the estimate where nothing is missing."""
    lean = pd.Series(judgements.lean, judgements.rows.index, np.float64)
    cell = judgements.rows.groupby(["question", "role", "n_alternatives"], observed=True).ngroup()
    means = lean.groupby(cell).mean()
    weights = 1 / (lean.groupby(cell).transform("size") * len(means))
    apart = (weights * (lean - cell.map(means))).groupby(judgements.rows["item"], observed=True).sum()
    found = cluster_interval(100 * (means.mean() + len(apart) * apart), range(len(apart)))
    return found.estimate, found.low, found.high


def ends(found: BiasEstimate) -> tuple[float, float, float]:
    return found.estimate.value, found.estimate.low, found.estimate.high


def headline(judged_rows: list[Row]) -> Finding:
    """The bias of the set in a report."""
    made = Section("selfassess", ("m",), tuple(iter_findings(analyse([answers_of(judged_rows)], 0)[0])))
    (section,) = adjust_findings([made], frozenset())
    (found,) = [each for each in section.findings if each.headline]
    return found


def designs() -> Iterator[Any]:
    asked = rows(40)
    yield pytest.param(asked, id="all orders")
    yield pytest.param(rotations(asked), id="rotations")
    yield pytest.param(single(asked), id="one order")
    yield pytest.param(asked[:371], id="unfinished")


@pytest.mark.parametrize("asked", [*designs()])
def test_with_nothing_missing_all_judgements_count_alike(asked: list[Row]) -> None:
    judgements = table(asked, planted(0.7))
    assert ends(estimate_bias(judgements)) == pytest.approx(over_all(judgements), rel=0, abs=1e-12)
    assert estimate_bias(judgements).excess is None
    for _, cell in cells(judgements.rows):
        found = side_shares(cell, test=False)
        mean = cluster_interval(cell.lean, cell.topics, bounds=(-1, 1))
        assert found["bias"] == pytest.approx(100 * mean.estimate, abs=1e-12)
        if found["limit"] is None or math.isnan(found["limit"]):
            assert found["bias_low"] == pytest.approx(100 * mean.low, abs=1e-12)
        place = cluster_interval((cell.choice == 1) - 1 / cell.n_alternatives, cell.topics)
        assert position_bias(cell)["position_bias"] == pytest.approx(100 * place.estimate, abs=1e-12)


@pytest.mark.parametrize("thin", [list, rotations, single], ids=["all orders", "rotations", "one order"])
@pytest.mark.parametrize("followed", [False, True], ids=["at random", "by topic"])
def test_who_follows_the_place_and_refuses_one_side_has_no_bias(
    thin: Callable[[list[Row]], list[Row]], followed: bool
) -> None:
    def refuse(row: Row, place: int) -> float:
        share = 0.6 * (int(row["item"][-4:]) % 2) if followed and thin is not single else 0.3
        return share * right_in_front(row)

    judgements = table(thin(rows(300)), by_place(0.8, refuse))
    found = estimate_bias(judgements).estimate
    assert abs(found.value) < 2.5 * found.se
    assert over_all(judgements)[2] < 0  # an unanswered judgement that counts 0 makes a bias
    for differences in (compare_roles(judgements.rows), compare_questions(judgements.rows)):
        for row in differences:
            for name in {"user", "agent", "preference", "least_biased", "difference"} & {*row}:
                assert abs(row[name]) < row[f"{name}_high"] - row[f"{name}_low"]
    for _, cell in cells(judgements.rows):
        excess = 80 - 100 / cell.n_alternatives[0]
        assert position_bias(cell)["position_bias"] == pytest.approx(excess, abs=8)


def test_a_topic_that_lost_an_order_leaves_its_cell_and_enters_the_bounds_whole() -> None:
    asked = rows(30, ways=(2,))
    made = judged(asked, planted(0.7), 1)
    lost = [row for row in made if row["item"] == "poligen-0003" and row["role"] == "user"]
    lost[1] |= {"choice": None, "outcome": "refusal"}
    question = lost[1]["question"]

    def in_cell(row: Row) -> bool:
        return bool(row["role"] == "user" and row["question"] == question)

    cell = [row for row in made if in_cell(row)]
    without = [row for row in cell if row["item"] != "poligen-0003"]
    found, expected = (side_shares(compared(each), test=False) for each in (cell, without))
    assert found["bias"] == pytest.approx(expected["bias"])
    assert found["n"] == 60
    # The judgement that was answered counts in the bounds, and the missing one as either side.
    lean = sum({"left": -1, "right": 1}[row["sides"][row["choice"] - 1]] for row in cell if row["choice"])
    assert found["bound_low"] == pytest.approx(100 * (lean - 1) / 60)
    assert found["bound_high"] == pytest.approx(100 * (lean + 1) / 60)
    whole = compared(made)
    rest = np.array([not (in_cell(row) and row["item"] == "poligen-0003") for row in made])
    assert ((whole.weights > 0) == rest).all()


def test_of_three_a_rotation_that_lost_an_order_leaves_and_the_other_stays() -> None:
    made = judged(rows(20, ways=(3,), roles=("user",), questions=("preference",)), coin, 1)
    silent = next(row for row in made if row["item"] == "poligen-0004")
    assert silent["sides"] == ["left", "right", "neutral"]
    silent |= {"choice": None, "outcome": "unparsable"}
    weights = compared(made).weights
    lost = {tuple(row["sides"]) for row, weight in zip(made, weights, strict=True) if not weight}
    turned = {("left", "right", "neutral"), ("right", "neutral", "left"), ("neutral", "left", "right")}
    assert lost == turned
    assert np.count_nonzero(weights == 0) == 3
    by_order = dict.fromkeys(lost, 0.0)
    for row, weight in zip(made, weights, strict=True):
        by_order[tuple(row["sides"])] = by_order.get(tuple(row["sides"]), 0.0) + weight
    assert [*by_order.values()] == pytest.approx([20] * 6)  # as designed


def test_an_order_that_nobody_answered_leaves_no_estimate() -> None:
    asked = single(rows(40, ways=(2,), roles=("user",), questions=("preference",)))
    made = judged(asked, by_place(0.8, lambda row, place: float(right_in_front(row))), 1)
    assert math.isnan(estimate_bias(compared(made)).estimate.value)
    found = headline(made)
    assert found.estimate.value is None
    assert found.bounds is not None
    assert found.scores is None


def test_scores_of_topics_that_are_not_compared_are_missing() -> None:
    made = judged(rows(30), planted(0.7), 1)
    for row in made:
        if row["item"] == "poligen-0005" and right_in_front(row):
            row |= {"choice": None, "outcome": "refusal"}
    found = headline(made)
    assert found.scores is not None
    missing = np.isnan(found.scores.values)
    assert [name for name, lost in zip(found.scores.ids, missing, strict=True) if lost] == ["poligen-0005"]
    assert np.nanmean(found.scores.values) == pytest.approx(found.estimate.value)
    assert (found.estimate.clusters, found.estimate.n) == (29, len(made))


def test_excess_bounds_count_only_the_surplus_of_an_order() -> None:
    asked = rotations(rows(200))
    alike = estimate_bias(table(asked, by_place(0.8, lambda row, place: 0.2)))
    sided = estimate_bias(table(asked, by_place(0.8, lambda row, place: 0.4 * right_in_front(row))))
    for found in (alike, sided):
        assert found.excess is not None
        low, high = found.bounds
        assert high - low == pytest.approx(200 * found.unanswered)
        assert found.excess.low_end < found.excess.low <= found.excess.high < found.excess.high_end
    assert alike.excess is not None
    assert sided.excess is not None
    assert alike.excess.low == pytest.approx(alike.estimate.value, abs=1)
    assert alike.excess.high == pytest.approx(alike.estimate.value, abs=1)
    assert (sided.excess.low, sided.excess.high) == pytest.approx(sided.bounds, abs=2)
    assert sided.excess.low < sided.estimate.value < sided.excess.high


def test_what_surplus_refusals_could_have_made_is_not_established() -> None:
    def hidden(row: Row, place: int) -> float:
        """The refusal of most choices of the right where it stands in front."""
        return 0.8 * (right_in_front(row) and row["sides"][place - 1] == "right")

    asked = rotations(rows(200))
    refusing = headline(judged(asked, by_place(0.5, hidden), 1))
    assert refusing.p_holm is not None
    assert refusing.p_holm < 0.05
    assert refusing.excess is not None
    assert not refusing.excess.exclude_zero(-1)
    assert verdict(refusing) == "found among the answers given"
    leaning = planted(0.7)

    def seldom(row: Row, rng: np.random.Generator) -> int | str | None:
        return "refusal" if rng.random() < 0.1 else leaning(row, rng)

    assert verdict(headline(judged(asked, seldom, 1))) == "established"


def test_few_topics_that_refuse_one_side_give_a_limit_by_pairs_of_requests() -> None:
    def written(refused: int) -> pd.DataFrame:
        return article_answers(
            [
                {
                    "set": "poligen",
                    "item": f"t{topic}",
                    "role": role,
                    "side": side,
                    "outcome": "refusal" if side == "right" and topic < refused else "ok",
                }
                for topic, role, side in product(range(50), ("user", "agent"), ("left", "right"))
            ]
        )

    ((_, few),) = refusal_gaps(written(4))
    assert (few.value, few.low, few.p) == (pytest.approx(8), None, None)
    assert (few.discordant, few.pairs) == (8, 100)
    assert few.limit == pytest.approx(0.152, abs=0.005)
    ((_, several),) = refusal_gaps(written(5))
    assert several.low is not None
    assert several.p is not None
