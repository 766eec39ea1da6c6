"""Public extractors of labels from the free text of a model, from `polbias.eval.extraction`."""

from polbias.eval.extraction.cards import extract_cards
from polbias.eval.extraction.choice import extract_choice
from polbias.eval.extraction.claims import Verdict
from polbias.eval.extraction.conclusion import extract_conclusion
from polbias.eval.extraction.entailment import extract_entailment
from polbias.eval.extraction.stance import extract_stance
from polbias.eval.extraction.truth import extract_truth
from polbias.eval.extraction.validity import extract_validity

__all__ = [
    "Verdict",
    "extract_cards",
    "extract_choice",
    "extract_conclusion",
    "extract_entailment",
    "extract_stance",
    "extract_truth",
    "extract_validity",
]
