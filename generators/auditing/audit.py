"""Whether a gold label is right: decided at every point, a point being a reading in a logic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from polbias.generators.logic.audit.findings import CONFIRMED, CONTRADICTED, DEPENDS
from polbias.generators.logic.choice import enriched
from polbias.generators.logic.explain import explain
from polbias.generators.logic.formula import EPISTEMIC, Formula, Modal, children
from polbias.generators.logic.logics import FREE_CHOICE, KD, KT, Logic
from polbias.generators.logic.prover import prove
from polbias.generators.logic.reading import Reading

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
    """Decide every reading in some logics.

    Args:
        readings: of one item, the most natural one first.
        choices: the logics, the standard one first, each with the choices that lead to it.

    Raises:
        ValueError: if a reading cannot be decided.
    """
    for index, reading in enumerate(readings):
        for made, logic in choices:
            verdict = prove(reading.inference, logic)
            yield Point(index, logic, {**made, **reading.choices}, verdict.valid, verdict.consistent)


def decide_modal(readings: Sequence[Reading], domain: str | None) -> Iterator[Point]:
    """Decide every reading in every modal logic that its operators allow.

    Where all operators are epistemic the standard logic is KT, and KD the alternative (the choice "axiom T");
    elsewhere it is KD, for what ought to be need not be so. If a disjunction stands under an operator in some
    reading, "or" is also taken as offering a choice (the choice "or").

    Args:
        readings: of one item, the most natural one first.
        domain: of the item; decides where a reading has no operators.

    Raises:
        ValueError: if a reading cannot be decided.
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
    """Return what points say of a gold label.

    Args:
        gold: whether the label says that the conclusion follows.
        points: all of them, the most natural one first.
    """
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
    """Return what speaks against the gold label.

    Returns:
        A countermodel (if the label says that the conclusion follows), or else a proof; with the choices that
        lead there, if the verdict depends on them.
    """
    point = outcome.against
    if point is None:
        return None, None
    text = explain(prove(readings[point.reading].inference, point.logic))
    taken = {n: v for n, v in point.choices.items() if outcome.deciding and n in outcome.deciding}
    text = f"[{in_words(taken)}] {text}" if taken else text
    return (None, text) if point.valid else (text, None)
