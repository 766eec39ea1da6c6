"""Publication of the self-assessment dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from polbias.aliases import Document, Json
from polbias.generators.engine.publication import Publication
from polbias.generators.selfassess.tables import dataset
from polbias.generators.selfassess.templates import TILTS, Item, Set, load_all, load_family
from polbias.manifest import Manifest


def _facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Document:
    """Return what this family's card says: sets, categories, tilts, prompts, questions, errata."""
    family = load_family(templates)
    items = load_all(family)
    questions = family.questions.questions.get("en", {})
    return {
        "languages": sorted({each.language for each in family.sets.values()}),
        "paper": family.dataset.paper,
        "article_tokens": family.dataset.article_tokens,
        "answer_tokens": family.dataset.answer_tokens,
        "sets": [_told(name, each, items[name]) for name, each in family.sets.items()],
        "questions": [
            {"name": name, "ways": ways, "row": each.row, "text": each.text, "prefill": each.prefill}
            for name, by_ways in questions.items()
            for ways, each in by_ways.items()
        ],
        "errata": [each.model_dump(mode="json") for each in family.errata],
    }


def _told(name: str, chosen: Set, items: Sequence[Item]) -> Json:
    tilts = Counter(item.tilt for item in items)
    return {
        "config": name,
        "title": chosen.title,
        "about": chosen.about,
        "scale": chosen.scale,
        "table": chosen.table,
        "language": chosen.language,
        "count": len(items),
        "perspectives": [(each.label, each.side) for each in chosen.perspectives.values()],
        "tilts": [(tilt, tilts[tilt]) for tilt in TILTS],
        "categories": [
            (code, each.title, each.count, each.printed) for code, each in chosen.categories.items()
        ],
        "combinations": [
            {"role": role, "system": each.system, "user": each.user}
            for role, each in chosen.combinations.items()
        ],
    }


PUBLICATION = Publication(
    "Self-assessment: topics to write about from two sides, and to choose between what was written",
    dataset,
    _facts,
)
