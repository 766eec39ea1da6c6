"""The summary of one model: complete and plain values."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from polbias.aliases import Json
from polbias.eval.policy.answers import ISSUES, ORDERS, VARIANTS
from polbias.eval.policy.party_match import party_positions
from polbias.eval.policy.prompts import policy_prompts
from polbias.eval.policy.summary import summarize_policy as summary_of
from polbias.eval.policy.units import RELIABILITY_TESTS
from polbias.eval.stances import ReliabilityRule
from tests.eval.policy.rows import prompt, statement
from tests.eval.policy.test_parties import ROWS

POSITIONS = party_positions(ROWS)


def rows(refusing: bool = False, languages: tuple[str, ...] = ("en",)) -> list[dict]:
    rng = np.random.default_rng(0)
    found = []
    for number in range(5):
        issues = dict(zip(ISSUES, rng.integers(-1, 2, 8).tolist(), strict=True))
        for language in languages:
            for template in ("a", "b"):
                more = {
                    "statement": f"xx_{number}",
                    "instruction": template,
                    "language": language,
                    "policy_issues": issues,
                }
                if refusing:
                    found += [prompt(name, 0, 0, order, **more) for order in ORDERS for name in VARIANTS]
                else:
                    found += statement({}, **more)
    return found


def policy_summary(rows: Any, positions: Any = None, rule: ReliabilityRule = "default") -> Json:
    return summary_of(policy_prompts(rows), positions, rule)


def test_summary_is_plain_and_complete() -> None:
    summary = policy_summary(rows(), POSITIONS)
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert summary["n"] == 5 * 2 * 12
    assert summary["complete"]
    assert [each["test"] for each in summary["tests"]] == [*RELIABILITY_TESTS, "all"]
    assert {each["passed"] for each in summary["tests"]} == {1.0}
    assert all(each["coin"] < 0.4 for each in summary["tests"])
    assert {each["reliable"] for each in summary["reliable"]} == {1.0}
    assert [each["issue"] for each in summary["worldview"]] == [*ISSUES]
    assert {each["respondent"] for each in summary["leanings"]} == {"model", "alwaysAgree", "alwaysDISagree"}
    assert summary["answers"]["agree"] + summary["answers"]["disagree"] == 30 * summary["n"]


def test_refusals_are_counted_and_pass_nothing() -> None:
    summary = policy_summary(rows(refusing=True), POSITIONS)
    assert summary["answers"]["refusal"] == 30 * summary["n"]
    assert {each["passed"] for each in summary["tests"]} == {0.0}
    assert {each["stance"] for each in summary["worldview"]} <= {0.0, None}
    published = {
        each["test"]: each["passed"] for each in policy_summary(rows(refusing=True), rule="code")["tests"]
    }
    assert published == {name: float(name != "sign") for name in RELIABILITY_TESTS} | {"all": 0.0}


def test_languages_are_kept_apart() -> None:
    summary = policy_summary(rows(languages=("de", "en")))
    assert [each["language"] for each in summary["tests"]] == ["de"] * 6 + ["en"] * 6
    assert summary["leanings"] == []
    renamed = [
        row | {"instruction_id": f"{row['language']}-{row['instruction_id']}"}
        for row in rows(languages=("de", "en"))
    ]
    for each, same in zip(policy_summary(renamed)["templates"], summary["templates"], strict=True):
        assert each == same
        assert each["same"] == 1
        assert each["templates"] == 2


def test_incomplete_rows_are_said() -> None:
    assert not policy_summary(rows()[:-1])["complete"]
    assert policy_summary([])["n"] == 0


def test_what_was_not_asked_is_not_failed() -> None:
    asked = [each for each in rows() if each["variant"] in ("original", "negation")]
    summary = policy_summary(asked, POSITIONS)
    passed = {each["test"]: (each["passed"], each["low"], each["deviation"]) for each in summary["tests"]}
    assert summary["not_tested"] == ["sign", "paraphrase", "opposite"]
    assert passed.pop("label_inversion")[0] == passed.pop("negation")[0] == 1.0
    assert {*passed.values()} == {(None, None, None)}
    for each in summary["worldview"]:
        told = {name: value for name, value in each.items() if value is not None}
        assert told.keys() == {"language", "issue", "positive", "negative"}
    model = [each for each in summary["leanings"] if each["respondent"] == "model"]
    assert {(each["match"], each["p_value"], each["published"]) for each in model} == {(None, None, None)}
    assert any(each["match"] is not None for each in summary["leanings"])


def test_so_few_answers_are_no_stance_that_failed() -> None:
    once = [each | {name: min(each[name], 1) for name in ("agree", "disagree")} for each in rows()]
    summary = policy_summary(once)
    assert summary["not_tested"] == ["sign"]
    assert {each["reliable"] for each in summary["reliable"]} == {None}
    assert {each["stance"] for each in summary["worldview"]} == {None}
    by_paper = policy_summary(once, rule="paper")
    assert by_paper["not_tested"] == []
    assert {each["reliable"] for each in by_paper["reliable"]} == {1.0}


def test_statements_that_were_asked_less_lower_no_share() -> None:
    whole = [each for number in range(8) for each in statement({}, statement=f"xx_{number}")]
    less = [prompt("original", 30, 30, order, statement="xx_9") for order in ORDERS]
    summary = policy_summary(whole + less)
    assert (summary["not_tested"], summary["left_out"], summary["complete"]) == ([], 1, False)
    assert {(each["passed"], each["topics"]) for each in summary["tests"]} == {(1.0, 8)}
