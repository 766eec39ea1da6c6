"""Publications of the partisan inferences: the set with the paper's arguments, and the XL set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from polbias.aliases import Document, Json
from polbias.generators.engine import DatasetSpec
from polbias.generators.engine.publication import Publication
from polbias.generators.engine.spec import split_rows
from polbias.generators.engine.template_folder import TemplateFolder
from polbias.generators.partisan.country import LEANINGS
from polbias.generators.partisan.schemas import load_schemas
from polbias.generators.partisan.tables import dataset
from polbias.generators.partisan.templates import load_family
from polbias.generators.partisan.xl_tables import configs, xl_dataset
from polbias.generators.partisan.xl_templates import TAGS, load
from polbias.manifest import Manifest

_ROWS_PER_PAIR = len(LEANINGS)  # a pair of left and right rows is drawn as one


def _facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Document:
    """Return the values of the dataset card: counts and patterns of the first config, and the templates.

    `arguments` has the number of distinct arguments by number of examples.
    """
    family = load_family(templates)
    first_split = next(iter(manifest.configs.values()))["test"]
    columns = ["pattern_id", "base_id", "shots", "instruction_id", "variation"]
    table = pq.read_table([folder / file.path for file in first_split.files], columns=columns)
    n_instructions = len(table["instruction_id"].unique())
    rows_by_shots = Counter(table["shots"].to_pylist())
    mini_rows = next(
        (splits["test"].rows for name, splits in manifest.configs.items() if name.endswith("_mini")), 0
    )
    return {
        "instructions": n_instructions,
        "arguments": {shots: rows // n_instructions for shots, rows in sorted(rows_by_shots.items())},
        "bases": len(table["base_id"].unique()),
        "layouts": len(table["variation"].unique()),
        "patterns": list(dict.fromkeys(table["pattern_id"].to_pylist())),
        "mini_rows": mini_rows,
        "languages": sorted(family.languages),
        "family": family,
    }


def _build_xl(
    templates: Path | None = None, rows: int | None = None, unpublished: bool = False
) -> DatasetSpec:
    """Return the specification of the XL set, with `rows` rows divided evenly among the configs.

    A config with fewer rows than its share contributes all of them.
    """
    if rows is None:
        return xl_dataset(templates, unpublished=unpublished)
    max_rows = _max_rows_by_config(templates, unpublished)
    return xl_dataset(
        templates,
        dict(zip(max_rows, split_rows(rows, [*max_rows.values()], _ROWS_PER_PAIR), strict=True)),
        unpublished,
    )


def _max_rows_by_config(templates: Path | None = None, unpublished: bool = False) -> Mapping[str, int]:
    """Map each config to the number of rows that its design has."""
    return {config.name: config.product for config in configs(load(templates, unpublished))}


def _xl_facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Document:
    """Return the values of the dataset card: countries, issues, schemas and design sizes."""
    unpublished = all(config.endswith("_fresh") for config in manifest.configs)
    xl_templates = load(templates, unpublished)
    countries = {stage.country.id: stage.country for stage in xl_templates.stages}.values()
    political = [country for country in countries if country.country]  # without the control
    topics = {xl_templates.issues.topic(issue) for country in political for issue in country.positions}
    return {
        "large": xl_templates,
        "countries": [*countries],
        "political": political,
        "kinds": _xl_kinds(manifest, templates, unpublished),
        "goals": max(map(len, xl_templates.issues.goals.values())),
        "topics": len(topics),
        "schemas": load_schemas(xl_templates.folder),
        "languages": list(TAGS),
        "unpublished": unpublished,
    }


def _xl_kinds(manifest: Manifest, templates: Path | None, unpublished: bool) -> Json:
    """Map each kind of config, such as `formal`, to its number of configs, their rows and maximum rows."""
    max_rows = _max_rows_by_config(templates, unpublished)
    sizes_by_kind: dict[str, list[tuple[int, int]]] = {}
    for config, splits in manifest.configs.items():
        _country, _language, kind = config.split("_", 2)
        sizes_by_kind.setdefault(kind, []).append((splits["test"].rows, max_rows[config]))
    return {
        kind: {
            "configs": len(sizes),
            "rows": _range_text(rows for rows, _ in sizes),
            "design": _range_text(rows for _, rows in sizes),
        }
        for kind, sizes in sizes_by_kind.items()
    }


def _range_text(numbers: Iterable[int]) -> str:
    ordered = sorted({*numbers})
    return " to ".join(f"{number:,}" for number in dict.fromkeys((ordered[0], ordered[-1])))


def _verify_gold(folder: Path, templates: Path | None = None) -> Any:
    from polbias.generators.partisan.gold_verification import verify_gold_labels

    return verify_gold_labels(folder, templates)


def _verify_xl_gold(folder: Path, templates: Path | None = None) -> Any:
    from polbias.generators.partisan.gold_verification import verify_gold_labels_xl

    return verify_gold_labels_xl(folder, templates)


_FOLDER = "templates/partisan"
_BY_LANGUAGE = tuple(
    f"{name}.{tag}.yaml" for name in ("patterns", "instructions", "persons", "clauses") for tag in TAGS
)
_LADDER = ("dataset_ladder.yaml", "ladder/*.yaml", "ladder/bank/*.tsv")
PUBLICATION = Publication(
    "Partisan inferences: formal and material arguments with conclusions for the left and for the right",
    dataset,
    _facts,
    _verify_gold,
    template_folder=TemplateFolder(
        _FOLDER,
        marker="dataset.yaml",
        # The other sets and the reader of their sentences, and languages of which the folder has no country.
        read_elsewhere=(
            *("dataset_xl.yaml", "schemas.yaml", "shortcuts.yaml", "xl/*.yaml"),
            *(*_LADDER, *_BY_LANGUAGE),
        ),
    ),
)
XL_PUBLICATION = Publication(
    "Partisan inferences XL: arguments by schema and by issue, four countries in two languages",
    _build_xl,
    _xl_facts,
    _verify_xl_gold,
    max_rows=_max_rows_by_config,
    rows_per_draw=_ROWS_PER_PAIR,
    template_folder=TemplateFolder(
        _FOLDER,
        marker="dataset_xl.yaml",
        read_elsewhere=(
            *("dataset.yaml", "errata.yaml", "word_fields.yaml", "schemas.yaml", "shortcuts.yaml"),
            *("countries/*.yaml", *_LADDER, *_BY_LANGUAGE),
        ),
    ),
)
