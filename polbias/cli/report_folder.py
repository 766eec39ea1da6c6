"""The folder of a report: page, summary, tables, outcomes, results for the Hub; written as a whole."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from polbias.atomic_write import draft_path, recover_folder, replace_folder, write_text
from polbias.cli.outputs import csv_text
from polbias.errors import InputError

if TYPE_CHECKING:
    from polbias.eval.report.build import ReportWithAnswers


PAGE, SUMMARY, TABLES, OUTCOMES, RESULTS = _REPORT_FILES = (
    "report.html",
    "summary.json",
    "tables",
    "outcomes.parquet",
    "eval_results",
)


def check_folder(folder: Path) -> None:
    """Recover an interrupted report; raise if the folder has anything but a report."""
    recover_folder(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: found a file, expected a folder for the report; choose another with -o")
    foreign = (
        sorted(path.name for path in folder.iterdir() if path.name not in _REPORT_FILES)
        if folder.exists()
        else []
    )
    if foreign:
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        raise InputError(
            f"{folder}: found {foreign[0]}{more}, expected an empty folder or an earlier report, which is "
            "replaced as a whole; choose another with -o"
        )


def write_report(report: ReportWithAnswers, folder: Path, page: bool = True, brief: bool = False) -> None:
    """Write a report; an earlier report in the folder is replaced in one step."""
    draft = draft_path(folder)
    try:
        shutil.rmtree(draft, ignore_errors=True)
        (draft / TABLES).mkdir(parents=True)
        _fill(report, draft, page, brief)
        replace_folder(draft, folder)
    except OSError as error:
        raise InputError(f"{folder}: the report cannot be written ({error.strerror or error})") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _fill(report_with_answers: ReportWithAnswers, folder: Path, page: bool, brief: bool) -> None:
    from polbias.eval.report import flat_tables, hub_results
    from polbias.eval.report.outcomes import write_outcomes
    from polbias.eval.report.page import page as pages
    from polbias.eval.report.sentences import paragraphs
    from polbias.eval.report.summary_json import summary_text

    report = report_with_answers.report
    write_text(folder / SUMMARY, summary_text(report))
    for name, rows in flat_tables.flat_tables(report):
        write_text(folder / TABLES / f"{name}.csv", csv_text(rows))
    if not page:
        return
    render = pages.render_brief_page if brief else pages.render_page
    write_text(folder / PAGE, render(report, paragraphs(report)))
    if not report_with_answers.answers:
        return
    (folder / RESULTS).mkdir()
    for respondent, text in hub_results.hub_eval_results(report_with_answers.answers):
        write_text(folder / RESULTS / hub_results.file_name(respondent), text)
    write_outcomes(report_with_answers.answers, folder / OUTCOMES)
