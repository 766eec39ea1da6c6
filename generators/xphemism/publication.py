"""Publication of the X-phemism dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import mean, median
from typing import Any

from polbias.generators.engine.publication import Publication
from polbias.generators.engine.template_folder import TemplateFolder
from polbias.generators.xphemism.items import OTHER, PAIRS, PLACEBO, ClaimItem, items
from polbias.generators.xphemism.tables import dataset
from polbias.generators.xphemism.templates import load_family
from polbias.manifest import Manifest


def _card_facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Mapping[str, Any]:
    """Return the values of the dataset card: claims, pairs, shifts, and edit sizes in both arms."""
    family = load_family(templates)
    claims = [*family.claims()]
    items_by_config = items(family)
    pairs, other_pairs, placebos = (
        [item for item in items_by_config[config] if item.pair.status == "made"]
        for config in (PAIRS, OTHER, PLACEBO)
    )
    return {
        "languages": ["de"],
        "claims": len(claims),
        "false_claims": sum(claim.gold == "false" for claim in claims),
        "unverified": sum(claim.status == "unverified" for claim in claims),
        "pairs": len(pairs),
        "others": _sorted_counts(item.content for item in other_pairs),
        "pairs_review": sum(map(len, items_by_config.values()))
        - len(pairs)
        - len(other_pairs)
        - len(placebos),
        "word_pairs": len({item.exchange.pair_id for item in pairs}),
        "placebos": len(placebos),
        "shifts": _sorted_counts(item.exchange.shift for item in pairs),
        "axes": _sorted_counts(item.exchange.axis for item in pairs),
        "hits": _sorted_counts(str(item.pair.hit) for item in pairs),
        "judgmental": {
            "base": sum(item.exchange.judgmental_base for item in pairs),
            "exchange": sum(item.exchange.judgmental_exchange for item in pairs),
        },
        "sizes": {"shifted": _edit_sizes(pairs), "placebo": _edit_sizes(placebos)},
        "family": family,
    }


def _sorted_counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _edit_sizes(claim_items: list[ClaimItem]) -> dict[str, float]:
    """Return the inserted text per claim: median characters, mean words and mean number of edits."""
    edits_by_item = [item.pair.edits for item in claim_items]
    return {
        "characters": median(sum(len(edit.new) for edit in edits) for edits in edits_by_item),
        "words": mean(sum(len(edit.new.split()) for edit in edits) for edits in edits_by_item),
        "places": mean(len(edits) for edits in edits_by_item),
    }


PUBLICATION = Publication(
    "X-phemism minimal pairs: German claims that differ in one loaded word",
    dataset,
    _card_facts,
    template_folder=TemplateFolder(
        "templates/xphemism",
        marker="pairs.tsv",
        read_elsewhere=("author_prompts.yaml", "guideline.yaml", "shortcuts.yaml"),
    ),
)
