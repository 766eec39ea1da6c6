"""The named logics in which an inference is decided."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from polbias.generators.logic.comparison import POSTULATES
from polbias.generators.logic.formula import Formula


class Access(Enum):
    """What is required of the worlds that a world has access to, in every modality alike."""

    NONE = "modal operators are not allowed"
    ANY = "nothing"
    SERIAL = "there is one (D): what ought to be is possible"
    REFLEXIVE = "it has access to itself (T): what is certain is true"
    UNIVERSAL = "all worlds have access to all (S5)"


@dataclass(frozen=True)
class Logic:
    """A logic with a name.

    Attributes:
        name: as in the columns and reports.
        access: which Kripke models count.
        free_choice: whether a disjunction under an operator is read as offering a choice
            (`polbias.generators.logic.choice`).
        postulates: closed formulas that hold in every model (first-order logic only).
    """

    name: str
    access: Access
    free_choice: bool = False
    postulates: tuple[Formula, ...] = ()


FOL = Logic("fol", Access.NONE, postulates=POSTULATES)
K = Logic("k", Access.ANY)
KD = Logic("kd", Access.SERIAL)
KT = Logic("kt", Access.REFLEXIVE)
S5 = Logic("s5", Access.UNIVERSAL)
# Standard deontic logic with the enriched "or" (Kamp 1973; paper 3, section 2.1).
FREE_CHOICE = Logic("kd+fc", Access.SERIAL, free_choice=True)

MODAL_LOGICS = (K, KD, KT, S5, FREE_CHOICE)
