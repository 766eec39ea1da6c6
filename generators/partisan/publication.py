"""What the partisan inferences offer to build, card and verification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from polbias.generators.engine import DatasetSpec
from polbias.generators.logic.proofs import Proofs
from polbias.generators.partisan.country import AnyCountry
from polbias.generators.partisan.family import Family, load_family
from polbias.generators.partisan.proofs import verdict
from polbias.generators.partisan.reader import Reader, ReadingError
from polbias.generators.partisan.tables import dataset
from polbias.manifest import Manifest, read_manifest

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


def prove(folder: Path, templates: Path | None = None) -> Proofs:
    """Read every formal sentence of a build back to its formula and compare its verdict with the gold.

    Args:
        folder: the built dataset.
        templates: as for `specify`.

    Returns:
        What was proved, excused by an erratum, and not proved.
    """
    family = load_family(templates)
    excuses = {erratum.id for erratum in family.errata if erratum.excuses}
    manifest = read_manifest(folder)
    proved, excused, failed = 0, 0, []
    for country in family.countries:
        prefix = f"{country.config}_formal"
        for config in (prefix, f"{prefix}_paper", f"{prefix}_mini"):
            # Only what the paper prints may have its slips of grammar and spelling.
            printed = config.endswith("_paper")
            aliases = _printed_names(family, country) if printed else {}
            reader = Reader(country, aliases=aliases, strict=not printed)
            verdicts: dict[str, str] = {}
            for split in manifest.configs.get(config, {}).values():
                table = pq.read_table(
                    [folder / f.path for f in split.files],
                    columns=["id", "argument", "gold", "logical_form", "erratum"],
                )
                for row in table.to_pylist():
                    try:
                        said = verdicts.get(row["argument"]) or _said(reader, row["argument"])
                    except ReadingError as error:
                        failed.append(f"{row['id']}: {error}")
                        continue
                    verdicts[row["argument"]] = said
                    form, _, label = said.rpartition(" : ")
                    if form != row["logical_form"]:
                        failed.append(f"{row['id']}: the sentence says {form}, the row {row['logical_form']}")
                    elif label == row["gold"]:
                        proved += 1
                    elif printed and excuses.intersection((row["erratum"] or "").split(";")):
                        excused += 1
                    else:
                        failed.append(f"{row['id']}: gold {row['gold']}, but {form} is {label}")
    return Proofs(proved, excused, tuple(failed))


def _printed_names(family: Family, country: AnyCountry) -> dict[str, str]:
    """Return names as the paper prints them, which only the ``_paper`` configs do, with the right ones."""
    return {
        printed: name
        for erratum in family.errata
        if erratum.applies.matches(country=country.id)
        for name, printed in erratum.printed.names.items()
    }


def _said(reader: Reader, argument: str) -> str:
    inference = reader.read(argument)
    return f"{inference} : {verdict(inference)}"
