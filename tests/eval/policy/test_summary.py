"""The summary of one model: complete, plain values, and what its figures need."""

from __future__ import annotations

import json

import numpy as np

from polbias.eval.policy.prompts import ISSUES, ORDERS, VARIANTS
from polbias.eval.policy.robustness import TESTS
from polbias.eval.policy.summary import leaning_data, policy_summary, spider_data
from tests.eval.policy.rows import prompt, statement
from tests.eval.policy.test_parties import ROWS as POSITIONS


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


def test_summary_is_plain_and_complete() -> None:
    summary = policy_summary(rows(), POSITIONS)
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert summary["n"] == 5 * 2 * 12
    assert summary["complete"]
    assert [each["test"] for each in summary["tests"]] == [*TESTS, "all"]
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
    assert published == {name: float(name != "sign") for name in TESTS} | {"all": 0.0}


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


def test_figures() -> None:
    summary = policy_summary(rows(), POSITIONS)
    spider, leaning = spider_data(summary), leaning_data(summary)
    assert [each["issue"] for each in spider] == [*ISSUES]
    assert {each["dot"] for each in spider} == {True}
    assert {(each["respondent"], each["answers"]) for each in leaning} == {
        *(
            ("model", "all"),
            ("model", "agree"),
            ("model", "disagree"),
            ("alwaysAgree", "all"),
            ("alwaysDISagree", "all"),
        )
    }
