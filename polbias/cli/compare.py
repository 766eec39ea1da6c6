"""`polbias compare`: whether one run is better than another, on any tasks of lm_eval or Inspect."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from polbias.cli.options import MARGIN_OPTION
from polbias.cli.outputs import echo
from polbias.cli.report import print_notices
from polbias.cli.report_folder import PAGE, check_folder, write_report

_RUN = "Folder of one model that lm_eval (--log_samples) or Inspect wrote, or a file."
_MAX_WIDTH = 400  # so that no cell is cut, whatever the terminal


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help=_RUN)],
    second: Annotated[Path, typer.Argument(metavar="B", help=_RUN)],
    cluster: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Of the documents: items that share its value belong together."),
    ] = None,
    margin: Annotated[float | None, MARGIN_OPTION] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="Folder for CSV, JSON and a page.")
    ] = None,
) -> None:
    """Tell whether B is better than A, on any tasks of lm_eval or Inspect that both were asked.

      [bold]polbias compare results/model-a results/model-b --margin 2[/]

    Items are paired by id. Of every metric that is one number a sample it prints B minus A with a 95%
    interval, p before and after Holm's correction, p of the sign flip and, with --margin, equivalence.
    Two points are 0.02 of a metric that is a fraction; a metric with values beyond -1 to 1 is none, and is
    compared without a margin.
    """
    from rich.table import Table

    from polbias.eval.report.build import ReportWithAnswers
    from polbias.eval.report.page.tables import differences_table
    from polbias.eval.report.run_comparison import compare_runs
    from polbias.terminal import Console

    if output:
        check_folder(output)
    report = compare_runs(first, second, cluster, margin)
    print_notices(report)
    for respondent in report.respondents:
        echo(respondent.name)
    grid, table = differences_table(report.comparisons, report.margin), Table(box=None, pad_edge=False)
    for head in grid.heads:
        table.add_column(head.title, justify="right" if head.numeric else "left")
    for row in grid.rows:
        table.add_row(*(cell.text or "–" for cell in row.cells))
    Console(width=_MAX_WIDTH, highlight=False, markup=False).print(table)
    if output:
        write_report(ReportWithAnswers(report, {}), output, brief=True)
        echo(f"wrote {output / PAGE}")
