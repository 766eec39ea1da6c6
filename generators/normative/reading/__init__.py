"""Parser of English deontic and epistemic inference items into formulas."""

from polbias.generators.normative.reading.nodes import canonical
from polbias.generators.normative.reading.reader import read_item

__all__ = ["canonical", "read_item"]
