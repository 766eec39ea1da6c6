"""Who is named first is balanced, and intervals are over what may vary."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.aliases import Indices
from polbias.eval.answer_frames import codes_of
from polbias.eval.partisan import metrics
from polbias.eval.partisan.analysis import AnswerSubset
from polbias.eval.partisan.answers import LARGE_DATASET, argument_answers, argument_design
from tests.eval.partisan import by_hand

FORMAL = {"1": "favoured", "3-ultraclear": "favoured", "2-inf": "other"}


def rows(prompts: int = 3, **more: Any) -> list[dict[str, Any]]:
    """The formal arguments of the paper in one language, each asked several times."""
    made: list[dict[str, Any]] = []
    cells = product(FORMAL.items(), ("", "-cn-pp"), ("valid", "invalid"), "fm", ("default", "perm"))
    for (base, first), negation, gold, gender, variation in cells:
        for prompt, side in product(range(prompts), ("left", "right")):
            row = {
                "config": "en_formal", "dataset": "partisan-inference", "base_id": base, "first_named": first,
                "pattern_id": base + negation, "gold": gold, "gender": gender, "variation": variation,
                "person_pair": f"p-{gender}", "leaning": side, "cluster_id": base, "language": "en",
                "pair_id": f"{prompt}/{base}{negation}/{gold}/{gender}/{variation}", "label": gold,
            }  # fmt: skip
            made.append(row | argument_design(row) | more)
    return made


def read(table: list[dict[str, Any]]) -> AnswerSubset:
    return AnswerSubset(argument_answers(table), unit=1.0)


def subset(table: list[dict[str, Any]]) -> AnswerSubset:
    return read([row | {"cluster_id": row["sampling_unit"]} for row in table])


def answer(table: list[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    labels = rng.choice(["valid", "invalid", "refusal"], len(table), p=[0.6, 0.3, 0.1])
    return [row | {"label": str(label)} for row, label in zip(table, labels, strict=True)]


def test_the_three_bases_weigh_a_quarter_a_quarter_and_a_half() -> None:
    table = rows()
    shares = subset(table).balance
    for base, weight in {"1": 0.25, "3-ultraclear": 0.25, "2-inf": 0.5}.items():
        for negation in ("", "-cn-pp"):
            own = [row["pattern_id"] == base + negation and row["leaning"] == "left" for row in table]
            assert shares[own].sum() == pytest.approx(weight / 2)
    assert shares.sum() == pytest.approx(2)


@pytest.mark.parametrize("seed", range(3))
def test_estimate_and_interval_are_those_by_hand(seed: int) -> None:
    table = answer(rows(), seed)
    own = subset(table)
    found = own.balanced_contrast(own.errors)
    assert found.estimate == pytest.approx(by_hand.balanced(table))
    assert (found.low, found.high) == pytest.approx(by_hand.interval(table))
    assert found.clusters == len({row["sampling_unit"] for row in table}) == 48
    gap = own.refusal_gap_contrast()
    assert gap.estimate == pytest.approx(by_hand.balanced(table, by_hand.refused))


@settings(deadline=None, max_examples=30)
@given(st.sets(st.integers(0, 287), max_size=200), st.integers(0, 9))
def test_rows_that_are_missing_leave_the_nested_mean_of_the_rest(lost: set[int], seed: int) -> None:
    table = [row for place, row in enumerate(answer(rows(), seed)) if place not in lost]
    both = [
        row
        for _, cell in by_hand.cells(table)
        for row in cell
        if len({each["leaning"] for each in cell}) == 2
    ]
    own = subset(table)
    assert own.balanced_contrast(own.errors).estimate == pytest.approx(by_hand.balanced(both))


def test_the_metrics_of_lm_eval_are_of_the_same_estimate() -> None:
    table = answer(rows(), 5)
    said = {"refusal": "I can't answer that."}
    read = [
        metrics.process_generated(
            row | {"verdicts": {"form": "valid"}}, [said.get(row["label"], row["label"])]
        )
        for row in table
    ]
    items = [answers.row for answers in read]
    low, high = by_hand.interval(table, by_hand.refused)
    half = metrics.refusal_gap.error(items)
    assert metrics.bias(items) == pytest.approx(by_hand.answered(table))
    assert isinstance(half, float)
    assert (high - low) / 2 / half == pytest.approx(2.0, abs=0.05)  # t with some forty degrees of freedom
    assert metrics.refusal_gap(items) == pytest.approx(by_hand.balanced(table, by_hand.refused))
    verdicts = [row for row in table if row["label"] != "refusal"]
    assert metrics.weighted_bias(items) == pytest.approx(by_hand.gap(verdicts))
    assert metrics.bias_lower_bound(items) <= by_hand.answered(table) <= metrics.bias_upper_bound(items)
    form = np.mean([row["label"] == "valid" for row in table])
    assert np.mean([answers.means["acc_form"] for answers in read]) == pytest.approx(form)


def test_a_likelihood_that_names_the_left_first_has_no_bias() -> None:
    docs = rows()
    read = []
    for row in docs:
        first = "left" if (row["first_named"] == "favoured") == (row["leaning"] == "left") else "right"
        valid = 0.7 if first == "left" else 0.4
        likely = [(math.log(valid), False), (math.log(1 - valid), False)]
        read.append(metrics.process_loglikelihood(row, likely).further_rows["probability_bias"])
    assert metrics.probability_bias(read) == pytest.approx(0, abs=1e-12)
    assert (
        np.mean(
            [
                (1 if row["leaning"] == "right" else -1) * 2 * item[-2]
                for row, item in zip(docs, read, strict=True)
            ]
        )
        < -0.09
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_large_set_is_over_bases_with_their_orders_together(seed: int) -> None:
    table = []
    for base in range(12):
        for first in ("favoured", "other"):
            own = rows(1, dataset=LARGE_DATASET, base_id=f"b{base}", first_named=first)
            table += [row | {"sampling_unit": row["base_id"]} for row in own]
    table = answer(table, seed)
    own = subset(table)
    found = own.balanced_contrast(own.errors)
    values = [
        by_hand.balanced(base, path=("first_named", "negated")) for base in by_hand.groups(table, "base_id")
    ]
    assert found.estimate == pytest.approx(np.mean(values))
    assert found.standard_error == pytest.approx(np.std(values, ddof=1) / math.sqrt(12))
    assert (found.clusters, found.degrees_of_freedom) == (12, pytest.approx(11))


def test_bases_weigh_alike_and_the_error_is_over_topics() -> None:
    topics = ["taxes", "taxes", "welfare", "welfare", *(f"goal{number}" for number in range(9))]
    table = []
    for base, topic in enumerate(topics):
        for first in ("favoured", "other"):
            own = rows(1, dataset=LARGE_DATASET, base_id=f"b{base}", first_named=first, cluster_id=topic)
            table += [row | {"sampling_unit": argument_design(row)["sampling_unit"]} for row in own]
    table = answer(table, 3)
    own = subset(table)
    found = own.balanced_contrast(own.errors)
    values = {
        base[0]["base_id"]: by_hand.balanced(base, path=("first_named", "negated"))
        for base in by_hand.groups(table, "base_id")
    }
    gaps = np.array([values[f"b{base}"] for base in range(len(topics))])
    assert found.estimate == pytest.approx(gaps.mean())
    # CR2 by matrices, of a regression on a constant.
    residuals, hat = gaps - gaps.mean(), np.full((gaps.size, gaps.size), 1 / gaps.size)
    variance = 0.0
    for topic in set(topics):
        inside = [place for place, name in enumerate(topics) if name == topic]
        values_of, vectors = np.linalg.eigh(np.eye(len(inside)) - hat[np.ix_(inside, inside)])
        root = vectors @ np.diag(values_of**-0.5) @ vectors.T
        variance += (root @ residuals[inside]).sum() ** 2 / gaps.size**2
    assert found.standard_error == pytest.approx(math.sqrt(variance))
    assert found.clusters == 11


def test_the_unit_of_the_large_set_is_the_cluster_of_its_version() -> None:
    row = {"dataset": LARGE_DATASET, "base_id": "taxes_gb-left", "pattern_id": "taxes_gb-left-cn-pp"}
    assert argument_design(row | {"cluster_id": "taxes", "topic": "taxes"})["sampling_unit"] == "taxes"
    assert argument_design(row | {"cluster_id": "taxes_gb-left"})["sampling_unit"] == "taxes_gb-left"


PLACES = ("us_en", "ch_de", "de_de", "gb_en")


def countries(
    effects: dict[str, float], rng: np.random.Generator, sd: float = 0.1
) -> tuple[list[dict[str, Any]], Indices]:
    """Answers to the large set: 24 schemas, 16 goals and 8 positions a country, each base with its own bias."""
    own = {f"f{number}": 0.0 for number in range(24)} | {f"g{number}": 0.0 for number in range(16)}
    bias = {base: rng.normal(0, sd) for base in own}
    table: list[dict[str, Any]] = []
    for place, effect in effects.items():
        issues = [f"g{number}" for number in range(16)] + [f"{place}-{number}" for number in range(8)]
        for kind, bases in (("formal", [f"f{number}" for number in range(24)]), ("material", issues)):
            for base, gold, first, side, _ in product(
                bases, ("valid", "invalid"), ("favoured", "other"), ("left", "right"), range(4)
            ):
                shift = (
                    (effect + bias.setdefault(base, rng.normal(0, sd))) / 4 * (1 if side == "right" else -1)
                )
                valid = rng.random() < (0.8 if gold == "valid" else 0.2) + shift
                table.append(
                    {
                        "config": f"{place}_{kind}", "dataset": LARGE_DATASET, "base_id": base, "first_named": first,
                        "negated": False, "person_pair": f"p{len(table) % 16}", "gold": gold, "leaning": side,
                        "label": "valid" if valid else "invalid", "cluster_id": f"{kind}/{base}", "country": place,
                    }
                )  # fmt: skip
    return table, codes_of([row["country"] for row in table])


def p_unlike(table: list[dict[str, Any]], country: Indices) -> float:
    answers = read(table)
    return answers.p_unlike(answers.errors, country)


def test_countries_that_lean_to_opposite_sides_are_told_though_the_mean_is_nothing() -> None:
    unlike = dict(zip(PLACES, (0.25, 0.25, -0.25, -0.25), strict=True))
    table, country = countries(unlike, np.random.default_rng(1))
    answers = read(table)
    found = answers.balanced_contrast(answers.errors)
    assert abs(found.estimate) < 0.08
    assert (found.clusters, found.crossed) == (24 + 16 + 4 * 8, None)
    assert p_unlike(table, country) < 0.001


def test_countries_that_lean_alike_differ_no_more_often_than_chance() -> None:
    rng = np.random.default_rng(2)
    alike = [countries(dict.fromkeys(PLACES, 0.1), rng) for _ in range(30)]
    false = sum(p_unlike(table, country) < 0.05 for table, country in alike)
    assert false <= 5  # more has a chance of .3%
    assert math.isnan(p_unlike(*countries({"us_en": 0.1}, rng)))


def test_only_real_people_are_drawn_beside_the_bases() -> None:
    table, _ = countries({"us_en": 0.1}, np.random.default_rng(3))
    people = [row | {"config": f"{row['config']}_people"} for row in table]
    crossed = [(rows := read(each)).balanced_contrast(rows.errors).crossed for each in (table, people)]
    assert crossed == [None, 16]
