"""`polbias report`: build a report from logged samples."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.cli.options import MARGIN_OPTION, InstrumentName
from polbias.cli.outputs import echo, progress_bars
from polbias.cli.report_folder import PAGE, SUMMARY, check_folder, write_report
from polbias.errors import InputError
from polbias.eval.report import MARGIN
from polbias.lines import text_lines

if TYPE_CHECKING:
    from polbias.eval.report.build import Progress
    from polbias.eval.report.document import Report
    from polbias.eval.report.reporter import ReportSettings


_NOT_IN_IDS = frozenset('",;')
_STEPS = {"read": "reading samples", "analyse": "analysing"}


def report(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Write the report to this folder.")
    ],
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN...", help="Folders or files of lm_eval (--log_samples) or Inspect."),
    ] = None,
    instrument: Annotated[
        list[InstrumentName] | None,
        typer.Option(metavar="INSTRUMENT", help="Report only this instrument; repeatable."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="RUN=NAME", help="Name the respondent of a run; repeatable."),
    ] = None,
    tables_only: Annotated[
        bool,
        typer.Option(
            "--tables-only", help="Write summary.json and all tables of the analysis, without a page."
        ),
    ] = False,
    brief: Annotated[
        bool, typer.Option("--brief", help="Write a short page for printing: only the headlines.")
    ] = False,
    polbix_answers: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            metavar="DATA ANSWERS", help="Add local copies of dataset.csv and sample_output.json of PolBiX."
        ),
    ] = None,
    exclude_pairs: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Exclude the X-phemism pairs with ids in FILE, one per line."),
    ] = None,
    margin: Annotated[float, MARGIN_OPTION] = MARGIN,
    seed: Annotated[int, typer.Option(help="Seed the sign flips and other random draws.")] = 0,
    party_positions: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Match stances with the parties of this copy of ProbVAA."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Read and analyse with this many processes.")] = (
        os.cpu_count() or 1
    ),
) -> None:
    """Report runs of any models on any instruments: one page, tables, figures and a summary.

      [bold]polbias report results -o report[/]

    Writes report.html (opens in any browser, without a network), summary.json, tables/*.csv,
    outcomes.parquet and eval_results/*.yaml. The same samples give the same bytes. Unusable input is
    listed on the page and here; all other input is reported.
    """
    from polbias.eval.report.reporter import ReportSettings

    if not runs and polbix_answers is None:
        raise InputError("found nothing to report, expected RUN or --polbix-answers DATA ANSWERS")
    check_folder(output)
    excluded_pairs = read_pair_ids(exclude_pairs) if exclude_pairs else frozenset()
    names = dict(_parse_name(text) for text in name or ())
    positions = read_party_positions(party_positions)
    instruments = tuple(instrument or ())
    settings = ReportSettings(seed, positions, tables_only, instruments, names, margin, excluded_pairs)
    document = make_report(runs or [], output, settings, workers, polbix_answers, brief)
    print_report(document)
    echo(f"wrote {output / (SUMMARY if tables_only else PAGE)}")


def _parse_name(text: str) -> tuple[Path, str]:
    run, _, name = text.rpartition("=")
    if not run or not name.strip():
        raise InputError(
            f"--name: found {text!r}, expected RUN=NAME, such as results/thinking='Qwen, thinking'"
        )
    return Path(run), name.strip()


def read_party_positions(folder: Path | None) -> Any:
    """Return the party positions of a copy of the published ProbVAA; None without a folder."""
    if folder is None:
        return None
    from polbias.generators.policy.published import load

    return load(folder).position_table()


def read_pair_ids(path: Path) -> frozenset[str]:
    """Return the ids of X-phemism pairs in a file, one per line."""
    ids: set[str] = set()
    for number, line in text_lines(path, strict=True):
        pair_id = line.strip()
        if not pair_id.isprintable() or _NOT_IN_IDS.intersection(pair_id):
            raise InputError(
                f"{path}:{number}: found {reprlib.repr(pair_id)}, expected the id of an X-phemism pair, one "
                "per line, without quotes, commas or semicolons"
            )
        ids.add(pair_id)
    return frozenset(ids - {""})


def make_report(
    runs: list[Path],
    output: Path,
    settings: ReportSettings | None = None,
    workers: int = 2,
    polbix_answers: tuple[Path, Path] | None = None,
    brief: bool = False,
) -> Report:
    """Build and write a report, with a progress bar."""
    from polbias.eval.report.build import build_report
    from polbias.eval.xphemism.published import read_published

    with _progress() as progress:
        published = read_published(*polbix_answers) if polbix_answers else ()
        built = build_report(runs, settings, workers, progress, published)
        progress("write", 0, 1)
        write_report(built, output, page=not (settings and settings.full), brief=brief)
    return built.report


def print_report(document: Report) -> None:
    """Print the notices, the headlines and the comparisons."""
    from polbias.eval.report.sentences import paragraphs

    print_notices(document)
    wording = paragraphs(document)
    for text in (*wording.respondents, *wording.overview, *wording.comparisons):
        echo(text)


def print_notices(document: Report) -> None:
    """Print the notices on the input."""
    for notice in document.notices:
        colour = typer.colors.YELLOW if notice.serious else typer.colors.BRIGHT_BLACK
        echo(
            f"{notice.where}: {notice.problem.rstrip('.')}; {notice.action.rstrip('.')}", fg=colour, err=True
        )


@contextmanager
def _progress() -> Iterator[Progress]:
    """Show a progress bar per step if there is a terminal."""
    from rich.progress import TaskID

    from polbias.terminal import Console

    with progress_bars(Console(stderr=True)) as progress:
        task_by_step: dict[str, TaskID] = {}

        def update_bar(step: str, done: int, total: int) -> None:
            if step not in task_by_step:
                task_by_step[step] = progress.add_task(_STEPS.get(step, "writing"), total=total)
            progress.update(task_by_step[step], completed=done, total=total)

        yield update_bar
