"""The folder of a report: page, summary, tables, outcomes, results for the Hub; all of it, or none."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from polbias.cli.outputs import csv_text, write_text
from polbias.drafts import draft_of
from polbias.files import InputError

if TYPE_CHECKING:
    from polbias.eval.report.build import Made

PAGE, SUMMARY, TABLES, OUTCOMES, RESULTS = (
    "report.html",
    "summary.json",
    "tables",
    "outcomes.parquet",
    "eval_results",
)
_OURS = (PAGE, SUMMARY, TABLES, OUTCOMES, RESULTS)


def check_folder(folder: Path) -> None:
    """See to it that a report may be written into a folder.

    Raises:
        InputError: if it is a file, or holds anything but an earlier report.
    """
    from polbias.generators.engine.swap import recover_folder

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
    """Write a report; an earlier one in the same place is replaced in one step.

    Args:
        made: the report with its outcomes.
        folder: that may hold an earlier report.
        outcomes: whether to write the outcomes, too.

    Raises:
        InputError: if it cannot be written; then what was there is unchanged.
    """
    from polbias.generators.engine.swap import replace_folder

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
    from polbias.eval.report.exchange import eval_results, file_name
    from polbias.eval.report.export import summary_text
    from polbias.eval.report.flat import flat_tables
    from polbias.eval.report.labels import paragraphs
    from polbias.eval.report.outcomes import write_outcomes
    from polbias.eval.report.page import page

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
