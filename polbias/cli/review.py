"""`polbias author review`: write a review file of doubtful policy statements for a native speaker."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from polbias.cli.options import Templates
from polbias.cli.outputs import echo
from polbias.paths import package_file


def review(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Review file; default: templates/policy/review.tsv."),
    ] = None,
    templates: Templates = None,
) -> None:
    """Check the policy statements and write doubtful texts to a review file, one per line.

    A reviewer fills the column `decision` with accept, reject or a corrected text. Decisions on unchanged
    texts are kept.
    """
    from polbias.generators.authoring.quality_gate import check
    from polbias.generators.authoring.review import rows, write_review
    from polbias.generators.policy.items import items
    from polbias.generators.policy.templates import load_family

    folder = templates or package_file("templates/policy")
    path = file or folder / "review.tsv"
    statements = items(load_family(folder).countries.values())
    doubtful_rows = rows(statements, check(statements))
    write_review(path, doubtful_rows)
    echo(f"{len(statements)} statements, {len(doubtful_rows)} texts to review in {path}")
