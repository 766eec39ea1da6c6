"""The enriched reading of "or": a disjunction under an operator offers a choice (free choice, Kamp 1973)."""

from __future__ import annotations

from polbias.generators.logic.formula import (
    And,
    Formula,
    Implies,
    Necessarily,
    Not,
    Or,
    Possibly,
    rebuild,
)


def enriched(formula: Formula, positive: bool = True) -> Formula:
    """Rewrite operators over a disjunction so that each disjunct is a permitted (possible) option.

    ``P(A ∨ B)`` becomes ``P A ∧ P B``; ``O(A ∨ B)`` becomes ``O(A ∨ B) ∧ P A ∧ P B``. Under a negation
    nothing changes: "You may not take A or B" forbids both, as it does without the enrichment.

    Args:
        formula: any formula.
        positive: whether it stands under an even number of negations.
    """
    match formula:
        case Possibly(modality, Or(parts)) if positive:
            return And(tuple(Possibly(modality, part) for part in parts))
        case Necessarily(modality, Or(parts)) if positive:
            return And((formula, *(Possibly(modality, part) for part in parts)))
        case Not(body):
            return Not(enriched(body, not positive))
        case Implies(antecedent, consequent):
            return Implies(enriched(antecedent, not positive), enriched(consequent, positive))
        case _:
            return rebuild(formula, lambda part: enriched(part, positive))
