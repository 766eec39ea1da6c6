"""Balanced configs: neither a hypothesis nor a premise tells the gold label."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

import pytest

from polbias.generators.engine import DatasetSpec, TableRows
from polbias.generators.logic.formula import KD, KT
from polbias.generators.logic.prover import prove
from polbias.generators.normative.balanced import (
    balanced_exemplars,
    balanced_problems,
    frame_pairs,
)
from polbias.generators.normative.items import Problem
from polbias.generators.normative.templates import DOMAINS, TASKS, Domain, NormativeTemplates, Task

Row = Mapping[str, Any]
CONFIGS = [f"{domain}_{task}_balanced" for domain, task in product(DOMAINS, TASKS)]
CELLS = list(product(DOMAINS, TASKS))


@pytest.fixture(scope="module")
def rows_by_config(normative: DatasetSpec) -> dict[str, list[dict[str, Any]]]:
    return {
        table.config: [row for batch in rows.batches(0, len(rows)) for row in batch.to_pylist()]
        for table, rows in ((table, TableRows(table)) for table in normative.tables)
        if table.split == "test"
    }


def _golds(rows: Iterable[Row], texts: Callable[[Row], Iterable[str]]) -> dict[str, Counter[str]]:
    """Count the gold labels of every text."""
    golds: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for text in texts(row):
            golds[text][row["gold"]] += 1
    return golds


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("part", ["hypothesis", "premises"])
def test_every_sentence_occurs_equally_often_with_both_golds(
    rows_by_config: dict[str, list[dict[str, Any]]], config: str, part: str
) -> None:
    for style in ("zero", "few", "cot"):
        rows = [row for row in rows_by_config[config] if row["prompt_style"] == style]
        golds = _golds(rows, lambda row: [row[part]] if part == "hypothesis" else row[part])
        assert len(golds) > 100
        assert all(count["entailment"] == count["non-entailment"] > 0 for count in golds.values())


@pytest.mark.parametrize("config", CONFIGS)
def test_no_problem_occurs_twice_and_all_are_proved(
    rows_by_config: dict[str, list[dict[str, Any]]], config: str
) -> None:
    rows = rows_by_config[config]
    assert len({(row["prompt_style"], *row["premises"], row["hypothesis"]) for row in rows}) == len(rows)
    assert {row["proof"] for row in rows} == {f"proved:{'kd' if 'deontic' in config else 'kt'}"}
    assert all(row["gold"] == row["gold_sdl"] for row in rows if "deontic" in config)
    assert {row["cluster_id"] for row in rows} == {
        f"{config.removesuffix('_balanced')}/{row['content_id']}" for row in rows
    }


def test_the_papers_configs_give_the_gold_away(rows_by_config: dict[str, list[dict[str, Any]]]) -> None:
    """What the balanced configs are for: negated or modal, but not both, and it follows."""
    for row in rows_by_config["deontic_syllogism"]:
        is_modal = row["pattern"].endswith(("MP", "DA"))
        is_negated = row["pattern"].endswith(("MT", "DA"))
        assert (row["gold"] == "entailment") == (is_modal != is_negated)


@pytest.mark.parametrize("config", CONFIGS)
def test_content_types_of_the_patterns(rows_by_config: dict[str, list[dict[str, Any]]], config: str) -> None:
    zero = [row for row in rows_by_config[config] if row["prompt_style"] == "zero"]
    types: dict[str, Counter[str]] = defaultdict(Counter)
    for row in zero:
        types[row["pattern"]][row["content_type"]] += 1
    if "syllogism" in config:
        for pattern, count in types.items():
            expected = (
                {"other": 24, "nonsense": 12}
                if "Rev" in pattern
                else {"congruent": 12, "incongruent": 12, "nonsense": 12}
            )
            assert count == expected, pattern
        return
    contradicted = {"NotMi-Mi", "NotMi-NotMuNot", "MuNot-Mi", "Mu-MiNot", "NotMiNot-NotMu"}
    understated = {"NotMu-MiNot", "MiNot-NotMu", "Mi-NotMuNot", "NotMuNot-Mi"}
    for pattern, count in types.items():
        assert count["nonsense"] == 10
        assert count["congruent"] == (0 if pattern in contradicted else 10), pattern
        assert count["other"] == (10 if pattern in understated else 0), pattern
    # For every status that is congruent where another is not, there is the reverse.
    orders = {
        (high["status"], low["status"])
        for high in zero
        for low in zero
        if high["content_type"] == "congruent"
        and low["content_type"] == "incongruent"
        and high["pattern"] == low["pattern"]
    }
    assert orders == {(low, high) for high, low in orders}
    assert len(orders) == 6


@pytest.mark.parametrize(("domain", "task"), CELLS)
def test_contents_run_through_all_patterns_in_one_pair_of_frames(
    family: NormativeTemplates, domain: Domain, task: Task
) -> None:
    rows = balanced_problems(family, domain, task)
    patterns = {pattern.id for pattern in family.balanced_patterns_of(domain, task)}
    assert len(patterns) == {"logic": 18, "syllogism": 16}[task]
    by_content: dict[str, list[Problem]] = defaultdict(list)
    for row in rows:
        by_content[row.content.id].append(row)
    logic = KD if domain == "deontic" else KT
    for problems in by_content.values():
        assert {problem.pattern.id for problem in problems} == patterns
        frames = {frame for p in problems for frame in (p.premise_frame, p.hypothesis_frame)}
        assert len({frame.flavour for frame in frames}) == 1
        assert all(frame.readings is None for frame in frames)
        assert len(frames) <= (2 if task == "logic" else 3)
        for problem in problems:
            assert prove(problem.inference, logic).valid == (problem.gold_proof.gold == "entailment")


@pytest.mark.parametrize("domain", DOMAINS)
def test_pairs_of_frames_are_used_evenly(family: NormativeTemplates, domain: Domain) -> None:
    used = Counter(
        (problem.premise_frame, problem.hypothesis_frame)
        for problem in balanced_problems(family, domain, "logic")
        if problem.pattern.id == "Mu-Mi"
    )
    assert {*used} == {*frame_pairs(family, domain, "logic")}
    assert max(used.values()) - min(used.values()) <= 1


@pytest.mark.parametrize(("domain", "task"), CELLS)
def test_examples_show_every_hypothesis_with_both_golds(
    family: NormativeTemplates, domain: Domain, task: Task
) -> None:
    exemplars = balanced_exemplars(family, domain, task)
    golds = _golds(
        [{"text": e.hypothesis.text, "gold": e.gold_proof.gold} for e in exemplars], lambda row: [row["text"]]
    )
    assert len(golds) == 4
    assert all(count == {"entailment": 1, "non-entailment": 1} for count in golds.values())
    rules = Counter((e.pattern.is_reversed, e.gold_proof.gold) for e in exemplars)
    if task == "logic":
        forces = Counter((e.pattern.premise, e.gold_proof.gold) for e in exemplars)
        assert {*forces.values()} == {1}
    else:
        assert {*rules.values()} == {2}
    tested = {problem.hypothesis.text for problem in balanced_problems(family, domain, task)}
    assert tested.isdisjoint(golds)
