"""Publications of the partisan inferences: the published set and the large set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from polbias.aliases import Document
from polbias.generators.engine import DatasetSpec
from polbias.generators.engine.publication import Publication
from polbias.generators.engine.spec import split_rows
from polbias.generators.partisan.country import LEANINGS
from polbias.generators.partisan.schemas import load_schemas
from polbias.generators.partisan.tables import dataset
from polbias.generators.partisan.templates import load_family
from polbias.generators.partisan.xl_tables import configs, xl_dataset
from polbias.generators.partisan.xl_templates import TAGS, load
from polbias.manifest import Manifest

_PAIR = len(LEANINGS)  # rows that are always sampled together


def _facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Document:
    """Return the facts of the dataset card: countries, people, counts, errata."""
    family = load_family(templates)
    first = next(iter(manifest.configs.values()))["test"]
    table = pq.read_table(
        [folder / file.path for file in first.files], columns=["gold", "leaning", "pattern_id"]
    )
    cells = Counter(zip(table["gold"].to_pylist(), table["leaning"].to_pylist(), strict=True))
    mini = next(
        (splits["test"].rows for name, splits in manifest.configs.items() if name.endswith("_mini")), 0
    )
    return {
        "cells": [
            (gold, cells[gold, "left"], cells[gold, "right"]) for gold in dict.fromkeys(g for g, _ in cells)
        ],
        "patterns": list(dict.fromkeys(table["pattern_id"].to_pylist())),
        "mini_rows": mini,
        "languages": sorted(family.languages),
        "family": family,
    }


def _build_large(
    templates: Path | None = None, rows: int | None = None, unpublished: bool = False
) -> DatasetSpec:
    """Return the specification of a number of rows; a config smaller than its share gives all its rows."""
    if rows is None:
        return xl_dataset(templates, unpublished=unpublished)
    max_rows = _max_rows_by_config(templates, unpublished)
    return xl_dataset(
        templates,
        dict(zip(max_rows, split_rows(rows, [*max_rows.values()], _PAIR), strict=True)),
        unpublished,
    )


def _max_rows_by_config(templates: Path | None = None, unpublished: bool = False) -> Mapping[str, int]:
    """Map each config to its number of possible rows."""
    return {config.name: config.product for config in configs(load(templates, unpublished))}


def _large_facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Document:
    """Return the facts of the dataset card: countries, persons, issues, schemas, numbers of possible rows."""
    unpublished = all(config.endswith("_fresh") for config in manifest.configs)
    large = load(templates, unpublished)
    countries = {stage.country.id: stage.country for stage in large.stages}.values()
    political = [country for country in countries if country.country]
    return {
        "large": large,
        "countries": [*countries],
        "goals": max(map(len, large.issues.goals.values())),
        "topics": len({large.issues.topic(issue) for country in political for issue in country.positions}),
        "schemas": load_schemas(large.folder),
        "languages": list(TAGS),
        "unpublished": unpublished,
        "products": {
            name: rows
            for name, rows in _max_rows_by_config(templates, unpublished).items()
            if name in manifest.configs
        },
    }


def _verify_gold(folder: Path, templates: Path | None = None) -> Any:
    from polbias.generators.partisan.gold_verification import verify_gold_labels

    return verify_gold_labels(folder, templates)


def _verify_large_gold(folder: Path, templates: Path | None = None) -> Any:
    from polbias.generators.partisan.gold_verification import verify_gold_labels_xl

    return verify_gold_labels_xl(folder, templates)


PUBLICATION = Publication(
    "Partisan inferences: formal and material arguments with conclusions for the left and for the right",
    dataset,
    _facts,
    _verify_gold,
)
LARGE = Publication(
    "Partisan inferences XL: arguments by schema and by issue, four countries in two languages",
    _build_large,
    _large_facts,
    _verify_large_gold,
    max_rows=_max_rows_by_config,
    rows_per_draw=_PAIR,
)
