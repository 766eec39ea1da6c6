"""Publication of the ladder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from polbias.aliases import Document
from polbias.generators.engine.publication import Publication
from polbias.generators.engine.template_folder import TemplateFolder
from polbias.generators.partisan.ladder.levels import load_levels
from polbias.generators.partisan.ladder.tables import ladder_dataset, ladder_stages
from polbias.manifest import Manifest

_FOLDER = "templates/partisan"


def _facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Document:
    """Return the values of the dataset card: countries, levels and sizes."""
    stages = ladder_stages(templates)
    return {
        "countries": list({stage.country.id: stage.country for stage in stages}.values()),
        "levels": load_levels(templates),
        "languages": sorted({stage.tag for stage in stages}),
    }


def _verify_gold(folder: Path, templates: Path | None = None) -> Any:
    from polbias.generators.partisan.ladder.gold_verification import verify_gold_labels

    return verify_gold_labels(folder, templates)


PUBLICATION = Publication(
    "Partisan inferences, ladder: formal arguments on seven levels of difficulty",
    ladder_dataset,
    _facts,
    _verify_gold,
    template_folder=TemplateFolder(
        _FOLDER,
        marker="dataset_ladder.yaml",
        read_elsewhere=("*.yaml", "xl/*.yaml", "countries/*.yaml", "ladder/*.yaml", "ladder/bank/*.tsv"),
    ),
)
