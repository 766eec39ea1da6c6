"""Publication of the normative dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from polbias.aliases import Document, Json
from polbias.generators.engine.publication import Publication
from polbias.generators.engine.template_folder import TemplateFolder
from polbias.generators.logic.formula import KD, MODAL_LOGICS, Inference
from polbias.generators.logic.prover import prove as decide
from polbias.generators.normative.balanced import SUFFIX
from polbias.generators.normative.items import label
from polbias.generators.normative.tables import dataset
from polbias.generators.normative.templates import GOLDS, load_family, load_patterns
from polbias.manifest import Manifest


def _facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Document:
    """Return the values of the dataset card: patterns with verdicts, frames, counts, errata."""
    family = load_family(templates)
    rows_by_config = {
        config: pq.read_table([folder / file.path for file in splits["test"].files]).to_pylist()
        for config, splits in manifest.configs.items()
    }
    first, *others = next(iter(rows_by_config.values()))
    golds = [
        row["gold"]
        for config, rows in rows_by_config.items()
        for row in rows
        if row["gold"] in GOLDS and not config.endswith(SUFFIX)
    ]
    return {
        "problems": {
            config: len(rows) // len({row["prompt_style"] for row in rows})
            for config, rows in rows_by_config.items()
        },
        # A selection task has the polarity of its rule for a pattern.
        "n_patterns": {
            config: len({row["pattern"] if "pattern" in row else row["polarity"] for row in rows})
            for config, rows in rows_by_config.items()
        },
        "tasks": {
            config: config.removesuffix(SUFFIX) + ("_paper" if f"{config}{SUFFIX}" in rows_by_config else "")
            for config in rows_by_config
        },
        "n_balanced_exemplars": len(family.file.balanced_exemplars["logic"]),
        "n_contradicted": sum(
            not pattern.paper and not decide(_with_conclusion(pattern.form), KD).consistent
            for pattern in family.file.logic
        ),
        "non_entailment_share": golds.count(GOLDS[1]) / len(golds),
        # The first row's pattern about a content of another type
        "same_form": next(
            (
                row
                for row in others
                if row["pattern"] == first["pattern"] and row["content_type"] != first["content_type"]
            ),
            None,
        ),
        "languages": [family.instructions.language],
        "patterns": patterns(templates),
        "logics": [logic.name for logic in MODAL_LOGICS],
        "family": family,
    }


def _with_conclusion(inference: Inference) -> Inference:
    """Return an inference with its conclusion among its premises."""
    return Inference((*inference.premises, inference.conclusion), inference.conclusion)


def patterns(templates: Path | None = None) -> list[Json]:
    """Return every pattern with its form, its gold, and its verdict in every logic (V: entailment)."""
    return [
        {
            "id": pattern.id,
            "form": str(pattern.form),
            "gold": pattern.gold,
            "by_convention": pattern.by_convention,
            "verdicts": {
                logic.name: "V" if label(decide(pattern.form, logic)) == GOLDS[0] else "-"
                for logic in MODAL_LOGICS
            },
        }
        for pattern in load_patterns(templates).values()
    ]


def _verify_gold(folder: Path, templates: Path | None = None) -> Any:
    from polbias.generators.normative.gold_verification import verify_gold_labels

    return verify_gold_labels(folder, templates)


PUBLICATION = Publication(
    "Normative reasoning: deontic and epistemic inferences with proved gold labels",
    dataset,
    _facts,
    _verify_gold,
    template_folder=TemplateFolder(
        "templates/normative",
        marker="patterns.yaml",
        read_elsewhere=("exemplars_paper.yaml", "shortcuts.yaml"),
    ),
)
