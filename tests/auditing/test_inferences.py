"""Inferences as people write them, each with the right verdict: what is found, and that nobody is accused wrongly.

The collections were written and judged by a language model. The column ``reach`` says whether an item is
inside the fragment that the auditor reads, ``judged`` whether its gold label is right.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.generators.auditing.items import AuditItem
from polbias.generators.auditing.normative import NormativeFormat, make

FOLDER = Path(__file__).with_name("inferences")
COLLECTIONS = ("first", "second")


@pytest.fixture(scope="module")
def form() -> NormativeFormat:
    return make()


def _verdict(
    form: NormativeFormat, premise: str, hypothesis: str, gold: bool = True, domain: str | None = None
) -> str:
    return form.judge(AuditItem(1, {"domain": domain}, (premise, hypothesis), gold, "label")).verdict


def _rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def _judged(form: NormativeFormat, name: str) -> list[tuple[dict[str, str], str]]:
    return [
        (
            row,
            _verdict(
                form, row["premise"], row["hypothesis"], row["gold"] == "entailment", row["domain"] or None
            ),
        )
        for row in _rows(name)
    ]


@pytest.mark.parametrize("name", COLLECTIONS)
def test_wrong_labels_are_found_and_no_other_is_called_wrong(form: NormativeFormat, name: str) -> None:
    found = _judged(form, name)
    assert len({(row["premise"], row["hypothesis"], row["gold"]) for row, _ in found}) == len(found)
    accused = [row for row, verdict in found if verdict == "contradicted"]
    assert [row["id"] for row in accused if row["judged"] != "wrong"] == []
    assert [row["id"] for row, verdict in found if (verdict, row["judged"]) == ("confirmed", "wrong")] == []
    inside = [(row, verdict) for row, verdict in found if row["reach"] == "inside"]
    assert [row["id"] for row, verdict in inside if verdict == "unparsed"] == []
    wrong = [verdict for row, verdict in inside if row["judged"] == "wrong"]
    assert wrong.count("contradicted") >= 0.95 * len(wrong) >= 40


def test_of_everyday_arguments_no_right_label_is_called_wrong_and_no_wrong_one_right(
    form: NormativeFormat,
) -> None:
    found = {
        (
            row["id"],
            gold == (row["gold"] == "entailment"),
            _verdict(form, row["premise"], row["hypothesis"], gold),
        )
        for row in _rows("third")
        for gold in (True, False)
    }
    assert len({name for name, *_ in found}) == 120
    assert [each for each in found if each[1:] in {(True, "contradicted"), (False, "confirmed")}] == []
    assert sum(each[1:] == (False, "contradicted") for each in found) >= 50


# Where the verdict depends on the form alone, it does not depend on what the clauses say.
SAID = ("water the plants", "pay the rent", "carry a torch", "wake the guard", "lie", "burn old letters")
INVENTED = ("plim", "gorp the tavi", "sneeb a dax", "tove", "flonk the wug", "quelf old blicks")
FORMS = (
    ("You must {a}.", "You may {a}."),
    ("You may {a}.", "You must {a}."),
    ("You need not {a}.", "You are allowed not to {a}."),
    ("It is forbidden to {a}.", "You do not have to {a}."),
    ("It is not obligatory to {a}.", "It is forbidden to {a}."),
    ("You may {a} or {b}.", "You may {a}."),
    ("You must {a}.", "You must {b}."),
    ("You may {a}.", "You must {b}."),
    ("If you {a}, you must {b}. You {a}.", "You must {b}."),
    ("If you {a}, you must {b}. You do not {a}.", "You do not have to {b}."),
    ("If you {a}, you must {b}. You must {b}.", "You {a}."),
    ("If you {a}, you must {b}. You do not have to {b}.", "You do not {a}."),
    ("If you {a}, you must {b}. You do not have to {b}.", "You do not {b}."),
    ("Anyone who must {a} may {b}. You must {a}.", "You may {b}."),
)


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(FORMS),
    st.lists(st.sampled_from(SAID), min_size=2, max_size=2, unique=True),
    st.lists(st.sampled_from(INVENTED), min_size=2, max_size=2, unique=True),
    st.booleans(),
)
def test_an_invented_word_changes_no_verdict(
    form: NormativeFormat, said: tuple[str, str], words: list[str], invented: list[str], gold: bool
) -> None:
    ways = (words, invented, [words[0], invented[1]], [invented[0], words[1]])
    found = {_verdict(form, *(text.format(a=a, b=b) for text in said), gold, "deontic") for a, b in ways}
    assert len(found) == 1


# What a clause says of several, or of two things at once, no form shows.
BEYOND = (
    "{a} and {b}",
    "{a} but not {b}",
    "{a} and you must {b}",
    "{a} because you {b}",
    "{a} when you {b}",
    "{a} so you may {b}",
    "neither {a} nor {b}",
    "only {a}",
    "give everyone what they {b}",
)
FRAMES = ("You must {}.", "You may {}.", "It is forbidden to {}.", "You do not have to {}.")


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(BEYOND),
    st.lists(st.sampled_from(SAID + INVENTED), min_size=2, max_size=2, unique=True),
    st.sampled_from(FRAMES),
    st.sampled_from(FRAMES),
    st.booleans(),
)
def test_what_a_clause_says_beyond_its_form_accuses_nobody(
    form: NormativeFormat, beyond: str, words: list[str], first: str, second: str, gold: bool
) -> None:
    a, b = words
    for simple in words:
        sentences = first.format(beyond.format(a=a, b=b)), second.format(simple)
        assert _verdict(form, *sentences, gold, "deontic") != "contradicted"
        assert _verdict(form, *reversed(sentences), gold, "deontic") != "contradicted"


@pytest.mark.parametrize(
    ("premise", "hypothesis", "gold"),
    [
        ("Anna must call her mother.", "Anna must call my mother.", False),
        ("You must read a book.", "You must read this book.", False),
        ("Anna must win.", "Anna must have won.", False),
        ("Paul must be at home.", "Paul is at home.", True),
        ("It is likely that it rains.", "It is possible that it rains.", True),
        ("All members of the choir must sing. Ann is from the choir.", "Ann must sing.", True),
        ("Every guest must sign. Mr Tom Bell is a guest.", "Tom Bell must sign.", True),
    ],
)
def test_what_is_nearly_the_same_or_follows_in_a_way_is_left_open(
    form: NormativeFormat, premise: str, hypothesis: str, gold: bool
) -> None:
    assert {_verdict(form, premise, hypothesis, label) for label in (gold, not gold)} == {"depends"}


@pytest.mark.parametrize(
    ("premise", "hypothesis", "verdict", "choice"),
    [
        ("Not every lamp was lit.", "No lamp was lit.", "contradicted", None),
        ("Not all of the guards slept.", "No guard slept.", "contradicted", None),
        ("It is not the case that all bells rang.", "No bell rang.", "contradicted", None),
        ("It is false that everyone laughed.", "Nobody laughed.", "contradicted", None),
        ("Not every dog barks.", "Not all dogs bark.", "confirmed", None),
        ("Every guest did not eat.", "No guest ate.", "confirmed", None),
        # whoever takes it that there are such things infers this, and a logician does not
        ("No lamp was lit.", "Not every lamp was lit.", "depends", {"classes": "not empty"}),
        ("All bells rang.", "It is not the case that no bell rang.", "depends", {"classes": "not empty"}),
    ],
)
def test_not_all_is_not_none(
    form: NormativeFormat, premise: str, hypothesis: str, verdict: str, choice: object
) -> None:
    found = form.judge(AuditItem(1, {"domain": None}, (premise, hypothesis), True, "label"))
    assert (found.verdict, found.deciding) == (verdict, choice)
