"""Gold labels proved from formulas, and again from the sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from polbias.files import BuildError
from polbias.generators.logic.explain import explain_form
from polbias.generators.logic.formula import (
    FOL,
    FREE_CHOICE,
    KD,
    KT,
    MODAL_LOGICS,
    Atom,
    Form,
    Formula,
    Implies,
    Inference,
    Logic,
    Not,
    form_of,
    rebuild,
)
from polbias.generators.logic.prover import Outcome, Proofs, ReadingError, Verdict, outcome
from polbias.generators.logic.prover import prove as decide
from polbias.generators.logic.prover import prove as prove_problem
from polbias.generators.logic.syntax import parse_inference
from polbias.generators.normative.family import GOLDS, Gold, Pattern, load_patterns
from polbias.generators.normative.frames import Domain
from polbias.generators.normative.reading import canonical, read_item
from polbias.generators.normative.reading.lexicon import same_verb
from polbias.manifest import Manifest, read_manifest

# How the gold label of a problem is known: its verdict in every logic, and the proof or countermodel.

# Obligations can be broken, so what ought to be need not be; what is certain is so (axiom T).
STANDARD: Mapping[Domain, Logic] = {"deontic": KD, "epistemic": KT}


def logic_of(pattern: Pattern, domain: Domain) -> Logic:
    """Return the logic whose verdict the gold of a pattern is."""
    return FREE_CHOICE if pattern.by_convention else STANDARD[domain]


@dataclass(frozen=True)
class Known:
    """What is known of a problem's gold.

    Attributes:
        gold: the label.
        gold_sdl: the verdict of standard deontic logic (KD).
        basis: name of the logic, or ``"paper"`` where the paper's convention departs from the standard logic
            of the domain (it is that of the enriched "or").
        proof: ``proved:<logic>``.
        verdicts: name of every logic to its verdict.
        derivation: proof of the gold if it is entailment, else None.
        countermodel: of the inference if the gold is non-entailment, else None.
    """

    gold: Gold
    gold_sdl: Gold
    basis: str
    proof: str
    verdicts: Mapping[str, Gold]
    derivation: str | None
    countermodel: str | None


@lru_cache(maxsize=65536)
def known(inference: Inference, pattern: Pattern, domain: Domain) -> Known:
    """Prove the gold of a problem."""
    logic, form = logic_of(pattern, domain), form_of(inference)
    verdicts = _verdicts(form.inference)
    text = explain_form(form, logic)
    gold = verdicts[logic.name]
    if gold != pattern.gold:
        raise BuildError(
            f"patterns.yaml: pattern {pattern.id}: the gold is {pattern.gold!r}, but {inference} is {gold} "
            f"in {logic.name} ({text}); correct the pattern"
        )
    valid = outcome(form, logic).valid
    return Known(
        pattern.gold,
        verdicts[KD.name],
        "paper" if pattern.by_convention else logic.name,
        f"proved:{logic.name}",
        verdicts,
        text if valid else None,
        None if valid else text,
    )


@lru_cache(maxsize=4096)
def _verdicts(form: Inference) -> Mapping[str, Gold]:
    """Return the verdict of every logic; it depends on the form alone."""
    bare = Form(form, (), ())
    return {logic.name: label(outcome(bare, logic)) for logic in MODAL_LOGICS}


def label(verdict: Verdict | Outcome) -> Gold:
    """Return a verdict as a gold label; from contradictory premises nothing counts as entailed."""
    return GOLDS[0] if verdict.valid and verdict.consistent else GOLDS[1]


# Read a selection task back: what its rule says, and which cards can break it.

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
    turned = [not prove_problem(Inference((said(card),), conditional), FOL).valid for card in cards]
    return conditional, ",".join(letter for letter, turn in zip("ABCD", turned, strict=True) if turn)


def _positive(text: str) -> tuple[bool, tuple[str, str]]:
    """Return whether a clause is negated, and its verb and what follows it without that."""
    bare, count = _NEGATION.subn(lambda match: f"{match[1]} " if match[1] else "", text)
    verb, _, rest = bare.partition(" ")
    return bool(count), (verb, rest)


def _same(one: tuple[str, str], other: tuple[str, str]) -> bool:
    return same_verb(one[0], other[0]) and canonical(one[1]) == canonical(other[1])


# Prove the gold labels of a build from its sentences.

_COLUMNS = ["id", "domain", "pattern", "premises", "hypothesis", "gold", "logical_form"]
_CARD_COLUMNS = ["id", "rule", "cards", "gold", "logical_form"]
_WASON = "wason"
Row = Mapping[str, Any]


def prove(folder: Path, templates: Path | None = None) -> Proofs:
    """Read every problem of a build back to its formula and compare its verdict with the gold."""
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
