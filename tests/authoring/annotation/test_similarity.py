"""Two steps: the second annotator sees what the first called similar."""

from __future__ import annotations

import pytest

from polbias.files import InputError
from polbias.generators.authoring.annotation.answers import Answer
from polbias.generators.authoring.annotation.decisions import combine, second_step
from tests.authoring.annotation.conftest import claim_set, word_set


def said(annotator: str, **values: bool) -> list[Answer]:
    return [
        Answer(
            name, annotator, {"similarity": "similar" if value else "different"}, "", f"{annotator}/{name}"
        )
        for name, value in values.items()
    ]


def test_kept_if_both_call_it_similar() -> None:
    tasks = claim_set(count=5)
    first = said("anna", c0=True, c1=True, c2=False, c3=True)
    step = second_step(tasks, first, ["ben"], seed=7)
    assert [task.id for task in step.tasks] == ["c0", "c1", "c3"]
    assert (step.kind, step.seed, step.annotators) == ("claims", 7, ("ben",))
    found = combine(tasks, first, said("ben", c0=True, c1=False))
    assert [task.id for task in found.kept] == ["c0"]
    assert (found.judged, found.first, found.seen) == (4, 3, 2)
    assert found.shares == (3 / 4, 1 / 2, 1 / 4)
    assert found.pending == ("c3", "c4")
    assert found.problems == ()


def test_shares_without_answers() -> None:
    assert combine(claim_set(), [], []).shares == (None, None, None)


def test_answers_that_do_not_count() -> None:
    tasks = claim_set(count=4)
    first = [*said("anna", c0=True, c1=True, c2=False), *said("dora", c1=True, c3=True)]
    second = [*said("ben", c0=True, c2=True), *said("dora", c3=True)]
    found = combine(tasks, first, second)
    assert [task.id for task in found.kept] == ["c0"]
    assert [(each.place, each.code) for each in found.problems] == [
        ("dora/c1", "repeated"),
        ("ben/c2", "extra"),
        ("dora/c3", "repeated"),
    ]
    assert found.pending == ("c1", "c3")


def test_steps_that_make_no_sense() -> None:
    tasks = claim_set()
    with pytest.raises(InputError, match="expected somebody else"):
        second_step(tasks, said("anna", c0=True), ["anna"], seed=1)
    with pytest.raises(InputError, match="nothing called similar"):
        second_step(tasks, said("anna", c0=False), ["ben"], seed=1)
    with pytest.raises(InputError, match="found words, expected claims"):
        combine(word_set(), [], [])
