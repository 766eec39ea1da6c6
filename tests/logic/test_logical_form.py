"""What is decided and worded once for a form holds of every inference that has it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.generators.logic.explain import explain, explain_form
from polbias.generators.logic.formula import (
    KD,
    MODAL_LOGICS,
    Formula,
    Inference,
    Logic,
    form_of,
    free_choice_enrichment,
    rename,
    substitute,
)
from polbias.generators.logic.prover import decide_outcome, follows, prove
from polbias.generators.logic.syntax import parse_inference
from tests.logic.generated import modal
from tests.logic.test_explain import LOGICS, TEXTS

INFERENCES = st.builds(Inference, st.lists(modal(), max_size=2).map(tuple), modal())
# Words printed with and without brackets, one within another, and ones that look like marks.
NAMES = st.lists(
    st.sampled_from(["A", "O", "pay tax", "tax", "x1", "#000", "#001", "\ue000", "\ue001", "𒀀", "w1", "P"]),
    min_size=2,
    max_size=2,
    unique=True,
)


def _renamed(inference: Inference, words: list[str]) -> Inference:
    return inference.map(lambda formula: rename(formula, dict(zip("AB", words, strict=True))))


@settings(deadline=None)
@given(INFERENCES, NAMES)
def test_a_form_is_free_of_words_and_gives_them_back(inference: Inference, words: list[str]) -> None:
    renamed = _renamed(inference, words)
    form = form_of(renamed)
    assert form.inference == form_of(inference).inference

    def back(formula: Formula) -> Formula:
        return rename(substitute(formula, form.individuals), form.predicates)

    assert form.inference.map(back) == renamed


@settings(deadline=None)
@given(INFERENCES)
def test_a_form_may_be_enriched_before_or_after_its_words_are_taken(inference: Inference) -> None:
    assert form_of(inference.map(free_choice_enrichment)).inference == form_of(inference).inference.map(
        free_choice_enrichment
    )


@settings(deadline=None, max_examples=60)
@given(INFERENCES, NAMES, st.sampled_from(MODAL_LOGICS))
def test_outcome_and_wording_are_those_of_the_verdict(
    inference: Inference, words: list[str], logic: Logic
) -> None:
    renamed = _renamed(inference, words)
    form, verdict = form_of(renamed), prove(renamed, logic)
    assert decide_outcome(form.inference, logic) == (verdict.valid, verdict.consistent)
    assert explain_form(form, logic) == explain(verdict)


@pytest.mark.parametrize(("text", "logic"), [pair for pair in TEXTS if not LOGICS[pair[1]].postulates])
def test_wording_of_texts(text: str, logic: str) -> None:
    assert explain_form(form_of(parse_inference(text)), LOGICS[logic]) == TEXTS[text, logic]


def test_individuals_are_marked_where_they_are_free() -> None:
    form = form_of(parse_inference("∀x (F(x) → O G(x, Ann)); F(x) ⊢ G(Bo, x)"))
    assert form.people == ("Ann", "x", "Bo")
    assert str(form.inference) == "∀x (⟨#000⟩(x) → O⟨#001⟩(x, #0)); ⟨#000⟩(#1) ⊢ ⟨#001⟩(#2, #1)"


def test_contradictory_premises_are_not_consistent() -> None:
    assert follows(parse_inference("O A; ¬O A ⊢ B"), KD) == (True, False)
    assert follows(parse_inference("O A ⊢ P A"), KD) == (True, True)
    assert follows(parse_inference("P A ⊢ O A"), KD) == (False, True)
