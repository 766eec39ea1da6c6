"""Differences of a pair of claims, and whether they are where the exchange may change a claim."""

import pytest

from polbias.generators.authoring.grammar_check import token_edits

BASE = "Das Museum, das gestern brannte, war eines der ältesten Gebäude."


def test_no_difference_but_case_and_punctuation_is_none() -> None:
    assert token_edits("Der Zaun steht.", "der zaun steht!", [(0, 3)]) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("brannte", "brennt"), ("gestern", "vorgestern"), ("war", "sei"), ("ältesten", "schönsten")],
)
def test_mood_tense_and_other_words_are_outside(old: str, new: str) -> None:
    phrase, *others = token_edits(BASE, BASE.replace("Museum", "Haus").replace(old, new), [(0, 10)])
    assert phrase.inside
    assert [(edit.base, edit.inside) for edit in others] == [((old,), False)]


def test_insertions_beside_the_phrase_are_inside_and_others_not() -> None:
    claim = "Gestern brannte Wald in Spanien."
    span = claim.index("Wald"), claim.index(" in")
    edits = token_edits(claim, "Gestern brannte alter Wald aus Kiefern in Spanien.", [span])
    assert [edit.inside for edit in edits] == [True, True]
    assert edits[0].start == edits[0].end == span[0]
    assert not token_edits(claim, "Auch gestern brannte Wald in Spanien.", [span])[0].inside
    assert not token_edits(claim, "Gestern brannte Wald in ganz Spanien.", [span])[0].inside


def test_several_spans_may_be_allowed() -> None:
    claim = "Ein Zaun ist ein Zaun."
    shifted = "Eine Mauer ist eine Mauer."
    assert [edit.inside for edit in token_edits(claim, shifted, [(0, 8)])] == [True, False]
    assert [edit.inside for edit in token_edits(claim, shifted, [(0, 8), (13, 21)])] == [True, True]


def test_empty_claims() -> None:
    assert token_edits("", "", [(0, 0)]) == []
    assert [edit.inside for edit in token_edits("", "Neu.", [(0, 0)])] == [False]
