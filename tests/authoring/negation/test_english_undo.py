"""English statements that are negated already."""

from __future__ import annotations

import pytest

from polbias.generators.authoring.negation import negate


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("The state should not fund churches.", "The state should fund churches."),
        ("The state shouldn't fund churches.", "The state should fund churches."),
        ("The state shouldn’t fund churches.", "The state should fund churches."),
        ("The state cannot pay for everything.", "The state can pay for everything."),
        ("The state can't pay for everything.", "The state can pay for everything."),
        ("We won't accept this.", "We will accept this."),
        ("It's not the duty of the state.", "It's the duty of the state."),
        ("It is not acceptable that people sleep outside.", "It is acceptable that people sleep outside."),
        ("The EU should not only trade with friends.", "The EU should only trade with friends."),
    ],
)
def test_not_is_taken_out(statement: str, negation: str) -> None:
    found = negate(statement, "en")
    assert (found.text, found.rule) == (negation, "undone")


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("The state should no longer fund churches.", "The state should still fund churches."),
        ("The state should never fund churches.", "The state should fund churches."),
        ("Taxes should under no circumstances be raised.", "Taxes should be raised."),
        ("Not all immigrants should stay.", "All immigrants should stay."),
        ("Not everyone has the right to strike.", "Everyone has the right to strike."),
        ("Do not raise taxes.", "Raise taxes."),
        ("Don't raise taxes.", "Raise taxes."),
        ("Never raise taxes.", "Raise taxes."),
        ("Please do not raise taxes.", "Please raise taxes."),
        ("Shouldn't the state help?", "Should the state help?"),
        ("Should the state not help?", "Should the state help?"),
    ],
)
def test_other_markers_are_taken_out(statement: str, negation: str) -> None:
    found = negate(statement, "en")
    assert (found.text, found.rule) == (negation, "undone")


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("The state does not protect whistleblowers.", "The state protects whistleblowers."),
        ("The state doesn't protect whistleblowers.", "The state protects whistleblowers."),
        ("The army did not buy new planes.", "The army bought new planes."),
        ("Immigrants do not take our jobs.", "Immigrants take our jobs."),
        ("Germany does not have to leave NATO.", "Germany has to leave NATO."),
        ("The state does not always help.", "The state always helps."),
    ],
)
def test_do_support_goes_with_its_not(statement: str, negation: str) -> None:
    found = negate(statement, "en")
    assert (found.text, found.rule) == (negation, "undone-do")


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("There should be no new coal plants.", "There should be new coal plants."),
        ("There should be no speed limit on motorways.", "There should be a speed limit on motorways."),
        ("There is no alternative to austerity.", "There is an alternative to austerity."),
        ("There is no evidence of fraud.", "There is evidence of fraud."),
        ("The EU has no right to interfere.", "The EU has a right to interfere."),
        ("No new roads should be built.", "New roads should be built."),
        ("No wealth tax should be introduced.", "A wealth tax should be introduced."),
        ("In future, no new roads should be built.", "In future, new roads should be built."),
    ],
)
def test_no_gives_way_to_the_article_that_the_noun_takes(statement: str, negation: str) -> None:
    found = negate(statement, "en")
    assert (found.text, found.rule) == (negation, "undone-no")


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("Nobody should be above the law.", "Somebody should be above the law."),
        ("No one should earn more than the president.", "Someone should earn more than the president."),
        (
            "If the law changes, nothing should be done.",
            "If the law changes, something should be done.",
        ),
    ],
)
def test_a_negative_subject_becomes_positive(statement: str, negation: str) -> None:
    found = negate(statement, "en")
    assert (found.text, found.rule) == (negation, "undone-body")


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("Germany should not have any nuclear weapons.", "Germany should have nuclear weapons."),
        ("Germany should not have any army.", "Germany should have an army."),
        ("There isn't any evidence.", "There is evidence."),
        ("The army isn't needed anymore.", "The army is needed."),
        ("The army isn't needed any longer.", "The army is needed."),
        ("Parents should not be allowed to do this at all.", "Parents should be allowed to do this."),
        ("Cyclists should not pay a tax, either.", "Cyclists should pay a tax, too."),
        ("The state must not sell land.", "The state may sell land."),
        ("The state must never sell land.", "The state may sell land."),
        ("There must be no exceptions.", "There may be exceptions."),
        ("The state need not sell land.", "The state must sell land."),
        ("Coal is no longer needed.", "Coal is still needed."),
    ],
)
def test_what_stands_under_not_only_goes_or_changes_with_it(statement: str, negation: str) -> None:
    assert negate(statement, "en").text == negation


@pytest.mark.parametrize(
    "statement",
    [
        "The working week should be cut without loss of pay.",
        "People who do not look for work should lose their benefits.",
        "Not raising taxes is a mistake.",
        "Jobs that nobody wants should be better paid.",
    ],
)
def test_a_negation_elsewhere_is_none_of_the_main_clause(statement: str) -> None:
    assert negate(statement, "en").rule == "not-after-auxiliary"
