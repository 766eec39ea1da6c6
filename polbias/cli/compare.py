"""`polbias compare`: test whether one run is better than another, on any lm_eval or Inspect tasks."""

from __future__ import annotations

from itertools import filterfalse
from pathlib import Path
from typing import Annotated

import typer

from polbias.cli.options import MARGIN_OPTION
from polbias.cli.outputs import echo
from polbias.cli.report import print_notices
from polbias.cli.report_folder import PAGE, check_folder, write_report

_RUN = "Folder of one model from lm_eval (--log_samples) or Inspect, or a file."
_MAX_WIDTH = 400  # columns; no cell is cut on a narrow terminal


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help=_RUN)],
    second: Annotated[Path, typer.Argument(metavar="B", help=_RUN)],
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Cluster items by this column of the documents; default: as polbias eval.",
        ),
    ] = None,
    margin: Annotated[float | None, MARGIN_OPTION] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Write CSV, JSON and a page to this folder."),
    ] = None,
) -> None:
    """Test whether B is better than A, on the lm_eval or Inspect tasks that both have.

      [bold]polbias compare results/model-a results/model-b --margin 2[/]

    Items are paired by id. For each metric with one number per sample, prints B minus A with a 95%
    interval, p before and after Holm's correction, p of the sign-flip test and, with --margin, equivalence.
    A bias is a metric of whole runs: `polbias report A B` compares the biases of two models.
    Two points are 0.02 of a metric that is a fraction. A metric with values outside -1 to 1 is not a
    fraction and is compared without a margin.
    """
    from rich.table import Table

    from polbias.eval.report.build import ReportWithAnswers
    from polbias.eval.report.page.tables import differences_table
    from polbias.eval.report.run_comparison import compare_runs, is_unobserved_outcome
    from polbias.eval.report.sentences import paragraphs
    from polbias.eval.report.wording import report_words
    from polbias.terminal import Console

    if output:
        check_folder(output)
    report = compare_runs(first, second, cluster, margin)
    print_notices(report)
    for respondent in report.respondents:
        echo(respondent.name)
    phrases = report_words().findings
    cluster_names = dict.fromkeys(
        difference.key or phrases["runs_own_clusters"] for difference in report.comparisons
    )
    echo(phrases["runs_clusters"].format(names=", ".join(cluster_names)))
    unobserved = [*filter(is_unobserved_outcome, report.comparisons)]
    displayed = [*filterfalse(is_unobserved_outcome, report.comparisons)]
    grid, table = differences_table(displayed, report.margin), Table(box=None, pad_edge=False)
    for head in grid.heads:
        table.add_column(head.title, justify="right" if head.numeric else "left")
    for row in grid.rows:
        table.add_row(*(cell.text or "–" for cell in row.cells))
    Console(width=_MAX_WIDTH, highlight=False, markup=False).print(table)
    if unobserved:
        metrics = ", ".join(dict.fromkeys(difference.measure for difference in unobserved))
        echo(phrases["runs_unobserved"].format(metrics=metrics, count=len(unobserved)))
    for sentence in paragraphs(report).comparisons:
        echo(sentence)
    if output:
        write_report(ReportWithAnswers(report, {}), output, brief=True)
        echo(f"wrote {output / PAGE}")
