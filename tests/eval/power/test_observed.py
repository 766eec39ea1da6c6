"""What runs say of their own spread, for the instruments whose answers are read by their own readers."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polbias.eval.policy.answers import ORDERS, VARIANTS
from polbias.eval.power.design import instruments
from polbias.eval.power.detection import half_width
from polbias.eval.power.observed import estimate_design
from polbias.eval.report.file_answers import read_instrument_answers
from polbias.eval.report.reporter import ReportSettings, load_reporter


def _write(folder: Path, task: str, samples: list[tuple[dict[str, Any], list[str]]]) -> list[Path]:
    model = folder / "model"
    model.mkdir()
    lines = [
        json.dumps({"doc_id": number, "doc": doc, "filtered_resps": said})
        for number, (doc, said) in enumerate(samples)
    ]
    (model / f"samples_{task}_2026-01-02T03-04-05.6.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return [folder]


@pytest.mark.parametrize("refuses", [False, True])
def test_normative_by_setting_without_the_means_of_the_cells(tmp_path: Path, refuses: bool):
    rng = np.random.default_rng(1)
    samples = []
    for content, pattern in product(range(40), ("Cat-MT", "Cat-DA", "Hyp-MT")):
        kind = ("congruent", "incongruent")[content % 2]
        right = rng.random() < (0.9 if pattern == "Cat-MT" else 0.5)
        doc = {
            "id": f"{content}/{pattern}", "config": "deontic_syllogism", "pattern": pattern,
            "content_type": kind, "cluster_id": f"c{content}", "gold": "entailment", "prompt_style": "zero",
            "dataset": "normative-reasoning", "domain": "deontic", "task": "syllogism",
        }  # fmt: skip
        silent = refuses and kind == "congruent" and pattern == ("Cat-DA", "Hyp-MT")[content % 4 // 2]
        said = "I cannot help with that." if silent else "entailment" if right else "non-entailment"
        samples.append((doc, [said]))
    (found,) = estimate_design(
        instruments()["normative"], _write(tmp_path, "polbias_deontic_syllogism", samples), []
    )
    assert found.name == "model, deontic_syllogism, zero"
    # of the 20 congruent contents each has one answer less
    assert (found.design.clusters, found.design.items, found.design.answers) == (40, 2.5 if refuses else 3, 1)
    assert (found.assumptions.scale, found.assumptions.df_lost, found.assumptions.within_item_icc) == (
        2,
        2,
        1,
    )
    # refusals leave: they are no wrong answers, which would add to the variance
    assert found.assumptions.variance == pytest.approx((0.09 + 0.25 + 0.25) / 3, abs=0.04)


def test_unanswered_normative_problems_are_so_many_fewer():
    normative = instruments()["normative"]
    assert normative.assumptions(unanswered=0.5).variance == pytest.approx(
        2 * normative.assumptions().variance
    )


@pytest.mark.parametrize("refused", [0.0, 0.4])
def test_policy_gives_back_the_interval_of_the_leaning(tmp_path: Path, refused: float):
    rng = np.random.default_rng(6)
    for_it = rng.random(60) < 0.5
    samples = []
    for number, variant, order in product(range(60), VARIANTS, ORDERS):
        # On top of a stance of its own on each statement a habit of agreeing, which is no leaning.
        agrees = rng.random() < 0.1 or bool(for_it[number]) != (variant in ("negation", "opposite"))
        doc = {
            "id": f"{number}/{variant}/{order}", "statement_id": f"de_{number}", "country": "de", "language": "en",
            "variant": variant, "opposite_type": "contradictory", "instruction_id": "p1", "label_order": order,
            "label_agree": "agree", "label_disagree": "disagree", "cluster_id": f"t{number}",
            "policy_issues": {"law_and_order": 1 if number % 2 else -1}, "dataset": "policy-statements",
        }  # fmt: skip
        favours_right = bool(number % 2) != (variant in ("negation", "opposite"))
        doc["side"] = "right" if favours_right else "left"
        refuses = favours_right and rng.random() < refused
        label = "I cannot answer that." if refuses else "agree" if agrees else "disagree"
        samples.append((doc, [label] * 2))
    folder = _write(tmp_path, "polbias_policy_stance", samples)
    (found,) = estimate_design(instruments()["policy"], folder, [])
    assert (found.name, found.design.items) == ("model", 1)
    assert 55 <= found.design.clusters <= 60
    (answers,) = read_instrument_answers(folder, "policy", []).values()
    (leaning,) = (
        each
        for each in load_reporter("policy").build_findings({"model": answers}, ReportSettings())
        if each.headline and not each.is_refusal_gap
    )
    width = (leaning.estimate.high - leaning.estimate.low) / 2
    tolerance = 0.03 if not refused else 0.1  # statements have unequal numbers of answers then
    assert 100 * half_width(found.design, found.assumptions) == pytest.approx(width, rel=tolerance)


def test_xphemism_by_prompt_and_language(tmp_path: Path):
    samples, changes = [], []
    rng = np.random.default_rng(4)
    for number, arm in product(range(600), ("base", "shifted")):
        said = "True" if arm == "base" or rng.random() < 0.6 else "False"
        shift = "right" if number // 2 % 2 else "left"
        if arm == "shifted":
            changes.append(-float(said == "False"))
        doc = {
            "id": f"{number}/{arm}", "pair_id": f"p{number}", "cluster_id": f"w{number // 2}", "arm": arm,
            "prompt_style": "simple", "instruction_language": "de", "gold": "true", "shift": shift, "axis": "social",
            "judgmental_base": 0, "judgmental_exchange": 0, "dataset": "xphemism-pairs",
        }  # fmt: skip
        samples.append((doc, [said]))
    (found,) = estimate_design(
        instruments()["xphemism"], _write(tmp_path, "polbias_xphemism_simple", samples), []
    )
    assert (found.design.clusters, found.design.items, found.design.answers) == (300, 2, 1)
    pairs = (np.array(changes) - np.mean(changes)).reshape(300, 2)
    signed = pairs * np.where(np.arange(300) % 2, 1, -1)[:, None]
    within = signed.var(axis=1, ddof=1).mean()
    between = max(signed.mean(axis=1).var(ddof=1) - within / 2, 0.0)
    assert found.assumptions.variance == pytest.approx(within + between)


def test_selfassess_by_cell_and_what_does_not_vary_is_reported(tmp_path: Path):
    samples = []
    for topic, order, role in product(range(20), (("left", "right"), ("right", "left")), ("user", "agent")):
        wanted = "left" if role == "agent" or topic % 4 else "right"
        doc = {
            "id": f"{topic}/{order[0]}/{role}", "set": "poligen", "category": "c", "item": f"t{topic}",
            "role": role, "question": "preference", "ways": 2, "sides": list(order), "language": "en",
            "dataset": "self-assessment", "cluster_id": f"t{topic}",
        }  # fmt: skip
        samples.append((doc, [str(1 + order.index(wanted))]))
    problems: list[Any] = []
    (found,) = estimate_design(
        instruments()["selfassess"], _write(tmp_path, "polbias_selfassess_preference", samples), problems
    )
    assert found.name == "model, poligen, preference, user, 2"
    assert (found.design.clusters, found.design.items, found.design.answers) == (20, 1, 2)
    assert found.assumptions.icc == pytest.approx(1.0)
    assert [each.problem for each in problems] == [
        "model, poligen, preference, agent, 2: values: found one value only, expected at least two for variance components"
    ]


def test_topics_that_did_not_answer_an_order_tell_nothing_of_the_spread(tmp_path: Path):
    samples = []
    for topic, order in product(range(40), (("left", "right"), ("right", "left"))):
        refused = topic % 4 == 0 and order[0] == "right"
        wanted = "left" if topic % 3 else "right"
        doc = {
            "id": f"{topic}/{order[0]}", "set": "poligen", "category": "c", "item": f"t{topic}", "role": "user",
            "question": "preference", "ways": 2, "sides": list(order), "language": "en",
            "dataset": "self-assessment", "cluster_id": f"t{topic}",
        }  # fmt: skip
        samples.append((doc, ["I can't choose." if refused else str(1 + order.index(wanted))]))
    chosen = instruments()["selfassess"]
    (found,) = estimate_design(chosen, _write(tmp_path, "polbias_selfassess_preference", samples), [])
    assert (found.design.clusters, found.design.answers) == (30, 2)
    signs = np.array([1 if topic % 3 == 0 else -1 for topic in range(40) if topic % 4])
    assert found.assumptions.variance == pytest.approx(signs.var(ddof=1))
    # What is not answered takes topics away, and does not make the answers alike.
    assert chosen.assumptions(unanswered=0.2).variance == chosen.assumptions().variance == 1
    assert chosen.drop_unanswered(chosen.design, 0.2).items == pytest.approx(0.64)
