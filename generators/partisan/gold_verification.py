"""The gold labels of a build, proved again from the sentences of all its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from polbias.generators.logic.prover import ProofReport
from polbias.generators.partisan.country import AnyCountry
from polbias.generators.partisan.gold import verdict
from polbias.generators.partisan.reader import ArgumentReader, ArgumentReadingError
from polbias.generators.partisan.schema_reader import SchemaReader
from polbias.generators.partisan.schemas import FormalWriter
from polbias.generators.partisan.templates import PartisanTemplates, load_family
from polbias.generators.partisan.xl_items import MARKS
from polbias.generators.partisan.xl_tables import configs
from polbias.generators.partisan.xl_templates import load
from polbias.manifest import read_manifest

_TEXTS = ("argument", "logical_form")
_PERSONS = dict(zip(("slots.favoured", "slots.other"), MARKS, strict=True))
_PROVED, _EXCUSED = "proved", "excused"
Row = Mapping[str, Any]


def verify_gold_labels(folder: Path, templates: Path | None = None) -> ProofReport:
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


def verify_gold_labels_xl(folder: Path, templates: Path | None = None) -> ProofReport:
    """Do the same for a build of the large set.

    Sentences that differ in the names of their persons alone are read as one, with marks in the place of the
    names: no postulate is about persons, so that what follows does not depend on who they are.
    """
    built = read_manifest(folder).configs
    checks = {
        config.name: _Check(SchemaReader(config.stage, config.writer.clauses, MARKS), marked=True)
        for unpublished in {name.endswith("_fresh") for name in built}
        for config in configs(load(templates, unpublished))
        if config.name in built and isinstance(config.writer, FormalWriter)
    }
    return _proofs(folder, checks)


def _proofs(folder: Path, checks: Mapping[str, _Check]) -> ProofReport:
    manifest = read_manifest(folder)
    found: Counter[str] = Counter()
    failed: list[str] = []
    for config, check in checks.items():
        for split in manifest.configs.get(config, {}).values():
            for row in check.sentences(folder / file.path for file in split.files):
                outcome, ids = check.outcome(row), row["id_list"]
                found[outcome] += len(ids)
                failed += [] if outcome in (_PROVED, _EXCUSED) else [f"{id_}: {outcome}" for id_ in ids]
    return ProofReport(found[_PROVED], found[_EXCUSED], tuple(failed), found.total())


def _published(family: PartisanTemplates, country: AnyCountry, printed: bool) -> _Check:
    """Return the check of a config, which may have the slips that the paper prints."""
    errata = [e for e in family.errata if printed and e.applies.matches(country=country.id)]
    names = {printed: name for erratum in errata for name, printed in erratum.printed.names.items()}
    reader = ArgumentReader(country, aliases=names, strict=not printed, printed=printed)
    return _Check(reader, excuses={erratum.id for erratum in errata if erratum.excuses})


class _Check:
    """Checks the rows of one config.

    Args:
        reader: of its sentences.
        excuses: errata that say that a gold is not the verdict on the sentence.
        marked: whether its reader knows persons as marks.
    """

    def __init__(
        self, reader: ArgumentReader | SchemaReader, excuses: Collection[str] = (), marked: bool = False
    ) -> None:
        self._excuses, self._marked = excuses, marked
        self._read, self._verdict = cache(reader.read), cache(verdict)

    def sentences(self, files: Iterable[Path]) -> Iterator[Row]:
        """Yield what rows say, each once in a batch, with the ids of the rows."""
        for file in files:
            with pq.ParquetFile(file) as parquet:
                columns = ["id", "gold", "erratum", *_TEXTS]
                for batch in parquet.iter_batches(columns=columns + [*_PERSONS] * self._marked):
                    rows = pa.table(batch).flatten()
                    if self._marked:
                        rows = _marked(rows)
                    keys = [name for name in rows.column_names if name != "id"]
                    yield from rows.group_by(keys).aggregate([("id", "list")]).to_pylist()

    def outcome(self, row: Row) -> str:
        """Return that the gold of a row is proved or excused, or what is wrong with it.

        Only a gold that differs from the verdict on its sentence can be excused, and only by an erratum that
        says so.
        """
        try:
            form = self._read(row["argument"])
        except ArgumentReadingError as error:
            return str(error)
        said = str(form)
        if said != row.get("logical_form", said):
            return f"the sentence says {said}, the row {row['logical_form']}"
        found = self._verdict(form)
        if found == row["gold"]:
            return _PROVED
        excused = not {*(row["erratum"] or "").split(";")}.isdisjoint(self._excuses)
        return _EXCUSED if excused else f"gold {row['gold']}, but {said} is {found}"


def _marked(rows: Any) -> Any:
    """Put marks in the place of every row's own persons."""
    texts = [name for name in _TEXTS if name in rows.column_names]
    for person, mark in _PERSONS.items():
        parts = []
        for name in rows[person].unique().to_pylist():
            own = rows.filter(pc.equal(rows[person], name))
            made = {text: pc.replace_substring(own[text], name, mark) for text in texts}
            parts.append(pa.table({**dict(zip(own.column_names, own.columns, strict=True)), **made}))
        rows = pa.concat_tables(parts)
    return rows.drop_columns([*_PERSONS])
