"""Choices that the language leaves: their names, their order, and what each comes to."""

from polbias.generators.normative.reading import read_item


def forms(premise, hypothesis, domain):
    read = read_item(premise, hypothesis, domain)
    return [(dict(reading.choices), str(reading.inference)) for reading in read.readings]


def test_can_choose_to():
    assert forms("You cannot choose to sing.", "You can choose not to sing.", "deontic") == [
        ({"can choose to": "permission"}, "¬P sing ⊢ P¬sing"),
        ({"can choose to": "bilateral"}, "¬(P sing ∧ P¬sing) ⊢ (P¬sing ∧ P sing)"),
    ]


def test_scope_of_a_rule():
    found = forms(
        "It is certain that all elms are tall. Bo is an elm.", "It is certain that Bo is tall.", "epistemic"
    )
    assert found == [
        ({"scope": "de re"}, "∀x (elm(x) → □ tall(x)); elm(bo) ⊢ □ tall(bo)"),
        ({"scope": "de dicto"}, "□∀x (elm(x) → tall(x)); elm(bo) ⊢ □ tall(bo)"),
    ]


def test_obligee_has_no_choice_of_scope():
    found = forms("It is obligatory for all elves to sing. Bo is an elf.", "Bo must sing.", "deontic")
    assert found == [({}, "∀x (elf(x) → O sing(x)); elf(bo) ⊢ O sing(bo)")]


def test_a_denied_clause_keeps_its_quantifier():
    found = forms(
        "All oils are certain to burn. It is not certain that all inks burn.", "Ink is not oil.", "epistemic"
    )
    assert found[0][1].startswith("∀x (oil(x) → □ burn(x)); ¬□∀x (ink(x) → burn(x))")


def test_scope_with_one_premise():
    assert forms("All swans might be white.", "It is possible that all swans are white.", "epistemic") == [
        ({"scope": "de dicto"}, "◇⟨every swan be white⟩ ⊢ ◇⟨every swan be white⟩"),
        ({"scope": "de re"}, "∀x (swan(x) → ◇ white(x)) ⊢ ∀x (swan(x) → ◇ white(x))"),
        ({"scope": "surface"}, "∀x (swan(x) → ◇ white(x)) ⊢ ◇∀x (swan(x) → white(x))"),
    ]


def test_tense():
    found = forms("If the sea rises, then you must flee. The sea rose.", "You must flee.", "deontic")
    assert found == [
        ({"tense": "disregarded"}, "(⟨sea rise⟩ → O flee); ⟨sea rise⟩ ⊢ O flee"),
        ({"tense": "respected"}, "(⟨sea rise⟩ → O flee); ⟨sea rise [past]⟩ ⊢ O flee"),
    ]
    found = forms("It is certain that Jo will win.", "It is possible that Jo wins.", "epistemic")
    assert found[1][1] == "□⟨jo win [future]⟩ ⊢ ◇⟨jo win⟩"


def test_an_infinitive_has_no_tense_but_is_not_of_the_past():
    assert len(forms("Jo is certain to win.", "It is possible that Jo wins.", "epistemic")) == 1
    assert len(forms("Jo is certain to win.", "Jo will win.", "epistemic")) == 1
    assert [choice for choice, _ in forms("Jo must win.", "Jo must have won.", "epistemic")] == [
        {"tense": "disregarded"},
        {"tense": "respected"},
    ]
    assert len(forms("All who pay must sign. Jo paid.", "Jo must sign.", "deontic")) == 1


def test_paraphrase():
    found = forms(
        "It is certain that the pond is full of frogs.", "Frogs might be filling the pond.", "epistemic"
    )
    assert len(found) == 1
    found = forms("The pond might be teeming with frogs.", "Frogs must be teeming in the pond.", "epistemic")
    assert found == [
        ({"paraphrase": "same"}, "◇⟨pond be teeming with frogs⟩ ⊢ □⟨pond be teeming with frogs⟩"),
        ({"paraphrase": "different"}, "◇⟨pond be teeming with frogs⟩ ⊢ □⟨frogs be teeming in the pond⟩"),
    ]


def test_what_repeats_a_paraphrase_goes_with_it():
    found = forms(
        "If the pond teems with frogs, then it is certain that the lake teems with fish. Fish might teem in the lake.",
        "It is certain that fish teem in the lake.",
        "epistemic",
    )
    assert [form.split("; ")[1] for _, form in found] == [
        "◇⟨lake teem with fish⟩ ⊢ □⟨lake teem with fish⟩",
        "◇⟨fish teem in the lake⟩ ⊢ □⟨fish teem in the lake⟩",
    ]


def test_head_noun_of_a_class():
    found = forms("All pupils who cheat must leave. Jo cheats.", "Jo must leave.", "deontic")
    assert found == [
        ({"head noun": "understood"}, "∀x (cheat(x) → O leave(x)); cheat(jo) ⊢ O leave(jo)"),
        ({"head noun": "stated"}, "∀x (⟨pupil who cheat⟩(x) → O leave(x)); cheat(jo) ⊢ O leave(jo)"),
    ]


def test_condition_on_a_kind_that_is_applied():
    found = forms("If a pupil cheats, they must leave. Jo cheats.", "Jo must leave.", "deontic")
    assert [form for _, form in found] == [
        "∀x (cheat(x) → O leave(x)); cheat(jo) ⊢ O leave(jo)",
        "∀x ((pupil(x) ∧ cheat(x)) → O leave(x)); cheat(jo) ⊢ O leave(jo)",
    ]


def test_every_reading_settles_the_same_choices():
    read = read_item(
        "It is certain that all pupils who cheat will leave. Jo cheated.",
        "It is certain that Jo leaves.",
        "epistemic",
    )
    assert len({tuple(reading.choices) for reading in read.readings}) == 1
    assert 1 < len(read.readings) <= 16
    assert len({str(reading.inference) for reading in read.readings}) == len(read.readings)
