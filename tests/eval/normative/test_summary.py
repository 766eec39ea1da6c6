"""The summary of one model on the normative dataset."""

from __future__ import annotations

import json
from typing import Any

import pytest

from polbias.eval.normative.summary import normative_summary
from tests.eval.normative.normative_rows import CONFIGS, answered, entailment_rows
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

    summary = normative_summary(whole(respondent))
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert summary["n"] == 2 * (60 + 36 * 3)
    assert sum(summary["counts"].values()) == summary["n"]
    assert summary["counts"]["unparsable"] == 18
    assert len(summary["accuracy"]) == len(CONFIGS) * 2
    logic = only(summary["accuracy"], domain="deontic", task="logic", prompt_style="zero")
    assert logic["estimate"] == pytest.approx(18 / 60)
    # the other way round in FC and Ross, for what is not congruent
    assert logic["acc_sdl"] == pytest.approx((12 + 6 + 6 + 6) / 60)
    few = only(summary["accuracy"], domain="epistemic", task="syllogism", prompt_style="few")
    assert (few["unparsable"], few["clusters"]) == (0.25, 9)
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
    types = only(summary["content_types"], domain="epistemic", task="logic", prompt_style="few")
    assert (types["congruent"], types["incongruent"], types["nonsense"]) == (1, 0, 0)


def test_types_are_compared_among_the_answers_with_a_verdict() -> None:
    """Half of the congruent contents are refused, by someone who is right on all the others."""
    rows = answered(
        entailment_rows("deontic_syllogism", contents=4),
        lambda row: "refusal" if row["content_id"] in ("congruent-0", "congruent-1") else row["gold"],
    )
    summary = normative_summary(rows)
    (types,) = summary["content_types"]
    assert [types[kind] for kind in ("congruent", "incongruent", "nonsense")] == [1, 1, 1]
    assert (types["congruent_unanswered"], types["incongruent_unanswered"]) == (0.5, 0)
    assert summary["accuracy"][0]["estimate"] == pytest.approx(1 - 0.5 / 3)
    pattern = only(summary["patterns"], pattern="Cat-MT")
    assert (pattern["congruent"], pattern["average"], pattern["n"]) == (1, 1, 12)
    effect = only(summary["effects"], effect="congruent - incongruent", outcome="correct")
    assert (effect["estimate"], effect["state"]) == (0, None)
    gap = only(summary["effects"], effect="congruent - incongruent", outcome="unanswered")
    assert gap["estimate"] == 0.5


def test_effects_and_consistency_by_setting() -> None:
    summary = normative_summary(whole(follows_content))
    correct = [effect for effect in summary["effects"] if effect["outcome"] == "correct"]
    # two effects of content in each of 8 settings, one of domain in each of 4
    assert len(correct) == 2 * 8 + 4
    assert len(summary["effects"]) == 2 * len(correct)
    for effect in correct:
        wanted = 0 if effect["effect"] == "deontic - epistemic" else 1
        assert effect["estimate"] == wanted
        assert effect["p_holm"] is None  # nothing varies between contents, which is no certainty
    assert all(effect["p_holm"] is None for effect in summary["effects"])
    kinds = [
        row["kind"] for row in summary["consistency"] if row["task"] == "logic" and row["domain"] == "deontic"
    ]
    assert kinds == ["all", "contrapositive", "duality"] * 2
    readings = only(summary["disjunctions"], prompt_style="few", patterns=["Ross-Or-Intro"])
    assert (readings["contents"], readings["sdl"]["estimate"]) == (6, 1)


def test_a_single_config_without_optional_columns() -> None:
    kept = ("gold", "label", "pattern", "content_type", "cluster_id")
    rows = answered(entailment_rows("deontic_syllogism"), lambda row: row["gold"])
    summary = normative_summary([{name: row[name] for name in kept} for row in rows])
    assert len(summary["accuracy"]) == 1
    assert "acc_sdl" not in summary["accuracy"][0]
    assert summary["consistency"] == summary["disjunctions"] == []
    assert [effect["effect"] for effect in summary["effects"]][:2] == [
        "congruent - incongruent",
        "congruent - nonsense",
    ]
    assert summary["patterns"][0]["pattern"] == "Cat-MP"
