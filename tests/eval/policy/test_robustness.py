"""The five tests, one statement at a time."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import norm

from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.policy.answers import LABELS, ORDERS, VARIANTS
from polbias.eval.policy.prompts import label_counts, policy_prompts
from polbias.eval.policy.robustness import acquiescence, coin_baseline, label_order_gap, status_quo
from polbias.eval.policy.units import RELIABILITY_TESTS
from polbias.eval.stances import ReliabilityRule
from tests.eval.policy.rows import N, prompt, statement, units_of

TURNED = ("negation", "opposite")


def passed(rows: Any, rule: ReliabilityRule = "default") -> dict[str, bool]:
    table = units_of(rows, rule)
    assert table.n == 1
    return {name: bool(each[0]) for name, each in table.pass_probabilities.items()}


def failed(rows: Any, rule: ReliabilityRule = "default") -> set[str]:
    return {name for name, fine in passed(rows, rule).items() if not fine and name != "all"}


@pytest.mark.parametrize("rule", get_args(ReliabilityRule))
def test_a_coherent_respondent_passes_everything(rule: ReliabilityRule) -> None:
    assert failed(statement(), rule) == set()
    against = {name: N if name in ("negation", "opposite") else 0 for name in VARIANTS}
    assert failed(statement(against), rule) == set()


@pytest.mark.parametrize(
    ("rows", "tests"),
    [
        (statement({"paraphrase2": 0}), {"paraphrase"}),
        (statement({"negation": N}), {"negation"}),
        (statement({"opposite": N}), {"opposite"}),
        (statement(inverted=0), {"label_inversion"}),
        (statement({"paraphrase1": 20}), {"sign"}),
        (statement({"paraphrase1": 15}), {"sign", "paraphrase"}),
        (statement(dict.fromkeys(VARIANTS, N)), {"negation", "opposite"}),
    ],
)
def test_each_failure(rows: Any, tests: set[str]) -> None:
    assert failed(rows) == tests
    assert not passed(rows)["all"]


def test_a_contrary_opposite_may_be_rejected_together_with_the_original() -> None:
    neither = {name: N if name == "negation" else 0 for name in VARIANTS}
    for kind, rule, fails in (
        ("contrary", "default", set()),
        ("contradictory", "default", {"opposite"}),
        (None, "default", {"opposite"}),
        ("contrary", "paper", {"opposite"}),
        ("contrary", "code", {"opposite"}),
    ):
        assert failed(statement(neither, opposite_type=kind), rule) == fails, (kind, rule)
    assert failed(statement({"opposite": N}, opposite_type="contrary")) == {"opposite"}


def test_missing_never_passes_but_in_the_published_code() -> None:
    refused = [prompt(name, 0, 0, order) for order in ORDERS for name in VARIANTS]
    assert failed(refused) == failed(refused, "paper") == set(RELIABILITY_TESTS)
    assert failed(refused, "code") == {"sign"}
    lone = [prompt()]
    assert failed(lone) == set(RELIABILITY_TESTS)
    assert failed(lone, "code") == {"sign"}


def test_few_valid_answers_are_missing_by_default() -> None:
    rows = statement()
    rows[0] = prompt("original", 10, 10)
    assert failed(rows) == set(RELIABILITY_TESTS)
    assert failed(rows, "paper") == set()


def test_units_are_statement_language_and_instruction() -> None:
    rows = [
        row
        for name in ("xx_1", "xx_2")
        for language in ("en", "de")
        for instruction in ("a", "b", "c")
        for row in statement(statement=name, instruction=instruction, language=language)
    ]
    table = units_of(rows)
    assert table.n == 12
    assert table.has_prompt.all()
    assert table.expected_stances().tolist() == [1] * 12
    shuffled = units_of([rows[index] for index in np.random.default_rng(0).permutation(len(rows))])
    assert (shuffled.side == table.side).all()


def test_a_prompt_that_stands_twice_is_an_error() -> None:
    with pytest.raises(AnswerTableError, match="second prompt of"):
        units_of([prompt(), prompt()])


def likelihoods(shares: Any, opposite_type: str = "contradictory") -> list[dict[str, Any]]:
    """Prompts of statements, given by the share of agreement in (statement, order, variant)."""
    return [
        {
            **{"statement_id": str(number), "variant": name, "instruction_id": "a", "label_order": order},
            **{"opposite_type": opposite_type, "agree_share": share},
        }
        for number, each in enumerate(np.asarray(shares).tolist())
        for order, row in zip(ORDERS, each, strict=True)
        for name, share in zip(VARIANTS, row, strict=True)
    ]


@pytest.mark.parametrize("kind", ["contradictory", "contrary"])
@pytest.mark.parametrize(
    ("sharp", "spread", "instruction", "wording", "acquiescent", "negated", "share"),
    [
        (6, 1, 0.15, 0.25, 0.1, 0, 0.685),
        (4, 0.8, 0.25, 0.35, 0.3, 0, 0.512),
        (2.5, 0.6, 0.3, 0.4, 0.35, 0.2, 0.244),
    ],
)
def test_likelihoods_pass_as_often_as_samples_of_them(
    sharp: float,
    spread: float,
    instruction: float,
    wording: float,
    acquiescent: float,
    negated: float,
    share: float,
    kind: str,
) -> None:
    """Profiles of a large, a middling and a small model; a threshold on the share passed 75 to 92% of them."""
    rng, shape = np.random.default_rng(5), (240, 6, len(ORDERS), len(VARIANTS))
    turned = np.isin(VARIANTS, TURNED)
    latent = rng.normal(0, spread, (240, 1, 1, 1)) * np.where(turned, -1, 1) + acquiescent + negated * turned
    latent = latent + rng.normal(0, instruction, (240, 6, 1, 1)) + rng.normal(0, 0.15, shape)
    latent = latent + rng.normal(0, wording, (240, 1, 1, len(VARIANTS)))
    agrees = norm.cdf(sharp * latent).reshape(-1, len(ORDERS), len(VARIANTS))
    exact = units_of(likelihoods(agrees, kind))
    rows = likelihoods(agrees, kind)
    for row, agree in zip(rows, rng.binomial(N, agrees).ravel().tolist(), strict=True):
        del row["agree_share"]
        row |= {"agree": agree, "disagree": N - agree}
    drawn = units_of(rows)
    for name in (*RELIABILITY_TESTS, "all"):
        chance = exact.pass_probabilities[name]
        error = 4 * np.sqrt((chance * (1 - chance)).sum()) / chance.size + 1 / chance.size
        assert drawn.pass_probabilities[name].mean() == pytest.approx(chance.mean(), abs=error), name
    assert exact.pass_probabilities["sign"].mean() == pytest.approx(share, abs=0.05)
    some = [each.pass_probabilities_by_sign(("sign", "negation")).mean(axis=1) for each in (exact, drawn)]
    assert some[0] == pytest.approx(some[1], abs=0.03)


def test_habits_by_hand() -> None:
    habits = (acquiescence, status_quo, label_order_gap)
    for name, agrees, expected in (
        ("yes", dict.fromkeys(VARIANTS, N), (1, 0, 0)),
        ("no", dict.fromkeys(VARIANTS, 0), (-1, 0, 0)),
        ("for it", {each: 0 if each in TURNED else N for each in VARIANTS}, (0, 0, 0)),
        ("for the contrary", {each: N if each in TURNED else 0 for each in VARIANTS}, (0, 0, 0)),
        ("as it is", {each: N if each == "negation" else 0 for each in VARIANTS}, (0, 1, 0)),
    ):
        table = units_of(statement(agrees, opposite_type="contrary"))
        assert tuple(habit(table).estimate for habit in habits) == expected, name
    first = [
        prompt(name, N if order == ORDERS[0] else 0, order=order) for order in ORDERS for name in VARIANTS
    ]
    assert label_order_gap(units_of(first)).estimate == 1
    assert not status_quo(units_of(first)).n  # no contrary opposite


def test_ways_to_give_the_same_table() -> None:
    rows = statement({"paraphrase1": 20})
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    counts = label_counts(policy_prompts(rows))
    for other in (columns, pa.Table.from_pylist(rows), pd.DataFrame(rows)):
        assert (label_counts(policy_prompts(other)) == counts).all()
    assert len(policy_prompts([])) == units_of([]).n == 0
    assert counts.shape == (12, len(LABELS))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"not_requested": 3, "first_answer": "maybe"}, "column 'first_answer', row 0: found 'maybe'"),
        ({"variant": "other"}, "column 'variant'"),
        ({"label_order": "other"}, "column 'label_order'"),
        ({"opposite_type": "other"}, "column 'opposite_type'"),
        ({"policy_issues": {"law_and_order": 2}}, "policy_issues"),
        ({"side": "centre"}, "column 'side', row 0: found 'centre', expected left or none or right"),
        ({"agree_share": 2}, "column 'agree_share', row 0: found 2"),
        ({"agree": -1}, "column 'agree', row 0: found -1"),
        ({"disagree": "few"}, "column 'disagree', row 0: found 'few'"),
        ({"disagree": None}, "'disagree': missing"),
        ({"not_requested": 3}, "'first_answer': missing"),
    ],
)
def test_wrong_tables(change: dict[str, Any], said: str) -> None:
    row = {key: value for key, value in (prompt() | change).items() if value is not None}
    with pytest.raises(AnswerTableError, match=said):
        policy_prompts([row])
    with pytest.raises(AnswerTableError, match="'label_order': missing"):
        policy_prompts([{"statement_id": "xx_1", "variant": "original", "instruction_id": "a"}])


@pytest.mark.parametrize("rule", get_args(ReliabilityRule))
@pytest.mark.parametrize("contrary", [False, True])
def test_the_coins_are_those_of_a_simulation(rule: ReliabilityRule, contrary: bool) -> None:
    n, many, rng = 9, 5_000, np.random.default_rng(3)
    draws = rng.binomial(n, 0.5, (many, len(ORDERS), len(VARIANTS)))
    rows: dict[str, list[Any]] = {
        "statement_id": np.repeat(np.arange(many), 12).tolist(),
        "variant": [*VARIANTS] * 2 * many,
        "instruction_id": ["a"] * 12 * many,
        "label_order": ([ORDERS[0]] * 6 + [ORDERS[1]] * 6) * many,
        "opposite_type": ["contrary" if contrary else "contradictory"] * 12 * many,
        "agree": draws.ravel().tolist(),
        "disagree": (n - draws).ravel().tolist(),
    }
    found, exact = units_of(rows, rule).pass_probabilities, coin_baseline(n, rule, contrary)
    for name, share in exact.items():
        error = 4 * np.sqrt(share * (1 - share) / many) + 3 / many
        assert found[name].mean() == pytest.approx(share, abs=error), name


def test_a_statement_is_named_by_country_and_number() -> None:
    for name, expected in (
        ("7", "de_7"),
        ("de_7", "de_7"),
        ("de-07-benches", "de-07-benches"),
        ("desk", "de_desk"),
    ):
        assert [*policy_prompts([prompt(statement=name, country="de")])["statement"]] == [expected]
    both = [prompt(statement="7", country=country) for country in ("de", "es")]
    assert units_of(both).n == 2
