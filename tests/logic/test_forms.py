"""The inference forms of the literature on modal reasoning, in each logic."""

from __future__ import annotations

import pytest

from polbias.generators.logic.enumeration import decide
from polbias.generators.logic.formula import (
    EPISTEMIC,
    FREE_CHOICE,
    KD,
    KT,
    S5,
    K,
    Logic,
    free_choice_enrichment,
)
from polbias.generators.logic.prover import prove
from polbias.generators.logic.syntax import parse_inference
from tests.logic.checking import agreed

LOGICS = (K, KD, KT, S5, FREE_CHOICE)

# Valid in: K, KD, KT, S5 and KD with free choice.
FORMS = {
    "NotMu-MiNot": ("¬O A ⊢ P¬A", "V V V V V"),
    "NotMi-MuNot": ("¬P A ⊢ O¬A", "V V V V V"),
    "MiNot-NotMu": ("P¬A ⊢ ¬O A", "V V V V V"),
    "MuNot-NotMi": ("O¬A ⊢ ¬P A", "V V V V V"),
    "Mu-Mi": ("O A ⊢ P A", "- V V V V"),
    "NotMi-NotMu": ("¬P A ⊢ ¬O A", "- V V V V"),
    "NotMu-NotMi": ("¬O A ⊢ ¬P A", "- - - - -"),
    "MiNot-MuNot": ("P¬A ⊢ O¬A", "- - - - -"),
    "Mi-Mu": ("P A ⊢ O A", "- - - - -"),
    "FC-Or-Elim": ("P(A ∨ B) ⊢ P A", "- - - - V"),
    "FC-Or-Intro": ("P A ⊢ P(A ∨ B)", "V V V V -"),
    "Ross-Or-Intro": ("O A ⊢ O(A ∨ B)", "V V V V -"),
    "Ross-Or-Elim": ("O(A ∨ B) ⊢ O A", "- - - - -"),
    "Mu-bare": ("O A ⊢ A", "- - V V -"),
    "bare-Mi": ("A ⊢ P A", "- - V V -"),
    "bare-Mu": ("A ⊢ O A", "- - - - -"),
    "Mi-bare": ("P A ⊢ A", "- - - - -"),
    "NotMu-bare": ("¬O A ⊢ ¬A", "- - - - -"),
    "NotMi-bare": ("¬P A ⊢ ¬A", "- - V V -"),
    "Mu-MuMu": ("O A ⊢ O O A", "- - - V -"),
    "MuMu-Mu": ("O O A ⊢ O A", "- - V V -"),
    "Mi-MuMi": ("P A ⊢ O P A", "- - - V -"),
    "MuMi-Mi": ("O P A ⊢ P A", "- - V V -"),
    "options with options": ("P(P A ∧ O B); P(P A ∧ O¬B) ⊢ A", "- - - V -"),
    "K": ("O(A → B); O A ⊢ O B", "V V V V V"),
    "Mu-and-Mi": ("O A; P B ⊢ P(A ∧ B)", "V V V V V"),
    "Mi-and-Mi": ("P A; P B ⊢ P(A ∧ B)", "- - - - -"),
    "Mu-distributes": ("O(A ∧ B) ⊢ (O A ∧ O B)", "V V V V V"),
    "Mu-necessitation": ("⊢ O(A → A)", "V V V V V"),
    "No conflict": ("⊢ ¬(O A ∧ O¬A)", "- V V V V"),
    # One sentence
    "Hyp-MP": ("(A → O B); A ⊢ O B", "V V V V V"),
    "Hyp-MT": ("(A → O B); ¬O B ⊢ ¬A", "V V V V V"),
    "Hyp-MT, dual": ("(A → O B); P¬B ⊢ ¬A", "V V V V V"),
    "Hyp-AC": ("(A → O B); O B ⊢ A", "- - - - -"),
    "Hyp-DA": ("(A → O B); ¬A ⊢ ¬O B", "- - - - -"),
    "Hyp-MP, wide": ("O(A → B); A ⊢ O B", "- - - - -"),
    "Hyp-MT, wide": ("O(A → B); ¬O B ⊢ ¬A", "- - - - -"),
    "Hyp-MP, wide, bare": ("O(A → B); A ⊢ B", "- - V V -"),
    "Hyp-MT, wide, bare": ("O(A → B); ¬B ⊢ ¬A", "- - V V -"),
    "Hyp-MP, wide, detached": ("O(A → B); O A ⊢ O B", "V V V V V"),
    "Hyp-MP, bare": ("(A → O B); A ⊢ B", "- - V V -"),
    "Hyp-MP, may": ("(A → P B); A ⊢ P B", "V V V V V"),
    "Hyp-MP, must, may": ("(A → O B); A ⊢ P B", "- V V V V"),
    # Everybody who
    "Cat-MP": ("∀x (B(x) → O C(x)); B(a) ⊢ O C(a)", "V V V V V"),
    "Cat-MT": ("∀x (B(x) → O C(x)); ¬O C(a) ⊢ ¬B(a)", "V V V V V"),
    "Cat-AC": ("∀x (B(x) → O C(x)); O C(a) ⊢ B(a)", "- - - - -"),
    "Cat-DA": ("∀x (B(x) → O C(x)); ¬B(a) ⊢ ¬O C(a)", "- - - - -"),
    "Cat-MP, wide": ("∀x O(B(x) → C(x)); B(a) ⊢ O C(a)", "- - - - -"),
    "Cat-MT, wide": ("∀x O(B(x) → C(x)); ¬O C(a) ⊢ ¬B(a)", "- - - - -"),
    "Cat-MP, de dicto": ("O∀x (B(x) → C(x)); B(a) ⊢ O C(a)", "- - - - -"),
    "Cat-MT, de dicto": ("O∀x (B(x) → C(x)); ¬O C(a) ⊢ ¬B(a)", "- - - - -"),
    "Cat-AC, de dicto": ("O∀x (B(x) → C(x)); O C(a) ⊢ B(a)", "- - - - -"),
    "Cat-MP, de dicto, bare": ("O∀x (B(x) → C(x)); B(a) ⊢ C(a)", "- - V V -"),
    "Cat-MP, de dicto, detached": ("O∀x (B(x) → C(x)); O B(a) ⊢ O C(a)", "V V V V V"),
    "Cat-MP, another": ("∀x (B(x) → O C(x)); B(a) ⊢ O C(b)", "- - - - -"),
    "Barcan": ("∀x O B(x) ⊢ O∀x B(x)", "V V V V V"),
    "Barcan, converse": ("O∀x B(x) ⊢ ∀x O B(x)", "V V V V V"),
    "somebody may": ("P¬∀x B(x) ⊢ ¬∀x ¬P¬B(x)", "V V V V V"),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms(name: str) -> None:
    text, expected = FORMS[name]
    inference = parse_inference(text)
    for logic, sign in zip(LOGICS, expected.split(), strict=True):
        assert agreed(inference, logic, most=4).valid == (sign == "V"), logic
        read = inference.map(free_choice_enrichment) if logic.free_choice else inference
        assert decide(read, logic, worlds=3).valid == (sign == "V"), logic


@pytest.mark.parametrize("kind", [EPISTEMIC, "customary"])
def test_all_modalities_are_alike(kind: str) -> None:
    for text, expected in FORMS.values():
        for sign, other in (("O", f"□[{kind}] "), ("P", f"◇[{kind}] ")):
            text = text.replace(sign, other)
        verdicts = [prove(parse_inference(text), logic).valid for logic in LOGICS]
        assert verdicts == [sign == "V" for sign in expected.split()]


@pytest.mark.parametrize(
    ("text", "logic", "valid"),
    [
        ("O A ⊢ □ A", KT, False),
        ("□ A ⊢ P A", KD, False),
        ("□ A; O B ⊢ ◇(A ∧ B)", KD, False),
        ("P A; ◇ A; O B ⊢ ¬□¬B", KD, False),  # what is permitted and what is possible may be worlds apart
        ("P A; ◇ A; O B ⊢ ¬□¬B", KT, True),
        ("O A; □ B ⊢ (A ∧ B)", KT, True),
        ("□ O A ⊢ ◇ P A", KD, True),
        ("□ O A ⊢ O □ A", KD, False),
    ],
)
def test_modalities_are_independent(text: str, logic: Logic, valid: bool) -> None:
    assert agreed(parse_inference(text), logic, most=4).valid == valid


def test_contradictory_premises() -> None:
    for text in ("A; ¬A ⊢ B", "O A; ¬O A ⊢ O B", "∀x B(x); ¬B(a) ⊢ C(a)", "O A; O¬A ⊢ O B"):
        verdict = agreed(parse_inference(text), KD)
        assert verdict.valid
        assert not verdict.consistent
    assert prove(parse_inference("O A; O¬A ⊢ O B"), K).consistent
