"""English sentences of deontic and epistemic inference items, read back into formulas."""

from polbias.generators.normative.reading.nodes import canonical
from polbias.generators.normative.reading.reader import read_item

__all__ = ["canonical", "read_item"]
