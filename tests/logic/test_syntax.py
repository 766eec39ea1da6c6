"""Formulas are read as they are printed."""

from __future__ import annotations

import pytest
from hypothesis import given

from polbias.errors import PolbiasError
from polbias.generators.logic.formula import (
    DEONTIC,
    EPISTEMIC,
    And,
    Atom,
    Count,
    CountOf,
    ForAll,
    Formula,
    Iff,
    Implies,
    Inference,
    Necessarily,
    Not,
    Or,
    Possibly,
)
from polbias.generators.logic.syntax import FormulaError, parse_formula, parse_inference
from tests.logic.generated import ANYTHING, inferences

A, B = Atom("A"), Atom("B")
_OTHER_F = And((Atom("F", ("x",)), Not(Atom("=", ("x", "a")))))


@given(ANYTHING)
def test_what_is_printed_is_read_back(formula: Formula) -> None:
    assert parse_formula(str(formula)) == formula


@given(inferences(ANYTHING, ANYTHING))
def test_inferences_are_read_back(inference: Inference) -> None:
    assert parse_inference(str(inference)) == inference


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("A", A),
        ("¬¬A", Not(Not(A))),
        ("(A → B)", Implies(A, B)),
        ("(A ∧ B ∧ A)", And((A, B, A))),
        ("((A ∧ B) ∨ A)", Or((And((A, B)), A))),
        ("O A", Necessarily(DEONTIC, A)),
        ("P¬A", Possibly(DEONTIC, Not(A))),
        ("P(A ∨ B)", Possibly(DEONTIC, Or((A, B)))),
        ("O O A", Necessarily(DEONTIC, Necessarily(DEONTIC, A))),
        ("□◇ A", Necessarily(EPISTEMIC, Possibly(EPISTEMIC, A))),
        ("◇[by custom]¬A", Possibly("by custom", Not(A))),
        ("□[customary]O A", Necessarily("customary", Necessarily(DEONTIC, A))),
        ("Old", Atom("Old")),
        ("OA", Atom("OA")),
        ("⟨P⟩(a)", Atom("P", ("a",))),
        ("⟨the sun shine⟩", Atom("the sun shine")),
        ("⟨give way⟩(Ann Lee, x)", Atom("give way", ("Ann Lee", "x"))),
        ("∀x∀y R(x, y)", ForAll(("x", "y"), Atom("R", ("x", "y")))),
        ("∀x ∀y R(x, y)", ForAll(("x",), ForAll(("y",), Atom("R", ("x", "y"))))),
        ("O∀x (B(x) → A)", Necessarily(DEONTIC, ForAll(("x",), Implies(Atom("B", ("x",)), A)))),
        (" ( A→B )\n", Implies(A, B)),
        ("P (A∨B)", Possibly(DEONTIC, Or((A, B)))),
        ("□A", Necessarily(EPISTEMIC, A)),
        ("R( a ,b )", Atom("R", ("a", "b"))),
        ("(A ↔ ¬B)", Iff(A, Not(B))),
        ("#[A, ¬B] ≤ 1", Count("≤", 1, (A, Not(B)))),
        ("#x (F(x) ∧ ¬⟨=⟩(x, a)) ≥ 12", CountOf("≥", 12, "x", _OTHER_F)),
        ("(#[A]=1 ∧ A)", And((Count("=", 1, (A,)), A))),
    ],
)
def test_formulas(text: str, formula: Formula) -> None:
    assert parse_formula(text) == formula


@pytest.mark.parametrize(
    ("text", "inference"),
    [
        ("¬O A ⊢ P¬A", Inference((Not(Necessarily(DEONTIC, A)),), Possibly(DEONTIC, Not(A)))),
        (" ⊢ A", Inference((), A)),
        ("(A → B); A ⊢ B", Inference((Implies(A, B), A), B)),
    ],
)
def test_inferences(text: str, inference: Inference) -> None:
    assert parse_inference(text) == inference


@pytest.mark.parametrize(
    ("text", "place", "found", "expected"),
    [
        ("", 1, "the end", "a formula"),
        ("¬", 2, "the end", "a formula"),
        ("A → B", 3, "'→'", "the end (put the connective and its parts in parentheses)"),
        ("A ↔ B", 3, "'↔'", "the end (put the connective and its parts in parentheses)"),
        ("(A ↔ B ↔ C)", 8, "'↔'", "')' (put"),
        ("#[A, B] 1", 9, "'1'", "'=', '≤' or '≥'"),
        ("#[A, B] ≥", 10, "the end", "a number"),
        ("#[A; B] = 1", 4, "';'", "',' or ']'"),
        ("#[] = 0", 3, "']'", "a formula"),
        ("#x F(x)", 8, "the end", "'=', '≤' or '≥'"),
        ("# F(x) = 1", 2, "' '", "a variable"),
        ("(A → B → C)", 8, "'→'", "')' (put"),
        ("(A → B", 7, "the end", "')'"),
        ("(A ∧ B ∨ C)", 8, "'∨'", "'∧' or ')' (put"),
        ("(A)", 3, "')'", "'∧', '∨', '→' or '↔'"),
        ("P(a)", 4, "')'", "'∧', '∨', '→' or '↔'"),
        ("B()", 3, "')'", "a term"),
        ("B(a,, b)", 5, "','", "a term"),
        ("B(a ∨ b)", 5, "'∨'", "',' or ')'"),
        ("B (a)", 3, "'('", "the end"),
        ("⟨the sun", 9, "the end", "'⟩'"),
        ("⟨⟩", 2, "'⟩'", "words"),
        ("□[ ] A", 3, "' '", "words"),
        ("∀ x A", 2, "' '", "a variable"),
        ("∀x", 3, "the end", "a formula"),
        ("A B", 3, "'B'", "the end"),
        ("A; B", 2, "';'", "the end"),
        ("A ⊢ B", 3, "'⊢'", "the end"),
        ("1", 1, "'1'", "a formula"),
    ],
)
def test_errors_say_where_and_what(text: str, place: int, found: str, expected: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula(text)
    start = f"{text!r}, character {place}: found {found}, expected {expected}"
    assert str(caught.value).startswith(start)
    assert isinstance(caught.value, PolbiasError)


@pytest.mark.parametrize(
    ("text", "place", "found", "expected"),
    [
        ("A", 2, "the end", "';' or '⊢'"),
        ("A; ⊢ B", 4, "'⊢'", "a formula"),
        ("A, B ⊢ C", 2, "','", "';' or '⊢'"),
        ("A ⊢", 4, "the end", "a formula"),
        ("A ⊢ B ⊢ C", 7, "'⊢'", "the end"),
        ("A ⊢ B; C", 6, "';'", "the end"),
    ],
)
def test_errors_of_inferences(text: str, place: int, found: str, expected: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_inference(text)
    assert str(caught.value) == f"{text!r}, character {place}: found {found}, expected {expected}"
