"""Gold labels of a build, proved again from its sentences."""

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
    """Parse a selection task; return its conditional and the letters of the cards to turn over."""
    match = _RULE.fullmatch(rule)
    if not match:
        raise ReadingError(f"found {rule!r}, expected 'If a ... , then the ... .'")
    clauses = {"p": _split_negation(match["p"])[1], "q": _split_negation(match["q"])[1]}

    def parse_literal(text: str) -> Formula:
        negated, clause = _split_negation(text)
        names = [
            name for name, (verb, remainder) in clauses.items() if _is_same_clause(clause, (verb, remainder))
        ]
        if len(names) != 1:
            raise ReadingError(f"found {text!r}, expected a clause of the rule {rule!r}")
        return Not(Atom(names[0])) if negated else Atom(names[0])

    conditional = Implies(parse_literal(match["p"]), parse_literal(match["q"]))
    must_turn = [not decide(Inference((parse_literal(card),), conditional), FOL).valid for card in cards]
    return conditional, ",".join(
        letter for letter, is_turned in zip("ABCD", must_turn, strict=True) if is_turned
    )


def _split_negation(text: str) -> tuple[bool, tuple[str, str]]:
    """Return whether a clause is negated, and its verb and remainder without the negation."""
    positive, n_negations = _NEGATION.subn(lambda match: f"{match[1]} " if match[1] else "", text)
    verb, _, remainder = positive.partition(" ")
    return bool(n_negations), (verb, remainder)


def _is_same_clause(first: tuple[str, str], second: tuple[str, str]) -> bool:
    return same_verb(first[0], second[0]) and canonical(first[1]) == canonical(second[1])


_COLUMNS = ["id", "domain", "pattern", "premises", "hypothesis", "gold", "logical_form"]


_CARD_COLUMNS = ["id", "rule", "cards", "gold", "logical_form"]


_WASON = "wason"


Row = Mapping[str, Any]


def verify_gold_labels(folder: Path, templates: Path | None = None) -> ProofReport:
    """Parse every problem of a build into its formula and compare the verdict with the gold label."""
    patterns, manifest = load_patterns(templates), read_manifest(folder)
    n_proved, failures = 0, []
    for config in manifest.configs:
        columns = _CARD_COLUMNS if config == _WASON else _COLUMNS
        files = [folder / file.path for split in manifest.configs[config].values() for file in split.files]
        for row in pq.read_table(files, columns=columns).to_pylist():
            problem = (
                _selection_error(row) if config == _WASON else _problem_error(row, patterns[row["pattern"]])
            )
            n_proved += problem is None
            failures += [] if problem is None else [f"{row['id']}: {problem}"]
    return ProofReport(n_proved, 0, tuple(failures), n_proved + len(failures))


def _problem_error(row: Row, pattern: InferencePattern) -> str | None:
    """Return the error of a problem, or None."""
    try:
        parsed = read_item(" ".join(row["premises"]), row["hypothesis"], row["domain"], flavoured=True)
    except ReadingError as error:
        return str(error)
    if parsed.findings:
        return f"found language errors: {', '.join(parsed.findings)}"
    inference, row_inference = parsed.readings[0].inference, _parse_row_form(row["logical_form"])
    if inference != row_inference:
        return f"found {inference} in the sentences, expected {row_inference}"
    verdict = label(decide(inference, logic_of(pattern, row["domain"])))
    return None if verdict == row["gold"] else f"found gold {row['gold']}, expected {verdict} for {inference}"


def _selection_error(row: Row) -> str | None:
    """Return the error of a selection task, or None."""
    try:
        conditional, gold = read_selection(row["rule"], row["cards"])
    except ReadingError as error:
        return str(error)
    if str(conditional) != row["logical_form"]:
        return f"found {conditional} in the rule, expected {row['logical_form']}"
    return None if gold == row["gold"] else f"found gold {row['gold']}, expected {gold}"


@lru_cache(maxsize=4096)
def _parse_row_form(form: str) -> Inference:
    """Parse a `logical_form`, with its atoms and terms in normal form."""
    return parse_inference(form).map(_canonical)


def _canonical(formula: Formula) -> Formula:
    if isinstance(formula, Atom):
        return Atom(
            canonical(formula.predicate),
            tuple(term if term == "x" else canonical(term) for term in formula.terms),
        )
    return rebuild(formula, _canonical)
