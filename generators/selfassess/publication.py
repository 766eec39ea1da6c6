"""Publication of the self-assessment dataset."""

from __future__ import annotations

from pathlib import Path

from polbias.aliases import Document
from polbias.generators.engine.publication import Publication
from polbias.generators.engine.template_folder import TemplateFolder
from polbias.generators.selfassess.items import TILTS, load_all
from polbias.generators.selfassess.tables import dataset
from polbias.generators.selfassess.templates import load_family
from polbias.manifest import Manifest


def _facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Document:
    """Return the facts of the dataset card: sets, categories, tilts, prompts, questions, errata."""
    family = load_family(templates)
    return {
        "languages": sorted({topic_set.language for topic_set in family.sets.values()}),
        "items": load_all(family),
        "tilts": TILTS,
        "family": family,
    }


PUBLICATION = Publication(
    "Self-assessment: topics to write about from two sides, and to choose between what was written",
    dataset,
    _facts,
    template_folder=TemplateFolder(
        "templates/selfassess",
        marker="sets.yaml",
        read_elsewhere=("generation.yaml", "item_rules.yaml", "shortcuts.yaml"),
        advice={"*": "add the entry '{folder}:' to sets.yaml"},
    ),
)
