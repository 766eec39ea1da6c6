"""What a family offers so that its dataset can be built in any size."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from polbias import registry
from polbias.errors import PolbiasError
from polbias.generators.engine import DatasetSpec
from polbias.manifest import Manifest


@dataclass(frozen=True)
class Size:
    """How much of a dataset is built.

    Attributes:
        rows: of the whole dataset, spread evenly over its configs; None for what is published.
        fresh: whether the rows are to be ones that the published dataset does not hold.
    """

    rows: int | None = None
    fresh: bool = False


class Scalable(Protocol):
    """The publication module of a dataset that comes in any size."""

    PAIR: int
    """Rows that are always drawn together."""

    def most(self, templates: Path | None = None, fresh: bool = False) -> Mapping[str, int]:
        """Return how many rows of each config can be drawn."""

    def specify(
        self, templates: Path | None = None, rows: int | None = None, fresh: bool = False
    ) -> DatasetSpec:
        """Return the specification of the dataset.

        Args:
            templates: a template folder of the user's own; by default the shipped one.
            rows: of the whole dataset, spread evenly over its configs; None for what is published.
            fresh: draw rows that the published dataset does not hold.

        Raises:
            PolbiasError: if there are not as many rows.
        """

    def facts(self, manifest: Manifest, folder: Path, templates: Path | None = None) -> Mapping[str, Any]:
        """Return what the family's card says; reads no shard, as these may be elsewhere."""


def scalable(name: str) -> Scalable:
    """Return the publication module of a dataset that comes in any size.

    Raises:
        PolbiasError: if there is no such dataset.
    """
    module = registry.publication(name)
    if not _sized(module):
        able = [other for other in registry.names() if _sized(registry.publication(other))]
        raise PolbiasError(
            f"{name} comes in one size; build it with `polbias build {name}` and no options of scale "
            f"(datasets of any size: {', '.join(able)})"
        )
    return cast(Scalable, module)


def _sized(module: registry.Publication) -> bool:
    return {"rows", "fresh"} <= inspect.signature(module.specify).parameters.keys()
