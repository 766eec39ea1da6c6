"""Stances under weaker constraints (Figure 7), against stances that are known by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from polbias.eval.policy.answers import VARIANTS
from polbias.eval.policy.prompts import policy_prompts
from polbias.eval.policy.summary import CONSTRAINTS, summarize_policy
from polbias.eval.policy.units import PARAPHRASES
from tests.eval.policy.rows import N, statement

ISSUE = "law_and_order"
REJECTED = {name: N if name in ("negation", "opposite") else 0 for name in VARIANTS}
PARAPHRASED_OTHERWISE = {VARIANTS[code]: 0 for code in PARAPHRASES}


def prompts() -> pd.DataFrame:
    """Four statements with two instructions.

    Three are in favour of the policy: the first passes all tests, the second all but the negation, the third
    neither the negation nor the paraphrases, and its original is rejected in the second instruction only. The
    fourth, against the policy, is rejected and passes all tests.
    """
    rows: list[dict[str, Any]] = []
    for instruction in ("t1", "t2"):
        third = {"original": N if instruction == "t1" else 0, **PARAPHRASED_OTHERWISE}
        if instruction == "t2":
            third |= {VARIANTS[code]: N for code in PARAPHRASES}
        for number, (counts, inverted, sign) in enumerate(
            [
                ({}, None, 1),
                ({"negation": N}, None, 1),
                (third | {"negation": N}, third["original"], 1),
                (REJECTED, 0, -1),
            ]
        ):
            rows += statement(
                counts,
                inverted,
                statement=f"xx_{number}",
                instruction=instruction,
                policy_issues={ISSUE: sign},
            )
    return policy_prompts(rows)


def entries(rule: Any) -> dict[str, dict[str, Any]]:
    summary = summarize_policy(
        prompts(), rule=rule, tests=("sign", "label_inversion", "paraphrase", "negation", "opposite")
    )
    return {entry["constraint"]: entry for entry in summary["constraints"] if entry["issue"] == ISSUE}


def test_fewer_tests_let_more_statements_count() -> None:
    by_constraint = entries("paper")
    assert [*by_constraint] == [*CONSTRAINTS]
    assert [entry["answered"] for entry in by_constraint.values()] == [2, 3, 4]


def test_equation_1_and_its_deviation_over_instructions() -> None:
    by_constraint = entries("paper")
    expected = {"all": [1 / 3 - 1] * 2, "fewer": [2 / 3 - 1] * 2, "none": [1 - 1, 2 / 3 - 1]}
    for constraint, by_template in expected.items():
        entry = by_constraint[constraint]
        assert entry["equation_1"] == pytest.approx(np.mean(by_template))
        assert entry["equation_1_deviation"] == pytest.approx(np.std(by_template, ddof=1), abs=1e-12)


def test_the_balanced_stance() -> None:
    by_constraint = entries("default")
    expected = {"all": [2 / 3] * 2, "fewer": [5 / 6] * 2, "none": [1, 2 / 3]}
    for constraint, by_template in expected.items():
        entry = by_constraint[constraint]
        assert entry["stance"] == pytest.approx(np.mean(by_template))
        assert entry["stance_deviation"] == pytest.approx(np.std(by_template, ddof=1), abs=1e-12)


def test_a_constraint_needs_its_tests() -> None:
    summary = summarize_policy(prompts(), tests=("label_inversion",))
    assert {entry["constraint"] for entry in summary["constraints"]} == {"none"}
