"""Publication of the ladder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from polbias.aliases import Document
from polbias.generators.engine.publication import Publication
from polbias.generators.engine.template_folder import TemplateFolder
from polbias.generators.partisan.ladder.levels import load_levels
from polbias.generators.partisan.ladder.tables import ladder_dataset, ladder_stages
from polbias.generators.partisan.ladder.words import load_dataset_file
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


def _draw_fresh(
    templates: Path | None, seed: str, folder: Path, report: Callable[[str], None]
) -> Mapping[str, Any]:
    """Draw another bank into a folder; the shipped bank has seed 1."""
    from polbias.generators.partisan.ladder.drawing import BankDrawing

    name = load_dataset_file(templates).name
    drawing = BankDrawing(load_levels(templates), f"{name}/{seed}", folder, report, suffix=f"-{seed}")
    drawing.draw()
    drawing.choose()
    return {"bank": folder}


def _verify_gold(folder: Path, templates: Path | None = None) -> Any:
    from polbias.generators.partisan.ladder.gold_verification import verify_gold_labels

    return verify_gold_labels(folder, templates)


PUBLICATION = Publication(
    "Partisan inferences, ladder: formal arguments on seven levels of difficulty",
    ladder_dataset,
    _facts,
    _verify_gold,
    draw_fresh=_draw_fresh,
    template_folder=TemplateFolder(
        _FOLDER,
        marker="dataset_ladder.yaml",
        # The other partisan sets, and the bank, whose files are named by family and level.
        read_elsewhere=("*.yaml", "xl/*.yaml", "countries/*.yaml", "ladder/bank/*.tsv"),
    ),
)
