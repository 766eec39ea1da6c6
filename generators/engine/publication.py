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
        specify: ``specify(templates)`` returns the specification; of a dataset of any size also
            ``specify(templates, rows, unpublished)``: so many rows of the whole dataset, spread evenly over
            the configs, or the published ones; if ``unpublished``, rows that the published one does not hold.
        facts: ``facts(manifest, folder, templates)`` returns what the card says beside the title and what
            every card does, among it its ``languages``; by default that they are English. That of a dataset
            of any size reads no shard, as these may be elsewhere.
        prove: ``"module:function"``; ``function(folder, templates)`` proves the gold labels of a build from
            its sentences. None if there is nothing to prove.
        cards: folder of ``<dataset>.md.jinja`` (a card without one says what every card does),
            ``columns.yaml`` and, where rows have gold labels, ``<dataset>.eval.yaml``; by default that of
            polbias.
        most: ``most(templates, unpublished)`` returns how many rows of each config can be drawn; None for a
            dataset of one size.
        pair: rows that are always drawn together.
        lint: ``"module:function"``; ``function(templates)`` yields what a careful reader of the items would
            object to. None if nothing looks.
    """

    title: str
    build_spec: Callable[..., DatasetSpec]
    card_facts: Callable[[Manifest, Path, Path | None], Mapping[str, Any]] = _facts
    verify_gold: str | None = None
    cards: Path | None = None
    max_rows: Callable[..., Mapping[str, int]] | None = None
    rows_per_draw: int = 1
    lint: str | None = None
