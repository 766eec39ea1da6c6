"""Prove the gold labels of a build from its sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from polbias.generators.logic.formula import Atom, Formula, Inference, rebuild
from polbias.generators.logic.proofs import Proofs
from polbias.generators.logic.prover import prove as decide
from polbias.generators.logic.reading import ReadingError
from polbias.generators.logic.syntax import parse_inference
from polbias.generators.normative.golds import label, logic_of
from polbias.generators.normative.patterns import Pattern, load_patterns
from polbias.generators.normative.reading import canonical, read_item
from polbias.generators.normative.selection import read_selection
from polbias.manifest import Manifest, read_manifest

_COLUMNS = ["id", "domain", "pattern", "premises", "hypothesis", "gold", "logical_form"]
_CARD_COLUMNS = ["id", "rule", "cards", "gold", "logical_form"]
_WASON = "wason"
Row = Mapping[str, Any]


def prove(folder: Path, templates: Path | None = None) -> Proofs:
    """Read every problem of a build back to its formula and compare its verdict with the gold.

    Args:
        folder: the built dataset.
        templates: a folder laid out like ``templates/normative``; by default that one.

    Returns:
        What was proved and what was not; no gold of this family is excused.
    """
    patterns, manifest = load_patterns(templates), read_manifest(folder)
    proved, failed = 0, []
    for config in manifest.configs:
        columns = _CARD_COLUMNS if config == _WASON else _COLUMNS
        check: Callable[[Row], str | None] = _selection if config == _WASON else _Problems(patterns)
        for row in _rows(folder, manifest, config, columns):
            problem = check(row)
            proved += problem is None
            failed += [] if problem is None else [f"{row['id']}: {problem}"]
    return Proofs(proved, 0, tuple(failed), proved + len(failed))


class _Problems:
    """Checks problems; each text is read once, each written form parsed once."""

    def __init__(self, patterns: Mapping[str, Pattern]) -> None:
        self._patterns = patterns
        self._written = lru_cache(maxsize=4096)(_written)

    def __call__(self, row: Row) -> str | None:
        """Return what is wrong with a row, or None."""
        try:
            read = read_item(" ".join(row["premises"]), row["hypothesis"], row["domain"])
        except ReadingError as error:
            return str(error)
        if read.findings:
            return f"not good English: {', '.join(read.findings)}"
        inference, written = read.readings[0].inference, self._written(row["logical_form"])
        if inference != written:
            return f"the sentences say {inference}, the row {written}"
        pattern = self._patterns[row["pattern"]]
        verdict = label(decide(inference, logic_of(pattern, row["domain"])))
        return None if verdict == row["gold"] else f"gold {row['gold']}, but {inference} is {verdict}"


def _selection(row: Row) -> str | None:
    """Return what is wrong with a selection task, or None."""
    try:
        conditional, gold = read_selection(row["rule"], row["cards"])
    except ReadingError as error:
        return str(error)
    if str(conditional) != row["logical_form"]:
        return f"the rule says {conditional}, the row {row['logical_form']}"
    return None if gold == row["gold"] else f"gold {row['gold']}, but the cards to turn over are {gold}"


def _written(form: str) -> Inference:
    """Return a written form with its words as the reader has them."""
    return parse_inference(form).map(_canonical)


def _canonical(formula: Formula) -> Formula:
    if isinstance(formula, Atom):
        return Atom(
            canonical(formula.predicate),
            tuple(term if term == "x" else canonical(term) for term in formula.terms),
        )
    return rebuild(formula, _canonical)


def _rows(folder: Path, manifest: Manifest, config: str, columns: list[str]) -> Iterator[Row]:
    for split in manifest.configs[config].values():
        for file in split.files:
            for batch in pq.ParquetFile(folder / file.path).iter_batches(columns=columns):
                yield from batch.to_pylist()
