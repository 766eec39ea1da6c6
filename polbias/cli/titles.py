"""`polbias author titles`: a user's news titles without those about financial metrics alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from polbias.cli.outputs import echo


def titles(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV or TSV with a column of titles.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Titles that are kept (TSV).")],
    excluded: Annotated[
        Path | None, typer.Option(help="Titles that are left out, each with its reason (TSV).")
    ] = None,
    column: Annotated[str | None, typer.Option(help="The column, if it is not called title.")] = None,
    rules: Annotated[
        Path | None, typer.Option(help="Word lists of your own, as templates/selfassess/titles.yaml.")
    ] = None,
) -> None:
    """Leave out news titles that are about financial metrics alone, as the EconoLex set does; count why.

    Reads a file such as those of FNSPID (Date, Article_title, Stock_symbol, Url, Publisher, ...) row by row.
    Stock moves, funds, earnings, price targets, ratings, dividends, index levels and technical analysis go;
    a title about prices that speaks of a policy too stays.
    """
    from polbias.generators.authoring.titles import title_rules, told, write_sifted

    applied = title_rules(rules)
    counts = write_sifted(file, applied, output, excluded, column)
    for line in told(counts, applied):
        echo(line)
