"""What keeps an item from having the form of its pattern, each case worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.generators.auditing.diagnosis import denials_named, diagnose, instantiates
from polbias.generators.auditing.items import FINDINGS
from polbias.generators.logic.formula import rename
from polbias.generators.logic.syntax import parse_inference

CAT_MP = "∀x (B(x) → O C(x)); B(a) ⊢ O C(a)"
CAT_MT = "∀x (B(x) → O C(x)); ¬O C(a) ⊢ ¬B(a)"
HYP_MP = "(B → O C); B ⊢ O C"
HYP_MT = "(B → O C); ¬O C ⊢ ¬B"
HYP_AC = "(B → O C); O C ⊢ B"

SYLLOGISMS = [
    (HYP_MT, "(F → □G); ¬□G ⊢ ¬G", ("conclusion-negates-consequent",)),
    (HYP_MT, "(F → □G); ◇¬G ⊢ ¬G", ("conclusion-negates-consequent",)),
    (HYP_MT, "(F → □¬G); ¬□¬G ⊢ ¬¬G", ("conclusion-negates-consequent",)),
    (HYP_MT, "(F → □G); ¬□G ⊢ ¬¬G", ("wrong-clause",)),
    (HYP_MT, "(F → □G); ¬□H ⊢ ¬H", ("four-terms", "conclusion-negates-consequent")),
    (HYP_MT, "(F → □G); ¬□G ⊢ ¬H", ("content-mismatch",)),
    (HYP_MT, "(F → □G); ¬□G ⊢ F", ("negation-mismatch",)),
    (HYP_MT, "∀x (F(x) → □G(x)); ¬□G(a) ⊢ ¬G(a)", ("rule-mismatch", "conclusion-negates-consequent")),
    (HYP_MT, "∀x (F(x) → □G(x)); ¬□G(a) ⊢ ¬F(a)", ("rule-mismatch",)),
    (HYP_MT, "(F → □G); ¬G ⊢ ¬F", ("missing-modal",)),
    (HYP_MP, "(F → □G); F ⊢ G", ("missing-modal",)),
    (HYP_MP, "(F → G); F ⊢ □G", ("missing-modal",)),
    (HYP_MP, "(F → □G); □F ⊢ □G", ("surplus-modal",)),
    (HYP_MP, "(F → □G); F ⊢ ◇G", ("operator-mismatch",)),
    (HYP_MP, "(F → □[customary]G); F ⊢ O G", ("operator-mismatch",)),
    (HYP_MP, "O(F → G); F ⊢ O G", ("scope-mismatch",)),
    (HYP_MP, "O(F → G); H ⊢ O G", ("scope-mismatch", "four-terms")),
    (HYP_MP, "(F → O G); H ⊢ O G", ("four-terms",)),
    (HYP_MP, "(F → O G); F ⊢ O H", ("content-mismatch",)),
    (HYP_MP, "(F → O G); F ⊢ O F", ("wrong-clause",)),
    (HYP_MP, "(F → O G); ¬F ⊢ O G", ("negation-mismatch",)),
    (HYP_MP, "∀x (F(x) → O G(x)); F(a) ⊢ O G(a)", ("rule-mismatch",)),
    (HYP_AC, "(F → □G); □H ⊢ F", ("four-terms",)),
    (CAT_MP, "(F(a) → O G(a)); F(a) ⊢ O G(a)", ("rule-mismatch",)),
    (CAT_MP, "(F(a) → O G(a)); H(a) ⊢ O G(a)", ("rule-mismatch", "four-terms")),
    (CAT_MP, "∀x (F(x) → O G(x)); H(a) ⊢ O G(a)", ("four-terms",)),
    (CAT_MP, "∀x (F(b, x) → O G(x)); F(b, c) ⊢ G(c)", ("missing-modal",)),
    (CAT_MP, "∀x (F(x, b) → O G(x)); F(c, b) ⊢ G(c)", ("missing-modal",)),
    (HYP_MP, "¬(F → O G); F ⊢ O G", ("negation-mismatch",)),
    (CAT_MP, "∀x (F(x) → O G(x)); F(a) ⊢ O G(b)", ("other-individual",)),
    (CAT_MP, "∀x (F(x) → O G(x)); F(a) ⊢ G(a)", ("missing-modal",)),
    (CAT_MP, "□∀x (F(x) → G(x)); F(a) ⊢ □G(a)", ("scope-mismatch",)),
    (CAT_MT, "∀x (F(x) → □G(x)); ¬□G(a) ⊢ ¬H(a)", ("content-mismatch",)),
    (CAT_MT, "∀x (F(x) → □G(x)); ¬□H(a) ⊢ ¬J(a)", ("four-terms", "content-mismatch")),
    (CAT_MT, "∀x (F(x) → □G(x)); ¬□∀x (H(x) → G(x)) ⊢ ¬F(h)", ("rule-mismatch",)),
    (CAT_MT, "∀x (F(x) → □G(x)); ¬G(a) ⊢ ¬F(a)", ("missing-modal",)),
    (CAT_MP, "A ⊢ B", ("form-mismatch",)),
]
LOGIC = [
    ("O A ⊢ P A", "O F ⊢ P G", ("content-mismatch",)),
    ("O A ⊢ P A", "F ⊢ P F", ("missing-modal",)),
    ("O A ⊢ P A", "P F ⊢ P F", ("operator-mismatch",)),
    ("O A ⊢ P A", "O ¬F ⊢ P F", ("negation-mismatch",)),
    ("¬O A ⊢ P¬A", "O F ⊢ P¬F", ("negation-mismatch",)),
    ("¬O A ⊢ P¬A", "P¬F ⊢ P¬F", ("operator-mismatch", "negation-mismatch")),
    ("P(A ∨ B) ⊢ P A", "P(F ∨ G) ⊢ P H", ("content-mismatch",)),
    ("P(A ∨ B) ⊢ P A", "P(F ∨ G) ⊢ P G", ("wrong-clause",)),
    ("P(A ∨ B) ⊢ P A", "P F ⊢ P F", ("form-mismatch",)),
    ("P(A ∨ B) ⊢ P A", "P F ⊢ O F", ("form-mismatch", "operator-mismatch")),
]
CASES = [(form, item, codes, False) for form, item, codes in SYLLOGISMS]
CASES += [(form, item, codes, True) for form, item, codes in LOGIC]


@pytest.mark.parametrize(("form", "item", "codes", "strict"), CASES)
def test_diagnosis(form: str, item: str, codes: tuple[str, ...], strict: bool) -> None:
    schema, inference = parse_inference(form), parse_inference(item)
    assert not instantiates(inference, schema, strict)
    assert diagnose([inference], schema, strict) == codes


def test_every_code_is_explained() -> None:
    assert {code for *_, codes, _ in CASES for code in codes} <= set(FINDINGS)


@given(st.sampled_from(CASES), st.permutations("FGHJ"))
def test_words_do_not_matter(case: tuple[str, str, tuple[str, ...], bool], words: list[str]) -> None:
    form, item, codes, strict = case
    other = dict(zip("FGHJ", words, strict=True))
    renamed = parse_inference(item).map(lambda formula: rename(formula, other))
    assert diagnose([renamed], parse_inference(form), strict) == codes


def test_the_reading_that_is_nearest_is_compared() -> None:
    form = parse_inference(HYP_MP)
    far, near = parse_inference("(F → G); H ⊢ G"), parse_inference("(F → O G); H ⊢ O G")
    assert diagnose([far, near], form, False) == ("four-terms",)


def test_premises_may_be_exchanged_in_a_syllogism() -> None:
    item = parse_inference("F; (F → O G) ⊢ G")
    assert diagnose([item], parse_inference(HYP_MP), False) == ("missing-modal",)


@pytest.mark.parametrize(
    ("item", "named"),
    [
        ("(¬A → □B); □B ⊢ ¬A", "(⟨not A⟩ → □ B); □ B ⊢ ⟨not A⟩"),
        ("(¬A → □B); □B ⊢ A", "(¬A → □ B); □ B ⊢ A"),
        ("¬□¬A(a) ⊢ ¬¬A(a)", "¬□⟨not A⟩(a) ⊢ ¬⟨not A⟩(a)"),
        ("A ⊢ ¬B", "A ⊢ ⟨not B⟩"),
        ("(A ∧ ¬B) ⊢ (¬A ∨ B)", "(A ∧ ¬B) ⊢ (¬A ∨ B)"),
    ],
)
def test_a_clause_that_is_only_ever_denied_is_named_by_its_denial(item: str, named: str) -> None:
    assert str(denials_named(parse_inference(item))) == named
