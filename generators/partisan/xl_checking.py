"""Prove the gold labels of a build of the large set: the forms of all rows, and their sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from polbias.generators.engine import named_rng
from polbias.generators.logic.formula import Atom, rename, substitute
from polbias.generators.logic.prover import Proofs
from polbias.generators.logic.syntax import parse_inference
from polbias.generators.partisan.country import LEANINGS, Person
from polbias.generators.partisan.proofs import verdict
from polbias.generators.partisan.reader import Reader, ReadingError
from polbias.generators.partisan.xl_family import IRRELEVANT, READ, Stage, load
from polbias.manifest import Manifest, read_manifest

_COLUMNS = ["id", "argument", "gold", "logical_form"]
_PERSONS = ("a", "b")  # of the left and of the right
Row = Mapping[str, Any]


def prove(folder: Path, templates: Path | None = None) -> Proofs:
    """Prove the forms of all formal rows, and read their sentences back to their formulas.

    Of a config with more than :data:`READ` rows, a seeded sample of so many sentences is read.

    A form is the formula of a row with its persons and its irrelevant comparison as symbols: no postulate is
    about them, so that what follows does not depend on which ones they are.
    """
    manifest, proved, rows = read_manifest(folder), 0, 0
    failed: list[str] = []
    for stage in load(templates).stages:
        check = _Check(stage)
        for config in manifest.configs:
            if not config.startswith(f"{stage.large.config}_formal"):
                continue
            for batch, chosen in _batches(folder, manifest, config):
                rows += len(batch)
                failed += check.forms(batch)
                for row in batch.take(chosen).to_pylist():
                    problem = check.sentence(row)
                    proved += problem is None
                    failed += [] if problem is None else [f"{row['id']}: {problem}"]
    return Proofs(proved, 0, tuple(dict.fromkeys(failed)), rows)


class _Check:
    """Checks the rows of one country.

    Args:
        stage: the country; its people, sides and comparisons are the lexicon.
    """

    def __init__(self, stage: Stage) -> None:
        people = {
            side: [Person(name=p.name, gender=p.gender, source=p.office) for p in stage.large.people[side]]
            for side in LEANINGS
        }
        # Every way to say superior is read, under a name of its own, and means superior.
        ways = {
            f"{meaning}.{way}": entry
            for way, entries in stage.wordings.items()
            for meaning, entry in entries.items()
        }
        lexicon = stage.country(people, ways | dict(stage.irrelevant), next(iter(stage.irrelevant)))
        distractors = [distractor.subordinate for distractor in stage.distractors.values()]
        self._reader = Reader(lexicon, distractors=distractors)
        self._meanings = {name: name.partition(".")[0] for name in ways}
        self._symbols = dict.fromkeys(stage.irrelevant, IRRELEVANT)
        self._patterns = {
            mark: _alternatives(person.name for person in people[side])
            for mark, side in zip(_PERSONS, LEANINGS, strict=True)
        }
        self._comparisons = f"{_alternatives(str(Atom(name)) for name in stage.irrelevant)}[(]"
        self._persons = {
            person.name: mark
            for mark, side in zip(_PERSONS, LEANINGS, strict=True)
            for person in people[side]
        }
        self._verdict = cache(verdict)

    def forms(self, batch: Any) -> Iterator[str]:
        """Yield what is wrong with the forms of rows, each once."""
        forms = batch["logical_form"]
        for mark, pattern in self._patterns.items():
            forms = pc.replace_substring_regex(forms, pattern, mark)
        forms = pc.replace_substring_regex(forms, self._comparisons, f"{IRRELEVANT}(")
        table = pa.table({"form": forms, "gold": batch["gold"]})
        for row in table.group_by(["form", "gold"]).aggregate([]).to_pylist():
            found = self._verdict(parse_inference(row["form"]))
            if found != row["gold"]:
                yield f"gold {row['gold']}, but {row['form']} is {found}"

    def sentence(self, row: Row) -> str | None:
        """Return what is wrong with a row, or None."""
        try:
            read = self._reader.read(row["argument"])
        except ReadingError as error:
            return str(error)
        inference = read.map(lambda formula: rename(formula, self._meanings))
        if str(inference) != row["logical_form"]:
            return f"the sentence says {inference}, the row {row['logical_form']}"
        form = inference.map(lambda formula: rename(substitute(formula, self._persons), self._symbols))
        found = self._verdict(form)
        return None if found == row["gold"] else f"gold {row['gold']}, but {inference} is {found}"


def _alternatives(words: Iterable[str]) -> str:
    """Return a pattern of words, the longest first."""
    return f"({'|'.join(sorted(map(re.escape, words), key=len, reverse=True))})"


def _batches(folder: Path, manifest: Manifest, config: str) -> Iterator[tuple[Any, Sequence[int]]]:
    """Yield the rows of a config in batches, with the places of those to be read."""
    split = manifest.configs[config]["test"]
    rng = named_rng(manifest.dataset, manifest.version, f"read/{config}")
    places = np.sort(rng.choice(split.rows, min(READ, split.rows), replace=False, shuffle=False))
    start = 0
    for file in split.files:
        with pq.ParquetFile(folder / file.path) as parquet:
            for batch in parquet.iter_batches(columns=_COLUMNS):
                first, last = np.searchsorted(places, [start, start + len(batch)])
                yield batch, (places[first:last] - start).tolist()
                start += len(batch)
