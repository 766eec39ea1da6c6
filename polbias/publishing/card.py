"""Render a dataset card from the manifest, the data and what the family says of itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
import pyarrow.parquet as pq
import yaml

from polbias.errors import TemplateError
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
    """Return what every card says about the data, read from the data."""
    entry = next(iter(manifest.configs.values()))["test"]
    table = _read(folder, entry, None)
    return {
        "columns": _columns(manifest.dataset, _schemas(folder, manifest)),
        "proofs": [(name, *_proved(folder, splits["test"])) for name, splits in manifest.configs.items()],
        "example": table.slice(0, 1).to_pylist()[0],
        "size_category": next((name for limit, name in _SIZES if manifest.rows < limit), "n>1M"),
    }


def _schemas(folder: Path, manifest: Manifest) -> dict[str, Any]:
    """Return the Arrow fields of all configs by name."""
    files = [splits["test"].files[0] for splits in manifest.configs.values()]
    schemas = [pq.read_schema(folder / file.path) for file in files]
    return {field.name: field for schema in reversed(schemas) for field in schema} | {
        field.name: field for field in schemas[0]
    }


def _columns(dataset: str, fields: Mapping[str, Any]) -> list[dict[str, str]]:
    path = package_file("cards") / "columns.yaml"
    meanings = yaml.safe_load(path.read_text("utf-8"))
    own = meanings.get(dataset, {})
    # A dataset whose columns are those of another one names it.
    known = meanings["shared"] | (meanings[own] if isinstance(own, str) else own)
    unknown = [name for name in fields if name not in known]
    if unknown:
        raise TemplateError(f"{path}: no meaning for the columns {unknown} of {dataset}; say what they are")
    return [
        {"name": name, "type": _type(str(field.type)), "meaning": known[name]}
        for name, field in fields.items()
    ]


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
