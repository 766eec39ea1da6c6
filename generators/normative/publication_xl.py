"""What the large normative dataset offers to build, card and verification."""

from __future__ import annotations

from pathlib import Path

from polbias.generators.engine import DatasetSpec
from polbias.generators.normative.checking import prove
from polbias.generators.normative.publication import facts
from polbias.generators.normative.xl import dataset

TITLE = "Normative reasoning XL: every content, pattern and admissible pair of frames"


def specify(templates: Path | None = None, rows: int | None = None, fresh: bool = False) -> DatasetSpec:
    """Return the specification of the dataset.

    Args:
        templates: a folder laid out like ``templates/normative``; by default that one.
        rows: how many, spread evenly over the configs; by default all.
        fresh: whether they are to be rows that the published dataset does not hold.

    Raises:
        BuildError: if there are not so many rows.
    """
    return dataset(templates, rows, fresh)


__all__ = ["TITLE", "facts", "prove", "specify"]
