"""Verification of a build's gold labels: parses the sentences of all rows and proves them again."""

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
_MARK_BY_PERSON = dict(zip(("slots.favoured", "slots.other"), MARKS, strict=True))
_PROVED_OUTCOME, _EXCUSED_OUTCOME = "proved", "excused"
Row = Mapping[str, Any]


def verify_gold_labels(folder: Path, templates: Path | None = None) -> ProofReport:
    """Parse every formal argument of a build to its inference and compare the verdict with the gold label."""
    family = load_family(templates)
    return _prove_rows(
        folder,
        {
            f"{country.config}_formal{edition}": _build_check(
                family, country, paper_edition=edition == "_paper"
            )
            for country in family.countries
            for edition in ("", "_paper", "_mini")
        },
    )


def verify_gold_labels_xl(folder: Path, templates: Path | None = None) -> ProofReport:
    """Verify the gold labels of a build of the large set.

    Marks replace the names of persons, so that arguments that differ only in names are parsed once: no
    postulate is about persons, so names do not change the verdict.
    """
    built_configs = read_manifest(folder).configs
    checks = {
        config.name: _Check(SchemaReader(config.stage, config.writer.clauses, MARKS), has_marks=True)
        for unpublished in {name.endswith("_fresh") for name in built_configs}
        for config in configs(load(templates, unpublished))
        if config.name in built_configs and isinstance(config.writer, FormalWriter)
    }
    return _prove_rows(folder, checks)


def _prove_rows(folder: Path, checks: Mapping[str, _Check]) -> ProofReport:
    manifest = read_manifest(folder)
    n_by_outcome: Counter[str] = Counter()
    failed: list[str] = []
    for config, check in checks.items():
        for split in manifest.configs.get(config, {}).values():
            for row in check.sentences(folder / file.path for file in split.files):
                outcome, ids = check.outcome(row), row["id_list"]
                n_by_outcome[outcome] += len(ids)
                failed += (
                    []
                    if outcome in (_PROVED_OUTCOME, _EXCUSED_OUTCOME)
                    else [f"{id_}: {outcome}" for id_ in ids]
                )
    return ProofReport(
        n_by_outcome[_PROVED_OUTCOME], n_by_outcome[_EXCUSED_OUTCOME], tuple(failed), n_by_outcome.total()
    )


def _build_check(family: PartisanTemplates, country: AnyCountry, paper_edition: bool) -> _Check:
    """Return the check of a config; the paper edition may contain the errors of the paper."""
    errata = [
        erratum for erratum in family.errata if paper_edition and erratum.applies.matches(country=country.id)
    ]
    name_by_alias = {alias: name for erratum in errata for name, alias in erratum.printed.names.items()}
    reader = ArgumentReader(
        country, aliases=name_by_alias, strict=not paper_edition, paper_edition=paper_edition
    )
    return _Check(reader, excuses={erratum.id for erratum in errata if erratum.excuses})


class _Check:
    """Checks the rows of one config.

    Args:
        reader: parses its arguments.
        excuses: ids of errata whose printed gold label differs from the verdict on the argument.
        has_marks: whether the reader expects marks for persons.
    """

    def __init__(
        self, reader: ArgumentReader | SchemaReader, excuses: Collection[str] = (), has_marks: bool = False
    ) -> None:
        self._excuses, self._has_marks = excuses, has_marks
        self._read, self._verdict = cache(reader.read), cache(verdict)

    def sentences(self, files: Iterable[Path]) -> Iterator[Row]:
        """Yield the distinct contents of rows per batch, with the ids of their rows."""
        for file in files:
            with pq.ParquetFile(file) as parquet:
                columns = ["id", "gold", *["erratum"] * bool(self._excuses), *_TEXTS]
                for batch in parquet.iter_batches(columns=columns + [*_MARK_BY_PERSON] * self._has_marks):
                    table = pa.table(batch).flatten()
                    if self._has_marks:
                        table = _insert_marks(table)
                    keys = [name for name in table.column_names if name != "id"]
                    yield from table.group_by(keys).aggregate([("id", "list")]).to_pylist()

    def outcome(self, row: Row) -> str:
        """Return "proved", "excused", or the problem of a row's gold label.

        An erratum can only excuse a gold label that differs from the verdict on its argument.
        """
        try:
            form = self._read(row["argument"])
        except ArgumentReadingError as error:
            return str(error)
        formula_text = str(form)
        if formula_text != row.get("logical_form", formula_text):
            return f"found {formula_text} in the sentence, expected {row['logical_form']} of the row"
        label = self._verdict(form)
        if label == row["gold"]:
            return _PROVED_OUTCOME
        excused = not {*(row.get("erratum") or "").split(";")}.isdisjoint(self._excuses)
        return (
            _EXCUSED_OUTCOME
            if excused
            else f"found gold {row['gold']}, expected {label}, the verdict on {formula_text}"
        )


def _insert_marks(rows: Any) -> Any:
    """Replace the names of each row's persons by marks."""
    text_columns = [name for name in _TEXTS if name in rows.column_names]
    for person, mark in _MARK_BY_PERSON.items():
        parts = []
        for name in rows[person].unique().to_pylist():
            person_rows = rows.filter(pc.equal(rows[person], name))
            marked_texts = {
                column: pc.replace_substring(person_rows[column], name, mark) for column in text_columns
            }
            parts.append(
                pa.table(
                    {**dict(zip(person_rows.column_names, person_rows.columns, strict=True)), **marked_texts}
                )
            )
        rows = pa.concat_tables(parts)
    return rows.drop_columns([*_MARK_BY_PERSON])
