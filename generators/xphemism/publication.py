"""Publication of the X-phemism dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import mean, median
from typing import Any

from polbias.generators.engine.publication import Publication
from polbias.generators.xphemism.items import OTHER, PAIRS, PLACEBO, ClaimItem, items
from polbias.generators.xphemism.tables import dataset
from polbias.generators.xphemism.templates import load_family
from polbias.manifest import Manifest


def _facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Mapping[str, Any]:
    """Return what this family's card says: claims, pairs, shifts, and the size of both kinds of change."""
    family = load_family(templates)
    claims = [*family.claims()]
    every = items(family)
    made, other, neutral = (
        [item for item in every[config] if item.pair.status == "made"] for config in (PAIRS, OTHER, PLACEBO)
    )
    return {
        "languages": ["de"],
        "claims": len(claims),
        "unverified": sum(claim.status == "unverified" for claim in claims),
        "pairs": len(made),
        "others": _counted(item.content for item in other),
        "pairs_review": sum(map(len, every.values())) - len(made) - len(other) - len(neutral),
        "word_pairs": len({item.exchange.pair_id for item in made}),
        "placebos": len(neutral),
        "shifts": _counted(item.exchange.shift for item in made),
        "axes": _counted(item.exchange.axis for item in made),
        "hits": _counted(str(item.pair.hit) for item in made),
        "judgmental": {
            "base": sum(item.exchange.judgmental_base for item in made),
            "exchange": sum(item.exchange.judgmental_exchange for item in made),
        },
        "sizes": {"shifted": _size(made), "placebo": _size(neutral)},
        "family": family,
    }


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _size(made: list[ClaimItem]) -> dict[str, float]:
    """Return how much a change puts in: median characters, mean words and mean places."""
    edits = [item.pair.edits for item in made]
    return {
        "characters": median(sum(len(edit.new) for edit in each) for each in edits),
        "words": mean(sum(len(edit.new.split()) for edit in each) for each in edits),
        "places": mean(len(each) for each in edits),
    }


PUBLICATION = Publication(
    "X-phemism minimal pairs: German claims that differ in one loaded word",
    dataset,
    _facts,
)
