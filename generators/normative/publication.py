"""What the normative dataset offers to build, card and verification."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polbias.generators.engine import DatasetSpec
from polbias.generators.logic.logics import MODAL_LOGICS
from polbias.generators.logic.prover import prove as decide
from polbias.generators.normative.checking import prove
from polbias.generators.normative.errata import load_errata
from polbias.generators.normative.family import Family, load_family
from polbias.generators.normative.golds import label
from polbias.generators.normative.tables import dataset
from polbias.manifest import Manifest

TITLE = "Normative reasoning: deontic and epistemic inferences with proved gold labels"


def specify(templates: Path | None = None) -> DatasetSpec:
    """Return the specification of the dataset.

    Args:
        templates: a folder laid out like ``templates/normative``; by default that one.
    """
    return dataset(templates)


def facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Mapping[str, Any]:
    """Return what this family's card says: patterns with verdicts, frames, counts, errata.

    Args:
        manifest: of the finished tables.
        folder: where they are.
        templates: as for `specify`.
    """
    family = load_family(templates)
    return {
        "title": TITLE,
        "languages": [family.instructions.language],
        "paper": family.dataset.paper,
        "patterns": _patterns(family),
        "logics": [logic.name for logic in MODAL_LOGICS],
        "frames": {
            domain: [{"id": frame.id, "forces": list(frame.forms)} for frame in file.frames]
            for domain, file in family.frames.items()
        },
        "styles": {name: style.text for name, style in family.instructions.styles.items()},
        "subjects": [subject.subject for subject in family.dataset.subjects],
        "errata": [erratum.model_dump(mode="json") for erratum in load_errata(family.folder)],
    }


def _patterns(family: Family) -> list[dict[str, Any]]:
    return [
        {
            "id": pattern.id,
            "form": str(pattern.form),
            "gold": pattern.gold,
            "by_convention": pattern.by_convention,
            "verdicts": [
                "V" if label(decide(pattern.form, logic)) == "entailment" else "-" for logic in MODAL_LOGICS
            ],
        }
        for pattern in family.patterns.values()
    ]


__all__ = ["TITLE", "facts", "prove", "specify"]
