"""`polbias audit`: read a published benchmark back into formulas and report what is wrong with its labels."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.files import InputError, PolbiasError, write_text

if TYPE_CHECKING:
    from rich.console import Console

    from polbias.generators.auditing.items import Format
    from polbias.generators.auditing.report import Summary


# `polbias audit --format probvaa` and `--format polbix`: report the defects of a published set.

SETS = frozenset({"probvaa", "polbix"})
"""Formats of whole published sets; the package of each offers `audit(path)`, a report ready for JSON."""


def audit_set(name: str, data: Path, output: Sequence[Path]) -> int:
    """Audit a published set and print what was found."""
    from rich.console import Console

    for path in output:
        if path.suffix != ".json":
            raise InputError(f"{path}: expected a file that ends in .json; this format has no other report")
        if data.is_dir() and path.resolve().parent == data.resolve():
            raise InputError(f"{path}: lies among the files that are audited; choose another folder")
    report = import_module(f"polbias.generators.auditing.{name}").audit(data)
    for path in output:
        write_text(path, json.dumps(report, ensure_ascii=False, indent=1) + "\n")
    console = Console(highlight=False)
    _print(console, report["summary"])
    for path in output:
        console.print(f"all items in {path}", soft_wrap=True, markup=False)
    return int(report["summary"]["with_findings"])


def _print(console: Console, summary: dict[str, Any]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("finding", "items", "meaning"):
        table.add_column(name, justify="right" if name == "items" else "left")
    for code, count in summary["findings"].items():
        if count:
            table.add_row(code, f"{count:,}", summary["meaning"][code])
    console.print(table)
    for prompt in summary.get("prompts", ()):
        found = ", ".join(prompt["findings"])
        console.print(f"{prompt['file']}:{prompt['line']}: {found}", soft_wrap=True, markup=False)
    for difference in summary["differences"]:
        console.print(difference, soft_wrap=True, markup=False)
    flagged, items = summary["with_findings"], summary["items"]
    console.print(f"[bold]{items:,} items[/]: {flagged:,} with findings", soft_wrap=True)


# `polbias audit`: read a published benchmark back into formulas and report what is wrong with its labels.

_STEP = 100  # items between two looks of the progress bar


class FormatName(StrEnum):
    """The formats; the module of each that is no published set offers `make(templates) -> Format`."""

    normative = "normative"
    partisan = "partisan"
    polbix = "polbix"
    probvaa = "probvaa"


def audit(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="TSV, CSV, JSONL or Parquet, or the folder of a built config."),
    ],
    form: Annotated[FormatName, typer.Option("--format", help="What the items are.")],
    output: Annotated[
        list[Path] | None,
        typer.Option("-o", "--output", help="Write all items to FILE.json or FILE.csv; may be repeated."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Show every item, not only the wrong ones.")] = False,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE=NAME", help="Which column is which, e.g. premise=text_a; may be repeated."
        ),
    ] = None,
    exemplars: Annotated[
        list[Path] | None,
        typer.Option(help="Few-shot exemplars, in the same format: items among them are reported."),
    ] = None,
    templates: Annotated[
        Path | None, typer.Option(help="Template folder of your own for the format.", file_okay=False)
    ] = None,
) -> None:
    """Read a benchmark's sentences back into formulas, prove them, and report item by item what is wrong.

    Every item is confirmed, contradicted, depends (on a choice that is named) or unparsed, each with its
    reading, and with a countermodel or proof where its gold label is wrong. Exit status: 0 if there is
    nothing to report, 1 if there is, 2 if the file cannot be used.
    """
    try:
        if form.value in SETS:
            flagged = audit_set(form.value, file, output or [])
        else:
            flagged = _run(
                file, form.value, output or [], every, _assigned(column or []), exemplars or [], templates
            )
    except PolbiasError as error:
        raise InputError(str(error)) from None
    if flagged:
        raise typer.Exit(1)


def _assigned(columns: Sequence[str]) -> dict[str, str]:
    """Return role to column."""
    chosen = {}
    for text in columns:
        role, equals, name = text.partition("=")
        if not (role and equals and name):
            raise InputError(f"--column {text}: expected ROLE=NAME, such as premise=text_a")
        chosen[role.strip()] = name
    return chosen


def _run(
    file: Path,
    name: str,
    output: Sequence[Path],
    every: bool,
    columns: dict[str, str],
    exemplars: Sequence[Path],
    templates: Path | None,
) -> int:
    """Audit a file and print the report; return how many items a reader must know about."""
    from rich.console import Console

    from polbias.generators.auditing import report
    from polbias.generators.auditing.audit import Audit
    from polbias.generators.auditing.items import Source, read_texts
    from polbias.generators.auditing.report import Reports, Summary

    console = Console(highlight=False)
    form: Format = import_module(f"polbias.generators.auditing.{name}").make(templates)
    source = Source(file, form.layout, columns)
    summary, gallery = Summary(form.layout), report.Gallery()
    with Reports(output, [*source.files, *exemplars], form) as reports:
        leaked = [texts for path in exemplars for texts in read_texts(path, form.layout)]
        with Console(stderr=True).status(f"reading {file.name}"):
            audited = Audit(source, form, leaked)
        started = time.perf_counter()
        with _progress(audited.items, not every) as step:
            for item in audited:
                summary.add(item)
                gallery.add(item)
                reports.add(item)
                if every:
                    console.print(report.describe(item, form))
                step()
        reports.finish(file, summary)
    seconds = time.perf_counter() - started
    report.print_counts(console, summary, form)
    if not every:
        report.print_gallery(console, gallery, form)
    _conclude(console, summary, seconds, output)
    return summary.flagged


def _conclude(console: Console, summary: Summary, seconds: float, output: Sequence[Path]) -> None:
    verdicts = ", ".join(f"{number:,} {verdict}" for verdict, number in summary.verdicts.items())
    rate = f"{seconds:.1f} s, {summary.items / max(seconds, 1e-9):,.0f} items/s"
    items = "1 item" if summary.items == 1 else f"{summary.items:,} items"
    console.print(f"[bold]{items}[/]: {verdicts} ({rate})", soft_wrap=True)
    for path in output:
        console.print(f"all items in {path}", soft_wrap=True, markup=False)


@contextmanager
def _progress(total: int, shown: bool) -> Iterator[Callable[[], None]]:
    """Show progress on a terminal; nowhere else."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not (shown and console.is_terminal):
        yield lambda: None
        return
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("auditing", total=total)
        done = 0

        def step() -> None:
            nonlocal done
            done += 1
            if done % _STEP == 0:  # drawing is slower than auditing
                progress.advance(task, _STEP)

        yield step
