"""`polbias analyze`: from answers to statistics, one command for each instrument."""

from __future__ import annotations

import typer

from polbias.cli.analyze import xphemism
from polbias.cli.analyzing_policy import policy
from polbias.cli.analyzing_selfassess import selfassess

analyses = typer.Typer(
    name="analyze",
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Analyse the answers to an instrument, with intervals that respect its clusters.",
)
analyses.command()(policy)
analyses.command()(selfassess)
analyses.command()(xphemism)


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(analyses)
