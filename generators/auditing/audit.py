"""The audit of a benchmark: its labels against what its sentences entail."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np

from polbias.files import InputError
from polbias.generators.auditing.items import (
    CONFIRMED,
    CONTRADICTED,
    DEPENDS,
    Audited,
    Format,
    Item,
    Judgement,
    Source,
    text_key,
    unparsed,
)
from polbias.generators.logic.explain import explain
from polbias.generators.logic.formula import (
    EPISTEMIC,
    FREE_CHOICE,
    KD,
    KT,
    Formula,
    Logic,
    Modal,
    children,
    enriched,
)
from polbias.generators.logic.prover import Reading, prove

# Whether a gold label is right: decided at every point, a point being a reading in a logic.

AXIOM_T, OR = "axiom T", "or"
_ENRICHED = {KD: FREE_CHOICE, KT: replace(KT, name="kt+fc", free_choice=True)}
Choices = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Point:
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
class Outcome:
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
    against: Point | None
    consistent: bool


def decide(readings: Sequence[Reading], choices: Sequence[tuple[Choices, Logic]]) -> Iterator[Point]:
    """Decide every reading in some logics."""
    for index, reading in enumerate(readings):
        for made, logic in choices:
            verdict = prove(reading.inference, logic)
            yield Point(index, logic, {**made, **reading.choices}, verdict.valid, verdict.consistent)


def decide_modal(readings: Sequence[Reading], domain: str | None) -> Iterator[Point]:
    """Decide every reading in every modal logic that its operators allow.

    Where all operators are epistemic the standard logic is KT, and KD the alternative (the choice "axiom T");
    elsewhere it is KD, for what ought to be need not be so. If a disjunction stands under an operator in some
    reading, "or" is also taken as offering a choice (the choice "or").
    """
    disjunction = any(reading.inference.map(enriched) != reading.inference for reading in readings)
    for index, reading in enumerate(readings):
        operators = {m for formula in reading.inference.formulas for m in modalities(formula)} or {
            domain or ""
        }
        logics: list[tuple[Choices, Logic]] = [({}, KD)]
        if operators == {EPISTEMIC}:
            logics = [({AXIOM_T: "with"}, KT), ({AXIOM_T: "without"}, KD)]
        if disjunction:
            logics = [
                pair
                for made, logic in logics
                for pair in (
                    ({**made, OR: "classical"}, logic),
                    ({**made, OR: "free choice"}, _ENRICHED[logic]),
                )
            ]
        for point in decide([reading], logics):
            yield replace(point, reading=index)


def modalities(formula: Formula) -> frozenset[str]:
    """Return the modalities of the operators in a formula."""
    own = frozenset({formula.modality} if isinstance(formula, Modal) else ())
    return own.union(*map(modalities, children(formula)))


def settle(gold: bool, points: Sequence[Point]) -> Outcome:
    """Return what points say of a gold label."""
    wrong = [point for point in points if not point.supports(gold)]
    verdict = CONFIRMED if not wrong else CONTRADICTED if len(wrong) == len(points) else DEPENDS
    return Outcome(
        verdict,
        deciding(gold, points) if verdict == DEPENDS else None,
        points[0].choices,
        next((point for point in wrong if point.consistent), wrong[0] if wrong else None),
        all(point.consistent for point in points),
    )


def deciding(gold: bool, points: Sequence[Point]) -> Choices | None:
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


def _fits(chosen: Choices, point: Point) -> bool:
    return all(point.choices.get(name) == value for name, value in chosen.items())


def _decides(chosen: Choices, gold: bool, points: Sequence[Point]) -> bool:
    right = [point.supports(gold) for point in points if _fits(chosen, point)]
    return bool(right) and all(right)


def in_words(choices: Choices) -> str:
    """Return choices as text."""
    return "; ".join(f"{name}: {value}" for name, value in choices.items())


def reading_text(readings: Sequence[Reading], outcome: Outcome) -> str:
    """Return the first reading as text, with what it makes of the choices on which the verdict depends."""
    taken = {n: v for n, v in outcome.natural.items() if outcome.deciding and n in outcome.deciding}
    return str(readings[0].inference) + (f" [{in_words(taken)}]" if taken else "")


def evidence(readings: Sequence[Reading], outcome: Outcome) -> tuple[str | None, str | None]:
    """Return what speaks against the gold label."""
    point = outcome.against
    if point is None:
        return None, None
    text = explain(prove(readings[point.reading].inference, point.logic))
    taken = {n: v for n, v in point.choices.items() if outcome.deciding and n in outcome.deciding}
    text = f"[{in_words(taken)}] {text}" if taken else text
    return (None, text) if point.valid else (text, None)


# Which items of a file come again: 16 bytes an item, however large the file.


class Survey:
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

    def finish(self) -> Repeats:
        """Return what is repeated; the collected hashes are given up."""
        ids = _sorted(self._ids)
        again = _again(ids, ids[1:] == ids[:-1])
        self._ids = array("Q")
        del ids
        labelled = _sorted(self._texts)
        different = labelled[1:] != labelled[:-1]
        labelled >>= 1
        same = labelled[1:] == labelled[:-1]
        texts = _again(labelled, same)
        conflicting = _again(labelled, same & different)
        self._texts = array("Q")
        return Repeats(texts, conflicting, again)


class Repeats:
    """What is repeated, to be asked item by item in the order of the file.

    Args:
        texts: hashes of texts that come more than once, in order.
        conflicting: those of them with both labels, in order.
        ids: hashes of ids that come more than once, in order.
    """

    def __init__(self, texts: Any, conflicting: Any, ids: Any) -> None:
        self._texts = texts
        self._conflicting = conflicting
        self._ids = ids
        self._text_lines = np.zeros(len(texts), np.uint32)
        self._id_lines = np.zeros(len(ids), np.uint32)

    def restart(self) -> None:
        """Begin with the first item again."""
        self._text_lines[:] = 0
        self._id_lines[:] = 0

    def text(self, text: int, line: int) -> int | None:
        """Return the line of the first item with the same text, unless this is the first one."""
        return _first(self._texts, self._text_lines, text, line)

    def identifier(self, identifier: str, line: int) -> int | None:
        """Return the line of the first item with the same id, unless this is the first one."""
        return _first(self._ids, self._id_lines, text_key((identifier,)), line)

    def conflicting(self, text: int) -> bool:
        """Tell whether the same text has both labels in the file."""
        return _place(self._conflicting, text) is not None


def _sorted(hashes: array[int]) -> Any:
    if not hashes:
        return np.empty(0, np.uint64)
    values = np.frombuffer(hashes, np.uint64)  # a view: sorting is in place
    values.sort()
    return values


def _again(values: Any, marked: Any) -> Any:
    """Return the values of which a later one is marked, each once; sorted, without sorting again."""
    found = values[1:][marked]
    first = np.ones(len(found), bool)
    first[1:] = found[1:] != found[:-1]
    return found[first]


def _place(values: Any, wanted: int) -> int | None:
    if not len(values):
        return None
    place = int(np.searchsorted(values, np.uint64(wanted)))
    return place if place < len(values) and int(values[place]) == wanted else None


def _first(values: Any, lines: Any, wanted: int, line: int) -> int | None:
    place = _place(values, wanted)
    if place is None:
        return None
    if not lines[place]:
        lines[place] = line
        return None
    return int(lines[place])


# An audit: a first pass over the file for what is repeated, a second one that judges item by item.

LONGEST_TEXT = 2000  # characters; a reader is not asked about longer ones


class Audit:
    """One file beside one format.

    Memory does not grow with the file but for 16 bytes an item.

    Args:
        source: the items.
        form: the format.
        exemplars: texts of further few-shot exemplars.

    Raises:
        InputError: if the file has no items, is damaged, or most of its rows are malformed.

    Attributes:
        items: how many there are.
    """

    def __init__(
        self,
        source: Source,
        form: Format,
        exemplars: Sequence[Sequence[str]] = (),
    ) -> None:
        self._source = source
        self._format = form
        self._exemplars = {text_key(tuple(texts)) for texts in (*form.exemplars, *exemplars)}
        self.items, self._repeats = self._survey()

    def _survey(self) -> tuple[int, Repeats]:
        survey, number, malformed = Survey(), 0, 0
        first: Item | None = None
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

    def __iter__(self) -> Iterator[Audited]:
        """Yield every item with what was found, in the order of the file."""
        self._repeats.restart()
        before: Item | None = None
        now: Item | None = None
        for after in self._followed():
            if now is not None:
                yield self._audited(now, [item for item in (before, after) if item is not None])
            before, now = now, after

    def _followed(self) -> Iterator[Item | None]:
        yield from self._source
        yield None

    def _key(self, item: Item) -> int:
        return text_key(tuple(item.values.get(role) or "" for role in self._source.repeated))

    def _audited(self, item: Item, neighbours: Sequence[Item]) -> Audited:
        if item.problem:
            return Audited(item, unparsed(item.problem, "malformed-row"), ("malformed-row",))
        judgement = self._judgement(item, neighbours)
        findings = dict.fromkeys((*judgement.findings, *judgement.slips))
        key = self._key(item)
        twin = None
        if item.gold is not None:
            twin = self._repeats.text(key, item.line)
            identifier = item.values.get("id")
            if identifier is not None and self._repeats.identifier(identifier, item.line) is not None:
                findings["duplicate-id"] = None
            if twin is not None:
                findings["duplicate-item"] = None
            if self._repeats.conflicting(key):
                findings["conflicting-labels"] = None
        if self._exemplars and text_key(item.texts) in self._exemplars:
            findings["exemplar-leakage"] = None
        if item.sentences != item.texts:
            findings["whitespace"] = None
        return Audited(item, judgement, tuple(findings), twin)

    def _judgement(self, item: Item, neighbours: Sequence[Item]) -> Judgement:
        if item.gold is None:
            labels = ", ".join(self._format.layout.labels)
            return unparsed(f"gold: found {item.label!r}, expected one of {labels}", "unknown-label")
        if max(map(len, item.texts)) > LONGEST_TEXT:
            return unparsed(f"found a text of more than {LONGEST_TEXT:,} characters", "too-long")
        try:
            return self._format.judge(item, neighbours)
        except Exception as error:  # of a reader or prover: one item must not cost the whole audit
            return unparsed(f"the auditor failed on this item, please report it ({error!r})")
