"""Builds of small datasets, and what is looked at after them."""

from __future__ import annotations

from pathlib import Path

from polbias.generators.engine import BuildResult, DatasetSpec, build_dataset
from polbias.manifest import Manifest
from tests.engine.specs import numbers, table

A, B, C = table("a"), table("a", size=3, split="fewshot"), table("b", size=5)
SPEC = numbers(A, B, C)
CHANGED = numbers(A, B, table("b", size=6), version="1.1.0")
OLD, NEW = (numbers(*(table(name, size=size) for name in "abcdef")) for size in (2_000, 2_500))
MARKS = ".fingerprints.json"


def card(manifest: Manifest, folder: Path) -> str:
    files = sorted(path.name for path in folder.rglob("*.parquet"))
    return f"# {manifest.dataset} {manifest.version}\n{manifest.rows} rows in {files}\n"


def build(spec: DatasetSpec, out: Path, **changes) -> BuildResult:
    return build_dataset(spec, out, **{"card": card} | changes)


def made(spec: DatasetSpec, out: Path, **changes) -> list[str]:
    """Build and return the tables that were made anew."""
    fresh: list[str] = []

    def note(table, _entry, new) -> None:
        fresh.extend([f"{table.config}/{table.split}"] * new)

    built = build(spec, out, progress=note, **changes)
    assert built.n_written == len(fresh)
    return fresh


def only_the_build(out: Path) -> bool:
    """Tell whether nothing is left beside the dataset's folder but its lock."""
    return {path.name for path in out.iterdir()} <= {"numbers", ".numbers.lock"}
