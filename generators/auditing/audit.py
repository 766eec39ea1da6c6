"""The audit of a benchmark: its labels against what its sentences entail."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from typing import Any, NamedTuple

import numpy as np

from polbias.errors import InputError
from polbias.generators.auditing.items import (
    CONFIRMED,
    CONTRADICTED,
    DEPENDS,
    AuditedItem,
    AuditItem,
    ItemFormat,
    ItemSource,
    ItemVerdict,
    text_key,
    unparsed,
)
from polbias.generators.logic.enumeration import decide_small
from polbias.generators.logic.explain import explain
from polbias.generators.logic.formula import EPISTEMIC, FREE_CHOICE, KD, KT, Logic, enriched, modalities
from polbias.generators.logic.prover import ItemReading, follows, prove

# Whether a gold label is right: decided at every point, a point being a reading in a logic.

AXIOM_T, OR = "axiom T", "or"
EITHER = "either"  # a domain that is not known: deontic or epistemic
_ENRICHED = {KD: FREE_CHOICE, KT: replace(KT, name="kt+fc", free_choice=True)}
Choices = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Interpretation:
    """One way to take an item.

    Attributes:
        reading: index of the reading.
        logic: in which it is decided.
        choices: name to value, those of the logic and those of the reading.
        valid: whether the conclusion follows.
        consistent: whether the premises can be true together.
    """

    reading: int
    logic: Logic
    choices: Choices
    valid: bool
    consistent: bool

    def supports(self, gold: bool) -> bool:
        """Tell whether a gold label is right here; premises that contradict each other support none."""
        return self.consistent and self.valid == gold


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    """What all points together say of a gold label.

    Attributes:
        verdict: confirmed, contradicted or depends.
        deciding: if it depends, the smallest set of choices with which the label is right.
        natural: choices of the most natural point.
        against: a point where the label is wrong, if there is one: the first with consistent premises.
        consistent: whether the premises can be true together at all points.
    """

    verdict: str
    deciding: Choices | None
    natural: Choices
    against: Interpretation | None
    consistent: bool


def decide(
    reading: ItemReading, logics: Sequence[tuple[Choices, Logic]], index: int = 0
) -> Iterator[Interpretation]:
    """Decide a reading in some logics."""
    for made, logic in logics:
        verdict = follows(reading.inference, logic)
        yield Interpretation(index, logic, {**made, **reading.choices}, verdict.valid, verdict.consistent)


def decide_modal(readings: Sequence[ItemReading], domain: str | None) -> Iterator[Interpretation]:
    """Decide every reading in every modal logic that its operators allow.

    Where all operators are epistemic, or it is not known whether they are, the standard logic is KT, and KD
    the alternative (the choice "axiom T"); elsewhere it is KD, for what ought to be need not be so. If a
    disjunction stands under an operator in some reading, "or" is also taken as offering a choice (the choice
    "or").
    """
    disjunction = any(reading.inference.map(enriched) != reading.inference for reading in readings)
    for index, reading in enumerate(readings):
        operators = {m for formula in reading.inference.formulas for m in modalities(formula)} or {
            domain or ""
        }
        logics: list[tuple[Choices, Logic]] = [({}, KD)]
        if operators == {EPISTEMIC} or domain == EITHER:
            logics = [({AXIOM_T: "with"}, KT), ({AXIOM_T: "without"}, KD)]
        if disjunction:
            logics = [
                ({**made, OR: name}, sense)
                for made, logic in logics
                for name, sense in (("classical", logic), ("free choice", _ENRICHED[logic]))
            ]
        yield from decide(reading, logics, index)


def confirm(readings: Sequence[ItemReading], points: Sequence[Interpretation]) -> None:
    """Decide points again by an enumeration of small models.

    Raises:
        ValueError: if it cannot decide, or comes to something else.
    """
    for point in points:
        inference = readings[point.reading].inference
        decision = decide_small(inference, point.logic)
        if decision is None:
            raise ValueError(f"{inference} has too many models to be enumerated")
        if (decision.valid, decision.consistent) != (point.valid, point.consistent):
            raise ValueError(f"{inference}: the enumeration of small models does not bear out the proof")


def settle(gold: bool, points: Sequence[Interpretation]) -> AuditVerdict:
    """Return what points say of a gold label."""
    wrong = [point for point in points if not point.supports(gold)]
    verdict = CONFIRMED if not wrong else CONTRADICTED if len(wrong) == len(points) else DEPENDS
    return AuditVerdict(
        verdict,
        deciding(gold, points) if verdict == DEPENDS else None,
        points[0].choices,
        next((point for point in wrong if point.consistent), wrong[0] if wrong else None),
        all(point.consistent for point in points),
    )


def deciding(gold: bool, points: Sequence[Interpretation]) -> Choices | None:
    """Return the smallest set of choices with which a gold label is right, whatever the others are.

    Of several sets as small it is one that leaves the most natural point as it is, else the first one. None
    if no set decides.
    """
    names = list(dict.fromkeys(name for point in points for name in point.choices))
    values = {n: list(dict.fromkeys(p.choices[n] for p in points if n in p.choices)) for n in names}
    for size in range(1, len(names) + 1):
        sets = [
            dict(zip(chosen, value, strict=True))
            for chosen in combinations(names, size)
            for value in product(*(values[name] for name in chosen))
        ]
        enough = [chosen for chosen in sets if _decides(chosen, gold, points)]
        if enough:
            return next((chosen for chosen in enough if _fits(chosen, points[0])), enough[0])
    return None


def _fits(chosen: Choices, point: Interpretation) -> bool:
    return all(point.choices.get(name) == value for name, value in chosen.items())


def _decides(chosen: Choices, gold: bool, points: Sequence[Interpretation]) -> bool:
    right = [point.supports(gold) for point in points if _fits(chosen, point)]
    return bool(right) and all(right)


def in_words(choices: Choices) -> str:
    """Return choices as text."""
    return "; ".join(f"{name}: {value}" for name, value in choices.items())


def reading_text(readings: Sequence[ItemReading], outcome: AuditVerdict) -> str:
    """Return the first reading as text, with what it makes of the choices on which the verdict depends."""
    return f"{readings[0].inference} {_taken(outcome.natural, outcome)}".rstrip()


def _taken(choices: Choices, outcome: AuditVerdict) -> str:
    """Return those of some choices on which a verdict depends."""
    taken = {name: value for name, value in choices.items() if outcome.deciding and name in outcome.deciding}
    return f"[{in_words(taken)}]" if taken else ""


def evidence(readings: Sequence[ItemReading], outcome: AuditVerdict) -> tuple[str | None, str | None]:
    """Return what speaks against the gold label."""
    point = outcome.against
    if point is None:
        return None, None
    text = explain(prove(readings[point.reading].inference, point.logic))
    text = f"{_taken(point.choices, outcome)} {text}".lstrip()
    return (None, text) if point.valid else (text, None)


# Which items of a file come again: 16 bytes an item, however large the file.


class DuplicateFinder:
    """Collects what could be repeated; `finish` says what was.

    Only hashes are kept, 8 bytes for the text with its label and 8 for the id.
    """

    def __init__(self) -> None:
        self._texts = array("Q")
        self._ids = array("Q")

    def add(self, text: int, gold: bool, identifier: str | None) -> None:
        """Add an item."""
        self._texts.append(text << 1 | gold)
        if identifier is not None:
            self._ids.append(text_key((identifier,)))

    def finish(self) -> Duplicates:
        """Return what is repeated."""
        texts, ids = (np.array(hashes, np.uint64) for hashes in (self._texts, self._ids))
        return Duplicates(_repeated(texts >> 1), _repeated(np.unique(texts) >> 1), _repeated(ids))


def _repeated(hashes: Any) -> frozenset[int]:
    values, counts = np.unique(hashes, return_counts=True)
    return frozenset(values[counts > 1].tolist())


class Duplicates(NamedTuple):
    """What is repeated.

    Attributes:
        texts: hashes of texts that come more than once.
        conflicting: those of them with both labels.
        ids: hashes of ids that come more than once.
    """

    texts: frozenset[int]
    conflicting: frozenset[int]
    ids: frozenset[int]


def earlier(lines: dict[int, int], repeated: frozenset[int], key: int, line: int) -> int | None:
    """Return the line of the first item with a hash that is repeated, unless this is the first one."""
    if key in lines:
        return lines[key]
    if key in repeated:
        lines[key] = line
    return None


# An audit: a first pass over the file for what is repeated, a second one that judges item by item.

LONGEST_TEXT = 2000  # characters; a reader is not asked about longer ones


class Audit:
    """One file beside one format.

    Memory does not grow with the file but for 16 bytes an item, and what is repeated.

    Args:
        source: the items.
        form: the format.
        exemplars: texts of further few-shot exemplars.

    Raises:
        InputError: if the file has no items, is damaged, or most of its rows are malformed.

    Attributes:
        items: how many there are.
    """

    def __init__(self, source: ItemSource, form: ItemFormat, exemplars: Sequence[Sequence[str]] = ()) -> None:
        self._source = source
        self._format = form
        self._exemplars = {text_key(tuple(texts)) for texts in (*form.exemplars, *exemplars)}
        self.items, self._repeats = self._survey()

    def _survey(self) -> tuple[int, Duplicates]:
        survey, number, malformed = DuplicateFinder(), 0, 0
        first: AuditItem | None = None
        for item in self._source:
            number += 1
            if item.problem:
                malformed += 1
                first = first or item
            elif item.gold is not None:
                survey.add(self._key(item), item.gold, item.values.get("id"))
        path = self._source.path
        if not number:
            raise InputError(f"{path}: found no item after the header, expected at least one")
        if first and 2 * malformed > number:
            raise InputError(
                f"{path}:{first.line}: {first.problem}; so are {malformed:,} of {number:,} rows: "
                f"not a file of the format {self._format.name!r}"
            )
        return number, survey.finish()

    def __iter__(self) -> Iterator[AuditedItem]:
        """Yield every item with what was found, in the order of the file."""
        first: tuple[dict[int, int], dict[int, int]] = {}, {}  # lines of texts and of ids
        before: AuditItem | None = None
        now: AuditItem | None = None
        for after in chain(self._source, [None]):
            if now is not None:
                yield self._audited(now, [item for item in (before, after) if item is not None], *first)
            before, now = now, after

    def _key(self, item: AuditItem) -> int:
        return text_key(tuple(item.values.get(role) or "" for role in self._source.repeated))

    def _audited(
        self, item: AuditItem, neighbours: Sequence[AuditItem], texts: dict[int, int], ids: dict[int, int]
    ) -> AuditedItem:
        if item.problem:
            return AuditedItem(item, unparsed(item.problem, "malformed-row"), ("malformed-row",))
        judgement = self._judgement(item, neighbours)
        findings = dict.fromkeys((*judgement.findings, *judgement.slips))
        key = self._key(item)
        twin = None
        if item.gold is not None:
            twin = earlier(texts, self._repeats.texts, key, item.line)
            identifier = item.values.get("id")
            if identifier is not None:
                number = text_key((identifier,))
                if earlier(ids, self._repeats.ids, number, item.line) is not None:
                    findings["duplicate-id"] = None
            if twin is not None:
                findings["duplicate-item"] = None
            if key in self._repeats.conflicting:
                findings["conflicting-labels"] = None
        if self._exemplars and text_key(item.texts) in self._exemplars:
            findings["exemplar-leakage"] = None
        if item.sentences != item.texts:
            findings["whitespace"] = None
        return AuditedItem(item, judgement, tuple(findings), twin)

    def _judgement(self, item: AuditItem, neighbours: Sequence[AuditItem]) -> ItemVerdict:
        if item.gold is None:
            labels = ", ".join(self._format.layout.labels)
            return unparsed(f"gold: found {item.label!r}, expected one of {labels}", "unknown-label")
        if max(map(len, item.texts)) > LONGEST_TEXT:
            return unparsed(f"found a text of more than {LONGEST_TEXT:,} characters", "too-long")
        try:
            return self._format.judge(item, neighbours)
        except Exception as error:  # of a reader or prover: one item must not cost the whole audit
            return unparsed(f"the auditor failed on this item, please report it ({error!r})")
