"""First-order logic: textbook forms and what the comparison words say."""

from __future__ import annotations

import pytest

from polbias.generators.logic.formula import FOL, KD, S5, Access, Logic
from polbias.generators.logic.prover import prove
from polbias.generators.logic.syntax import parse_inference
from tests.logic.checking import agreed

NO_POSTULATES = Logic("fol without postulates", Access.NO_MODALITY)

VALID = {
    "modus ponens": "(F(a) → G(a)); F(a) ⊢ G(a)",
    "modus tollens": "(F(a) → G(a)); ¬G(a) ⊢ ¬F(a)",
    "hypothetical syllogism": "(F(a) → G(a)); (G(a) → H(a)) ⊢ (F(a) → H(a))",
    "disjunctive syllogism": "(F(a) ∨ G(a)); ¬F(a) ⊢ G(a)",
    "De Morgan": "¬(F(a) ∧ G(a)) ⊢ (¬F(a) ∨ ¬G(a))",
    "instantiation": "∀x F(x) ⊢ F(a)",
    "Barbara about one": "∀x (F(x) → G(x)); ∀x (G(x) → H(x)); F(a) ⊢ H(a)",
    "Barbara": "∀x (F(x) → G(x)); ∀x (G(x) → H(x)) ⊢ ∀x (F(x) → H(x))",
    "Camestres about one": "∀x (F(x) → G(x)); ∀x (H(x) → ¬G(x)); H(a) ⊢ ¬F(a)",
    "Darii": "∀x (F(x) → G(x)); ¬∀x ¬(H(x) ∧ F(x)) ⊢ ¬∀x ¬(H(x) ∧ G(x))",
    "every pair": "∀x∀y ((F(x) ∧ G(y)) → R(x, y)); (F(a) ∧ G(b)) ⊢ R(a, b)",
    "irrelevant premise": "F(a); distractor ⊢ F(a)",
    "anything from a contradiction": "F(a); ¬F(a) ⊢ G(b)",
    "a tautology from nothing": "⊢ (F(a) → F(a))",
    "constants may be what is bound elsewhere": "∀x F(x) ⊢ F(x)",
    "bound variables do not matter": "∀x∀y R(x, y) ⊢ ∀y∀x R(x, y)",
    "somebody": "F(a) ⊢ ¬∀x ¬F(x)",
    "there is somebody": "∀x F(x) ⊢ ¬∀x ¬F(x)",
    "nobody named": "(A → B); A ⊢ B",
}
INVALID = {
    "affirming the consequent": "(F(a) → G(a)); G(a) ⊢ F(a)",
    "denying the antecedent": "(F(a) → G(a)); ¬F(a) ⊢ ¬G(a)",
    "affirming a disjunct": "(F(a) ∨ G(a)); F(a) ⊢ ¬G(a)",
    "undistributed middle": "∀x (F(x) → G(x)); ∀x (H(x) → G(x)); F(a) ⊢ H(a)",
    "illicit conversion": "∀x (F(x) → G(x)); G(a) ⊢ F(a)",
    "existential import": "∀x (F(x) → G(x)) ⊢ ¬∀x ¬F(x)",
    "from one to another": "F(a) ⊢ F(b)",
    "from one to all": "F(a) ⊢ ∀x F(x)",
    "from some to one": "¬∀x F(x) ⊢ ¬F(a)",
    "some are, others are": "¬∀x F(x); ¬∀x G(x) ⊢ ¬∀x (F(x) ∨ G(x))",
    "every pair, the other way round": "∀x∀y ((F(x) ∧ G(y)) → R(x, y)); (F(a) ∧ G(b)) ⊢ R(b, a)",
    "every pair, without membership": "∀x∀y ((F(x) ∧ G(y)) → R(x, y)); F(a) ⊢ R(a, b)",
    "from nothing": "⊢ F(a)",
    "one sentence letter from another": "distractor; F(a) ⊢ other",
    "in an antecedent": "(∀x F(x) → G(a)); F(a) ⊢ G(a)",
}


@pytest.mark.parametrize("name", VALID)
def test_valid_textbook_forms(name: str) -> None:
    assert agreed(parse_inference(VALID[name]), FOL).valid


@pytest.mark.parametrize("name", INVALID)
def test_invalid_textbook_forms_have_countermodels(name: str) -> None:
    for logic in (FOL, NO_POSTULATES):
        assert not agreed(parse_inference(INVALID[name]), logic).valid


def _extra(text: str) -> int | None:
    """Individuals besides those named: none beside three, whose models are too many to be enumerated."""
    return 0 if ", c)" in text else None


@pytest.mark.parametrize(
    "text",
    [
        "superior(a, b) ⊢ inferior(b, a)",
        "inferior(a, b) ⊢ superior(b, a)",
        "superior(a, b) ⊢ ¬superior(b, a)",
        "inferior(a, b) ⊢ ¬inferior(b, a)",
        "superior(a, b) ⊢ ¬inferior(a, b)",
        "inferior(a, b) ⊢ ¬superior(a, b)",
        "comparable(a, b) ⊢ ¬superior(a, b)",
        "comparable(a, b) ⊢ ¬inferior(a, b)",
        "comparable(a, b) ⊢ ¬superior(b, a)",
        "comparable(a, b) ⊢ ¬inferior(b, a)",
        "superior(a, b) ⊢ ¬comparable(a, b)",
        "inferior(a, b) ⊢ ¬comparable(b, a)",
        "superior(a, a) ⊢ F(b)",  # nobody is superior to oneself
        "superior(a, b); superior(b, c) ⊢ superior(a, c)",
        "equal(a, b); superior(b, c) ⊢ superior(a, c)",
        "superior(a, b); equal(b, c) ⊢ superior(a, c)",
        "equal(a, b) ⊢ equal(b, a)",
        "equal(a, b) ⊢ ¬superior(b, a)",
    ],
)
def test_what_the_comparison_words_entail(text: str) -> None:
    assert agreed(parse_inference(text), FOL, extra=_extra(text)).valid
    assert not agreed(parse_inference(text), NO_POSTULATES).valid  # by the postulates, not by logic alone


@pytest.mark.parametrize(
    "text",
    [
        "superior(a, b) ⊢ superior(b, a)",
        "superior(a, b) ⊢ superior(a, c)",
        "superior(a, b); superior(b, c) ⊢ superior(c, a)",
        "equal(a, b) ⊢ superior(a, b)",
        "comparable(a, b); superior(b, c) ⊢ superior(a, c)",  # comparable is not equal
        "¬superior(a, b) ⊢ inferior(a, b)",
        "¬inferior(a, b) ⊢ superior(a, b)",
        "¬superior(a, b) ⊢ comparable(a, b)",
        "comparable(a, b) ⊢ superior(a, b)",
        "comparable(a, b) ⊢ inferior(a, b)",
        "taller(a, b) ⊢ superior(a, b)",
        "taller(a, b) ⊢ ¬inferior(a, b)",
        "taller(a, b) ⊢ ¬superior(a, b)",
        "taller(a, b) ⊢ ¬taller(b, a)",  # no postulate for other comparisons
    ],
)
def test_what_the_comparison_words_do_not_entail(text: str) -> None:
    assert not agreed(parse_inference(text), FOL, extra=_extra(text)).valid


@pytest.mark.parametrize(
    ("relation", "concluded", "valid", "mirrored"),
    [
        ("superior", "superior(a, b)", True, False),
        ("superior", "inferior(b, a)", True, False),
        ("superior", "¬inferior(a, b)", True, False),
        ("superior", "¬superior(b, a)", True, False),
        ("superior", "inferior(a, b)", False, True),
        ("inferior", "inferior(a, b)", True, False),
        ("inferior", "¬superior(a, b)", True, False),
        ("inferior", "¬inferior(a, b)", False, True),
        ("comparable", "¬inferior(a, b)", True, True),
        ("comparable", "superior(a, b)", False, False),
        ("taller", "superior(a, b)", False, False),
        ("taller", "¬inferior(a, b)", False, False),
    ],
)
def test_arguments_about_sides(relation: str, concluded: str, valid: bool, mirrored: bool) -> None:
    for first, second, expected in (("Left", "Right", valid), ("Right", "Left", mirrored)):
        premise = f"∀x∀y (({first}(x) ∧ {second}(y)) → {relation}(x, y))"
        text = f"{premise}; distractor; (Left(a) ∧ Right(b)) ⊢ {concluded}"
        assert agreed(parse_inference(text), FOL, extra=0).valid == expected


def test_a_side_compared_with_itself_is_a_contradiction() -> None:
    for relation, member, valid in (
        ("superior", "F(a)", True),
        ("superior", "¬F(a)", False),
        ("taller", "F(a)", False),
    ):
        text = f"∀x∀y ((F(x) ∧ F(y)) → {relation}(x, y)); {member} ⊢ G(b)"
        assert agreed(parse_inference(text), FOL).valid == valid


# What cannot be decided


@pytest.mark.parametrize("text", ["O A ⊢ A", "A ⊢ ◇ A", "(A → P B) ⊢ B", "A; ∀x □ B(x) ⊢ A"])
def test_no_operators_in_first_order_logic(text: str) -> None:
    with pytest.raises(ValueError, match="logic 'fol' has no modal operators, found [OP□◇]"):
        prove(parse_inference(text), FOL)


def test_one_modality_in_s5() -> None:
    with pytest.raises(ValueError, match=r"s5 is decided for one modality, found \['deontic', 'epistemic'\]"):
        prove(parse_inference("O A ⊢ ◇ A"), S5)


@pytest.mark.parametrize(
    ("text", "logic"),
    [
        ("∀x ¬∀y R(x, y) ⊢ R(a, a)", FOL),
        ("∀x P B(x); B(a) ⊢ P∀x B(x)", KD),
        ("⊢ ¬∀x ¬∀y R(x, y)", FOL),
    ],
)
def test_unbounded_individuals(text: str, logic: Logic) -> None:
    with pytest.raises(ValueError, match="more than 12 individuals are needed"):
        prove(parse_inference(text), logic)
