"""English sentences of deontic and epistemic inference items, read back into formulas."""

from polbias.generators.normative.reading.canon import canonical
from polbias.generators.normative.reading.items import read_item

__all__ = ["canonical", "read_item"]
