"""Shortcuts of builds: the columns to guess from, and the shortcuts that a dataset is known to have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

import pyarrow.parquet as pq
from pydantic import Field

from polbias.generators.auditing.guessing import N_PERMUTATIONS
from polbias.generators.auditing.shortcuts import (
    Adjustment,
    GuessItem,
    Shortcut,
    adjust_shortcuts,
    find_shortcuts,
    hidden_texts,
)
from polbias.generators.engine.publication import Publication
from polbias.manifest import Manifest
from polbias.paths import package_file
from polbias.yaml_models import TemplateModel, load_template

FILE_NAME = "shortcuts.yaml"
_TOLERANCE = 0.02  # of the AUC of a known shortcut

Part = Literal["text", "premise", "hypothesis"]
Clue = Literal["premise", "hypothesis", "words", "function words", "length", "layout"]


class KnownShortcut(TemplateModel):
    """Shortcut that a design has on purpose, or inherits.

    Attributes:
        configs: patterns of their names.
        label: gold or side.
        clues: the guesser's information.
        auc: the highest AUC that is accepted.
        reason: why it stays.
    """

    configs: tuple[str, ...] = ("*",)
    label: Literal["gold", "side"]
    clues: tuple[Clue, ...]
    auc: float = Field(ge=0.5, le=1)
    reason: str

    def covers(self, test: Shortcut) -> bool:
        """Whether a test has this shortcut, and not a larger one."""
        return (
            test.label == self.label
            and test.clue in self.clues
            and _matches(test.config, self.configs)
            and test.guess.auc <= self.auc + _TOLERANCE
        )


class ShortcutColumns(TemplateModel):
    """Columns of some configs of a dataset.

    Attributes:
        configs: patterns of their names.
        parts: column of the text, or of premise and hypothesis.
        gold: column of the gold label.
        side: column of the side.
        group: column whose values are held out together.
        block: column whose rows in a group got their label together.
        masked: columns of persons and parties, or placeholders as `column.name`.
        where: values by column of the rows to take.
    """

    configs: tuple[str, ...]
    parts: Mapping[Part, str]
    gold: str | None = None
    side: str | None = None
    group: str
    block: str | None = None
    masked: tuple[str, ...] = ()
    where: Mapping[str, tuple[str, ...]] = {}


class ShortcutDesign(TemplateModel):
    """Configs of a dataset whose labels are guessed, and its known shortcuts."""

    configs: tuple[ShortcutColumns, ...]
    known: tuple[KnownShortcut, ...] = ()


class _DesignFile(TemplateModel):
    datasets: Mapping[str, ShortcutDesign]


def read_design(name: str, publication: Publication, templates: Path | None) -> ShortcutDesign | None:
    """Return the design of a dataset, of a custom template folder if it has one; None without one."""
    if publication.template_folder is None:
        return None
    folders = [publication.template_folder.path(templates), package_file(publication.template_folder.shipped)]
    path = next((folder / FILE_NAME for folder in folders if (folder / FILE_NAME).is_file()), None)
    return load_template(path, _DesignFile).datasets.get(name) if path else None


def build_shortcuts(
    manifest: Manifest,
    folder: Path,
    design: ShortcutDesign,
    adjust: Adjustment,
    configs: Sequence[str] | None = None,
    n_permutations: int = N_PERMUTATIONS,
    skip_at_chance: bool = False,
) -> list[Shortcut]:
    """Return the tests of the configs of a build, adjusted for all of them.

    Args:
        manifest: manifest of the build.
        folder: folder of the build.
        design: design of the dataset.
        adjust: Holm's correction of p values.
        configs: names of the configs; None for all that the design names.
        n_permutations: number of permutations of the labels.
        skip_at_chance: whether labels are not permuted if the AUC is at most .5.
    """
    tests = []
    for config, splits in manifest.configs.items():
        columns = _find_columns(design, config)
        if columns is None or "test" not in splits or (configs is not None and config not in configs):
            continue
        items = _read_items([folder / file.path for file in splits["test"].files], columns)
        tests += [
            Shortcut(test.label, test.clue, test.guess, config)
            for test in find_shortcuts(items, n_permutations, skip_at_chance, are_groups_certain=True)
        ]
    return adjust_shortcuts(tests, adjust)


def unknown_shortcuts(tests: Sequence[Shortcut], design: ShortcutDesign) -> Iterator[Shortcut]:
    """Yield the shortcuts that the design does not know."""
    for test in tests:
        if test.is_leak and not any(known.covers(test) for known in design.known):
            yield test


def _find_columns(design: ShortcutDesign, config: str) -> ShortcutColumns | None:
    return next((columns for columns in design.configs if _matches(config, columns.configs)), None)


def _matches(config: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(config, pattern) for pattern in patterns)


def _read_items(files: Sequence[Path], columns: ShortcutColumns) -> list[GuessItem]:
    """Return the rows of a config as items; an absent label has none."""
    available = pq.read_schema(files[0]).names
    role_columns = [columns.gold, columns.side, columns.group, columns.block, *columns.parts.values()]
    names = {name for name in role_columns if name} | {name.split(".")[0] for name in columns.masked}
    table = pq.read_table(files, columns=sorted((names | {*columns.where}) & {*available}))
    return [
        GuessItem(
            parts={role: " ".join(hidden_texts(row[name])) for role, name in columns.parts.items()},
            gold=_label(row, columns.gold),
            side=_label(row, columns.side),
            group=_label(row, columns.group),
            block=_label(row, columns.block),
            masked=[text for name in columns.masked for text in hidden_texts(_value(row, name))],
        )
        for row in table.to_pylist()
        if all(str(row[name]) in values for name, values in columns.where.items())
    ]


def _label(row: Mapping[str, Any], name: str | None) -> str | None:
    value = row.get(name) if name else None
    return None if value is None else str(value)


def _value(row: Mapping[str, Any], name: str) -> Any:
    column, _, key = name.partition(".")
    value = row.get(column)
    return value.get(key) if key and isinstance(value, Mapping) else value
