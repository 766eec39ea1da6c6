"""`polbias list` and `polbias show`: what there is, and what it looks like."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from polbias import registry
from polbias.aliases import Document
from polbias.files import BuildError, PolbiasError, build_root
from polbias.manifest import LockedDataset, Manifest, differences, read_lock, read_manifest


def print_list(out: Path | None) -> None:
    """Print datasets and configs, published and built."""
    console, locked = Console(), read_lock()
    for name in registry.names():
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
        console.print(table, f"  {_state(built, published)}\n", sep="", highlight=False)


def _state(built: Manifest | None, published: LockedDataset | None) -> str:
    if built is None:
        return "not built here; run `polbias build`"
    found = differences(built, published)
    return f"built here, but {found[0]}" if found else "built here, as published"


def print_rows(config: str, count: int, start: int, split: str, out: Path | None) -> None:
    """Print rows of a config."""
    import pyarrow.parquet as pq

    folder, name, splits = _find(config, out or build_root())
    if split not in splits:
        raise PolbiasError(f"{name}: no split {split!r}; there are: {', '.join(splits)}")
    entry = splits[split]
    if start >= entry.rows:
        raise PolbiasError(
            f"{name}/{split}: has {entry.rows:,} rows; --start must be below that, found {start}"
        )
    table = pq.read_table([folder / file.path for file in entry.files]).slice(start, count)
    console = Console()
    for number, row in enumerate(table.to_pylist(), start):
        console.print(_panel(row, f"{name}/{split} row {number:,} of {entry.rows:,}"))


def _find(config: str, root: Path) -> tuple[Path, str, Document]:
    dataset, _, name = config.rpartition("/")
    candidates = [dataset] if dataset else list(registry.names())
    known: list[str] = []
    for candidate in candidates:
        registry.publication(candidate)
        manifest = read_manifest(root / candidate)
        if name in manifest.configs:
            return root / candidate, name, manifest.configs[name]
        known += manifest.configs
    raise PolbiasError(f"no config is called {name!r}; there are: {', '.join(known)}")


def _panel(row: Document, title: str) -> Panel:
    """Lay out one row: what is shown to the model, then what is known about it."""
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
