"""Small copies of the shipped templates, so that thousands of them can be read."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from polbias.locations import package_file

_KEPT = 2
"""Entries that are kept of a long list."""


@dataclass(frozen=True)
class Target:
    """A family: how it is read, and its files.

    Attributes:
        folder: of the copy.
        load: reads it.
        files: below the folder; each may be damaged.
    """

    folder: Path
    load: Callable[[Path], Any]
    files: tuple[str, ...]

    @cached_property
    def originals(self) -> tuple[bytes, ...]:
        """The files as they are."""
        return tuple((self.folder / name).read_bytes() for name in self.files)

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of the files and of their folders."""
        paths = map(Path, self.files)
        return frozenset(name for path in paths for name in (path.name, path.parent.name) if name)

    def read(self, which: int, data: bytes) -> None:
        """Read the family with one file damaged."""
        originals = self.originals
        path = self.folder / self.files[which]
        path.write_bytes(data)
        try:
            self.load(self.folder)
        finally:
            path.write_bytes(originals[which])


def _policy(folder: Path) -> Any:
    from polbias.generators.policy.family import load_family

    return load_family(folder)


def _partisan(folder: Path) -> Any:
    from polbias.generators.partisan.family import load_family

    return load_family(folder)


def _normative(folder: Path) -> Any:
    from polbias.generators.normative.family import load_family
    from polbias.generators.normative.wason import selections

    family = load_family(folder)
    return selections(family)


def _xphemism(folder: Path) -> Any:
    from polbias.generators.engine.templates import load_template
    from polbias.generators.xphemism.annotation.guideline import load_guideline
    from polbias.generators.xphemism.family import DatasetFile, PromptsFile
    from polbias.generators.xphemism.generation import load_generation
    from polbias.generators.xphemism.lexicon import load_lexicon
    from polbias.generators.xphemism.own_claims import load_own_claims

    # One by one: the whole family has the number of its claims in a file.
    load_template(folder / "dataset.yaml", DatasetFile)
    load_template(folder / "prompts.yaml", PromptsFile)
    load_guideline(folder)
    load_generation(folder / "generation.yaml")
    return load_own_claims(folder, load_lexicon(folder))


def _selfassess(folder: Path) -> Any:
    from polbias.generators.selfassess.items import read_items
    from polbias.generators.selfassess.sets import load_family

    family = load_family(folder)
    for path in sorted((folder / "poligen").glob("*.tsv")):
        list(read_items(path, family.sets["poligen"]))


_LOADERS = {
    "policy": _policy,
    "partisan": _partisan,
    "normative": _normative,
    "xphemism": _xphemism,
    "selfassess": _selfassess,
}
FAMILIES = tuple(_LOADERS)


def target(family: str, folder: Path) -> Target:
    """Copy the templates of a family, with long files shortened."""
    copy = folder / family
    shutil.copytree(package_file(f"templates/{family}"), copy)
    for path in sorted(copy.rglob("*.yaml")):
        if path.stat().st_size > 12_000:
            _shorten(path)
    for path in copy.rglob("*.tsv"):
        if path.stat().st_size > 5_000 and family == "selfassess":
            path.unlink()
    files = sorted(path for path in copy.rglob("*") if path.suffix in (".yaml", ".tsv"))
    load = _LOADERS[family]
    load(copy)  # the short copy is sound
    return Target(copy, load, tuple(path.relative_to(copy).as_posix() for path in files))


def _shorten(path: Path) -> None:
    """Keep the first entries of every long list of mappings."""
    data = yaml.safe_load(path.read_text("utf-8"))
    path.write_text(yaml.safe_dump(_first(data), allow_unicode=True, sort_keys=False, width=110), "utf-8")


def _first(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _first(each) for name, each in value.items()}
    if isinstance(value, list) and len(value) > 4 * _KEPT and all(isinstance(each, dict) for each in value):
        return [_first(each) for each in value[:_KEPT]]
    return value
