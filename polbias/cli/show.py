"""`polbias list` and `polbias show`: list datasets and print rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polbias import registry
from polbias.aliases import Document
from polbias.cli.options import Out
from polbias.errors import BuildError, PolbiasError, did_you_mean
from polbias.paths import build_root

if TYPE_CHECKING:
    from rich.panel import Panel

    from polbias.lock import LockedDataset
    from polbias.manifest import Manifest


def list_(out: Out = None) -> None:
    """List published (datasets.lock) and locally built datasets with their configs and rows."""
    from rich.table import Table

    from polbias.lock import read_lock
    from polbias.manifest import read_manifest
    from polbias.terminal import Console

    console, locked = Console(), read_lock()
    for name in registry.dataset_names():
        published = locked.get(name)
        try:
            built: Manifest | None = read_manifest((out or build_root()) / name)
        except BuildError:
            built = None
        version = f" {published.version}" if published else " (not published yet)"
        console.print(f"[bold]{name}[/]{version}: {registry.publication(name).title}", highlight=False)
        table = Table(box=None, header_style="dim", padding=(0, 2))
        table.add_column("config")
        table.add_column("test rows", justify="right")
        table.add_column("few-shot examples", justify="right")
        configs: Mapping[str, Document] = published.configs if published else built.configs if built else {}
        for config, splits in configs.items():
            shots = splits.get("fewshot")
            table.add_row(config, f"{splits['test'].rows:,}", f"{shots.rows:,}" if shots else "")
        console.print(table, f"  {_build_state(name, built, published)}\n", sep="", highlight=False)


def _build_state(name: str, built: Manifest | None, published: LockedDataset | None) -> str:
    from polbias.builds import build_advice
    from polbias.lock import lock_differences

    if built is None:
        return f"not built here; {build_advice([name])}"

    differences = lock_differences(built, published)
    return f"built here, but {differences[0]}" if differences else "built here, as published"


def show(
    config: Annotated[str, typer.Argument(help="Config, such as en_formal, or DATASET/CONFIG.")],
    rows: Annotated[int, typer.Option("-n", "--rows", min=1, help="Print this many rows.")] = 2,
    start: Annotated[int, typer.Option("--start", min=0, help="Start at this row, counted from 0.")] = 0,
    split: Annotated[str, typer.Option("--split", help="Print rows of the split test or fewshot.")] = "test",
    out: Out = None,
) -> None:
    """Print rows of a config in readable form: argument, gold label and its proof, pair, errata."""
    import pyarrow.parquet as pq

    from polbias.terminal import Console

    folder, name, splits = _find(config, out or build_root())
    if split not in splits:
        raise PolbiasError(f"{name}: found no split {split!r}, expected one of {', '.join(splits)}")
    entry = splits[split]
    if start >= entry.rows:
        raise PolbiasError(
            f"{name}/{split}: found --start {start}, expected less than its {entry.rows:,} rows"
        )
    table = pq.read_table([folder / file.path for file in entry.files]).slice(start, rows)
    console = Console()
    for number, row in enumerate(table.to_pylist(), start):
        console.print(_panel(row, f"{name}/{split} row {number:,} of {entry.rows:,}"))


def _find(config: str, root: Path) -> tuple[Path, str, Document]:
    """Return the folder of the build with a config, the config's name and its splits."""
    from polbias.builds import build_advice, find_unbuilt
    from polbias.lock import read_lock
    from polbias.manifest import read_manifest

    dataset, _, name = config.rpartition("/")
    candidates = [registry.require_dataset(dataset)] if dataset else list(registry.dataset_names())
    unbuilt, locked = find_unbuilt(candidates, root), read_lock()
    config_names: list[str] = []
    for candidate in (candidate for candidate in candidates if candidate not in unbuilt):
        manifest = read_manifest(root / candidate)
        if name in manifest.configs:
            return root / candidate, name, manifest.configs[name]
        config_names += manifest.configs
    for candidate in unbuilt:
        published = locked[candidate].configs if candidate in locked else {}
        if name in published:
            raise BuildError(
                f"{name} is in {candidate}, which is not built in {root}; {build_advice([candidate])}"
            )
        config_names += published
    unlocked = [candidate for candidate in unbuilt if candidate not in locked]
    or_build = f", or {build_advice(unlocked)}, which may have it" if unlocked else ""
    raise PolbiasError(
        f"found no config {name!r}; {did_you_mean(name, config_names)}see `polbias list`{or_build}"
    )


def _panel(row: Document, title: str) -> Panel:
    """Lay out a row: the prompt, then its metadata."""
    from rich.console import Group
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column()
    for name in ("gold", "leaning", "logical_form", "pair_id", "cluster_id", "erratum", "source"):
        if row.get(name) is not None:
            value = f"{row[name]} ({row['proof']})" if name == "gold" else str(row[name])
            facts.add_row(name, Text(value.replace(";", "; ") if name == "erratum" else value))
    item = row.get("argument") or ""
    prompt = Text(row["prompt"].removesuffix(item), style="dim" if item else "") + Text(item)
    return Panel(Group(prompt, "", facts), title=Text(title), subtitle=Text(row["id"]), title_align="left")
