"""`polbias build`: progress, counts, hashes and time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from polbias import registry
from polbias.files import PolbiasError, build_root
from polbias.manifest import Manifest, SplitEntry, differences, read_lock

if TYPE_CHECKING:
    from polbias.generators.engine import Built, TableSpec


def build_with_progress(names: Sequence[str], out: Path | None, templates: Path | None) -> None:
    """Build datasets and say what was done; one that cannot be built does not keep the others from it."""
    console = Console()
    chosen = [registry.checked(name) for name in names or registry.names()]
    if templates and len(chosen) != 1:
        raise PolbiasError(f"--templates needs the name of one dataset, found {list(chosen)}; name it")
    failed: dict[str, Exception] = {}
    for name in chosen:
        try:
            _build(console, name, out or build_root(), templates)
        except Exception as error:
            failed[name] = error
    unforeseen = [error for error in failed.values() if not isinstance(error, PolbiasError)]
    if unforeseen or (failed and len(chosen) == 1):
        raise [*unforeseen, *failed.values()][0]
    if failed:
        reasons = "; ".join(f"{name}: {error}" for name, error in failed.items())
        raise PolbiasError(f"{len(failed)} of {len(chosen)} datasets could not be built: {reasons}")


def _build(console: Console, name: str, out: Path, templates: Path | None) -> None:
    from polbias.publishing.card import build

    started = time.perf_counter()
    with console.status(f"{name}: reading templates and proving gold labels"):
        spec = registry.publication(name).specify(templates)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(name, total=len(spec.tables))

        def step(table: TableSpec, entry: SplitEntry, fresh: bool) -> None:
            progress.update(task, advance=1, description=f"{table.config}/{table.split}")

        built = build(name, spec, out, templates, step)
    _report(console, built, time.perf_counter() - started)


def _report(console: Console, built: Built, seconds: float) -> None:
    manifest = built.manifest
    table = Table("config", "rows", "few-shot", "content", box=None, header_style="bold", pad_edge=False)
    for column in (1, 2):
        table.columns[column].justify = "right"
    for config, splits in manifest.configs.items():
        shots = splits.get("fewshot")
        test = splits["test"]
        table.add_row(config, f"{test.rows:,}", f"{shots.rows:,}" if shots else "", test.content[:12])
    console.print(table)
    done = "unchanged, nothing to do"
    if built.changed:
        done = f"{built.written} of {_tables(manifest)} tables written" if built.written else "card written"
    console.print(
        f"[bold]{manifest.dataset} {manifest.version}[/]: {manifest.rows:,} rows, {done}, {seconds:.1f} s"
    )
    console.print(f"in {built.folder}", soft_wrap=True, highlight=False)
    found = differences(manifest, read_lock().get(manifest.dataset))
    if found:
        more = f" (and {len(found) - 1} more, see `polbias verify`)" if len(found) > 1 else ""
        console.print(f"[yellow]not the published data:[/] {found[0]}{more}", soft_wrap=True, highlight=False)
    else:
        console.print("matches datasets.lock")


def _tables(manifest: Manifest) -> int:
    return sum(len(splits) for splits in manifest.configs.values())
