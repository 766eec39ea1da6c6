"""The enriched "or": choices are offered where something is said to be so, not where it is denied."""

from __future__ import annotations

import pytest

from polbias.generators.logic.formula import FREE_CHOICE, KD, free_choice_enrichment
from polbias.generators.logic.prover import prove
from polbias.generators.logic.syntax import parse_formula, parse_inference


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("P(A ∨ B)", "(P A ∧ P B)"),
        ("P(A ∨ B ∨ C)", "(P A ∧ P B ∧ P C)"),
        ("O(A ∨ B)", "(O(A ∨ B) ∧ P A ∧ P B)"),
        ("◇(A ∨ B)", "(◇ A ∧ ◇ B)"),
        ("□[customary](A ∨ B)", "(□[customary](A ∨ B) ∧ ◇[customary] A ∧ ◇[customary] B)"),
        ("¬P(A ∨ B)", "¬P(A ∨ B)"),
        ("¬O(A ∨ B)", "¬O(A ∨ B)"),
        ("¬¬P(A ∨ B)", "¬¬(P A ∧ P B)"),
        ("(C → P(A ∨ B))", "(C → (P A ∧ P B))"),
        ("(P(A ∨ B) → C)", "(P(A ∨ B) → C)"),
        ("((P(A ∨ B) → C) → C)", "(((P A ∧ P B) → C) → C)"),
        ("(¬P(A ∨ B) → C)", "(¬(P A ∧ P B) → C)"),
        ("∀x (C(x) → P(A(x) ∨ B(x)))", "∀x (C(x) → (P A(x) ∧ P B(x)))"),
        ("(P(A ∨ B) ∨ O A)", "((P A ∧ P B) ∨ O A)"),
        ("P(A ∧ B)", "P(A ∧ B)"),
        ("P¬(A ∨ B)", "P¬(A ∨ B)"),
        ("(A ∨ B)", "(A ∨ B)"),
    ],
)
def test_enrichment(formula: str, expected: str) -> None:
    assert str(free_choice_enrichment(parse_formula(formula))) == expected


@pytest.mark.parametrize(
    ("inference", "plain", "choice"),
    [
        ("P(A ∨ B) ⊢ P A", False, True),
        ("P(A ∨ B) ⊢ (P A ∧ P B)", False, True),
        ("O(A ∨ B) ⊢ P A", False, True),
        ("O(A ∨ B) ⊢ O A", False, False),
        ("O(A ∨ B); O¬A ⊢ O B", True, True),  # but see the next
        ("P A ⊢ P(A ∨ B)", True, False),
        ("O A ⊢ O(A ∨ B)", True, False),
        ("O A; P B ⊢ O(A ∨ B)", True, True),
        ("¬P(A ∨ B) ⊢ ¬P A", True, True),
        ("¬P A ⊢ ¬P(A ∨ B)", False, False),
        ("∀x P(A(x) ∨ B(x)) ⊢ P A(a)", False, True),
    ],
)
def test_what_follows(inference: str, plain: bool, choice: bool) -> None:
    assert prove(parse_inference(inference), KD).valid == plain
    assert prove(parse_inference(inference), FREE_CHOICE).valid == choice


def test_a_choice_of_which_one_part_is_forbidden_is_a_contradiction() -> None:
    inference = parse_inference("O(A ∨ B); O¬A ⊢ O B")
    assert prove(inference, KD).consistent
    assert not prove(inference, FREE_CHOICE).consistent
