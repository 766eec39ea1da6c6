"""The publication of a dataset: title, specification, card facts, gold verification and sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polbias.generators.engine.spec import DatasetSpec
from polbias.generators.engine.template_folder import TemplateFolder
from polbias.manifest import Manifest
from polbias.yaml_models import record_template_paths


def _facts(manifest: Manifest, folder: Path, templates: Path | None) -> Mapping[str, Any]:
    return {"languages": ["en"]}


@dataclass(frozen=True)
class Publication:
    """Functions and texts of a dataset for build, card and verification.

    ``templates`` is a custom folder, or None for the shipped folder.

    Attributes:
        title: title of the dataset.
        build_spec: ``build_spec(templates)`` returns the specification. A dataset of variable size also has
            ``build_spec(templates, rows, unpublished)``: this many rows, spread over the configs, or the
            published rows; with ``unpublished``, rows that are not published.
        card_facts: ``card_facts(manifest, folder, templates)`` returns the dataset's specific values of the
            card's template, with ``languages`` among them; the default is English. For a dataset of variable
            size the function reads no shard, because shards may be on another machine.
        verify_gold: ``verify_gold(folder, templates)`` proves the gold labels of a build from its sentences
            and returns a :class:`polbias.generators.logic.prover.ProofReport`; the function itself imports
            the prover, which builds do not need. None for a dataset without proofs.
        cards: folder of ``<dataset>.md.jinja`` (optional: without it the card has the shared text only),
            ``columns.yaml`` and, for rows with gold labels, ``<dataset>.eval.yaml``; by default polbias's
            folder.
        max_rows: ``max_rows(templates, unpublished)`` returns the maximum number of rows of each config; None
            for a dataset of fixed size.
        rows_per_draw: number of rows that are always drawn together.
        draw_fresh: ``draw_fresh(templates, seed, folder, report)`` draws items that are not published into a
            folder, calls ``report`` with lines of progress, and returns the options of ``build_spec`` that
            select them; None for a dataset without items to draw.
        template_folder: layout of the template folder, by which `specify` checks it; None for a dataset
            whose folder is not checked.
    """

    title: str
    build_spec: Callable[..., DatasetSpec]
    card_facts: Callable[[Manifest, Path, Path | None], Mapping[str, Any]] = _facts
    verify_gold: Callable[[Path, Path | None], Any] | None = None
    cards: Path | None = None
    max_rows: Callable[..., Mapping[str, int]] | None = None
    rows_per_draw: int = 1
    draw_fresh: Callable[..., Mapping[str, Any]] | None = None
    template_folder: TemplateFolder | None = None

    def specify(self, templates: Path | None = None, **options: Any) -> DatasetSpec:
        """Return the specification, after a check that something reads each file of the template folder.

        Args:
            templates: custom folder, or None for the shipped folder.
            **options: further arguments of ``build_spec``.

        Raises:
            TemplateError: if the folder is not one of this dataset, or nothing reads one of its files.
        """
        if self.template_folder is None:
            return self.build_spec(templates, **options)
        folder = self.template_folder.path(templates)
        with record_template_paths() as paths_read:
            spec = self.build_spec(templates, **options)
        self.template_folder.check_all_read(folder, paths_read)
        return spec
