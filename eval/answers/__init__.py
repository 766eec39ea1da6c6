"""Extractors: from the free text of a model to a label."""

from polbias.eval.answers.cards import extract_cards
from polbias.eval.answers.choice import extract_choice
from polbias.eval.answers.cues import Verdict
from polbias.eval.answers.entailment import extract_entailment
from polbias.eval.answers.stance import extract_stance
from polbias.eval.answers.truth import extract_truth
from polbias.eval.answers.validity import extract_validity

__all__ = [
    "Verdict",
    "extract_cards",
    "extract_choice",
    "extract_entailment",
    "extract_stance",
    "extract_truth",
    "extract_validity",
]
