"""The gold labels of a build, proved again from its sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from polbias.generators.logic.prover import Proofs
from polbias.generators.partisan.country import AnyCountry
from polbias.generators.partisan.proofs import verdict
from polbias.generators.partisan.reader import Reader, ReadingError
from polbias.generators.partisan.templates import Family, load_family
from polbias.manifest import Manifest, read_manifest

_COLUMNS = ["id", "argument", "gold", "logical_form", "erratum"]
_PROVED, _EXCUSED = "proved", "excused"
Row = Mapping[str, Any]


def prove(folder: Path, templates: Path | None = None) -> Proofs:
    """Read every formal sentence of a build back to its formula and compare its verdict with the gold."""
    family, manifest = load_family(templates), read_manifest(folder)
    found: Counter[str] = Counter()
    failed = []
    for country in family.countries:
        for edition in ("", "_paper", "_mini"):
            check = _Check(family, country, printed=edition == "_paper")
            for row in _rows(folder, manifest, f"{country.config}_formal{edition}"):
                outcome = check.outcome(row)
                found[outcome] += 1
                if outcome not in (_PROVED, _EXCUSED):
                    failed.append(f"{row['id']}: {outcome}")
    return Proofs(found[_PROVED], found[_EXCUSED], tuple(failed), found.total())


class _Check:
    """Checks the rows of one config.

    Args:
        family: the templates.
        country: whose arguments they are.
        printed: whether they may have the slips of grammar, spelling and logic that the paper prints.
    """

    def __init__(self, family: Family, country: AnyCountry, printed: bool) -> None:
        errata = [e for e in family.errata if printed and e.applies.matches(country=country.id)]
        names = {printed: name for erratum in errata for name, printed in erratum.printed.names.items()}
        reader = Reader(country, aliases=names, strict=not printed)
        self._excuses = {erratum.id for erratum in errata if erratum.excuses}
        self._read = cache(reader.read)

    def outcome(self, row: Row) -> str:
        """Return that the gold of a row is proved or excused, or what is wrong with it.

        Only a gold that differs from the verdict on its sentence can be excused, and only by an erratum that
        says so.
        """
        try:
            inference = self._read(row["argument"])
        except ReadingError as error:
            return str(error)
        if str(inference) != row["logical_form"]:
            return f"the sentence says {inference}, the row {row['logical_form']}"
        label = verdict(inference)
        if label == row["gold"]:
            return _PROVED
        if not self._excuses.isdisjoint((row["erratum"] or "").split(";")):
            return _EXCUSED
        return f"gold {row['gold']}, but {inference} is {label}"


def _rows(folder: Path, manifest: Manifest, config: str) -> Iterator[Row]:
    for split in manifest.configs.get(config, {}).values():
        yield from pq.read_table([folder / file.path for file in split.files], columns=_COLUMNS).to_pylist()
