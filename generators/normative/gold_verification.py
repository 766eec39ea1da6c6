"""The gold labels of a build, proved again from its sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from polbias.generators.logic.formula import (
    FOL,
    Atom,
    Formula,
    Implies,
    Inference,
    Not,
    rebuild,
)
from polbias.generators.logic.prover import ProofReport, ReadingError
from polbias.generators.logic.prover import prove as decide
from polbias.generators.logic.syntax import parse_inference
from polbias.generators.normative.items import label, logic_of
from polbias.generators.normative.reading import canonical, read_item
from polbias.generators.normative.reading.lexicon import same_verb
from polbias.generators.normative.templates import InferencePattern, load_patterns
from polbias.manifest import read_manifest

_RULE = re.compile(r"If an? (?P<unit>.+?) (?P<p>.+?), then the (?P=unit) (?:must )?(?P<q>.+)\.")


_NEGATION = re.compile(r"^(?:(?:does|did|do) not |(is|are|was|were|be) not |not )")


def read_selection(rule: str, cards: Sequence[str]) -> tuple[Implies, str]:
    """Read a selection task."""
    found = _RULE.fullmatch(rule)
    if not found:
        raise ReadingError(f"found {rule!r}, expected 'If a ... , then the ... .'")
    clauses = {"p": _positive(found["p"])[1], "q": _positive(found["q"])[1]}

    def said(text: str) -> Formula:
        negated, clause = _positive(text)
        same = [name for name, (verb, rest) in clauses.items() if _same(clause, (verb, rest))]
        if len(same) != 1:
            raise ReadingError(f"found {text!r}, expected what the rule {rule!r} speaks of")
        return Not(Atom(same[0])) if negated else Atom(same[0])

    conditional = Implies(said(found["p"]), said(found["q"]))
    turned = [not decide(Inference((said(card),), conditional), FOL).valid for card in cards]
    return conditional, ",".join(letter for letter, turn in zip("ABCD", turned, strict=True) if turn)


def _positive(text: str) -> tuple[bool, tuple[str, str]]:
    """Return whether a clause is negated, and its verb and what follows it without that."""
    bare, count = _NEGATION.subn(lambda match: f"{match[1]} " if match[1] else "", text)
    verb, _, rest = bare.partition(" ")
    return bool(count), (verb, rest)


def _same(one: tuple[str, str], other: tuple[str, str]) -> bool:
    return same_verb(one[0], other[0]) and canonical(one[1]) == canonical(other[1])


_COLUMNS = ["id", "domain", "pattern", "premises", "hypothesis", "gold", "logical_form"]


_CARD_COLUMNS = ["id", "rule", "cards", "gold", "logical_form"]


_WASON = "wason"


Row = Mapping[str, Any]


def verify_gold_labels(folder: Path, templates: Path | None = None) -> ProofReport:
    """Read every problem of a build back to its formula and compare its verdict with the gold."""
    patterns, manifest = load_patterns(templates), read_manifest(folder)
    proved, failed = 0, []
    for config in manifest.configs:
        columns = _CARD_COLUMNS if config == _WASON else _COLUMNS
        files = [folder / file.path for split in manifest.configs[config].values() for file in split.files]
        for row in pq.read_table(files, columns=columns).to_pylist():
            problem = _selection(row) if config == _WASON else _problem(row, patterns[row["pattern"]])
            proved += problem is None
            failed += [] if problem is None else [f"{row['id']}: {problem}"]
    return ProofReport(proved, 0, tuple(failed), proved + len(failed))


def _problem(row: Row, pattern: InferencePattern) -> str | None:
    """Return what is wrong with a problem, or None."""
    try:
        read = read_item(" ".join(row["premises"]), row["hypothesis"], row["domain"], flavoured=True)
    except ReadingError as error:
        return str(error)
    if read.findings:
        return f"not good English: {', '.join(read.findings)}"
    inference, written = read.readings[0].inference, _written(row["logical_form"])
    if inference != written:
        return f"the sentences say {inference}, the row {written}"
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


@lru_cache(maxsize=4096)
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
