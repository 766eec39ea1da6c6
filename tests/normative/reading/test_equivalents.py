"""What may be said in two ways that come to the same, or nearly: kinds, propositions, denials, conditions."""

import pytest

from polbias.generators.normative.reading import read_item


def forms(premise, hypothesis, domain):
    return [
        (dict(reading.choices), str(reading.inference))
        for reading in read_item(premise, hypothesis, domain).readings
    ]


def test_a_kind_that_one_sentence_quantifies_over():
    premise = "All oils are certain to burn. It is not certain that all inks burn."
    found = forms(premise, "Ink is not oil.", "epistemic")
    assert found[::2] == [
        (
            {"kind": "quantified", "scope": "de dicto"},
            "∀x (oil(x) → □ burn(x)); ¬□∀x (ink(x) → burn(x)) ⊢ ∀x (ink(x) → ¬oil(x))",
        ),
        ({"kind": "term", "scope": "de dicto"}, "∀x (oil(x) → □ burn(x)); ¬□ burn(ink) ⊢ ¬oil(ink)"),
    ]
    assert len(found) == 4


@pytest.mark.parametrize(
    ("premise", "hypothesis", "quantified", "term"),
    [
        (
            "All birds must sing. All owls are birds.",
            "All owls must sing.",
            "∀x (bird(x) → O sing(x)); ∀x (owl(x) → bird(x)) ⊢ ∀x (owl(x) → O sing(x))",
            "∀x (bird(x) → O sing(x)); bird(owl) ⊢ O sing(owl)",
        ),
        (
            "All birds must sing. Not all owls must sing.",
            "Not all owls are birds.",
            "∀x (bird(x) → O sing(x)); ¬∀x (owl(x) → O sing(x)) ⊢ ¬∀x (owl(x) → bird(x))",
            "∀x (bird(x) → O sing(x)); ¬O sing(owl) ⊢ ¬bird(owl)",
        ),
        (
            "All birds must sing. No owls are birds.",
            "An owl need not sing.",
            "∀x (bird(x) → O sing(x)); ∀x (owl(x) → ¬bird(x)) ⊢ ∀x (owl(x) → ¬O sing(x))",
            "∀x (bird(x) → O sing(x)); ¬bird(owl) ⊢ ¬O sing(owl)",
        ),
    ],
)
def test_kinds(premise, hypothesis, quantified, term):
    assert forms(premise, hypothesis, "deontic") == [
        ({"kind": "quantified"}, quantified),
        ({"kind": "term"}, term),
    ]


def test_an_individual_is_no_kind():
    assert [
        choices for choices, _ in forms("All owls must sing. Bo is an owl.", "Bo must sing.", "deontic")
    ] == [{}]


@pytest.mark.parametrize(
    ("premise", "hypothesis", "form"),
    [
        (
            "It is impossible that anyone called.",
            "It is certain that no one called.",
            "¬◇⟨someone call⟩ ⊢ □¬⟨someone call⟩",
        ),
        (
            "Nothing might have happened.",
            "It is not certain that something happened.",
            "¬◇⟨something happen⟩ ⊢ ¬□⟨something happen⟩",
        ),
        (
            "It is possible that no lake froze.",
            "It is not certain that some lake froze.",
            "◇¬⟨some lake freeze⟩ ⊢ ¬□⟨some lake freeze⟩",
        ),
    ],
)
def test_quantified_propositions(premise, hypothesis, form):
    assert forms(premise, hypothesis, "epistemic")[0][1] == form


def test_what_is_only_denied_may_be_one_clause():
    assert forms("It is certain that it did not rain.", "It might not have rained.", "epistemic") == [
        ({"negation": "of the clause"}, "□¬⟨it rain⟩ ⊢ ◇¬⟨it rain⟩"),
        ({"negation": "within the clause"}, "□⟨not it rain⟩ ⊢ ◇⟨not it rain⟩"),
    ]


def test_could_not_have():
    found = forms("It is impossible that Jo lost.", "Jo could not have lost.", "epistemic")
    assert [form for _, form in found] == ["¬◇⟨jo lose⟩ ⊢ □¬⟨jo lose⟩", "¬◇⟨jo lose⟩ ⊢ ¬◇⟨jo lose⟩"]
    found = forms("Jo could not have lost.", "It is not certain that Jo lost.", "epistemic")
    assert [form for _, form in found] == ["¬◇⟨jo lose⟩ ⊢ ¬□⟨jo lose⟩", "□¬⟨jo lose⟩ ⊢ ¬□⟨jo lose⟩"]


def test_prohibitions_are_duties_not_to():
    found = forms("All guards are forbidden to sleep. Bo may sleep.", "Bo is not a guard.", "deontic")
    assert found == [
        ({"prohibition": "no permission"}, "∀x (guard(x) → ¬P sleep(x)); P sleep(bo) ⊢ ¬guard(bo)"),
        ({"prohibition": "duty not to"}, "∀x (guard(x) → O¬sleep(x)); ¬O¬sleep(bo) ⊢ ¬guard(bo)"),
    ]


@pytest.mark.parametrize(
    ("premise", "hypothesis", "form"),
    [
        (
            "If parking is allowed, you must pay. Parking is not allowed.",
            "You need not pay.",
            "(⟨park [permitted]⟩ → O pay); ¬⟨park [permitted]⟩ ⊢ ¬O pay",
        ),
        (
            "If you may park, you must park. You may park.",
            "You must park.",
            "(P park → O park); P park ⊢ O park",
        ),
        (
            "If anyone is a judge, they must be fair. Ines is a judge.",
            "Ines must be fair.",
            "∀x (judge(x) → O fair(x)); judge(ines) ⊢ O fair(ines)",
        ),
    ],
)
def test_conditions(premise, hypothesis, form):
    assert forms(premise, hypothesis, "deontic")[0][1] == form


def test_a_disjunction_that_is_said_twice_is_one_clause():
    found = forms("You must not smoke or drink.", "It is obligatory not to smoke or drink.", "deontic")
    assert found[0][1] == "O¬⟨smoke or drink⟩ ⊢ O¬⟨smoke or drink⟩"
    assert forms("You may smoke or drink.", "You may drink.", "deontic")[0][1] == "P(smoke ∨ drink) ⊢ P drink"
