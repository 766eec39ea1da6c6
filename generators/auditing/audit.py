"""Audit a benchmark: check its gold labels against the entailments of its sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import pandas as pd

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
    unparsed_verdict,
)
from polbias.generators.logic.enumeration import decide_small
from polbias.generators.logic.explain import explain
from polbias.generators.logic.formula import (
    EPISTEMIC,
    FREE_CHOICE,
    KD,
    KT,
    Logic,
    free_choice_enrichment,
    modalities,
)
from polbias.generators.logic.prover import ItemReading, follows, prove

# Check a gold label under every interpretation: a reading of the item in a logic.

AXIOM_T, OR = "axiom T", "or"
EITHER_LABEL = "either"  # unknown domain: deontic or epistemic
_FREE_CHOICE_LOGICS = {KD: FREE_CHOICE, KT: replace(KT, name="kt+fc", free_choice=True)}
Choices = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Interpretation:
    """A reading of an item, decided in one logic.

    Attributes:
        reading: index of the reading.
        logic: the logic.
        choices: name to value, for the choices of the logic and of the reading.
        valid: whether the conclusion follows.
        consistent: whether the premises can be true together.
    """

    reading: int
    logic: Logic
    choices: Choices
    valid: bool
    consistent: bool

    def supports(self, gold: bool) -> bool:
        """Whether the gold label is right; contradictory premises support no label."""
        return self.consistent and self.valid == gold


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    """Verdict on a gold label from all interpretations of its item.

    Attributes:
        verdict: confirmed, contradicted or depends.
        deciding: if the verdict is "depends", the smallest set of choices that makes the label right.
        natural: choices of the first, most natural interpretation.
        against: the first interpretation in which the label is wrong, preferably with consistent premises.
        consistent: whether every interpretation has consistent premises.
    """

    verdict: str
    deciding: Choices | None
    natural: Choices
    against: Interpretation | None
    consistent: bool


def decide(
    reading: ItemReading, logics: Sequence[tuple[Choices, Logic]], index: int = 0
) -> Iterator[Interpretation]:
    """Yield the interpretation of a reading in each logic."""
    for choices, logic in logics:
        verdict = follows(reading.inference, logic)
        yield Interpretation(index, logic, {**choices, **reading.choices}, verdict.valid, verdict.consistent)


def decide_modal(readings: Sequence[ItemReading], domain: str | None) -> Iterator[Interpretation]:
    """Yield the interpretations of every reading in every modal logic that its operators allow.

    If all operators are epistemic or the domain is unknown, the logics are KT, the natural logic, and KD (the
    choice "axiom T"); otherwise KD alone, because obligations can be violated. If any reading has a
    disjunction under an operator, each logic is also tried with free choice (the choice "or").
    """
    disjunction = any(
        reading.inference.map(free_choice_enrichment) != reading.inference for reading in readings
    )
    for index, reading in enumerate(readings):
        operators = {m for formula in reading.inference.formulas for m in modalities(formula)} or {
            domain or ""
        }
        logics: list[tuple[Choices, Logic]] = [({}, KD)]
        if operators == {EPISTEMIC} or domain == EITHER_LABEL:
            logics = [({AXIOM_T: "with"}, KT), ({AXIOM_T: "without"}, KD)]
        if disjunction:
            logics = [
                ({**choices, OR: name}, variant)
                for choices, logic in logics
                for name, variant in (("classical", logic), ("free choice", _FREE_CHOICE_LOGICS[logic]))
            ]
        yield from decide(reading, logics, index)


def confirm(readings: Sequence[ItemReading], interpretations: Sequence[Interpretation]) -> None:
    """Check interpretations by enumerating small models.

    Raises:
        ValueError: if there are too many models, or the enumeration contradicts the proof.
    """
    for interpretation in interpretations:
        inference = readings[interpretation.reading].inference
        decision = decide_small(inference, interpretation.logic)
        if decision is None:
            raise ValueError(f"{inference} has too many models to be enumerated")
        if (decision.valid, decision.consistent) != (interpretation.valid, interpretation.consistent):
            raise ValueError(f"{inference}: the enumeration of small models contradicts the proof")


def combine_verdicts(gold: bool, interpretations: Sequence[Interpretation]) -> AuditVerdict:
    """Return the verdict of all interpretations on a gold label."""
    unsupported = [interpretation for interpretation in interpretations if not interpretation.supports(gold)]
    verdict = (
        CONFIRMED
        if not unsupported
        else CONTRADICTED
        if len(unsupported) == len(interpretations)
        else DEPENDS
    )
    return AuditVerdict(
        verdict,
        find_deciding_choices(gold, interpretations) if verdict == DEPENDS else None,
        interpretations[0].choices,
        next(
            (interpretation for interpretation in unsupported if interpretation.consistent),
            unsupported[0] if unsupported else None,
        ),
        all(interpretation.consistent for interpretation in interpretations),
    )


def find_deciding_choices(gold: bool, interpretations: Sequence[Interpretation]) -> Choices | None:
    """Return the smallest set of choices that makes a gold label right, whatever the other choices are.

    Ties prefer a set that the first, most natural interpretation satisfies. None if no set suffices.
    """
    names = list(dict.fromkeys(name for interpretation in interpretations for name in interpretation.choices))
    values = {
        name: list(
            dict.fromkeys(
                interpretation.choices[name]
                for interpretation in interpretations
                if name in interpretation.choices
            )
        )
        for name in names
    }
    for size in range(1, len(names) + 1):
        candidates = [
            dict(zip(combination, value, strict=True))
            for combination in combinations(names, size)
            for value in product(*(values[name] for name in combination))
        ]
        sufficient = [choices for choices in candidates if _decide_label(choices, gold, interpretations)]
        if sufficient:
            return next(
                (choices for choices in sufficient if _is_compatible(choices, interpretations[0])),
                sufficient[0],
            )
    return None


def _is_compatible(choices: Choices, interpretation: Interpretation) -> bool:
    return all(interpretation.choices.get(name) == value for name, value in choices.items())


def _decide_label(choices: Choices, gold: bool, interpretations: Sequence[Interpretation]) -> bool:
    supported = [
        interpretation.supports(gold)
        for interpretation in interpretations
        if _is_compatible(choices, interpretation)
    ]
    return bool(supported) and all(supported)


def format_choices(choices: Choices) -> str:
    """Format choices as text."""
    return "; ".join(f"{name}: {value}" for name, value in choices.items())


def reading_text(readings: Sequence[ItemReading], outcome: AuditVerdict) -> str:
    """Format the first reading and its values of the deciding choices."""
    return f"{readings[0].inference} {_format_deciding(outcome.natural, outcome)}".rstrip()


def _format_deciding(choices: Choices, outcome: AuditVerdict) -> str:
    """Format the deciding choices of a verdict, in brackets."""
    deciding = {
        name: value for name, value in choices.items() if outcome.deciding and name in outcome.deciding
    }
    return f"[{format_choices(deciding)}]" if deciding else ""


def evidence(readings: Sequence[ItemReading], outcome: AuditVerdict) -> tuple[str | None, str | None]:
    """Return the countermodel or the proof that contradicts the gold label; the other is None."""
    interpretation = outcome.against
    if interpretation is None:
        return None, None
    text = explain(prove(readings[interpretation.reading].inference, interpretation.logic))
    text = f"{_format_deciding(interpretation.choices, outcome)} {text}".lstrip()
    return (None, text) if interpretation.valid else (text, None)


# Find repeated items.


def find_repeats(items: pd.DataFrame) -> pd.DataFrame:
    """Return the items that repeat another item's text or id.

    Args:
        items: columns line, text (a hash), gold and id (may be None).

    Returns:
        For each such item: `twin`, the line of the first item with its text (0 for this first item);
        `has_earlier_id`, whether an earlier item has its id; `has_both_labels`, whether items with its text
        have different gold labels.
    """
    by_text = items.groupby("text", sort=False)
    repeats = pd.DataFrame(
        {
            "twin": by_text["line"].transform("first").where(items["text"].duplicated(), 0),
            "has_earlier_id": items["id"].duplicated() & items["id"].notna(),
            "has_both_labels": by_text["gold"].transform("nunique") > 1,
        }
    )
    return repeats[repeats.any(axis=1)]


# The audit: repeats in the whole file, then each item.

MAX_TEXT_LENGTH = 2000  # characters; longer texts are not parsed


class Audit:
    """Audit of one file in one format; iterate over it for the audited items.

    Args:
        source: the items.
        form: the format.
        exemplars: texts of few-shot exemplars in addition to the exemplars of the format.

    Raises:
        InputError: if the file has no items, is damaged, or most of its rows are malformed.

    Attributes:
        items: number of items.
    """

    def __init__(self, source: ItemSource, form: ItemFormat, exemplars: Sequence[Sequence[str]] = ()) -> None:
        self._source = source
        self._format = form
        self._exemplars = {text_key(tuple(texts)) for texts in (*form.exemplars, *exemplars)}
        self._items = list(source)
        self.items = len(self._items)
        self._check_format()
        labelled = {
            position: (item.line, self._key(item), item.gold, _id_key(item.values.get("id")))
            for position, item in enumerate(self._items)
            if item.gold is not None
        }
        columns = ["line", "text", "gold", "id"]
        repeats = find_repeats(pd.DataFrame([*labelled.values()], [*labelled], columns))
        self._repeats = {repeat.Index: repeat for repeat in repeats.itertuples()}

    def _check_format(self) -> None:
        path = self._source.path
        if not self._items:
            raise InputError(f"{path}: found no item after the header, expected at least one")
        malformed = [item for item in self._items if item.problem]
        if 2 * len(malformed) > self.items:
            raise InputError(
                f"{path}:{malformed[0].line}: {malformed[0].problem}; so are {len(malformed):,} of "
                f"{self.items:,} rows: not a file of the format {self._format.name!r}"
            )

    def __iter__(self) -> Iterator[AuditedItem]:
        """Yield every audited item, in file order."""
        for position, item in enumerate(self._items):
            neighbours = (
                self._items[max(0, position - 1) : position] + self._items[position + 1 : position + 2]
            )
            yield self._audit_item(item, neighbours, self._repeats.get(position))

    def _key(self, item: AuditItem) -> int:
        return text_key(tuple(item.values.get(role) or "" for role in self._source.duplicate_key))

    def _audit_item(
        self, item: AuditItem, neighbours: Sequence[AuditItem], repeat: Any | None
    ) -> AuditedItem:
        if item.problem:
            return AuditedItem(item, unparsed_verdict(item.problem, "malformed-row"), ("malformed-row",))
        judgement = self._judge_item(item, neighbours)
        findings = dict.fromkeys((*judgement.findings, *judgement.slips))
        if repeat:
            codes = {
                "duplicate-id": repeat.has_earlier_id,
                "duplicate-item": repeat.twin,
                "conflicting-labels": repeat.has_both_labels,
            }
            findings |= dict.fromkeys(code for code, applies in codes.items() if applies)
        if self._exemplars and text_key(item.texts) in self._exemplars:
            findings["exemplar-leakage"] = None
        if item.sentences != item.texts:
            findings["whitespace"] = None
        return AuditedItem(item, judgement, tuple(findings), repeat.twin or None if repeat else None)

    def _judge_item(self, item: AuditItem, neighbours: Sequence[AuditItem]) -> ItemVerdict:
        if item.gold is None:
            labels = ", ".join(self._format.layout.labels)
            return unparsed_verdict(f"gold: found {item.label!r}, expected one of {labels}", "unknown-label")
        if max(map(len, item.texts)) > MAX_TEXT_LENGTH:
            return unparsed_verdict(f"found a text of more than {MAX_TEXT_LENGTH:,} characters", "too-long")
        try:
            return self._format.judge(item, neighbours)
        except Exception as error:  # from a reader or prover: one item must not stop the audit
            return unparsed_verdict(f"the auditor failed on this item, please report it ({error!r})")


def _id_key(identifier: str | None) -> str | None:
    return identifier and " ".join(identifier.split())
