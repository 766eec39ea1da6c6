"""`polbias author import`: build prompts from local copies of published data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.cli.options import parse_assignments
from polbias.paths import build_root

if TYPE_CHECKING:
    from polbias.generators.engine import DatasetSpec

app = typer.Typer(
    no_args_is_help=True, help="Build prompts from your copy of published data; they are never published."
)
_Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="Write to this folder of builds; default: as for `polbias build`."),
]


@app.command()
def probvaa(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Local copy of the published ProbVAA folder.")
    ],
    out: _Output = None,
) -> None:
    """Build prompts about the published ProbVAA statements from a local copy; they are never published.

    The result is the dataset `probvaa` with the columns of `policy-statements`.
    """
    from polbias.generators.policy.party_scales import scale_correlations
    from polbias.generators.policy.published import dataset, load

    data = load(folder)
    lines = [*data.differences, *map(str, scale_correlations(folder))]
    _build("ProbVAA", partial(dataset, data), {"differences": data.differences}, lines, out)


@app.command()
def normative(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Local copies of the released TSV files.")
    ],
    out: _Output = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="Map a role to a column, e.g. premise=text_a; repeatable."),
    ] = None,
) -> None:
    """Build prompts about the released items of Ozeki et al. (2025) from a local copy, never published.

    The result is the dataset `normative-published` with the columns of `normative-reasoning`. Gold labels are
    the released ones; the auditor lists the wrong ones here and in the card (column `audit`).
    """
    from polbias.generators.auditing.items import CONTRADICTED
    from polbias.generators.auditing.published_normative import NAME, dataset, load

    data = load(files, parse_assignments("--column", column, "ROLE=NAME, such as premise=text_a"))
    counts, doubtful_labels = data.verdict_counts(), data.doubtful_labels()
    lines = [
        *data.differences,
        *(
            f"{config}: gold labels: " + ", ".join(f"{n:,} {verdict}" for verdict, n in by_verdict.items())
            for config, by_verdict in counts.items()
        ),
        *(
            f"{group['config']}: {group['pattern']}: label contradicted: {group['ids']}"
            for group in doubtful_labels
            if group["verdict"] == CONTRADICTED
        ),
    ]
    facts = {"differences": data.differences, "counts": counts, "doubtful_labels": doubtful_labels}
    _build(NAME, partial(dataset, data), facts, lines, out)


def _build(
    title: str,
    build_spec: Callable[[], DatasetSpec],
    card_facts: dict[str, Any],
    lines: Sequence[str],
    out: Path | None,
) -> None:
    """Build the dataset with its card, and print the differences and the number of prompts."""
    from polbias.generators.engine import build_dataset
    from polbias.generators.engine.publication import Publication
    from polbias.manifest import Manifest
    from polbias.publishing.card import render_card
    from polbias.terminal import Console

    publication = Publication(title, lambda *_: build_spec(), lambda *_: card_facts)

    def card(manifest: Manifest, tables: Path) -> str:
        return render_card(manifest, tables, publication)

    built = build_dataset(publication.build_spec(), out or build_root(), card)
    console = Console(highlight=False)
    for line in lines:
        console.print(line, soft_wrap=True, markup=False)
    for config, splits in built.manifest.configs.items():
        console.print(f"{config}: {splits['test'].rows:,} prompts", soft_wrap=True)
    console.print(f"in {(out or build_root()) / built.manifest.dataset}", soft_wrap=True, markup=False)
