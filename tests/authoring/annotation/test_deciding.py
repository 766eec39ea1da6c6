"""Majorities, contradictions between directions, and a discussion that settles them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.errors import InputError
from polbias.eval.agreement import krippendorff_alpha
from polbias.generators.authoring.annotation.answers import AnnotatorAnswer
from polbias.generators.authoring.annotation.decisions import (
    label_by_majority,
    majority_value,
    ratings,
    read_resolved,
    undecided_tsv,
    votes,
)
from polbias.generators.authoring.annotation.tasks import Guideline, TaskSet, load_guideline, make_tasks
from polbias.generators.authoring.pairs import pairs_tsv
from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon
from polbias.paths import package_file
from polbias.spreadsheets import SheetError
from tests.authoring.annotation.conftest import word_set

LEFT = ("social", "left", "0", "1")
RIGHT = ("social", "right", "1", "0")  # what LEFT is in the other direction
NAMES = ("axis", "shift", "judgmental_first", "judgmental_second")


def said(task: str, *answers: Sequence[str]) -> list[AnnotatorAnswer]:
    return [
        AnnotatorAnswer(task, f"a{n}", dict(zip(NAMES, values, strict=True)), "", "x")
        for n, values in enumerate(answers)
    ]


@pytest.mark.parametrize(
    ("counts", "first"),
    [({}, None), ({"left": 2, "right": 2, "none": 1}, None), ({"left": 2, "right": 1, "none": 1}, "left")],
)
def test_the_majority(counts: dict[str, int], first: str | None) -> None:
    assert majority_value(counts) == first


def test_codes_of_answers(guideline: Guideline) -> None:
    tasks = word_set().tasks
    answers = [*said("p0.forward", LEFT, LEFT), *said("p1.forward", LEFT, RIGHT), *said("p2.forward", RIGHT)]
    shift = guideline.steps[1]
    assert ratings(answers, tasks, shift) == [[1, 1, 2], [1, 2, 0]]
    # Two items rated twice, 1 1 and 1 2: n = 4, observed 1/2 (2/4), expected 2*3*1/(4*3).
    assert krippendorff_alpha(ratings(answers, tasks, shift)) == pytest.approx(1 - (2 / 4) / (6 / 12))
    assert votes(answers, guideline.steps)["p1.forward", "shift"] == {"left": 1, "right": 1}


def test_pairs_by_majority() -> None:
    tasks = word_set()
    answers = [
        *said("p0.forward", LEFT, LEFT, ("none", "none", "0", "0")),
        *said("p1.forward", LEFT, ("social", "right", "0", "1")),
    ]
    found = label_by_majority(tasks, answers)
    assert [(p.pair_id, p.shift, p.axis, p.judgmental_second, p.collected) for p in found.pairs] == [
        ("p0", "left", "social", True, "manual")
    ]
    assert found.pending == ("p1", "p2")
    assert [(each.pair_id, each.variable, each.reason) for each in found.contested] == [
        ("p1", "shift", "tie"),
        *(("p2", name, "no-votes") for name in NAMES),
    ]
    assert found.contested[0].forward == "left 1, right 1"
    assert found.contested[0].reverse == ""


def test_a_pair_and_its_reverse() -> None:
    tasks = word_set(reverse=True)
    alike = [*said("p0.forward", LEFT), *said("p0.reverse", RIGHT)]
    unlike = [*said("p1.forward", LEFT), *said("p1.reverse", ("economic", "left", "0", "0"))]
    half = said("p2.forward", LEFT)
    found = label_by_majority(tasks, [*alike, *unlike, *half])
    assert [pair.pair_id for pair in found.pairs] == ["p0"]
    cases = {(each.pair_id, each.variable): each for each in found.contested}
    assert {key: case.reason for key, case in cases.items()} == {
        ("p1", "axis"): "conflict",
        ("p1", "shift"): "conflict",
        ("p1", "judgmental_second"): "conflict",
        **{("p2", name): "no-votes" for name in NAMES},
    }
    shift = cases["p1", "shift"]
    assert (shift.forward, shift.reverse) == ("left 1", "right 1")  # of the pair as it is written


def test_a_discussion_comes_back(tmp_path: Path) -> None:
    tasks = word_set()
    answers = [*said("p0.forward", LEFT, RIGHT), *said("p1.forward", LEFT), *said("p2.forward", LEFT)]
    found = label_by_majority(tasks, answers)
    path = tmp_path / "open.tsv"
    path.write_text(undecided_tsv(found.contested), "utf-8")
    assert read_resolved(path) == list(found.contested)
    agreed = {"shift": "Libertarian", "judgmental_first": "1", "judgmental_second": "0"}
    lines = [
        replace(each, resolved=agreed.get(each.variable, ""), note="=talk") for each in read_resolved(path)
    ]
    path.write_text(undecided_tsv(lines), "utf-8")
    resolved = read_resolved(path)
    after = label_by_majority(tasks, answers, resolved)
    pair = after.pairs[0]
    assert (pair.pair_id, pair.shift, pair.judgmental_first, pair.judgmental_second) == (
        "p0",
        "left",
        True,
        False,
    )
    assert after.contested == tuple(resolved)
    assert after.contested[0].note == "=talk"
    assert (after.problems, after.pending) == ((), ())
    # With other votes the decision is not taken for granted, and none is needed where they decide.
    more = [*answers, *said("p0.forward", LEFT, RIGHT, ("social", "none", "0", "1"))]
    changed = label_by_majority(tasks, more, resolved)
    assert {(each.code, each.location) for each in changed.problems} == {("stale", "p0")}
    assert [(each.variable, each.resolved) for each in changed.contested] == [("shift", "")]


def test_an_open_table_that_cannot_be_used(tmp_path: Path) -> None:
    found = label_by_majority(word_set(), [])
    cases = [replace(found.contested[0], resolved="maybe"), *found.contested[1:3], found.contested[2]]
    path = tmp_path / "open.tsv"
    path.write_text(undecided_tsv([*cases, replace(cases[0], variable="mood", resolved="")]), "utf-8")
    with pytest.raises(SheetError) as error:
        read_resolved(path)
    value, twice, unknown = error.value.problems
    assert "open.tsv:2: resolved: found 'maybe', expected one of economic, social, none" in value
    assert "open.tsv:5: pair_id: found 'p0' with judgmental_first twice" in twice
    assert "open.tsv:6: variable: found 'mood'" in unknown


VALUES = [step.values for step in load_guideline().steps]
ANSWERS = st.lists(st.tuples(*map(st.sampled_from, VALUES)), min_size=1, max_size=6)


@given(ANSWERS)
def test_judging_a_pair_backwards_changes_nothing(answers: list[tuple[str, str, str, str]]) -> None:
    mirror = {"left": "right", "right": "left", "none": "none"}
    back = [(axis, mirror[shift], second, first) for axis, shift, first, second in answers]
    forward = [*said("p0.forward", *answers)]
    alone = label_by_majority(word_set(), forward)
    both = label_by_majority(word_set(reverse=True), [*forward, *said("p0.reverse", *back)])
    assert both.pairs == alone.pairs
    assert [e.reason for e in both.contested if e.pair_id == "p0"] == [
        e.reason for e in alone.contested if e.pair_id == "p0"
    ]
    assert not any(each.reason == "conflict" for each in both.contested)


def test_rows_are_those_of_the_lexicon() -> None:
    pairs = load_lexicon().pairs
    assert pairs_tsv(pairs) == (package_file("templates/xphemism") / "pairs.tsv").read_text("utf-8")


def test_a_pair_with_an_id_that_the_lexicon_cannot_have() -> None:
    rows = [{"pair_id": "Abriss Rückbau", "first": "Abriss", "second": "Rückbau"}]
    tasks = TaskSet(kind="words", seed=1, annotators=("a0",), tasks=make_tasks("words", rows))
    with pytest.raises(InputError, match="pair 'Abriss Rückbau': pair_id: found .*; correct the source"):
        label_by_majority(tasks, said("Abriss Rückbau.forward", LEFT))
