"""Items with two premises: conditionals, rules about all, and what pronouns and later mentions stand for."""

import pytest

from polbias.generators.logic.prover import ReadingError
from polbias.generators.normative.reading import read_item

HYPOTHETICAL = [
    (
        "If you own a boat, then it is obligatory to register it. You do not own a boat.",
        "It is not obligatory to register the boat.",
        "(⟨own a boat⟩ → O⟨register the boat⟩); ¬⟨own a boat⟩ ⊢ ¬O⟨register the boat⟩",
    ),
    (
        "If a nurse works at night, she must rest. The nurse works at night.",
        "The nurse must rest.",
        "(⟨nurse work at night⟩ → O⟨nurse rest⟩); ⟨nurse work at night⟩ ⊢ O⟨nurse rest⟩",
    ),
    (
        "You must slow down if it snows. It isn't snowing.",
        "You don't have to slow down.",
        "(⟨it snow⟩ → O⟨slow down⟩); ¬⟨it snow⟩ ⊢ ¬O⟨slow down⟩",
    ),
    (
        "Unless you have a pass, you may not enter. You do not have a pass.",
        "You may not enter.",
        "(¬⟨have a pass⟩ → ¬P enter); ¬⟨have a pass⟩ ⊢ ¬P enter",
    ),
    (
        "If a bridge is old, its owner must inspect it. The bridge is old.",
        "The owner of the bridge must inspect the bridge.",
        "(⟨bridge be old⟩ → O⟨bridge's owner inspect the bridge⟩); ⟨bridge be old⟩ "
        "⊢ O⟨bridge's owner inspect the bridge⟩",
    ),
    (
        "If the ferry is full, it is required to leave. The ferry is not required to leave.",
        "The ferry is not full.",
        "(⟨ferry be full⟩ → O⟨ferry leave⟩); ¬O⟨ferry leave⟩ ⊢ ¬⟨ferry be full⟩",
    ),
    (
        "If you don't have a map, you must buy one. You are not required to buy a map.",
        "You have a map.",
        "(¬⟨have a map⟩ → O⟨buy a map⟩); ¬O⟨buy a map⟩ ⊢ ⟨have a map⟩",
    ),
    (
        "If a town hires a clerk, then it must guard the rights of its people. The town need not guard the rights of "
        "its people.",
        "The town does not hire a clerk.",
        "(⟨town hire a clerk⟩ → O⟨town guard the rights of one's people⟩); "
        "¬O⟨town guard the rights of one's people⟩ ⊢ ¬⟨town hire a clerk⟩",
    ),
    (
        "If a blick is snarfed, then it must glorp. The blick is snarfed.",
        "The blick must glorp.",
        "(⟨blick be snarfed⟩ → O⟨blick glorp⟩); ⟨blick be snarfed⟩ ⊢ O⟨blick glorp⟩",
    ),
    (
        "If there is a leak, then the valve must be shut. There is no leak.",
        "It is not mandatory for the valve to be shut.",
        "(⟨there be a leak⟩ → O⟨valve be shut⟩); ¬⟨there be a leak⟩ ⊢ ¬O⟨valve be shut⟩",
    ),
]


@pytest.mark.parametrize(("premise", "hypothesis", "form"), HYPOTHETICAL)
def test_conditionals(premise, hypothesis, form):
    assert str(read_item(premise, hypothesis, "deontic").readings[0].inference) == form


CATEGORICAL = [
    (
        "All cooks must wash their hands. Pierre is a cook.",
        "Pierre must wash his hands.",
        "∀x (cook(x) → O⟨wash one's hands⟩(x)); cook(pierre) ⊢ O⟨wash one's hands⟩(pierre)",
    ),
    (
        "Every tenant of this house must pay rent. Ada is not a tenant of this house.",
        "There is no obligation for Ada to pay rent.",
        "∀x (⟨tenant of this house⟩(x) → O⟨pay rent⟩(x)); ¬⟨tenant of this house⟩(ada) ⊢ ¬O⟨pay rent⟩(ada)",
    ),
    (
        "It is mandatory for all divers to wear masks. Tom isn't required to wear a mask.",
        "Tom isn't a diver.",
        "∀x (diver(x) → O⟨wear a mask⟩(x)); ¬O⟨wear a mask⟩(tom) ⊢ ¬diver(tom)",
    ),
    (
        "All those who enter the vault must sign the log. Mr. Fox did not enter the vault.",
        "Mr. Fox need not sign the log.",
        "∀x (⟨enter the vault⟩(x) → O⟨sign the log⟩(x)); ¬⟨enter the vault⟩(mr. fox) ⊢ ¬O⟨sign the log⟩(mr. fox)",
    ),
    (
        "Anyone with a ticket may enter. Rosa has a ticket.",
        "Rosa may enter.",
        "∀x (⟨have a ticket⟩(x) → P enter(x)); ⟨have a ticket⟩(rosa) ⊢ P enter(rosa)",
    ),
    (
        "Everyone who does not vote must explain it. You do not vote.",
        "You must explain it.",
        "∀x (¬vote(x) → O⟨explain it⟩(x)); ¬vote(you) ⊢ O⟨explain it⟩(you)",
    ),
    (
        "No minor may gamble. Lou is a minor.",
        "Lou may not gamble.",
        "∀x (minor(x) → ¬P gamble(x)); minor(lou) ⊢ ¬P gamble(lou)",
    ),
    (
        "Only members may vote. Kai may vote.",
        "Kai is a member.",
        "∀x (P vote(x) → member(x)); P vote(kai) ⊢ member(kai)",
    ),
    (
        "Firefighters must be brave. My aunt is a firefighter.",
        "My aunt must be brave.",
        "∀x (firefighter(x) → O brave(x)); firefighter(my aunt) ⊢ O brave(my aunt)",
    ),
    (
        "Cheap furniture is required to be labeled. Stools are cheap furniture.",
        "Stools are required to be labeled.",
        "∀x (⟨cheap furniture⟩(x) → O labeled(x)); ⟨cheap furniture⟩(stool) ⊢ O labeled(stool)",
    ),
    (
        "All wugs have to snarf. This blick is not a wug.",
        "This blick doesn't have to snarf.",
        "∀x (wug(x) → O snarf(x)); ¬wug(this blick) ⊢ ¬O snarf(this blick)",
    ),
    (
        "If someone is a judge, they must be fair. Ines is a judge.",
        "Ines must be fair.",
        "∀x (judge(x) → O fair(x)); judge(ines) ⊢ O fair(ines)",
    ),
    (
        "All members of the order known as the Lamp must fast. Igor is a member of the Lamp.",
        "Igor must fast.",
        "∀x (⟨member of the lamp⟩(x) → O fast(x)); ⟨member of the lamp⟩(igor) ⊢ O fast(igor)",
    ),
]


@pytest.mark.parametrize(("premise", "hypothesis", "form"), CATEGORICAL)
def test_rules_about_all(premise, hypothesis, form):
    assert str(read_item(premise, hypothesis, "deontic").readings[0].inference) == form


@pytest.mark.parametrize(
    ("premise", "hypothesis", "form"),
    [
        (
            "It is established that all comets orbit a star. It is established that Halley orbits a star.",
            "Halley is a comet.",
            "∀x (comet(x) → □⟨orbit a star⟩(x)); □⟨orbit a star⟩(halley) ⊢ comet(halley)",
        ),
        (
            "All vases found at the site are known to hold wine. This vase found in a cellar is not known to hold wine.",
            "This vase is not a vase found at the site.",
            "∀x (⟨vase found at the site⟩(x) → □⟨hold wine⟩(x)); ¬□⟨hold wine⟩(this vase found in a cellar) "
            "⊢ ¬⟨vase found at the site⟩(this vase found in a cellar)",
        ),
        (
            "All cats necessarily purr. It is not certain that lions purr.",
            "Lions are not cats.",
            "∀x (cat(x) → □ purr(x)); ¬□ purr(lion) ⊢ ¬cat(lion)",
        ),
        (
            "All ships must have sunk. It is not the case that the Argo must have sunk.",
            "The Argo is not a ship.",
            "∀x (ship(x) → □ sink(x)); ¬□ sink(argo) ⊢ ¬ship(argo)",
        ),
    ],
)
def test_epistemic_rules(premise, hypothesis, form):
    assert str(read_item(premise, hypothesis, "epistemic").readings[0].inference) == form


def test_contents_that_do_not_match_stay_apart():
    read = read_item(
        "If you own a dog, then you must feed it. You feed a cat.", "You must brush it.", "deontic"
    )
    assert (
        str(read.readings[0].inference) == "(⟨own a dog⟩ → O⟨feed the dog⟩); ⟨feed a cat⟩ ⊢ O⟨brush the cat⟩"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The dog must bite the man.", "The man must bite the dog."),
        ("The cat must eat.", "The cat must be eaten."),
        ("You must see the doctor.", "You must see a doctor."),
        ("You must wash the car.", "You must wash the cars."),
        ("A student must read.", "Students must read."),
        ("You must sit in the boat.", "You must sit on the boat."),
        ("Mary must be able to walk.", "Mary must walk."),
    ],
)
def test_what_a_careful_reader_keeps_apart(one, other):
    read = read_item(one, other, "deontic").readings[0].inference
    assert read.premises[0] != read.conclusion


def test_abbreviations_and_quotations_end_no_sentence():
    premise = 'If Dr. Li reads "No. Never.", then he must leave before 9 p.m. Dr. Li reads "No. Never."'
    read = read_item(premise, "Dr. Li must leave before 9 p.m.", "deontic").readings[0].inference
    assert len(read.premises) == 2
    assert read.premises[0].consequent == read.conclusion


def test_blanks_do_not_matter():
    tidy = read_item("All cats must nap. Tom is a cat.", "Tom must nap.", "deontic")
    assert read_item("  All cats must nap.   Tom is a cat. ", "Tom must nap. ", "deontic") == tidy


@pytest.mark.parametrize(
    ("premise", "hypothesis", "named"),
    [
        ("Blue.", "You must go.", "Blue"),
        ("You must go.", "", "expected"),
        ("You must go.", "You must go. You must stay.", "expected"),
        ("If you go.", "You must go.", "If you go"),
        ("You must.", "You must go.", "You must"),
    ],
)
def test_errors_name_the_sentence(premise, hypothesis, named):
    with pytest.raises(ReadingError, match=named):
        read_item(premise, hypothesis, "deontic")
