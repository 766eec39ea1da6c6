"""Render a dataset card from the manifest, the data and what the family says of itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
import pyarrow.parquet as pq
import yaml

from polbias.locations import package_file
from polbias.manifest import Manifest, SplitEntry

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def render_card(manifest: Manifest, folder: Path, facts: Mapping[str, Any]) -> str:
    """Render the card of a dataset; a pure function of its arguments and the card's template.

    Args:
        manifest: of the finished tables.
        folder: where they are.
        facts: what the template needs beside what is in the data.

    Returns:
        Markdown with the Hub's metadata.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(package_file("cards")),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    template = environment.get_template(f"{manifest.dataset}.md.jinja")
    return template.render(manifest=manifest, **_seen(manifest, folder), **facts)


def _seen(manifest: Manifest, folder: Path) -> dict[str, Any]:
    """Return what the card says about the data, read from the data."""
    first = next(iter(manifest.configs))
    entry = manifest.configs[first]["test"]
    table = _read(folder, entry, None)
    cells = Counter(zip(table["gold"].to_pylist(), table["leaning"].to_pylist(), strict=True))
    mini = next((s["test"].rows for name, s in manifest.configs.items() if name.endswith("_mini")), 0)
    meanings = yaml.safe_load((package_file("cards") / "columns.yaml").read_text("utf-8"))
    known = meanings["shared"] | meanings[manifest.dataset]
    return {
        "columns": [
            {"name": field.name, "type": _type(str(field.type)), "meaning": known[field.name]}
            for field in table.schema
        ],
        "cells": [
            (gold, cells[gold, "left"], cells[gold, "right"]) for gold in dict.fromkeys(g for g, _ in cells)
        ],
        "patterns": list(dict.fromkeys(table["pattern_id"].to_pylist())),
        "proofs": [(name, *_proved(folder, splits["test"])) for name, splits in manifest.configs.items()],
        "example": table.slice(0, 1).to_pylist()[0],
        "test_rows": entry.rows,
        "mini_rows": mini,
        "size_category": next((name for limit, name in _SIZES if manifest.rows < limit), "n>1M"),
    }


def _proved(folder: Path, entry: SplitEntry) -> tuple[int, int]:
    counts = Counter(_read(folder, entry, ["proof"])["proof"].to_pylist())
    proved = sum(count for proof, count in counts.items() if proof.startswith("proved:"))
    return proved, entry.rows - proved


def _read(folder: Path, entry: SplitEntry, columns: list[str] | None) -> Any:
    return pq.read_table([folder / file.path for file in entry.files], columns=columns)


def _type(name: str) -> str:
    """Return a type as a card says it."""
    short = {"list<element: string>": "list of strings", "string": "string", "bool": "bool", "int32": "int32"}
    return short.get(name, "struct" if name.startswith("struct") else "list of structs")
