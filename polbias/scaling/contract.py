"""Datasets that can be built in any size."""

from __future__ import annotations

from dataclasses import dataclass

from polbias import registry
from polbias.files import PolbiasError
from polbias.generators.engine.publication import Publication


@dataclass(frozen=True)
class Size:
    """How much of a dataset is built.

    Attributes:
        rows: of the whole dataset, spread evenly over its configs; None for what is published.
        fresh: whether the rows are to be ones that the published dataset does not hold.
    """

    rows: int | None = None
    fresh: bool = False


def scalable(name: str) -> Publication:
    """Return the publication of a dataset that comes in any size.

    Raises:
        PolbiasError: if there is no such dataset.
    """
    found = registry.publication(name)
    if found.most is None:
        able = [other for other in registry.names() if registry.publication(other).most]
        raise PolbiasError(
            f"{name} comes in one size; build it with `polbias build {name}` and no options of scale "
            f"(datasets of any size: {', '.join(able)})"
        )
    return found
