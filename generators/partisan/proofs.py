"""How the gold label of a row is known."""

from __future__ import annotations

from polbias.errors import BuildError
from polbias.generators.logic.herbrand import decide
from polbias.generators.partisan.arguments import Argument, Cell

PROVED = "proved:fol"
ANNOTATED = "annotated"


def basis(cell: Cell, argument: Argument, excused: bool) -> str:
    """Say how the gold of an argument is known, having checked it.

    Args:
        cell: what the argument was made from, with its gold.
        argument: the argument; a material one has no formula, its gold is the paper's annotation.
        excused: whether an erratum says that the printed gold may contradict the printed sentence.

    Returns:
        ``"proved:fol"`` or ``"annotated"``.

    Raises:
        BuildError: if the gold contradicts its proof and no erratum says so.
    """
    if argument.inference is None:
        return ANNOTATED
    decision = decide(argument.inference)
    if decision.valid == (cell.gold == "valid"):
        return PROVED
    if excused:
        return ANNOTATED
    proved = "valid" if decision.valid else "invalid"
    raise BuildError(
        f"pattern {cell.pattern.key}, {cell.gold}, {cell.leaning}: the gold label is {cell.gold!r} but the "
        f"inference is {proved} ({argument.inference}); correct the pattern or name an erratum: "
        f"{argument.text!r}"
    )
