"""What the partisan inferences offer to build, card and verification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from polbias.generators.engine import DatasetSpec
from polbias.generators.partisan.checking import prove
from polbias.generators.partisan.family import load_family
from polbias.generators.partisan.tables import dataset
from polbias.manifest import Manifest

TITLE = "Partisan inferences: formal and material arguments with conclusions for the left and for the right"


def specify(templates: Path | None = None) -> DatasetSpec:
    """Return the specification of the dataset.

    Args:
        templates: a folder laid out like ``templates/partisan``; by default that one.
    """
    return dataset(templates)


def facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Mapping[str, Any]:
    """Return what this family's card says: countries, people, counts, errata.

    Args:
        manifest: of the finished tables.
        folder: where they are.
        templates: as for `specify`.
    """
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
        "test_rows": first.rows,
        "mini_rows": mini,
        "title": TITLE,
        "countries": [
            {
                "title": country.title,
                "config": country.config,
                "source": country.source,
                "sides": [
                    {
                        "leaning": leaning,
                        "label": side.label,
                        "people": [side.person("f").name, side.person("m").name],
                    }
                    for leaning, side in country.side_of.items()
                ],
            }
            for country in family.countries
        ],
        "languages": sorted(family.languages),
        "errata": [erratum.model_dump(mode="json") for erratum in family.errata],
        "shots": family.dataset.shots,
        "paper": family.dataset.paper,
    }


__all__ = ["TITLE", "facts", "prove", "specify"]
