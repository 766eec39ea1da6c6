"""How proofs and countermodels read."""

from __future__ import annotations

import pytest

from polbias.generators.logic.explain import explain
from polbias.generators.logic.formula import FOL, MODAL_LOGICS
from polbias.generators.logic.prover import prove
from polbias.generators.logic.syntax import parse_inference
from tests.support.process import run_python

TEXTS = {
    ("¬O A ⊢ P¬A", "kd"): (
        "(1) ¬O A (premise 1); (2) ¬P¬A (suppose the conclusion is false); "
        "(3) ¬A at w1, an acceptable course of things (by 1); (4) A at w1 (by 2). These cannot all hold."
    ),
    ("O A ⊢ P A", "kd"): (
        "(1) O A (premise 1); (2) ¬P A (suppose the conclusion is false); "
        "there is an acceptable course of things, w1 (D); (3) A at w1 (by 1); (4) ¬A at w1 (by 2). "
        "These cannot all hold."
    ),
    ("□ A ⊢ A", "kt"): (
        "(1) □ A (premise 1); (2) ¬A (suppose the conclusion is false); "
        "what is necessary at w0 holds there (T); (3) A (by 1). These cannot all hold."
    ),
    ("∀x (⟨finish work⟩(x) → O leave(x)); ⟨finish work⟩(Ann) ⊢ O leave(Ann)", "kd"): (
        "(1) ∀x (⟨finish work⟩(x) → O leave(x)) (premise 1); (2) ⟨finish work⟩(Ann) (premise 2); "
        "(3) ¬O leave(Ann) (suppose the conclusion is false); "
        "(4) (⟨finish work⟩(Ann) → O leave(Ann)) (by 1); "
        "(5) ¬leave(Ann) at w1, an acceptable course of things (by 3); "
        "(6) leave(Ann) at w1 if O leave(Ann). These cannot all hold."
    ),
    ("P(A ∨ B) ⊢ P A", "kd+fc"): (
        "(1) (P A ∧ P B) (premise 1); (2) ¬P A (suppose the conclusion is false); "
        "(3) A at w1, an acceptable course of things if P A; (4) ¬A at w1 (by 2). These cannot all hold."
    ),
    ("¬O A ⊢ ¬P A", "kd"): "w0: has access to w1, w2 (deontic). w1: ¬A. w2: A",
    ("∀x (Left(x) → taller(x, Bo)); Left(Ann Lee) ⊢ superior(Ann Lee, Bo)", "fol"): (
        "Left(Ann Lee), taller(Ann Lee, Bo); nothing else that is mentioned is true"
    ),
    ("O A; B ⊢ P A", "k"): "w0: B",
    ("O A; ¬O A ⊢ B", "kd"): (
        "(1) O A (premise 1); (2) ¬O A (premise 2); (3) ¬A at w1, an acceptable course of things (by 2); "
        "(4) A at w1 (by 1). So the premises contradict each other, and anything would follow."
    ),
    ("P(A ∨ B) ⊢ P A", "kd"): "w0: has access to w1 (deontic). w1: B, ¬A",
    ("⊢ (A ∨ ¬A)", "fol"): "(1) ¬(A ∨ ¬A) (suppose the conclusion is false). This cannot hold.",
    ("O A ⊢ P A", "k"): "w0: has access to no world",
}


LOGICS = {logic.name: logic for logic in (FOL, *MODAL_LOGICS)}


@pytest.mark.parametrize(("text", "logic"), TEXTS)
def test_texts(text: str, logic: str) -> None:
    assert explain(prove(parse_inference(text), LOGICS[logic])) == TEXTS[text, logic]


SOURCE = """
    from polbias.generators.logic.explain import explain
    from polbias.generators.logic.formula import FOL, MODAL_LOGICS
    from polbias.generators.logic.prover import prove
    from polbias.generators.logic.syntax import parse_inference

    logics = {{logic.name: logic for logic in (FOL, *MODAL_LOGICS)}}
    for text, logic in {pairs!r}:
        print(explain(prove(parse_inference(text), logics[logic])))
"""


def test_the_same_in_every_process() -> None:
    pairs = [
        *TEXTS,
        ("P A; P B; O(A → C) ⊢ P(A ∧ B ∧ C)", "kt"),
        ("◇ A; ◇ B; □(A ∨ C) ⊢ ◇(A ∧ B)", "s5"),
        ("O P A; □[customary](A ∨ B) ⊢ P P B", "kt"),
        ("∀x (B(x) → P C(x)); ¬∀x ¬B(x) ⊢ ∀x C(x)", "kd"),
    ]
    first, second = (
        run_python(SOURCE.format(pairs=pairs), env={"PYTHONHASHSEED": seed}).stdout for seed in ("1", "2")
    )
    assert first == second
    assert first.splitlines()[: len(TEXTS)] == list(TEXTS.values())
