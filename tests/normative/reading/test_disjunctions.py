"""Disjunctions: what the second disjunct leaves out, and the first one as it is without it."""

import pytest

from polbias.generators.normative.reading import read_item


@pytest.mark.parametrize(
    ("said", "first", "second"),
    [
        ("rent a canoe or a kayak", "rent a canoe", "rent a kayak"),
        ("rent a canoe or walk home", "rent a canoe", "walk home"),
        ("drink milk or juice", "drink milk", "drink juice"),
        ("drive to Bonn or Mainz", "drive to bonn", "drive to mainz"),
        ("drive to the lake or the forest", "drive to the lake", "drive to the forest"),
        ("sit on the bench or under the tree", "sit on the bench", "sit under the tree"),
        ("try to swim or float", "try to swim", "try to float"),
        ("wait at the gate or leave it", "wait at the gate", "leave the gate"),
        ("wear a helmet or ride without one", "wear a helmet", "ride without a helmet"),
        ("keep your promises or break them", "keep one's promises", "break one's promises"),
        ("follow the law or break its rules", "follow the law", "break the law's rules"),
        ("paint the door red or blue", "paint the door red", "paint the door blue"),
        ("hide in room A or room B", "hide in room a", "hide in room b"),
        ("flim the dax or blorp it", "flim the dax", "blorp the dax"),
        ("flim the dax or blorp the wug", "flim the dax", "blorp the wug"),
        ("flim or blorp", "flim", "blorp"),
        ("either sing or dance", "sing", "dance"),
    ],
)
def test_ellipsis(said, first, second):
    plain = "flim" if first == "flim" else said.split(" or ")[0].removeprefix("either ")
    read = read_item(f"You may {said}.", f"You may {plain}.", "deontic").readings[0].inference
    disjunction, conclusion = read.premises[0].body, read.conclusion.body
    assert [atom.predicate for atom in disjunction.parts] == [first, second]
    assert conclusion.predicate == first


def test_other_sentences_decide_what_is_left_out():
    read = read_item("You may sing or hum in class.", "You may sing in class.", "deontic")
    assert str(read.readings[0].inference) == "P(⟨sing in class⟩ ∨ ⟨hum in class⟩) ⊢ P⟨sing in class⟩"


def test_three_disjuncts():
    read = read_item("You may have tea, coffee, or milk.", "You may have tea.", "deontic")
    assert str(read.readings[0].inference).startswith("P(⟨have tea⟩ ∨ ⟨have coffee⟩ ∨ ⟨have milk⟩)")


def test_more_or_less_is_no_disjunction():
    read = read_item("You must be more or less ready.", "You may be more or less ready.", "deontic")
    assert str(read.readings[0].inference) == "O⟨more or less ready⟩ ⊢ P⟨more or less ready⟩"


def test_disjunction_in_a_clause():
    read = read_item("It is certain that the key is lost or stolen.", "The key might be lost.", "epistemic")
    assert str(read.readings[0].inference) == "□(⟨key be lost⟩ ∨ ⟨key be stolen⟩) ⊢ ◇⟨key be lost⟩"
