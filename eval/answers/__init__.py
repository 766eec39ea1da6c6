"""Extractors: from the free text of a model to a label."""

from polbias.eval.answers.validity import extract_validity
from polbias.eval.answers.verdict import Verdict

__all__ = ["Verdict", "extract_validity"]
