"""What the large normative dataset offers to build, card and verification."""

from __future__ import annotations

from pathlib import Path

from polbias.generators.engine import DatasetSpec
from polbias.generators.normative.checking import prove
from polbias.generators.normative.publication import facts
from polbias.generators.normative.xl import dataset

TITLE = "Normative reasoning XL: every content, pattern and admissible pair of frames"


def specify(templates: Path | None = None) -> DatasetSpec:
    """Return the specification of the dataset.

    Args:
        templates: a folder laid out like ``templates/normative``; by default that one.
    """
    return dataset(templates)


__all__ = ["TITLE", "facts", "prove", "specify"]
