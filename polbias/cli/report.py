"""`polbias report`: from logged samples to a report."""

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


# `polbias report`: from logged samples to a page.

_NOT_IN_IDS = frozenset('",;')
_STEPS = {"read": "reading samples", "analyse": "analysing"}


def report(
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for the report.")],
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN...", help="Folders that lm_eval (--log_samples) or Inspect wrote, or files."
        ),
    ] = None,
    instrument: Annotated[
        list[InstrumentName] | None,
        typer.Option(metavar="INSTRUMENT", help="Report this one alone; may be repeated."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="RUN=NAME", help="Name the respondent of these runs; may be repeated."),
    ] = None,
    tables_only: Annotated[
        bool,
        typer.Option("--tables-only", help="Write summary.json and all tables of the analysis, and no page."),
    ] = False,
    brief: Annotated[
        bool, typer.Option("--brief", help="A page to print in place of the whole one: the headlines.")
    ] = False,
    polbix_answers: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            metavar="DATA ANSWERS", help="Your copy of dataset.csv and sample_output.json of PolBiX."
        ),
    ] = None,
    exclude_pairs: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Leave out the X-phemism pairs whose ids FILE has, one a line."),
    ] = None,
    margin: Annotated[float, MARGIN_OPTION] = MARGIN,
    seed: Annotated[int, typer.Option(help="Of drawn sign flips and other draws.")] = 0,
    party_positions: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="A copy of the published ProbVAA, to match stances with its parties."
        ),
    ] = None,
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
    """Return the positions of parties in a copy of the published ProbVAA; None if there is no folder."""
    if folder is None:
        return None
    from polbias.generators.policy.published import load

    return load(folder).position_table()


def read_pair_ids(path: Path) -> frozenset[str]:
    """Ids of X-phemism pairs, one a line."""
    ids: set[str] = set()
    for number, line in text_lines(path, strict=True):
        pair_id = line.strip()
        if not pair_id.isprintable() or _NOT_IN_IDS.intersection(pair_id):
            raise InputError(
                f"{path}:{number}: found {reprlib.repr(pair_id)}, expected the id of an X-phemism pair, one "
                "a line, without quotes, commas or semicolons"
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
    """Make and write a report, with a progress bar."""
    from polbias.eval.report.build import build_report
    from polbias.eval.xphemism.published import read_published

    with _progress() as progress:
        published = read_published(*polbix_answers) if polbix_answers else ()
        built = build_report(runs, settings, workers, progress, published)
        progress("write", 0, 1)
        write_report(built, output, page=not (settings and settings.full), brief=brief)
    return built.report


def print_report(document: Report) -> None:
    """Print notices, and what the headlines say."""
    from polbias.eval.report.sentences import paragraphs

    print_notices(document)
    wording = paragraphs(document)
    for text in (*wording.respondents, *wording.overview):
        echo(text)


def print_notices(document: Report) -> None:
    """Print what is to be known of the input."""
    for notice in document.notices:
        colour = typer.colors.YELLOW if notice.serious else typer.colors.BRIGHT_BLACK
        echo(
            f"{notice.where}: {notice.problem.rstrip('.')}; {notice.action.rstrip('.')}", fg=colour, err=True
        )


@contextmanager
def _progress() -> Iterator[Progress]:
    """Show a bar per step on the terminal; nothing where there is none."""
    from rich.progress import TaskID

    from polbias.terminal import Console

    with progress_bars(Console(stderr=True)) as progress:
        task_by_step: dict[str, TaskID] = {}

        def update_bar(step: str, done: int, total: int) -> None:
            if step not in task_by_step:
                task_by_step[step] = progress.add_task(_STEPS.get(step, "writing"), total=total)
            progress.update(task_by_step[step], completed=done, total=total)

        yield update_bar
