"""What the large normative dataset offers to build, card and verification."""

from __future__ import annotations

from pathlib import Path

from polbias.generators.engine import DatasetSpec
from polbias.generators.normative.checking import prove
from polbias.generators.normative.publication import facts
from polbias.generators.normative.xl import dataset
from polbias.generators.normative.xl import most as _most

TITLE = "Normative reasoning XL: every content, pattern and admissible pair of frames"

PAIR = 1


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


def most(templates: Path | None = None, fresh: bool = False) -> dict[str, int]:
    """Return how many rows of each config can be drawn; none of them are fresh.

    Args:
        templates: as for `specify`.
        fresh: as for `specify`.
    """
    return {} if fresh else _most(templates)


__all__ = ["PAIR", "TITLE", "facts", "most", "prove", "specify"]
