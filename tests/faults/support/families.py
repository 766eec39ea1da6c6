"""Small copies of the shipped templates, so that thousands of them can be read and specified."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from polbias.paths import package_file

_KEPT = 2
"""Entries that are kept of each kind in a long list."""
_KINDS = ("status", "type", "gold", "gender")
"""Fields that tell the kinds apart of which a dataset wants the same number."""
_ROWS = 4
"""Rows that are made of each table."""


@dataclass(frozen=True)
class Target:
    """A family: how it is read, and its files.

    Attributes:
        folder: of the copy.
        load: reads it, specifies its datasets and makes some rows.
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


def _specified(name: str, folder: Path, **wanted: Any) -> None:
    """Do what a build does before it writes: all of the specification, and rows of each table."""
    from polbias import registry
    from polbias.generators.engine import TableRows

    publication = registry.publication(name)
    for table in publication.build_spec(folder, **wanted).tables:
        rows = TableRows(table)
        for _ in rows.batches(0, min(_ROWS, len(rows))):
            pass


def _policy(folder: Path) -> None:
    _specified("policy-statements", folder)


def _partisan(folder: Path) -> None:
    _specified("partisan-inference", folder)


def _partisan_xl(folder: Path) -> None:
    _specified("partisan-inference-xl", folder, rows=48)


def _normative(folder: Path) -> None:
    _specified("normative-reasoning", folder)


def _xphemism(folder: Path) -> None:
    from polbias.generators.authoring.annotation.tasks import Guideline
    from polbias.yaml_models import load_template

    load_template(folder / "guideline.yaml", Guideline)
    _specified("xphemism-pairs", folder)


def _selfassess(folder: Path) -> None:
    _specified("self-assessment", folder)


_LOADERS: Mapping[str, tuple[str, Callable[[Path], None]]] = {
    "policy": ("policy", _policy),
    "partisan": ("partisan", _partisan),
    "partisan-xl": ("partisan", _partisan_xl),
    "normative": ("normative", _normative),
    "xphemism": ("xphemism", _xphemism),
    "selfassess": ("selfassess", _selfassess),
}
FAMILIES = tuple(_LOADERS)


def target(family: str, folder: Path) -> Target:
    """Copy the templates of a family, with long files shortened and the numbers in them adjusted."""
    templates, load = _LOADERS[family]
    copy = folder / family
    without_ladder = shutil.ignore_patterns("ladder", "dataset_ladder.yaml")  # no family here reads these
    shutil.copytree(package_file(f"templates/{templates}"), copy, ignore=without_ladder)
    for path in sorted(copy.rglob("*.yaml")):
        if path.stat().st_size > 12_000:
            _rewrite(path, _first)
    if family in _FITTING:
        _FITTING[family](copy)
    files = sorted(path for path in copy.rglob("*") if path.suffix in (".yaml", ".tsv"))
    load(copy)  # the short copy is sound
    return Target(copy, load, tuple(path.relative_to(copy).as_posix() for path in files))


def _rewrite(path: Path, change: Callable[[Any], Any]) -> None:
    data = change(yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader))
    text = yaml.dump(data, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=110)
    path.write_text(text, "utf-8")


def _first(value: Any) -> Any:
    """Keep the first entries of each kind of every long list of mappings."""
    if isinstance(value, dict):
        return {name: _first(each) for name, each in value.items()}
    if isinstance(value, list) and len(value) > 4 * _KEPT and all(isinstance(each, dict) for each in value):
        seen: Counter[Any] = Counter()
        kept = []
        for each in value:
            kind = next((each[name] for name in _KINDS if isinstance(each.get(name), str)), None)
            seen[kind] += 1
            if seen[kind] <= _KEPT:
                kept.append(each)
        return kept
    return value


def _fit_partisan(folder: Path) -> None:
    """One country, and few instructions."""
    other = ("persons.*.yaml", "clauses.*.yaml", "schemas.yaml", "dataset_xl.yaml")
    for path in (*folder.glob("*.de.yaml"), *folder.glob("countries/*.yaml"), *_found(folder, other)):
        if path.stem != "us-en":
            path.unlink(missing_ok=True)
    shutil.rmtree(folder / "xl")
    _rewrite(folder / "dataset.yaml", lambda data: data | {"shots": [0, 8], "crossed": []})
    _keep(folder / "instructions.en.yaml", "formal", "material", most=1)


def _fit_partisan_xl(folder: Path) -> None:
    """One country with few of all, and few instructions."""
    shutil.rmtree(folder / "countries")
    for path in (
        *folder.glob("xl/*.yaml"),
        *_found(folder, ("dataset.yaml", "errata.yaml", "word_fields.yaml")),
    ):
        if path.stem not in ("gb", "issues"):
            path.unlink()
    _rewrite(folder / "xl" / "gb.yaml", lambda data: data | {"positions": ["taxes"]})
    _rewrite(
        folder / "xl" / "issues.yaml",
        lambda data: (
            data
            | {"goals": {"politics": dict([*data["goals"]["politics"].items()][:_KEPT])}}
            | {"positions": {"taxes": {**data["positions"]["taxes_gb"], "topic": None}}}
        ),
    )
    _rewrite(folder / "schemas.yaml", lambda data: data | {"schemas": data["schemas"][:_KEPT]})
    for tag in ("en", "de"):
        _keep(folder / f"instructions.{tag}.yaml", "formal", "material", most=1)
        _rewrite(folder / f"persons.{tag}.yaml", _few_persons)


def _few_persons(data: dict[str, Any]) -> dict[str, Any]:
    lists = {n: {g: names[:_KEPT] for g, names in each.items()} for n, each in data["lists"].items()}
    return data | {"lists": lists}


def _found(folder: Path, patterns: Iterable[str]) -> Iterator[Path]:
    for pattern in patterns:
        yield from folder.glob(pattern)


def _keep(path: Path, *fields: str, most: int = _KEPT) -> None:
    """Keep the first entries of some mappings."""
    _rewrite(path, lambda data: _first(data) | {each: dict([*data[each].items()][:most]) for each in fields})


def _fit_normative(folder: Path) -> None:
    _rewrite(
        folder / "dataset.yaml",
        lambda data: data | {"per_cell": 1, "per_cell_balanced": {"logic": 1, "syllogism": 1}},
    )


def _fit_xphemism(folder: Path) -> None:
    claims = sum(
        len(yaml.safe_load(path.read_text("utf-8"))["claims"])
        for path in sorted((folder / "claims").glob("*.yaml"))
    )
    _rewrite(folder / "dataset.yaml", lambda data: data | {"claims": claims})


def _fit_selfassess(folder: Path) -> None:
    """One set of two small categories."""
    keep = {"poligen": ("edu", "soc")}

    def fewer(sets: dict[str, Any]) -> dict[str, Any]:
        made = {name: sets[name] for name in keep}
        for name, codes in keep.items():
            found = made[name]["categories"]
            made[name]["categories"] = {code: found[code] | {"count": 3} for code in codes}
        return made

    _rewrite(folder / "sets.yaml", fewer)
    _rewrite(folder / "errata.yaml", lambda errata: [each for each in errata if each["applies"] == "none"])
    for path in folder.rglob("*.tsv"):
        if path.stem not in keep.get(path.parent.name, ()):
            path.unlink()
            continue
        head, *rows = path.read_text("utf-8").splitlines()
        kept = [
            next(row for row in rows if row.endswith(f"\t{tilt}")) for tilt in ("left", "neutral", "right")
        ]
        path.write_text("\n".join((head, *kept, "")), "utf-8")


_FITTING: Mapping[str, Callable[[Path], None]] = {
    "partisan": _fit_partisan,
    "partisan-xl": _fit_partisan_xl,
    "normative": _fit_normative,
    "xphemism": _fit_xphemism,
    "selfassess": _fit_selfassess,
}
