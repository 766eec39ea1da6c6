"""Put a dataset's folder together: tables, card, manifest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from polbias import registry
from polbias.generators.engine import Built, DatasetSpec, TableSpec, build_dataset
from polbias.manifest import Manifest, SplitEntry
from polbias.publishing.card import render_card


def build(
    name: str,
    spec: DatasetSpec,
    out: Path,
    templates: Path | None = None,
    progress: Callable[[TableSpec, SplitEntry, bool], None] = lambda *_: None,
) -> Built:
    """Build one dataset with its card.

    Args:
        name: the dataset.
        spec: its specification.
        out: folder of builds.
        templates: the template folder that the specification was read from; None for the shipped one.
        progress: called after every table.

    Returns:
        What was done.

    Raises:
        BuildError: if something cannot be written.
    """
    publication = registry.publication(name)

    def card(manifest: Manifest, folder: Path) -> str:
        return render_card(manifest, folder, publication, templates)

    return build_dataset(spec, out, card, progress)
