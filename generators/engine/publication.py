"""The publication of a dataset: title, specification, facts of its card, proofs and sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polbias.generators.engine.spec import DatasetSpec
from polbias.manifest import Manifest


def _facts(manifest: Manifest, folder: Path, templates: Path | None) -> Mapping[str, Any]:
    return {"languages": ["en"]}


@dataclass(frozen=True)
class Publication:
    """What a dataset offers to build, card and verification.

    ``templates`` is a folder of the user's own, or None for the shipped one.

    Attributes:
        title: of the dataset.
        build_spec: ``build_spec(templates)`` returns the specification; of a dataset of any size also
            ``build_spec(templates, rows, unpublished)``: so many rows of the whole dataset, spread over the
            configs, or the published ones; if ``unpublished``, rows that are not published.
        card_facts: ``card_facts(manifest, folder, templates)`` returns what the card says beside the title
            and what every card does, among it its ``languages``; by default that they are English. The
            function of a dataset of any size reads no shard, as these may be elsewhere.
        verify_gold: ``verify_gold(folder, templates)`` proves the gold labels of a build from its sentences
            and returns a :class:`polbias.generators.logic.prover.ProofReport`; it imports the prover itself,
            as a build needs none. None if there is nothing to prove.
        cards: folder of ``<dataset>.md.jinja`` (a card without one says what every card does),
            ``columns.yaml`` and, where rows have gold labels, ``<dataset>.eval.yaml``; by default that of
            polbias.
        max_rows: ``max_rows(templates, unpublished)`` returns how many rows of each config can be drawn; None
            for a dataset of one size.
        rows_per_draw: rows that are always drawn together.
    """

    title: str
    build_spec: Callable[..., DatasetSpec]
    card_facts: Callable[[Manifest, Path, Path | None], Mapping[str, Any]] = _facts
    verify_gold: Callable[[Path, Path | None], Any] | None = None
    cards: Path | None = None
    max_rows: Callable[..., Mapping[str, int]] | None = None
    rows_per_draw: int = 1
