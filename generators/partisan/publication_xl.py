"""What the large partisan dataset offers to build, card and verification."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polbias.generators.engine import DatasetSpec
from polbias.generators.engine.sampling import shares
from polbias.generators.partisan.country import LEANINGS
from polbias.generators.partisan.patterns import VARIATIONS
from polbias.generators.partisan.xl.checking import prove
from polbias.generators.partisan.xl.family import READ, load
from polbias.generators.partisan.xl.tables import dataset, products
from polbias.manifest import Manifest

TITLE = "Partisan inferences XL: arguments drawn from millions about many politicians and issues"

PAIR = 2


def specify(templates: Path | None = None, rows: int | None = None, fresh: bool = False) -> DatasetSpec:
    """Return the specification of the dataset.

    Args:
        templates: a folder laid out like ``templates/partisan``; by default that one.
        rows: of the whole dataset, spread evenly over its configs; a config that does not have so many gives
            all of its rows, and the others the rest. By default as many as are published.
        fresh: see `polbias.generators.partisan.xl.tables.dataset`.

    Raises:
        BuildError: if there are not so many rows.
    """
    if rows is None:
        return dataset(templates, None, fresh)
    there = most(templates, fresh)
    return dataset(templates, dict(zip(there, shares(rows, [*there.values()], PAIR), strict=True)), fresh)


def most(templates: Path | None = None, fresh: bool = False) -> Mapping[str, int]:
    """Return how many rows of each config can be drawn; arguments as for `specify`."""
    return products(load(templates, fresh))


def facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Mapping[str, Any]:
    """Return what this family's card says: people, topics, fillers, sizes of the products.

    Args:
        manifest: of the finished tables.
        folder: where they are.
        templates: as for `specify`.
    """
    fresh = all(config.endswith("_fresh") for config in manifest.configs)
    large = load(templates, fresh)
    return {
        "title": TITLE,
        "paper": large.published.dataset.paper,
        "published": large.published.dataset.name,
        "languages": sorted({stage.base.language for stage in large.stages}),
        "fresh": fresh,
        "products": products(large),
        "variations": VARIATIONS,
        "shots": large.file.shots,
        "read": READ,
        "countries": [
            {
                "title": stage.base.title,
                "config": stage.large.config,
                "source": stage.large.source,
                "sides": [
                    {
                        "leaning": leaning,
                        "label": stage.base.side_of[leaning].label,
                        "people": stage.large.people[leaning],
                    }
                    for leaning in LEANINGS
                ],
                "topics": stage.large.topics,
                "wordings": [
                    " / ".join(entry.adjective for entry in entries.values())
                    for entries in stage.wordings.values()
                ],
                "irrelevant": [entry.owned for entry in stage.irrelevant.values()],
                "distractors": [distractor.text for distractor in stage.distractors.values()],
            }
            for stage in large.stages
        ],
    }


__all__ = ["TITLE", "facts", "prove", "specify"]
