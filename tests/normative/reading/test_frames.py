"""Single sentences: which operator a frame is, where the negation stands, what the clause says."""

import pytest

from polbias.generators.normative.reading import canonical, read_item

A = "⟨water one's plants⟩"
DEONTIC = [
    ("It is obligatory to water your plants.", f"O{A}"),
    ("It is mandatory not to water your plants.", f"O¬{A}"),
    ("It is not compulsory to water your plants.", f"¬O{A}"),
    ("It isn't required to water your plants.", f"¬O{A}"),
    ("There is an obligation to water your plants.", f"O{A}"),
    ("There's no obligation to water your plants.", f"¬O{A}"),
    ("There is an obligation not to water your plants.", f"O¬{A}"),
    ("There is no need to water your plants.", f"¬O{A}"),
    ("You are required to water your plants.", f"O{A}"),
    ("You aren't required to water your plants.", f"¬O{A}"),
    ("You are required not to water your plants.", f"O¬{A}"),
    ("You are required by law to water your plants.", f"O{A}"),
    ("You are not legally obliged to water your plants.", f"¬O{A}"),
    ("You are under an obligation to water your plants.", f"O{A}"),
    ("You are under no obligation to water your plants.", f"¬O{A}"),
    ("You have an obligation to water your plants.", f"O{A}"),
    ("You have no duty to water your plants.", f"¬O{A}"),
    ("You must water your plants.", f"O{A}"),
    ("You must not water your plants.", f"O¬{A}"),
    ("You mustn't water your plants.", f"O¬{A}"),
    ("It is not the case that you must water your plants.", f"¬O{A}"),
    ("You have to water your plants.", f"O{A}"),
    ("You don't have to water your plants.", f"¬O{A}"),
    ("You need to water your plants.", f"O{A}"),
    ("You need not water your plants.", f"¬O{A}"),
    ("It is permissible to water your plants.", f"P{A}"),
    ("It is permissible not to water your plants.", f"P¬{A}"),
    ("It is not acceptable to water your plants.", f"¬P{A}"),
    ("It's okay not to water your plants.", f"P¬{A}"),
    ("You are allowed to water your plants.", f"P{A}"),
    ("You are not permitted to water your plants.", f"¬P{A}"),
    ("You are free not to water your plants.", f"P¬{A}"),
    ("You have the right to water your plants.", f"P{A}"),
    ("You may water your plants.", f"P{A}"),
    ("You may not water your plants.", f"¬P{A}"),
    ("You can water your plants.", f"P{A}"),
    ("You can't water your plants.", f"¬P{A}"),
    ("It is not the case that you can water your plants.", f"¬P{A}"),
    ("It is forbidden to water your plants.", f"¬P{A}"),
    ("You are prohibited from watering your plants.", f"¬P{A}"),
    ("It is not forbidden to water your plants.", f"¬¬P{A}"),
    ("There is a prohibition on watering your plants.", f"¬P{A}"),
    ("It is unnecessary to water your plants.", f"¬O{A}"),
    ("It is optional to water your plants.", f"(¬O{A} ∧ ¬O¬{A})"),
    ("It is customary to water your plants.", f"□[customary]{A}"),
    ("It is not advisable to water your plants.", f"¬□[advisable]{A}"),
    ("You are expected to water your plants.", f"□[expected]{A}"),
    ("You should water your plants.", f"□[should]{A}"),
    ("You ought not to water your plants.", f"□[should]¬{A}"),
    ("It is obligatory that you water your plants.", f"O{A}"),
    ("It is your duty to water your plants.", f"O{A}"),
    ("It is a requirement that you water your plants.", f"O{A}"),
]


@pytest.mark.parametrize(("text", "formula"), DEONTIC)
def test_deontic_frames(text, formula):
    assert str(read_item(text, text, "deontic").readings[0].inference.conclusion) == formula


B = "⟨lake freeze⟩"
EPISTEMIC = [
    ("It is certain that the lake freezes.", f"□{B}"),
    ("It is certain that the lake does not freeze.", f"□¬{B}"),
    ("It is not certain that the lake freezes.", f"¬□{B}"),
    ("It is not known that the lake will freeze.", f"¬□{B}"),
    ("It has not been established that the lake froze.", f"¬□{B}"),
    ("It is necessarily the case that the lake freezes.", f"□{B}"),
    ("It is not necessarily the case that the lake freezes.", f"¬□{B}"),
    ("It is necessarily not the case that the lake freezes.", f"□¬{B}"),
    ("The lake necessarily freezes.", f"□{B}"),
    ("The lake does not necessarily freeze.", f"¬□{B}"),
    ("The lake necessarily does not freeze.", f"□¬{B}"),
    ("The lake must have frozen.", f"□{B}"),
    ("The lake must not have frozen.", f"□¬{B}"),
    ("It is not the case that the lake must have frozen.", f"¬□{B}"),
    ("The lake might freeze.", f"◇{B}"),
    ("The lake might not freeze.", f"◇¬{B}"),
    ("The lake may not have frozen.", f"◇¬{B}"),
    ("The lake could have frozen.", f"◇{B}"),
    ("The lake could not have frozen.", f"¬◇{B}"),
    ("The lake cannot freeze.", f"¬◇{B}"),
    ("It is not the case that the lake might have frozen.", f"¬◇{B}"),
    ("It is possible that the lake froze.", f"◇{B}"),
    ("It is impossible that the lake froze.", f"¬◇{B}"),
    ("It is impossible for the lake to freeze.", f"¬◇{B}"),
    ("It isn't possible that the lake won't freeze.", f"¬◇¬{B}"),
    ("It might be the case that the lake froze.", f"◇{B}"),
    ("It might not be the case that the lake froze.", f"◇¬{B}"),
    ("It cannot be the case that the lake froze.", f"¬◇{B}"),
    ("It must be that the lake froze.", f"□{B}"),
    ("There's a chance the lake freezes.", f"◇{B}"),
    ("There is a slim chance that the lake did not freeze.", f"◇¬{B}"),
    ("There's no chance that the lake freezes.", f"¬◇{B}"),
    ("There is no possibility that the lake has frozen.", f"¬◇{B}"),
    ("There is no doubt that the lake freezes.", f"¬¬□{B}"),
    ("The lake is certain to freeze.", f"□{B}"),
    ("The lake is not known to have frozen.", f"¬□{B}"),
    ("The lake is certain not to freeze.", f"□¬{B}"),
    ("Perhaps the lake froze.", f"◇{B}"),
    ("The lake definitely froze.", f"□{B}"),
    ("We do not know that the lake froze.", f"¬□{B}"),
    ("It is possible that the lake might freeze.", f"◇{B}"),
    ("It is likely that the lake will freeze.", f"□[likely]{B}"),
    ("The lake freezes.", B),
    ("The lake didn’t freeze.", f"¬{B}"),
]


@pytest.mark.parametrize(("text", "formula"), EPISTEMIC)
def test_epistemic_frames(text, formula):
    assert str(read_item(text, text, "epistemic").readings[0].inference.conclusion) == formula


def test_ambiguous_words_belong_to_the_domain():
    text = "You must leave."
    assert str(read_item(text, text, "deontic").readings[0].inference.conclusion) == "O leave"
    assert str(read_item(text, text, "epistemic").readings[0].inference.conclusion) == "□ leave"


def test_domain_is_guessed_from_unambiguous_frames():
    read = read_item("It is certain that the ship sank.", "The ship must have sunk.")
    assert str(read.readings[0].inference) == "□⟨ship sink⟩ ⊢ □⟨ship sink⟩"


def test_ability_is_content_of_an_epistemic_item():
    read = read_item("It is certain that seals can sing.", "Seals cannot sing.", "epistemic")
    assert str(read.readings[0].inference) == "□⟨seals can sing⟩ ⊢ ¬⟨seals can sing⟩"


def test_a_foreign_frame_keeps_its_modality():
    read = read_item(
        "It is certain that you are required to leave.", "You are required to leave.", "epistemic"
    )
    assert str(read.readings[0].inference) == "□ O leave ⊢ O leave"
    assert read.findings == ("foreign-operator",)


def test_infinitive_and_you_say_the_same():
    read = read_item("You must defend yourself.", "It is acceptable to defend yourself.", "deontic")
    assert str(read.readings[0].inference) == "O⟨defend oneself⟩ ⊢ P⟨defend oneself⟩"


@pytest.mark.parametrize(
    ("text", "atom"),
    [
        ("pay one's taxes", "pay one's taxes"),
        ("pay your taxes", "pay one's taxes"),
        ("the Earth orbit the Sun", "earth orbit the sun"),
        ("Anna carry her badge", "anna carry one's badge"),
        ("be a metal", "metal"),
        ("be able to swim", "can swim"),
        ("own a unicorn", "own a unicorn"),
        ("wait a hour", "wait an hour"),
        ('play "Für Elise"', "play für elise"),
        ("my family", "my family"),
        ("help her", "help her"),
    ],
)
def test_canonical(text, atom):
    assert canonical(text) == atom
    assert canonical(atom) == atom
