"""The gold labels of a build, proved again from its sentences; of a very large build some, and all forms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from polbias.generators.engine import named_rng
from polbias.generators.logic.formula import Inference, substitute
from polbias.generators.logic.prover import Proofs
from polbias.generators.logic.syntax import parse_inference
from polbias.generators.partisan.arguments import verdict
from polbias.generators.partisan.country import AnyCountry
from polbias.generators.partisan.reader import Reader, ReadingError
from polbias.generators.partisan.schema_reader import SchemaReader
from polbias.generators.partisan.schemas import Formal
from polbias.generators.partisan.templates import Family, load_family
from polbias.generators.partisan.xl_family import READ, load
from polbias.generators.partisan.xl_tables import configs
from polbias.manifest import read_manifest

_COLUMNS = ["id", "argument", "gold", "logical_form", "erratum"]
_PERSONS = ("a", "b")
_PROVED, _EXCUSED = "proved", "excused"
Row = Mapping[str, Any]


def prove(folder: Path, templates: Path | None = None) -> Proofs:
    """Read every formal sentence of a build back to its formula and compare its verdict with the gold."""
    family = load_family(templates)
    return _proofs(
        folder,
        {
            f"{country.config}_formal{edition}": _published(family, country, printed=edition == "_paper")
            for country in family.countries
            for edition in ("", "_paper", "_mini")
        },
    )


def prove_large(folder: Path, templates: Path | None = None) -> Proofs:
    """Do the same for a build of the large set.

    Of a config with more than :data:`READ` rows, a seeded sample of so many sentences is read, and the forms
    of all rows are proved. A form is the formula of a row with its persons as symbols: no postulate is about
    them, so that what follows does not depend on who they are.
    """
    checks: dict[str, _Check] = {}
    for fresh in (False, True):
        for config in configs(load(templates, fresh)):
            if isinstance(config.writer, Formal):
                names = [name for names in config.persons for name in names]
                reader = SchemaReader(config.stage, config.writer.clauses, names)
                checks[config.name] = _Check(reader, persons=config.persons)
    return _proofs(folder, checks)


def _proofs(folder: Path, checks: Mapping[str, _Check]) -> Proofs:
    manifest = read_manifest(folder)
    found: Counter[str] = Counter()
    failed: list[str] = []
    rows = 0
    for config, check in checks.items():
        for split in manifest.configs.get(config, {}).values():
            rng = named_rng(manifest.dataset, manifest.version, f"read/{config}")
            places = np.sort(rng.choice(split.rows, min(READ, split.rows), replace=False, shuffle=False))
            rows += split.rows
            for batch, chosen in _batches([folder / file.path for file in split.files], places):
                failed += check.forms(batch) if split.rows > READ else ()
                for row in batch.take(chosen).to_pylist():
                    outcome = check.outcome(row)
                    found[outcome] += 1
                    failed += [] if outcome in (_PROVED, _EXCUSED) else [f"{row['id']}: {outcome}"]
    return Proofs(found[_PROVED], found[_EXCUSED], tuple(dict.fromkeys(failed)), rows)


def _batches(files: Iterable[Path], places: Any) -> Iterator[tuple[Any, Sequence[int]]]:
    """Yield the rows of a split in batches, with the places of those to be read."""
    start = 0
    for file in files:
        with pq.ParquetFile(file) as parquet:
            for batch in parquet.iter_batches(columns=_COLUMNS):
                first, last = np.searchsorted(places, [start, start + len(batch)])
                yield batch, (places[first:last] - start).tolist()
                start += len(batch)


def _published(family: Family, country: AnyCountry, printed: bool) -> _Check:
    """Return the check of a config, which may have the slips that the paper prints."""
    errata = [e for e in family.errata if printed and e.applies.matches(country=country.id)]
    names = {printed: name for erratum in errata for name, printed in erratum.printed.names.items()}
    reader = Reader(country, aliases=names, strict=not printed, printed=printed)
    return _Check(reader, excuses={erratum.id for erratum in errata if erratum.excuses})


class _Check:
    """Checks the rows of one config.

    Args:
        reader: of its sentences.
        excuses: errata that say that a gold is not the verdict on the sentence.
        persons: lists of persons, for each of which one symbol stands in a form.
    """

    def __init__(
        self,
        reader: Reader | SchemaReader,
        excuses: Collection[str] = (),
        persons: Sequence[Sequence[str]] = (),
    ) -> None:
        self._excuses = excuses
        self._persons = dict(zip(_PERSONS, persons, strict=False))
        self._symbols = {name: mark for mark, names in self._persons.items() for name in names}
        self._reader = reader
        self._read = cache(self._understood)
        self._verdict = cache(verdict)

    def forms(self, batch: Any) -> Iterator[str]:
        """Yield what is wrong with the forms of rows, each once."""
        forms = batch["logical_form"]
        for mark, names in self._persons.items():
            forms = pc.replace_substring_regex(forms, _alternatives(names), mark)
        table = pa.table({"form": forms, "gold": batch["gold"]})
        for row in table.group_by(["form", "gold"]).aggregate([]).to_pylist():
            found = self._verdict(parse_inference(row["form"]))
            if found != row["gold"]:
                yield f"gold {row['gold']}, but {row['form']} is {found}"

    def outcome(self, row: Row) -> str:
        """Return that the gold of a row is proved or excused, or what is wrong with it.

        Only a gold that differs from the verdict on its sentence can be excused, and only by an erratum that
        says so.
        """
        try:
            said, form = self._read(row["argument"])
        except ReadingError as error:
            return str(error)
        if said != row["logical_form"]:
            return f"the sentence says {said}, the row {row['logical_form']}"
        found = self._verdict(form)
        if found == row["gold"]:
            return _PROVED
        excused = not {*(row["erratum"] or "").split(";")}.isdisjoint(self._excuses)
        return _EXCUSED if excused else f"gold {row['gold']}, but {said} is {found}"

    def _understood(self, text: str) -> tuple[str, Inference]:
        """Return what an argument says, and its form."""
        said = self._reader.read(text)
        return str(said), said.map(lambda formula: substitute(formula, self._symbols))


def _alternatives(words: Iterable[str]) -> str:
    """Return a pattern of words, the longest first."""
    return f"({'|'.join(sorted(map(re.escape, words), key=len, reverse=True))})"
