"""The metrics and extractors on the dataset as it is published."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polbias.eval.answers import extract_cards, extract_entailment
from polbias.eval.data import load_task_rows
from polbias.eval.normative.answers import SETTING, SETTINGS, entailment_answers, select, selection_answers
from polbias.eval.normative.effects import disjunction_readings
from polbias.eval.normative.tables import entailment_summary, summarize_selections
from polbias.harness_tasks.generate import ENTAILED_SHARES
from tests.eval.normative.normative_rows import consistencies, content_effect
from tests.support.respondents import rows_of

DATASET = "normative-reasoning"

Rows = Mapping[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def published(normative_build: Path) -> Rows:
    return {config: rows_of(normative_build / DATASET, config) for config in (*ENTAILED_SHARES, "wason")}


def test_style_filter(normative_build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(normative_build))
    arguments = {"polbias_dataset": DATASET, "polbias_config": "deontic_logic", "polbias_revision": "v2.0.0"}
    rows = load_task_rows(**arguments, polbias_style="cot", pretrained="model arguments are passed too")[
        "test"
    ]
    assert (len(rows), set(rows["prompt_style"])) == (640, {"cot"})
    assert len(load_task_rows(**arguments)["test"]) == 3 * 640


@pytest.mark.parametrize("config", ENTAILED_SHARES)
def test_baselines_of_the_tasks_are_those_of_the_data(published: Rows, config: str) -> None:
    golds = [row["gold"] for row in published[config]]
    assert golds.count("entailment") / len(golds) == ENTAILED_SHARES[config]


def test_a_perfect_respondent(published: Rows) -> None:
    rows = [row | {"label": row["gold"]} for config in ENTAILED_SHARES for row in published[config]]
    answers = entailment_answers(rows)
    summary = entailment_summary(answers)
    assert {entry["average"] for entry in summary["patterns"]} == {1}
    assert {entry["share"]["estimate"] for entry in summary["consistency"]} == {1}
    assert {entry["paper"]["estimate"] for entry in summary["disjunctions"]} == {1}
    logic = select(answers, domain="deontic", task="logic", prompt_style="zero")
    assert np.mean(logic["gold"] == logic["gold_sdl"]) == (640 - 20 * 8) / 640
    # 8 patterns of each task in each style are compared, with nonsense FC-Or-Elim and FC-Or-Intro too
    for setting, low in product(SETTINGS, ("incongruent", "nonsense")):
        effect = content_effect(select(answers, **dict(zip(SETTING, setting, strict=True))), low)
        more = (*setting[:2], low) == ("deontic", "logic", "nonsense")
        assert (effect.estimate, effect.cells) == (0, 20 if more else 16)


@pytest.mark.parametrize("config", ENTAILED_SHARES)
def test_equivalent_inferences_have_equal_golds_and_one_content(published: Rows, config: str) -> None:
    rows = [row | {"label": row["gold"]} for row in published[config]]
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        for name in row["consistency_ids"]:
            groups.setdefault((name, row["prompt_style"]), []).append(row)
    assert len(groups) == consistencies(rows)[0].groups
    for members in groups.values():
        assert len({row["gold"] for row in members}) == len({row["cluster_id"] for row in members}) == 1
        assert len({row["pattern"] for row in members}) == len(members) >= 2


def test_contents_of_both_types_are_there(published: Rows) -> None:
    """Why the error of the content effect is not that of two samples of contents."""
    answers = entailment_answers([row | {"label": row["gold"]} for row in published["epistemic_logic"]])
    compared = answers[answers["content_type"] != "nonsense"]
    n_types = compared.groupby("cluster_id", observed=True)["content_type"].nunique()
    assert (n_types == 2).all()
    effect = content_effect(select(answers, prompt_style="cot"))
    assert (effect.clusters, effect.cells) == (len(n_types), 16)


def test_readings_of_the_disjunctions(published: Rows) -> None:
    rows = [row | {"label": "entailment"} for row in published["deontic_logic"]]
    readings = disjunction_readings(entailment_answers(rows))
    found = {each["patterns"]: each for each in readings if each["prompt_style"] == "zero"}
    assert {patterns: reading["contents"] for patterns, reading in found.items()} == {
        ("FC-Or-Elim", "FC-Or-Intro"): 60,
        ("Ross-Or-Intro",): 40,
    }
    assert found["FC-Or-Elim", "FC-Or-Intro"]["mixed"]["estimate"] == 1
    assert found["Ross-Or-Intro",]["sdl"]["estimate"] == 1


def test_cards_to_turn_are_the_true_antecedent_and_the_false_consequent(published: Rows) -> None:
    rows = published["wason"]
    summary = summarize_selections(selection_answers([row | {"label": row["gold"]} for row in rows]))
    assert summary["choices"] == {"true antecedent + false consequent": 1}
    assert (summary["accuracy"]["estimate"], summary["matching"]["estimate"]) == (1, 0.25)
    assert summary["matching_index"]["estimate"] == 0
    assert [effect["cells"] for effect in summary["effects"]] == [4, 24]


@pytest.mark.parametrize("config", ENTAILED_SHARES)
def test_no_sentence_of_an_item_is_read_as_an_answer_and_every_answer_beside_them(
    published: Rows, config: str
) -> None:
    rows = [row for row in published[config] if row["prompt_style"] == "zero"][::17]
    for row in rows:
        said, hypothesis = " ".join(row["premises"]), row["hypothesis"]
        for text in (said, hypothesis, f"Premise: {said}\nHypothesis: {hypothesis}", row["prompt"]):
            assert extract_entailment(text).label == "unparsable", text
        for label in ("entailment", "non-entailment"):
            for text in (
                f"{row['prompt']} {label}",
                f"{label}\n\nThe premise says: {said} {hypothesis}",
                f"The premise says: {said}\nThe hypothesis says: {hypothesis}\n\n{label}",
            ):
                assert extract_entailment(text).label == label, text


def test_no_selection_task_is_read_as_an_answer_and_every_answer_after_it(published: Rows) -> None:
    for row in published["wason"][::5]:
        cards = row["cards"]
        assert extract_cards(row["prompt"], cards).label == "unparsable"
        assert extract_cards(f"{row['prompt']} {row['gold']}", cards).label == row["gold"]
        shown = [cards["ABCD".index(letter)] for letter in row["gold"].split(",")]
        assert extract_cards(f'Turn over "{shown[0]}" and "{shown[1]}".', cards).label == row["gold"]
