"""`polbias audit`: report defects of a benchmark; formal items are parsed into formulas and proved."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.aliases import Json
from polbias.atomic_write import write_text
from polbias.cli.audit_shortcuts import audit_shortcuts
from polbias.cli.options import parse_assignments
from polbias.errors import InputError, PolbiasError
from polbias.files import page_policy

if TYPE_CHECKING:
    from polbias.generators.auditing.items import ItemFormat
    from polbias.generators.auditing.report import Summary
    from polbias.terminal import Console


# `polbias audit --format any`: report the defects of a whole set.

Rows = Callable[[Json], str]


def audit_set(data: Path, output: Sequence[Path], make: Callable[[], Json], rows: Rows) -> int:
    """Audit a set, write and print its findings, and return the number of items with findings.

    `rows` renders the corrected set.
    """
    from polbias.generators.auditing.general import maintainer_report
    from polbias.terminal import Console

    kinds: dict[str, Rows] = {".json": _json, ".md": maintainer_report, ".html": _page, ".jsonl": rows}
    for path in output:
        if path.suffix not in kinds:
            raise InputError(f"{path}: expected a file that ends in {', '.join(kinds)}")
        if path.resolve() == data.resolve() or (data.is_dir() and path.resolve().parent == data.resolve()):
            raise InputError(f"{path}: found among the audited files, expected another folder; choose one")
    report = make()
    for path in output:
        write_text(path, kinds[path.suffix](report))
    console = Console(highlight=False)
    _print(console, report["summary"])
    for path in output:
        console.print(f"all items in {path}", soft_wrap=True, markup=False)
    return int(report["summary"]["with_findings"])


def _json(report: Json) -> str:
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<title>polbias audit</title>
<style>body {{ font: 1rem/1.5 system-ui; max-width: 60rem; margin: 2rem auto; color-scheme: light dark }}
td, th {{ text-align: left; vertical-align: top; padding: .1rem 1rem .1rem 0 }}</style>
{body}</html>
"""


def _page(report: Json) -> str:
    from markdown_it import MarkdownIt

    from polbias.generators.auditing.general import maintainer_report

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    return _PAGE.format(policy=page_policy(), body=markdown.render(maintainer_report(report)))


def _print(console: Console, summary: dict[str, Any]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("finding", "items", "meaning"):
        table.add_column(name, justify="right" if name == "items" else "left")
    for code, count in summary["findings"].items():
        if count:
            table.add_row(code, f"{count:,}", summary["meaning"][code])
    console.print(table)
    for difference in summary["differences"]:
        console.print(difference, soft_wrap=True, markup=False)
    flagged, items = summary["with_findings"], summary["items"]
    console.print(f"[bold]{items:,} items[/]: {flagged:,} with findings", soft_wrap=True)


# `polbias audit` of formal items: parse a benchmark into formulas and report its wrong labels.


class FormatName(StrEnum):
    """Item format; the module of each format except `any` has `make(templates) -> ItemFormat`."""

    any = "any"
    normative = "normative"
    partisan = "partisan"


def audit(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="TSV, CSV, JSONL or Parquet, or the folder of a built config."),
    ],
    form: Annotated[
        FormatName | None,
        typer.Option("--format", help="Audit items of this format (with --shortcuts: any)."),
    ] = None,
    shortcuts: Annotated[
        bool, typer.Option("--shortcuts", help="Only guess labels without the task, from words or length.")
    ] = False,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--output",
            help="Write .json, .csv (formal items), or .md, .html, .jsonl (any); repeatable.",
        ),
    ] = None,
    show_all: Annotated[
        bool, typer.Option("--all", help="Print every item, not only the flagged ones.")
    ] = False,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="Map a role to a column, e.g. premise=text_a; repeatable."),
    ] = None,
    exemplars: Annotated[
        list[Path] | None,
        typer.Option(help="Report items that occur in these few-shot files (same format)."),
    ] = None,
    samples: Annotated[
        list[Path] | None,
        typer.Option(help="Report items that no model answers correctly, from logged samples (any)."),
    ] = None,
    templates: Annotated[
        Path | None, typer.Option(help="Use this template folder for the format.", file_okay=False)
    ] = None,
) -> None:
    """Parse a benchmark's sentences into formulas, prove them, and report the defects of each item.

    For any other benchmark (--format any; a file, or a Hub dataset as NAMESPACE/NAME/CONFIG), report
    near-duplicates, items among few-shot examples, and gold labels that position, length or layout predict.
    -o FILE.md writes a report for its maintainers, -o FILE.jsonl the set without defective items.

    With --shortcuts (a file, a Hub dataset, a build or the name of one) only guess gold label and side of
    held-out groups from words, hypothesis alone or length, with the range of permuted labels.

    Every item is confirmed, contradicted, depends (on a named choice) or unparsed, with its interpretation,
    and with a countermodel or proof if its gold label is wrong. Exit status: 0 without findings, 1 with
    findings, 2 if the file cannot be used.
    """
    try:
        columns = parse_assignments("--column", column, "ROLE=NAME, such as premise=text_a")
        if shortcuts:
            if form not in (None, FormatName.any) or exemplars or samples or templates or show_all:
                raise InputError("--shortcuts: found an option that it does not use, expected --column or -o")
            flagged = audit_shortcuts(_local_data(file), columns, output or [])
        elif form is None:
            names = ", ".join(FormatName)
            raise InputError(f"--format: found nothing, expected one of {names}, or --shortcuts; add one")
        elif form is FormatName.any:
            flagged = _audit_any(file, output or [], columns, exemplars or [], samples or [])
        else:
            flagged = _audit_formal(
                file, form.value, output or [], show_all, columns, exemplars or [], templates
            )
    except PolbiasError as error:
        raise InputError(str(error)) from None
    if flagged:
        raise typer.Exit(1)


def _audit_any(
    file: Path,
    output: Sequence[Path],
    columns: dict[str, str],
    exemplars: Sequence[Path],
    samples: Sequence[Path],
) -> int:
    from polbias.eval.multiple_testing import holm_adjust
    from polbias.generators.auditing import general

    data = _local_data(file)
    return audit_set(
        data,
        output,
        lambda: general.audit_table(data, columns, holm_adjust, exemplars, *_read_model_answers(samples)),
        lambda report: general.sound_rows(data, columns, report),
    )


def _local_data(file: Path) -> Path:
    """Return the path of a file or folder, or of a downloaded config of the Hub."""
    from polbias.eval.data import download_snapshot

    if file.exists() or file.is_absolute() or len(file.parts) != 3:
        return file
    owner, name, config = file.parts
    advice = "expected a file, or NAMESPACE/NAME/CONFIG of the Hub"
    return download_snapshot(f"{owner}/{name}", [f"{config}/*.parquet"], advice) / config


def _read_model_answers(paths: Sequence[Path]) -> tuple[dict[str, list[bool]], dict[str, Counter[str]]]:
    """Return whether each model is right, by item id, and the counts of its answers, by model."""
    from polbias.eval.samples import SkippedLine, find_sample_files, numbered_samples

    is_right: dict[str, dict[str, bool]] = {}
    answer_counts: dict[str, Counter[str]] = {}
    problems: list[SkippedLine] = []
    for file in find_sample_files(paths):
        for _, sample in numbered_samples(file.path, problems):
            doc, responses = sample.get("doc"), sample.get("filtered_resps")
            if isinstance(responses, list) and len(responses) == 1:
                answer_counts.setdefault(file.model, Counter())[str(responses[0])] += 1
            scores = [sample.get(name) for name in sample.get("metrics") or ("acc", "exact_match")]
            score = next((value for value in scores if isinstance(value, int | float)), None)
            if isinstance(doc, dict) and "id" in doc and score is not None:
                by_model = is_right.setdefault(str(doc["id"]), {})
                by_model[file.model] = by_model.get(file.model, False) or score > 0
    if problems:
        raise InputError(f"{problems[0]}")
    return {item: [*by_model.values()] for item, by_model in is_right.items()}, answer_counts


def _audit_formal(
    file: Path,
    name: str,
    output: Sequence[Path],
    show_all: bool,
    columns: dict[str, str],
    exemplars: Sequence[Path],
    templates: Path | None,
) -> int:
    """Audit a file, print the report and return the number of flagged items."""
    from rich.progress import Progress

    from polbias.generators.auditing import report
    from polbias.generators.auditing.audit import Audit
    from polbias.generators.auditing.items import ItemSource, read_texts
    from polbias.generators.auditing.report import ReportFiles, Summary
    from polbias.terminal import Console

    console, errors = Console(highlight=False), Console(stderr=True)
    form: ItemFormat = import_module(f"polbias.generators.auditing.{name}").make(templates)
    source = ItemSource(file, form.layout, columns)
    summary, gallery = Summary(form.layout), report.FlaggedItems()
    with ReportFiles(output, [*source.files, *exemplars], form) as reports:
        leaked = [texts for path in exemplars for texts in read_texts(path, form.layout)]
        with errors.status(f"reading {file.name}"):
            audited = Audit(source, form, leaked)
        started = time.perf_counter()
        hidden = show_all or not errors.is_terminal
        with Progress(console=errors, transient=True, disable=hidden) as progress:
            for item in progress.track(audited, audited.items, description="auditing"):
                summary.add(item)
                gallery.add(item)
                reports.add(item)
                if show_all:
                    console.print(report.describe(item, form))
        reports.finish(file, summary)
    seconds = time.perf_counter() - started
    report.print_counts(console, summary, form)
    if not show_all:
        report.print_flagged_items(console, gallery, form)
    _conclude(console, summary, seconds, output)
    return summary.flagged


def _conclude(console: Console, summary: Summary, seconds: float, output: Sequence[Path]) -> None:
    verdicts = ", ".join(f"{number:,} {verdict}" for verdict, number in summary.verdicts.items())
    rate = f"{seconds:.1f} s, {summary.items / max(seconds, 1e-9):,.0f} items/s"
    items = "1 item" if summary.items == 1 else f"{summary.items:,} items"
    console.print(f"[bold]{items}[/]: {verdicts} ({rate})", soft_wrap=True)
    for path in output:
        console.print(f"all items in {path}", soft_wrap=True, markup=False)
