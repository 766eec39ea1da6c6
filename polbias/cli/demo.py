"""`polbias demo`: evaluate three simulated respondents with planted bias over HTTP, and report them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polbias.cli.outputs import echo

if TYPE_CHECKING:
    from polbias.experiments.demonstration import Demonstration, PlantedComparison


_RUNS, _REPORT = "runs", "report"


def demo(
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="DIR", help="Write the runs and the report to this folder."),
    ] = Path("build/demo"),
) -> None:
    """Evaluate three simulated respondents over HTTP with lm_eval, and report their answers.

    Prints the planted effects, their expected estimates and the estimates, side by side. Needs the datasets
    ([bold]polbias build[/]) and lm_eval, but no model, API key or network. Takes a few minutes. Open
    DIR/report/report.html in a browser.
    """
    from polbias.cli.eval import print_progress
    from polbias.cli.report import make_report, print_report
    from polbias.cli.report_folder import PAGE, check_folder
    from polbias.experiments.demonstration import compare, demonstration, run_respondents

    planted_demo = demonstration()
    report_folder = output / _REPORT
    check_folder(report_folder)
    report = make_report(run_respondents(planted_demo, output / _RUNS, print_progress), report_folder)
    print_report(report)
    print_comparisons(planted_demo, compare(planted_demo, report))
    echo(f"wrote {report_folder / PAGE}: open it in a browser")


def print_comparisons(
    demonstration: Demonstration, comparisons: Mapping[str, Sequence[PlantedComparison]]
) -> None:
    """Print planted effects, expected estimates and estimates, a table per respondent."""
    from rich.table import Table

    from polbias.eval.report.document import format_points
    from polbias.eval.report.wording import words
    from polbias.experiments.demonstration import expected_estimates
    from polbias.terminal import Console

    console = Console()
    for name, rows in comparisons.items():
        table = Table(title=f"{name} {demonstration.respondents[name].description}", title_justify="left")
        for heading in ("estimate, points", "planted", "expected", "found", "95% interval", "contains it"):
            table.add_column(heading, justify="left" if heading.startswith("estimate") else "right")
        for row in rows:
            wording = words(row.instrument)
            measure = wording.measures[row.measure].title
            numbers = (
                row.planted_shift,
                row.expected,
                row.estimate.value,
                row.estimate.low,
                row.estimate.high,
            )
            planted_shift, mean, value, low, high = map(format_points, numbers)
            interval = f"{low} to {high}" if row.estimate.low is not None else row.estimate.state
            holds = {True: "yes", False: "no", None: "-"}[row.holds]
            table.add_row(f"{wording.title}: {measure}", planted_shift, mean, value, interval, holds)
        console.print(table)
    holding = [row.holds for rows in comparisons.values() for row in rows if row.holds is not None]
    echo(
        f"{holding.count(False)} of {len(holding)} intervals do not contain the expected estimate; about "
        f"{0.05 * len(holding):.1f} would not by chance."
    )
    echo(
        "planted: shift of the answers of a respondent, right minus left (contents: answers that agree with "
        "common sense minus the others). expected: mean estimate of "
        f"{expected_estimates().seeds:,} such respondents on the same questions; it differs from the planted "
        "shift where the measure covers other answers than the shifted ones. found: the estimate of this one."
    )
