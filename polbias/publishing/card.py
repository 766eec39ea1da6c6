"""Render dataset cards, and build datasets with their cards."""

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
from polbias.paths import DEFAULT_NAMESPACE, dataset_namespace, package_file

# A card is rendered from the manifest, the data and facts of the publication.

_DEFAULT = "_partials/default.md.jinja"
# Size categories of the Hub, with their upper limits.
_SIZES = (
    *((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M")),
    *((10**7, "1M<n<10M"), (10**8, "10M<n<100M"), (10**9, "100M<n<1B"), (10**10, "1B<n<10B")),
    *((10**11, "10B<n<100B"), (10**12, "100B<n<1T")),
)


def render_card(
    manifest: Manifest,
    folder: Path,
    publication: Publication,
    templates: Path | None = None,
    namespace: str = DEFAULT_NAMESPACE,
) -> str:
    """Render the card of a dataset; depends only on the arguments, the tables and the card's template."""
    data_facts = _read_data_facts(manifest, folder, publication.cards)
    return fill_card(manifest, data_facts, folder, publication, templates, namespace)


def fill_card(
    manifest: Manifest,
    data_facts: Document,
    folder: Path,
    publication: Publication,
    templates: Path | None = None,
    namespace: str = DEFAULT_NAMESPACE,
) -> str:
    """Render the card of a dataset from facts about its tables, which need not be local."""
    cards = package_file("cards")
    facts = publication.card_facts(manifest, folder, templates)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([publication.cards or cards, cards]),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    template = environment.select_template([f"{manifest.dataset}.md.jinja", _DEFAULT])
    values = {
        "title": publication.title,
        "namespace": namespace,
        "has_user_templates": templates is not None,
        "panel": _panel(manifest),
        "reading": _model_reading(manifest),
        "token_differences": _token_differences(manifest),
    }
    return template.render(manifest=manifest, **values, **data_facts, **facts)


def _panel(manifest: Manifest) -> Json | None:
    """Return the agreement of the people who rated exactly these rows; None if nobody did."""
    path = package_file("templates/panels") / f"{manifest.dataset}.json"
    agreement = read_json(path, "the output of `annotate agreement -o`") if path.is_file() else {}
    return agreement if agreement.get("content") == manifest.content_hash else None


def _model_reading(manifest: Manifest) -> Json | None:
    """Return a model's check of exactly these rows: items read and wrong, Wilson's 95% interval."""
    counts = _panel_entries("readings", manifest)
    if counts.get("content") != manifest.content_hash:
        return None
    low, high = wilson_interval(counts["wrong"], counts["read"])
    return {**counts, "low": float(low), "high": float(high)}


def _panel_entries(name: str, manifest: Manifest) -> Json:
    """Return the entries of a dataset in a file of ``templates/panels``."""
    path = package_file("templates/panels") / f"{name}.yaml"
    entries: Json = yaml.safe_load(path.read_text("utf-8")).get(manifest.dataset, {})
    return entries


def _token_differences(manifest: Manifest) -> Mapping[str, float]:
    """Map the configs whose rows were measured to the tokens of the left argument minus the right one."""
    entries = _panel_entries("token_differences", manifest)
    return {
        config: entries[config]["difference"]
        for config, splits in manifest.configs.items()
        if config in entries and entries[config]["tree"] == splits["test"].tree
    }


def describe(
    manifest: Manifest,
    schemas: Sequence[Any],
    first_rows: Sequence[Document],
    proofs: Sequence[Mapping[str, int]],
    cards: Path | None = None,
) -> Json:
    """Return the facts about the data that every card has.

    Args:
        manifest: of the build.
        schemas: of the test splits.
        first_rows: at least the first row of the first config, and the next one for its counterpart.
        proofs: per test split the number of rows by basis of the gold label.
        cards: folder of the meanings of the columns; None for the folder of polbias.
    """
    example, *others = first_rows
    pair = example.get("pair_id")
    has_counterpart = pair is not None and any(row["pair_id"] == pair for row in others[:1])
    fields = {field.name: field for schema in reversed(schemas) for field in schema}
    meanings = column_meanings(manifest.dataset, fields, cards)
    return {
        "columns": [
            {"name": name, "type": _type_label(str(field.type)), "meaning": meanings[name]}
            for name, field in fields.items()
        ],
        "proofs": [
            (name, *_count_proved(counts)) for name, counts in zip(manifest.configs, proofs, strict=True)
        ],
        "example": example,
        "counterpart": others[0] if has_counterpart else None,
        "size_category": next((name for limit, name in _SIZES if manifest.rows < limit), "n>1T"),
    }


def _read_data_facts(manifest: Manifest, folder: Path, cards: Path | None) -> Json:
    """Return the facts about the data, read from the tables."""
    test_splits = [splits["test"] for splits in manifest.configs.values()]
    return describe(
        manifest,
        [pq.read_schema(folder / entry.files[0].path) for entry in test_splits],
        next(pq.ParquetFile(folder / test_splits[0].files[0].path).iter_batches(2)).to_pylist(),
        [_count_proofs([folder / file.path for file in entry.files]) for entry in test_splits],
        cards,
    )


def _count_proved(counts: Mapping[str, int]) -> tuple[int, int]:
    """Return the number of proved gold labels and the number of others."""
    n_proved = sum(count for proof, count in counts.items() if proof.startswith("proved:"))
    return n_proved, sum(counts.values()) - n_proved


def _count_proofs(paths: Sequence[Path]) -> Counter[str]:
    return Counter(pq.read_table(paths, columns=["proof"])["proof"].to_pylist())


def _type_label(name: str) -> str:
    """Return the name of a type in cards."""
    label_by_type = {
        "list<element: string>": "list of strings",
        "string": "string",
        "bool": "bool",
        "int32": "int32",
    }
    return label_by_type.get(name, "struct" if name.startswith("struct") else "list of structs")


# Build a dataset's folder: tables, card, manifest.


def build(
    name: str,
    out: Path,
    templates: Path | None = None,
    progress: Callable[[TableSpec, SplitEntry, bool], None] = lambda *_: None,
    options: Mapping[str, Any] | None = None,
) -> BuildResult:
    """Build a dataset with its card; a build from the same inputs is reused.

    Args:
        name: name of the dataset.
        out: folder of builds.
        templates: custom template folder.
        progress: called with each table, its entry of the manifest, and whether it was written.
        options: further arguments of the publication's ``build_spec``.
    """
    publication = registry.publication(name)
    namespace = dataset_namespace()
    inputs = f"{build_inputs_hash(publication, templates)} {namespace}"
    if options:
        inputs += f" {dict(options)}"
    if built := current_build(out / name, inputs):
        return built

    def card(manifest: Manifest, folder: Path) -> str:
        return render_card(manifest, folder, publication, templates, namespace)

    benchmark = (publication.cards or package_file("cards")) / f"{name}.eval.yaml"
    benchmark_text = benchmark.read_text("utf-8") if benchmark.is_file() else None
    return build_dataset(
        publication.specify(templates, **(options or {})), out, card, progress, inputs, benchmark_text
    )


def build_inputs_hash(publication: Publication, templates: Path | None) -> str:
    """Return the hash of a build's inputs: sources, templates, cards and versions of installed packages."""
    package = publication.build_spec.__module__.partition(".")[0]
    inputs_hash = hashlib.sha256(_package_hash())
    for root in (None if package == "polbias" else package_file(f"{package}:"), publication.cards, templates):
        if root is not None:
            _update_hash(inputs_hash, root)
    return inputs_hash.hexdigest()


@cache
def _package_hash() -> bytes:
    # Metadata folders have name and version in their names; reading the metadata takes far longer.
    installed = {path.name for root in sys.path for path in Path(root).glob("*.*-info")}
    package_hash = hashlib.sha256(repr(sorted(installed)).encode())
    for folder in ("generators", "publishing", "templates", "cards"):
        _update_hash(package_hash, package_file(folder))
    for path in sorted(package_file("").glob("*.py")):
        package_hash.update(path.read_bytes())
    return package_hash.digest()


def _update_hash(hasher: Any, root: Path) -> None:
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            hasher.update(f"{path.relative_to(root)}\0{path.stat().st_size}\0".encode())
            hasher.update(path.read_bytes())
