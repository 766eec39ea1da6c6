"""How the gold label of a row is known."""

from __future__ import annotations

from functools import lru_cache

from polbias.errors import BuildError
from polbias.generators.logic.formula import Inference
from polbias.generators.logic.herbrand import decide
from polbias.generators.partisan.arguments import Argument, Cell

PROVED = "proved:fol"
ANNOTATED = "annotated"


@lru_cache(maxsize=4096)
def verdict(inference: Inference) -> str:
    """Return the verdict that a gold label is compared with.

    Returns:
        ``"valid"`` or ``"invalid"``, or ``"contradictory"`` where the premises cannot all be true: anything
        would follow from them, which is no reason to call an argument valid.
    """
    decision = decide(inference)
    if not decision.consistent:
        return "contradictory"
    return "valid" if decision.valid else "invalid"


def basis(cell: Cell, argument: Argument, excused: bool) -> str:
    """Say how the gold of an argument is known, having checked it.

    Args:
        cell: what the argument was made from, with its gold.
        argument: the argument; a material one has no formula, its gold is the paper's annotation.
        excused: whether an erratum says that the printed gold is not that of the printed sentence.

    Returns:
        ``"proved:fol"`` or ``"annotated"``.

    Raises:
        BuildError: if the gold contradicts its proof and no erratum says so.
    """
    if argument.inference is None:
        return ANNOTATED
    proved = verdict(argument.inference)
    if proved == cell.gold:
        return PROVED
    if excused:
        return ANNOTATED
    raise BuildError(
        f"pattern {cell.pattern.key}, {cell.gold}, {cell.leaning}: the gold label is {cell.gold!r} but the "
        f"inference is {proved} ({argument.inference}); correct the pattern or name an erratum: "
        f"{argument.text!r}"
    )
