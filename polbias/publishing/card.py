"""Dataset cards, and a dataset's folder put together with its own."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import pyarrow.parquet as pq
import yaml

from polbias import registry
from polbias.aliases import Document, Json
from polbias.files import read_json
from polbias.generators.engine import BuildResult, TableSpec, build_dataset, current_build
from polbias.generators.engine.publication import Publication
from polbias.generators.engine.table_columns import column_meanings
from polbias.intervals import wilson_interval
from polbias.manifest import Manifest, SplitEntry
from polbias.paths import package_file

# Render a dataset card from the manifest, the data and what the family says of itself.

_DEFAULT = "_partials/default.md.jinja"
# Names that the Hub knows, with their upper limits.
_SIZES = (
    *((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M")),
    *((10**7, "1M<n<10M"), (10**8, "10M<n<100M"), (10**9, "100M<n<1B"), (10**10, "1B<n<10B")),
    *((10**11, "10B<n<100B"), (10**12, "100B<n<1T")),
)


def render_card(
    manifest: Manifest, folder: Path, publication: Publication, templates: Path | None = None
) -> str:
    """Render the card of a dataset; a pure function of its arguments and the card's template."""
    seen = _seen(manifest, folder, publication.cards)
    return fill_card(manifest, seen, folder, publication, templates)


def fill_card(
    manifest: Manifest,
    seen: Document,
    folder: Path,
    publication: Publication,
    templates: Path | None = None,
) -> str:
    """Render the card of a dataset whose tables need not be here."""
    cards = package_file("cards")
    facts = publication.card_facts(manifest, folder, templates)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([publication.cards or cards, cards]),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    template = environment.select_template([f"{manifest.dataset}.md.jinja", _DEFAULT])
    panel = package_file("templates/panels") / f"{manifest.dataset}.json"
    rated = read_json(panel, "what `annotate agreement -o` wrote") if panel.is_file() else None
    slots = {"title": publication.title, "panel": rated, "reading": _reading(manifest.dataset)}
    return template.render(manifest=manifest, **slots, **seen, **facts)


def _reading(dataset: str) -> Json | None:
    """What a model that had not written it read of a dataset, with Wilson's 95% interval."""
    path = package_file("templates/panels") / "readings.yaml"
    found = yaml.safe_load(path.read_text("utf-8")).get(dataset)
    if not found:
        return None
    low, high = wilson_interval(found["wrong"], found["read"])
    return {**found, "low": float(low), "high": float(high)}


def describe(
    manifest: Manifest,
    schemas: Sequence[Any],
    example: Document,
    proofs: Sequence[Mapping[str, int]],
    cards: Path | None = None,
) -> Json:
    """Return what every card says about the data."""
    fields = {field.name: field for schema in reversed(schemas) for field in schema}
    meanings = column_meanings(manifest.dataset, fields, cards)
    return {
        "columns": [
            {"name": name, "type": _type(str(field.type)), "meaning": meanings[name]}
            for name, field in fields.items()
        ],
        "proofs": [(name, *_proved(counts)) for name, counts in zip(manifest.configs, proofs, strict=True)],
        "example": example,
        "size_category": next((name for limit, name in _SIZES if manifest.rows < limit), "n>1T"),
    }


def _seen(manifest: Manifest, folder: Path, cards: Path | None) -> Json:
    """Return what every card says about the data, read from the data."""
    tests = [splits["test"] for splits in manifest.configs.values()]
    return describe(
        manifest,
        [pq.read_schema(folder / entry.files[0].path) for entry in tests],
        next(pq.ParquetFile(folder / tests[0].files[0].path).iter_batches(1)).to_pylist()[0],
        [_proofs([folder / file.path for file in entry.files]) for entry in tests],
        cards,
    )


def _proved(counts: Mapping[str, int]) -> tuple[int, int]:
    """Return how many gold labels are proved, and how many are known otherwise."""
    proved = sum(count for proof, count in counts.items() if proof.startswith("proved:"))
    return proved, sum(counts.values()) - proved


def _proofs(paths: Sequence[Path]) -> Counter[str]:
    return Counter(pq.read_table(paths, columns=["proof"])["proof"].to_pylist())


def _type(name: str) -> str:
    """Return a type as a card says it."""
    short = {"list<element: string>": "list of strings", "string": "string", "bool": "bool", "int32": "int32"}
    return short.get(name, "struct" if name.startswith("struct") else "list of structs")


# Put a dataset's folder together: tables, card, manifest.


def build(
    name: str,
    out: Path,
    templates: Path | None = None,
    progress: Callable[[TableSpec, SplitEntry, bool], None] = lambda *_: None,
) -> BuildResult:
    """Build one dataset with its card; one that was made of the same inputs stays as it is."""
    publication = registry.publication(name)
    inputs = build_inputs_hash(publication, templates)
    if built := current_build(out / name, inputs):
        return built

    def card(manifest: Manifest, folder: Path) -> str:
        return render_card(manifest, folder, publication, templates)

    benchmark = (publication.cards or package_file("cards")) / f"{name}.eval.yaml"
    text = benchmark.read_text("utf-8") if benchmark.is_file() else None
    return build_dataset(publication.build_spec(templates), out, card, progress, inputs, text)


def build_inputs_hash(publication: Publication, templates: Path | None) -> str:
    """Hash all that a build is made of: sources, templates, cards and the versions of what is installed."""
    package = publication.build_spec.__module__.partition(".")[0]
    whole = hashlib.sha256(_shipped())
    for root in (None if package == "polbias" else package_file(f"{package}:"), publication.cards, templates):
        if root is not None:
            _update(whole, root)
    return whole.hexdigest()


@cache
def _shipped() -> bytes:
    # Folders of what is installed are called by name and version; to read their metadata takes far longer.
    installed = {path.name for root in sys.path for path in Path(root).glob("*.*-info")}
    whole = hashlib.sha256(repr(sorted(installed)).encode())
    for folder in ("generators", "publishing", "templates", "cards"):
        _update(whole, package_file(folder))
    for path in sorted(package_file("").glob("*.py")):
        whole.update(path.read_bytes())
    return whole.digest()


def _update(whole: Any, root: Path) -> None:
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            whole.update(f"{path.relative_to(root)}\0{path.stat().st_size}\0".encode())
            whole.update(path.read_bytes())
