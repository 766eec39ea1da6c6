"""`polbias audit --format probvaa` and `--format polbix`: report the defects of a published set."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polbias.cli.outputs import write_text
from polbias.files import InputError

if TYPE_CHECKING:
    from rich.console import Console


SETS = frozenset({"probvaa", "polbix"})
"""Formats of whole published sets; the package of each offers `audit(path)`, a report ready for JSON."""


def audit_set(name: str, data: Path, output: Sequence[Path]) -> int:
    """Audit a published set and print what was found.

    Args:
        name: one of :data:`SETS`.
        data: the user's copy of the published folder, or of its file where that is enough.
        output: JSON files to write the whole report to.

    Returns:
        How many items a reader must know about.

    Raises:
        InputError: if the data cannot be read, or an output is not a JSON file or lies among the inputs.
    """
    from rich.console import Console

    for path in output:
        if path.suffix != ".json":
            raise InputError(f"{path}: expected a file that ends in .json; this format has no other report")
        if data.is_dir() and path.resolve().parent == data.resolve():
            raise InputError(f"{path}: lies among the files that are audited; choose another folder")
    report = import_module(f"polbias.generators.sources.{name}").audit(data)
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
