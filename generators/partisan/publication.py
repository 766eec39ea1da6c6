"""Publications of the partisan inferences and of the large set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq

from polbias.aliases import Document
from polbias.generators.engine import DatasetSpec
from polbias.generators.engine.publication import Publication
from polbias.generators.engine.spec import shares
from polbias.generators.partisan.country import LEANINGS
from polbias.generators.partisan.tables import dataset, large_dataset, products
from polbias.generators.partisan.templates import VARIATIONS, load_family
from polbias.generators.partisan.xl_family import READ, load
from polbias.manifest import Manifest

_PAIR = len(LEANINGS)  # rows that are always drawn together


def _facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Document:
    """Return what this family's card says: countries, people, counts, errata."""
    family = load_family(templates)
    first = next(iter(manifest.configs.values()))["test"]
    table = pq.read_table(
        [folder / file.path for file in first.files], columns=["gold", "leaning", "pattern_id"]
    )
    cells = Counter(zip(table["gold"].to_pylist(), table["leaning"].to_pylist(), strict=True))
    mini = next((s["test"].rows for name, s in manifest.configs.items() if name.endswith("_mini")), 0)
    return {
        "cells": [
            (gold, cells[gold, "left"], cells[gold, "right"]) for gold in dict.fromkeys(g for g, _ in cells)
        ],
        "patterns": list(dict.fromkeys(table["pattern_id"].to_pylist())),
        "mini_rows": mini,
        "languages": sorted(family.languages),
        "family": family,
    }


def _large(templates: Path | None = None, rows: int | None = None, fresh: bool = False) -> DatasetSpec:
    """Return the specification of so many rows; a config with fewer than its share gives all it has."""
    if rows is None:
        return large_dataset(templates, None, fresh)
    there = _most(templates, fresh)
    return large_dataset(
        templates, dict(zip(there, shares(rows, [*there.values()], _PAIR), strict=True)), fresh
    )


def _most(templates: Path | None = None, fresh: bool = False) -> Mapping[str, int]:
    """Return how many rows of each config can be drawn."""
    return products(load(templates, fresh))


def _large_facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Document:
    """Return what this family's card says: people, topics, fillers, sizes of the products."""
    fresh = all(config.endswith("_fresh") for config in manifest.configs)
    large = load(templates, fresh)
    return {
        "large": large,
        "languages": sorted({stage.base.language for stage in large.stages}),
        "fresh": fresh,
        "products": products(large),
        "variations": VARIATIONS,
        "read": READ,
    }


PUBLICATION = Publication(
    "Partisan inferences: formal and material arguments with conclusions for the left and for the right",
    dataset,
    _facts,
    "polbias.generators.partisan.checking:prove",
)
LARGE = Publication(
    "Partisan inferences XL: arguments drawn from millions about many politicians and issues",
    _large,
    _large_facts,
    "polbias.generators.partisan.checking:prove_large",
    most=_most,
    pair=_PAIR,
)
