"""Gold labels proved from the formulas of arguments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from polbias.files import BuildError
from polbias.generators.logic.explain import explain
from polbias.generators.logic.formula import FOL, Inference
from polbias.generators.logic.prover import prove
from polbias.generators.partisan.arguments import Argument, Cell

PROVED = f"proved:{FOL.name}"
ANNOTATED = "annotated"


@dataclass(frozen=True)
class Known:
    """What first-order logic says of an argument.

    Attributes:
        verdict: ``"valid"`` or ``"invalid"``, or ``"contradictory"`` where the premises cannot all be true:
            anything would follow from them, which is no reason to call an argument valid.
        derivation: the proof of a valid argument, or of the contradiction; else None.
        countermodel: of an invalid argument; else None.
    """

    verdict: str
    derivation: str | None
    countermodel: str | None


@lru_cache(maxsize=4096)
def known(inference: Inference) -> Known:
    """Decide an inference, with the meaning postulates of the comparison words."""
    found = prove(inference, FOL)
    text = explain(found)
    if not found.valid:
        return Known("invalid", None, text)
    return Known("valid" if found.consistent else "contradictory", text, None)


def verdict(inference: Inference) -> str:
    """Return the verdict that a gold label is compared with (see `Known`)."""
    return known(inference).verdict


def basis(cell: Cell, argument: Argument, excused: bool, place: str) -> str:
    """Say how the gold of an argument is known, having checked it."""
    if argument.inference is None:
        return ANNOTATED
    proved = verdict(argument.inference)
    if proved == cell.gold:
        return PROVED
    if excused:
        return ANNOTATED
    raise BuildError(
        f"{place}: pattern {cell.pattern.key}, {cell.gold}, {cell.leaning}: the gold label is {cell.gold!r} "
        f"but the inference is {proved} ({argument.inference}); correct the pattern or name an erratum: "
        f"{argument.text!r}"
    )
