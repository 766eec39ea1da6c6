"""Differences of a pair of claims, and whether they are where the exchange may change a claim."""

import pytest

from polbias.generators.authoring.grammar_check import edit_report
from polbias.generators.xphemism.matching.text import Hit

BASE = "Das Museum, das gestern brannte, war eines der ältesten Gebäude."


def _hit(claim: str, surface: str) -> Hit:
    start = claim.index(surface)
    end = start + len(surface)
    return Hit(surface, start, end, start, end, "exact", surface)


def test_no_difference_but_case_and_punctuation_is_none() -> None:
    report = edit_report("Der Zaun steht.", "der zaun steht!", (0, 3))
    assert report.edits == ()
    assert report.inside


def test_phrase_relative_pronoun_and_article_are_inside() -> None:
    report = edit_report(BASE, BASE.replace("Das Museum, das", "Die Galerie, die"), _hit(BASE, "Museum"))
    assert [(edit.base, edit.shifted) for edit in report.edits] == [
        (("Das", "Museum", "das"), ("Die", "Galerie", "die"))
    ]
    assert report.inside


@pytest.mark.parametrize(
    ("old", "new"),
    [("brannte", "brennt"), ("gestern", "vorgestern"), ("war", "sei"), ("ältesten", "schönsten")],
)
def test_mood_tense_and_other_words_are_outside(old: str, new: str) -> None:
    report = edit_report(BASE, BASE.replace("Museum", "Haus").replace(old, new), _hit(BASE, "Museum"))
    assert [edit.base for edit in report.outside] == [(old,)]


def test_a_verb_may_change_its_number_only() -> None:
    claim = "Die Zäune kosten viel Geld."
    hit = _hit(claim, "Zäune")
    assert edit_report(claim, "Der Zaun kostet viel Geld.", hit).inside
    assert not edit_report(claim, "Der Zaun kostete viel Geld.", hit).inside


def test_a_pronoun_before_a_genitive_is_inside() -> None:
    report = edit_report(
        BASE, BASE.replace("eines", "eine").replace("Gebäude", "Burgen"), _hit(BASE, "Gebäude")
    )
    assert report.inside
    assert len(report.edits) == 2


def test_insertions_beside_the_phrase_are_inside_and_others_not() -> None:
    claim = "Gestern brannte Wald in Spanien."
    hit = _hit(claim, "Wald")
    report = edit_report(claim, "Gestern brannte alter Wald aus Kiefern in Spanien.", hit)
    assert [edit.inside for edit in report.edits] == [True, True]
    assert report.edits[0].start == report.edits[0].end == claim.index("Wald")
    assert not edit_report(claim, "Auch gestern brannte Wald in Spanien.", hit).inside
    assert not edit_report(claim, "Gestern brannte Wald in ganz Spanien.", hit).inside


def test_several_spans_may_be_allowed() -> None:
    claim = "Ein Zaun ist ein Zaun."
    shifted = "Eine Mauer ist eine Mauer."
    assert not edit_report(claim, shifted, (0, 8)).inside
    assert edit_report(claim, shifted, [(0, 8), (13, 21)]).inside


def test_empty_claims() -> None:
    assert edit_report("", "", (0, 0)).edits == ()
    assert not edit_report("", "Neu.", (0, 0)).inside
