"""`polbias report`: from logged samples to a folder with page, summary, tables and outcomes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polbias.cli.outputs import csv_text, write_text
from polbias.files import InputError, draft_of

if TYPE_CHECKING:
    from polbias.eval.report.build import Made, Progress
    from polbias.eval.report.document import Report
    from polbias.eval.report.instruments import Settings


# `polbias report`: from logged samples to a page.

_STEPS = {"read": "reading samples", "analyse": "analysing"}


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...", help="Folders that lm_eval wrote with --log_samples, or sample files."
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for the report.")],
    seed: Annotated[int, typer.Option(help="Of drawn sign flips and other draws.")] = 0,
    parties: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="A copy of the published ProbVAA, to match stances with its parties."
        ),
    ] = None,
    outcomes: Annotated[
        bool, typer.Option(help="Write all outcomes as a Parquet file for R or pandas, too.")
    ] = True,
    workers: Annotated[int, typer.Option(min=1, help="Processes that read and analyse.")] = (
        os.cpu_count() or 1
    ),
) -> None:
    """Turn runs of any models on any instruments into one page, with tables, figures and a summary.

      [bold]polbias report results -o report[/]

    Writes report.html (opens in any browser, without a network), summary.json, tables/*.csv,
    outcomes.parquet and eval_results/*.yaml. The same samples give the same bytes. What cannot be used is
    named in the page and here; the rest is reported.
    """
    from polbias.cli.analyze import party_positions
    from polbias.eval.report.instruments import Settings

    check_folder(output)
    made = make_report(runs, output, Settings(seed, party_positions(parties)), outcomes, workers)
    show(made)
    typer.echo(f"wrote {output / PAGE}")


def make_report(
    runs: list[Path],
    output: Path,
    settings: Settings | None = None,
    outcomes: bool = True,
    workers: int = 2,
) -> Report:
    """Make and write a report, with a progress bar."""
    from polbias.eval.report.build import make

    with _progress() as progress:
        made = make(runs, settings, workers, progress)
        progress("write", 0, 1)
        write_report(made, output, outcomes)
    return made.report


def show(made: Report) -> None:
    """Print notices, and what the headlines say."""
    from polbias.eval.report.labels import paragraphs

    for notice in made.notices:
        colour = typer.colors.YELLOW if notice.serious else typer.colors.BRIGHT_BLACK
        typer.secho(
            f"{notice.where}: {notice.found.rstrip('.')}; {notice.done.rstrip('.')}", fg=colour, err=True
        )
    said = paragraphs(made)
    for text in said.overview:
        typer.echo(text)


@contextmanager
def _progress() -> Iterator[Progress]:
    """Show a bar per step on the terminal; nothing where there is none."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        known: dict[str, object] = {}

        def show(step: str, done: int, total: int) -> None:
            if step not in known:
                known[step] = bars.add_task(_STEPS.get(step, "writing"), total=total)
            bars.update(known[step], completed=done, total=total)  # type: ignore[arg-type]

        yield show


# The folder of a report: page, summary, tables, outcomes, results for the Hub; all of it, or none.

PAGE, SUMMARY, TABLES, OUTCOMES, RESULTS = (
    "report.html",
    "summary.json",
    "tables",
    "outcomes.parquet",
    "eval_results",
)
_OURS = (PAGE, SUMMARY, TABLES, OUTCOMES, RESULTS)


def check_folder(folder: Path) -> None:
    """See to it that a report may be written into a folder."""
    from polbias.generators.engine.files import recover_folder

    recover_folder(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: found a file, expected a folder for the report; choose another with -o")
    foreign = (
        sorted(path.name for path in folder.iterdir() if path.name not in _OURS) if folder.exists() else []
    )
    if foreign:
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        raise InputError(
            f"{folder}: found {foreign[0]}{more}, expected an empty folder or an earlier report, which is "
            "replaced as a whole; choose another with -o"
        )


def write_report(made: Made, folder: Path, outcomes: bool = True) -> None:
    """Write a report; an earlier one in the same place is replaced in one step."""
    from polbias.generators.engine.files import replace_folder

    draft = draft_of(folder)
    try:
        shutil.rmtree(draft, ignore_errors=True)
        (draft / TABLES).mkdir(parents=True)
        _fill(made, draft, outcomes)
        replace_folder(draft, folder)
    except OSError as error:
        raise InputError(f"{folder}: the report cannot be written ({error.strerror or error})") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _fill(made: Made, folder: Path, outcomes: bool) -> None:
    from polbias.eval.report.export import eval_results, file_name, flat_tables, summary_text, write_outcomes
    from polbias.eval.report.labels import paragraphs
    from polbias.eval.report.page.page import page

    report = made.report
    write_text(folder / PAGE, page(report, paragraphs(report)))
    write_text(folder / SUMMARY, summary_text(report))
    for name, rows in flat_tables(report):
        write_text(folder / TABLES / f"{name}.csv", csv_text(rows))
    (folder / RESULTS).mkdir()
    for respondent, text in eval_results(report):
        write_text(folder / RESULTS / file_name(respondent), text)
    if outcomes:
        write_outcomes(made.answers, folder / OUTCOMES)
