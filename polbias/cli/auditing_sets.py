"""`polbias audit --format probvaa`: report the defects of a published set of policy statements."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polbias.cli.outputs import write_text
from polbias.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console


def audit_set(folder: Path, output: Sequence[Path]) -> int:
    """Audit a folder and print what was found.

    Args:
        folder: the user's copy of the published folder.
        output: JSON files to write the whole report to.

    Returns:
        How many items a reader must know about.

    Raises:
        InputError: if the folder cannot be read, or an output is not a JSON file or lies among the inputs.
    """
    from rich.console import Console

    from polbias.generators.sources.probvaa.audit import audit

    for path in output:
        if path.suffix != ".json":
            raise InputError(f"{path}: expected a file that ends in .json; this format has no other report")
        if path.resolve().parent == folder.resolve():
            raise InputError(f"{path}: lies among the files that are audited; choose another folder")
    report = audit(folder)
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
    for prompt in summary["prompts"]:
        found = ", ".join(prompt["findings"])
        console.print(f"{prompt['file']}:{prompt['line']}: {found}", soft_wrap=True, markup=False)
    for difference in summary["differences"]:
        console.print(difference, soft_wrap=True, markup=False)
    flagged, items = summary["with_findings"], summary["items"]
    console.print(f"[bold]{items:,} items[/]: {flagged:,} with findings", soft_wrap=True)
