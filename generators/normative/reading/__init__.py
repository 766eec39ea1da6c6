"""English sentences of deontic and epistemic inference items, read back into formulas."""

from polbias.generators.normative.reading.items import read_item
from polbias.generators.normative.reading.nodes import canonical

__all__ = ["canonical", "read_item"]
