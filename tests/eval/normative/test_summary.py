"""Accuracy by setting, type and pattern, and what summary.json has of the entailment problems."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from polbias.eval.normative.analysis import accuracies, accuracy_by_type
from polbias.eval.normative.answers import entailment_answers, select
from polbias.eval.normative.effects import compare_contents
from polbias.eval.normative.tables import entailment_summary
from tests.eval.normative.normative_rows import (
    CONFIGS,
    answered,
    content_effect,
    domain_effect,
    entailment_rows,
)
from tests.support.respondents import follows_content


def whole(respondent: Any) -> list[dict[str, Any]]:
    return [
        row for config in CONFIGS for row in answered(entailment_rows(config, ("zero", "few")), respondent)
    ]


def only(rows: list[dict[str, Any]], **wanted: object) -> dict[str, Any]:
    (found,) = [row for row in rows if wanted.items() <= row.items()]
    return found


def test_tables_of_the_paper() -> None:
    def respondent(row: Any) -> str | None:
        return None if row["pattern"] == "Cat-DA" and row["prompt_style"] == "few" else follows_content(row)

    table = entailment_answers(whole(respondent))
    summary = entailment_summary(table)
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert sum(row["n"] for row in summary["patterns"]) == len(table) == 2 * (60 + 36 * 3)
    by_setting = accuracies(table, ("domain", "task", "prompt_style"), "corrected")
    assert len(by_setting) == len(CONFIGS) * 2
    logic = by_setting["deontic", "logic", "zero"]
    assert logic.value == pytest.approx(18 / 60)
    few = by_setting["epistemic", "syllogism", "few"]
    assert (few.n, few.unparsable, few.clusters) == (36, 9, 9)
    denied = only(summary["patterns"], domain="epistemic", prompt_style="few", pattern="Cat-DA")
    assert (denied["average"], denied["congruent_unanswered"], denied["n"]) == (None, 1, 9)
    ross = only(summary["patterns"], domain="deontic", prompt_style="zero", pattern="Ross-Or-Intro")
    assert (ross["gold"], ross["congruent"], ross["incongruent"], ross["average"], ross["n"]) == (
        "non-entailment",
        None,
        0,
        0,
        6,
    )
    golds = [row["gold"] for row in summary["patterns"] if row["prompt_style"] == "zero"][:7]
    assert golds == ["entailment"] * 3 + ["non-entailment"] * 4
    types = accuracy_by_type(select(table, domain="epistemic", task="logic", prompt_style="few"))
    assert [types[kind][0].value for kind in ("congruent", "incongruent", "nonsense")] == [1, 0, 0]


def test_types_are_compared_among_the_answers_with_a_verdict() -> None:
    """Half of the congruent contents are refused, by someone who is right on all the others."""
    rows = answered(
        entailment_rows("deontic_syllogism", contents=4),
        lambda row: "refusal" if row["content_id"] in ("congruent-0", "congruent-1") else row["gold"],
    )
    table = entailment_answers(rows)
    types = accuracy_by_type(table)
    assert [types[kind][0].value for kind in ("congruent", "incongruent", "nonsense")] == [1, 1, 1]
    assert (types["congruent"][1], types["incongruent"][1]) == (0.5, 0)
    (right,) = accuracies(table, ("domain",), "corrected").values()
    assert right.value == pytest.approx(1 - 0.5 / 3)
    pattern = only(entailment_summary(table)["patterns"], pattern="Cat-MT")
    assert (pattern["congruent"], pattern["average"], pattern["n"]) == (1, 1, 12)
    compared = compare_contents(table)
    assert (compared.effect().estimate, compared.support().state) == (0, None)
    assert compared.gap(compared.non_answers >= 0).estimate == 0.5


def test_effects_and_consistency_by_setting() -> None:
    rows = whole(follows_content)
    summary = entailment_summary(entailment_answers(rows))
    settings = {(row["domain"], row["task"], row["prompt_style"]) for row in rows}
    assert len(settings) == 8
    for setting in settings:
        part = [row for row in rows if (row["domain"], row["task"], row["prompt_style"]) == setting]
        for low in ("incongruent", "nonsense"):
            effect = content_effect(part, low)
            assert effect.estimate == 1
            assert math.isnan(effect.p_value)  # nothing varies between contents, which is no certainty
    for task, style in {setting[1:] for setting in settings}:
        part = [row for row in rows if (row["task"], row["prompt_style"]) == (task, style)]
        assert domain_effect(part).estimate == 0
    kinds = [
        row["kind"] for row in summary["consistency"] if row["task"] == "logic" and row["domain"] == "deontic"
    ]
    assert kinds == ["all", "contrapositive", "duality"] * 2
    readings = only(summary["disjunctions"], prompt_style="few", patterns=["Ross-Or-Intro"])
    assert (readings["contents"], readings["sdl"]["estimate"]) == (6, 1)
