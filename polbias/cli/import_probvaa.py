"""`polbias author import-probvaa`: build prompts from a local copy of the published ProbVAA data."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from polbias.paths import build_root


def import_probvaa(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Local copy of the published ProbVAA folder.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Write to this folder of builds; default: as for `polbias build`."
        ),
    ] = None,
) -> None:
    """Build prompts about the published ProbVAA statements from a local copy; they are never published.

    The result is the dataset `probvaa` with the columns of `policy-statements`.
    """
    from polbias.generators.engine import build_dataset
    from polbias.generators.engine.publication import Publication
    from polbias.generators.policy.party_scales import scale_correlations
    from polbias.generators.policy.published import dataset, load
    from polbias.manifest import Manifest
    from polbias.publishing.card import render_card
    from polbias.terminal import Console

    data = load(folder)

    facts = {"differences": data.differences}
    publication = Publication("ProbVAA", partial(dataset, data), lambda *_: facts)

    def card(manifest: Manifest, tables: Path) -> str:
        return render_card(manifest, tables, publication)

    built = build_dataset(publication.build_spec(), out or build_root(), card)
    console = Console(highlight=False)
    for difference in data.differences:
        console.print(difference, soft_wrap=True, markup=False)
    for correlation in scale_correlations(folder):
        console.print(str(correlation), soft_wrap=True, markup=False)
    for config, splits in built.manifest.configs.items():
        console.print(f"{config}: {splits['test'].rows:,} prompts", soft_wrap=True)
    console.print(f"in {(out or build_root()) / built.manifest.dataset}", soft_wrap=True, markup=False)
