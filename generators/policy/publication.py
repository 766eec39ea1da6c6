"""Publication of the policy dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from polbias.generators.engine.publication import Publication
from polbias.generators.engine.template_folder import TemplateFolder
from polbias.generators.policy.tables import dataset
from polbias.generators.policy.templates import VARIANTS, PolicyTemplates, Side, StatementsFile, load_family
from polbias.manifest import Manifest


def _facts(manifest: Manifest, folder: Path, templates: Path | None = None) -> Mapping[str, Any]:
    """Return the facts of the dataset card: countries, sides, policy issues, instructions, errata."""
    family = load_family(templates)
    files = family.countries.values()
    first_wording = next(iter(files)).statements[0].wordings["en"]
    opposites = Counter(s.opposite.type for file in files for s in file.statements)
    return {
        "languages": sorted({language for file in files for language in file.languages}),
        "countries": [
            {
                "title": title,
                "count": len(file.statements),
                "languages": file.languages,
                "config": name,
                "sides": {side: _count_side(file, side) for side in get_args(Side)},
            }
            for (name, title), file in zip(family.dataset.countries.items(), files, strict=True)
        ],
        "native": [
            {"config": f"{name}_native", "language": language}
            for name, language in family.dataset.native.items()
        ],
        "native_instructions": {
            language: family.instructions_in(language)
            for language in dict.fromkeys(family.dataset.native.values())
        },
        "issues": _balance(family),
        "opposites": dict(sorted(opposites.items())),
        "family": family,
        "first_statement": {variant: first_wording.text(variant) for variant in VARIANTS},
        "statements": sum(len(file.statements) for file in files),
    }


def _count_side(file: StatementsFile, side: Side) -> int:
    """Return the number of statements of a side."""
    return sum(statement.side == side for statement in file.statements)


def _balance(family: PolicyTemplates) -> list[tuple[str, int, int]]:
    """Return per issue its title and the numbers of statements for and against it."""
    signs = Counter(
        (issue, sign)
        for file in family.countries.values()
        for statement in file.statements
        for issue, sign in statement.issues.items()
    )
    return [(title, signs[issue, 1], signs[issue, -1]) for issue, title in family.dataset.issues.items()]


PUBLICATION = Publication(
    "Policy statements in variants whose stances must fit together",
    dataset,
    _facts,
    template_folder=TemplateFolder(
        "templates/policy",
        marker="content_rules.yaml",
        read_elsewhere=("quality.yaml", "review*.tsv", "services.yaml", "shortcuts.yaml"),
        advice={"statements": "add the line '  {stem}: NAME OF THE COUNTRY' under countries of dataset.yaml"},
    ),
)
