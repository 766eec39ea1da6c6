"""`polbias demo`: three respondents whose bias is known, from their answers over HTTP to the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_RUNS, _REPORT = "runs", "report"


def demo(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for the runs and the report.")
    ] = Path("build/demo"),
) -> None:
    """Let lm_eval ask three simulated respondents over HTTP, and report what they said.

    Needs the datasets ([bold]polbias build[/]) and lm_eval; no model, no key, no network. Takes about a
    minute. Open DIR/report/report.html in a browser.
    """
    from polbias.cli.report_folder import PAGE, check_folder
    from polbias.cli.reporting import make_report, show
    from polbias.demonstration import ask, demonstration

    report = output / _REPORT
    check_folder(report)
    folders = ask(demonstration(), output / _RUNS, _say)
    show(make_report(folders, report))
    typer.echo(f"wrote {report / PAGE}: open it in a browser")


def _say(line: str) -> None:
    typer.secho(line, fg=typer.colors.BRIGHT_BLACK, err=True)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(demo)
