"""What is wrong with the language of an item, and what is not."""

import pytest

from polbias.generators.normative.reading import read_item

WRONG = [
    ("You must own a umbrella.", "You may own an umbrella.", "article"),
    ("You must wait for an unicorn.", "You may wait.", "article"),
    ("You must wait a hour.", "You may wait.", "article"),
    ("It is certain that he walk.", "He might walk.", "agreement"),
    ("It is certain that the dogs is loud.", "The dogs might be loud.", "agreement"),
    ("It is certain that a dog are loud.", "A dog might be loud.", "agreement"),
    ("All pupils necessarily agree. Tom is a pupil.", "Tom is not necessarily agree.", "agreement"),
    ("All wugs must fly. Tom not a wug.", "Tom might fly.", "missing-verb"),
    ("All wugs are known to be red. Tom is a wug.", "Tom not known red.", "missing-verb"),
    ("It is certain that All wugs fly. Tom is a wug.", "Tom might fly.", "capital"),
    ("you must leave.", "You may leave.", "capital"),
    ("If a nurse is late, then it must hurry. A nurse is late.", "A nurse must hurry.", "pronoun"),
    ("If my sister is late, then he must hurry. My sister is late.", "My sister must hurry.", "pronoun"),
    ("All pilots must sleep. She is a pilot.", "She must sleep.", "pronoun"),
    ("It is certain that you are allowed to leave.", "You might leave.", "foreign-operator"),
    ("If you wed, it is customary to kiss. You wed.", "You must kiss.", "foreign-operator"),
]


@pytest.mark.parametrize(("premise", "hypothesis", "code"), WRONG)
def test_found(premise, hypothesis, code):
    domain = "deontic" if code == "foreign-operator" and "customary" in premise else "epistemic"
    assert code in read_item(premise, hypothesis, domain).findings


RIGHT = [
    "An hour must have passed.",
    "A European must have won.",
    "A one-eyed cat must have won.",
    "An MRI must have shown it to a NASA engineer.",
    "An 18-year-old must have won an 8-day race.",
    "An historic day must have begun.",
    "It is certain that the news is good.",
    "It is certain that physics is hard.",
    "It is certain that the species is rare.",
    "It is certain that a number of dogs are loud.",
    "It is certain that the team put the cup away.",
    "It is certain that The Hague is big.",
    "It is certain that it is raining.",
    "If the baby cries, then it must be hungry.",
]


@pytest.mark.parametrize("text", RIGHT)
def test_not_found(text):
    assert read_item(text, text, "epistemic").findings == ()


def test_a_subjunctive_agrees():
    text = "It is obligatory that every clerk attend and that he sign."
    assert read_item(text, text, "deontic").findings == ()


def test_codes_are_sorted_and_unique():
    found = read_item("It is certain that he walk a hour. He walk.", "he walk.", "epistemic").findings
    assert found == ("agreement", "article", "capital", "pronoun")
