"""The selection task: right cards, balance, and reading back."""

from collections import Counter

import pytest

from polbias.generators.logic.prover import ReadingError
from polbias.generators.normative.gold_verification import read_selection
from polbias.generators.normative.selection_task import Selection, selections
from polbias.generators.normative.templates import NormativeTemplates

# Which cards can break "if P then Q" in each polarity form, by the truth table.
RIGHT = {
    "p-q": {"p", "notq"},
    "p-notq": {"p", "q"},
    "notp-q": {"notp", "notq"},
    "notp-notq": {"notp", "q"},
}


@pytest.fixture(scope="module")
def tasks(family: NormativeTemplates) -> list[Selection]:
    return selections(family)


def test_counts(tasks: list[Selection]) -> None:
    assert len(tasks) == 240
    assert Counter((task.source.domain, task.form) for task in tasks) == {
        (domain, form): 30 for domain in ("deontic", "epistemic") for form in RIGHT
    }
    assert Counter(task.content_type for task in tasks) == {
        "congruent": 20,
        "incongruent": 60,
        "arbitrary": 80,
        "nonsense": 80,
    }


def test_the_right_cards_are_those_that_can_break_the_rule(tasks: list[Selection]) -> None:
    for task in tasks:
        letters = dict(zip(task.roles, "ABCD", strict=True))
        assert task.gold == ",".join(sorted(letters[role] for role in RIGHT[task.form])), task.id


def test_cards_are_shuffled_and_the_right_ones_stand_everywhere(tasks: list[Selection]) -> None:
    golds = Counter((task.form, task.gold) for task in tasks)
    assert len(golds) == 24
    assert set(golds.values()) == {10}
    assert len({task.roles for task in tasks}) == 24


def test_every_even_stretch_has_all_forms(tasks: list[Selection]) -> None:
    assert {task.form for task in tasks[:4]} == set(RIGHT)
    assert {(task.source.domain, task.source.type) for task in tasks[:24]} == {
        (domain, kind)
        for domain in ("deontic", "epistemic")
        for kind in ("congruent", "arbitrary", "nonsense")
    }


def test_prompts_show_the_cards_and_the_rule_once(tasks: list[Selection]) -> None:
    for task in tasks:
        assert task.prompt.count(task.rule) == 1
        for letter, card in zip("ABCD", task.cards, strict=True):
            assert f"\n{letter}: {card}\n" in task.prompt
        assert task.prompt.endswith("Answer:")


def test_every_task_is_read_back(tasks: list[Selection]) -> None:
    for task in tasks:
        assert read_selection(task.rule, task.cards) == (task.conditional, task.gold), task.id


@pytest.mark.parametrize(
    ("rule", "cards", "message"),
    [
        ("Whoever borrows a book must show a card.", ["borrowed a book"], "expected 'If a"),
        (
            "If a dog barks, then the dog bites.",
            ["barked", "did not bark", "bites", "sleeps"],
            "found 'sleeps'",
        ),
    ],
)
def test_what_is_no_selection_task_is_refused(rule: str, cards: list[str], message: str) -> None:
    with pytest.raises(ReadingError, match=message):
        read_selection(rule, cards)
