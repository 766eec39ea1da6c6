"""Two inferences have one shape exactly if names, words and variables are all that they differ in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.generators.auditing.shapes import canonical_shape, name_denials
from polbias.generators.logic.formula import rename, substitute
from polbias.generators.logic.syntax import parse_inference

SAME = [
    ("O A ⊢ P A", "O ⟨go home⟩ ⊢ P ⟨go home⟩"),
    ("∀x (B(x) → □C(x)); B(a) ⊢ □C(a)", "∀y (⟨tall man⟩(y) → □ run(y)); ⟨tall man⟩(Ann) ⊢ □ run(Ann)"),
    ("∀x∀y R(x, y) ⊢ R(a, b)", "∀y∀x S(y, x) ⊢ S(b, a)"),
    ("∀x (A(x) → ∀x B(x)) ⊢ A(x)", "∀x (A(x) → ∀y B(y)) ⊢ A(c)"),
]
DIFFERENT = [
    ("O A ⊢ P A", "O A ⊢ P B"),
    ("O A ⊢ P A", "□A ⊢ ◇A"),
    ("O A ⊢ P A", "O A ⊢ ¬P A"),
    ("A; B ⊢ A", "A; B ⊢ B"),
    ("R(a, b) ⊢ A", "R(a, a) ⊢ A"),
    ("∀x∀y R(x, y) ⊢ A", "∀x∀y R(y, x) ⊢ A"),
    ("∀x∀y A(x) ⊢ A", "∀x ∀y A(x) ⊢ A"),
    ("∀x (A(x) → ∀y R(x, y)) ⊢ B", "∀x (A(x) → ∀y R(y, x)) ⊢ B"),
    ("∀x (A(x) → ∀x (B(x) → ∀y R(x, y))) ⊢ C", "∀x (A(x) → ∀x (B(x) → ∀y R(y, y))) ⊢ C"),
    ("(A ∧ B) ⊢ A", "(A ∨ B) ⊢ A"),
    ("A(a) ⊢ A(b)", "A(a) ⊢ A(a)"),
    ("A ⊢ A", "A(a) ⊢ A(a)"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_same_shape(one: str, other: str) -> None:
    assert canonical_shape(parse_inference(one)) == canonical_shape(parse_inference(other))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_shape(one: str, other: str) -> None:
    assert canonical_shape(parse_inference(one)) != canonical_shape(parse_inference(other))


ALL = sorted({text for pair in (*SAME, *DIFFERENT) for text in pair})


@given(st.sampled_from(ALL), st.permutations("ABCDRS"), st.permutations("abcd"))
def test_renaming_changes_no_shape(text: str, words: list[str], names: list[str]) -> None:
    inference = parse_inference(text)
    predicates = dict(zip("ABCDRS", words, strict=True))
    terms = dict(zip("abcd", names, strict=True))
    assert canonical_shape(
        inference.map(lambda f: rename(substitute(f, terms), predicates))
    ) == canonical_shape(inference)


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
    assert str(name_denials(parse_inference(item))) == named
