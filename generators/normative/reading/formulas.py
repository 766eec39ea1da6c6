"""From what the grammar finds to formulas, for each way to settle what the language leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from polbias.generators.logic.formula import (
    And,
    Atom,
    ForAll,
    Formula,
    Implies,
    Necessarily,
    Not,
    Or,
    Possibly,
    negated,
)
from polbias.generators.normative.reading.nodes import (
    COULD_NOT_HAVE,
    Clause,
    Conditional,
    Negation,
    Node,
    Operator,
)

VARIABLE = "x"
# What "could not have" denies, or is certain of.
DENIED, CERTAIN = "denies a possibility", "certain of the negation"
Restriction = tuple[str, Formula | None] | None


@dataclass(frozen=True)
class Builder:
    """What the formulas of one reading need to know of the item.

    Attributes:
        choices: how what is open is settled.
        single: whether the item has one premise; a quantifier then stays within the scope of what governs its
            clause unless the choice of scope says otherwise.
        said: the atoms of the disjuncts of each clause, by the identity of the clause.
        restrictions: what restricts the quantifier of each quantified clause, likewise; None if nothing does.
        rules: conditionals about anybody by identity, with the class that they are about, or None.
    """

    choices: Mapping[str, str]
    single: bool
    said: Mapping[int, list[Atom]]
    restrictions: Mapping[int, Formula | None]
    rules: Mapping[int, Atom | None]

    def build(self, node: Node) -> Formula:
        """Return the formula of a sentence."""
        return _closed(*self._open(node))

    def _open(self, node: Node) -> tuple[Restriction, Formula]:
        """Return the restriction of a quantifier that still looks for its scope, and the formula."""
        match node:
            case Clause():
                atoms = self.said[id(node)]
                formula: Formula = atoms[0] if len(atoms) == 1 else Or(tuple(atoms))
                return ((node.quantifier, self.restrictions[id(node)]) if node.quantifier else None), formula
            case Conditional():
                return None, self._conditional(node)
            case Negation(Operator(modality, _, body, _, word)) if word == COULD_NOT_HAVE and self._certain:
                restriction, formula = self._open(body)
                return restriction, Necessarily(modality, Not(formula))
            case Negation(body, outer):
                restriction, formula = self._open(body)
                if restriction and restriction[0] != "any" and (self._wide if self.single else outer):
                    return None, Not(_closed(restriction, formula))
                return restriction, Not(formula)
            case Operator(_, _, body, outer):
                restriction, formula = self._open(body)
                if restriction and restriction[0] != "any" and self._wide and (self.single or outer):
                    return None, self._modal(node, _closed(restriction, formula))
                return restriction, self._modal(node, formula)

    @property
    def _certain(self) -> bool:
        """Whether "could not have" says what is certain, and not what is impossible."""
        return self.choices.get(COULD_NOT_HAVE) == CERTAIN

    @property
    def _wide(self) -> bool:
        """Whether operators and negations take clauses with quantifier and all."""
        return self.choices.get("scope") == "de dicto"

    def _conditional(self, node: Conditional) -> Formula:
        antecedent, consequent = self.build(node.antecedent), self.build(node.consequent)
        if id(node) not in self.rules:
            return Implies(antecedent, consequent)
        group = self.rules[id(node)]
        if group is not None:
            antecedent = And((group, antecedent))
        return ForAll((VARIABLE,), Implies(antecedent, consequent))

    def _modal(self, node: Operator, formula: Formula) -> Formula:
        modality = node.modality
        if node.word == "choose" and self.choices.get("can choose to") == "bilateral":
            return And((Possibly(modality, formula), Possibly(modality, negated(formula))))
        if node.force == "optional":
            return And((Not(Necessarily(modality, formula)), Not(Necessarily(modality, negated(formula)))))
        kind = Necessarily if node.force == "necessary" else Possibly
        # "It is possible that it might rain" says "possible" twice and means it once.
        if isinstance(formula, kind) and formula.modality == modality:
            return formula
        return kind(modality, formula)


def _closed(restriction: Restriction, formula: Formula) -> Formula:
    """Bind the variable of a quantifier at this point."""
    if restriction is None:
        return formula
    quantifier, group = restriction
    if group is None:
        return ForAll((VARIABLE,), Not(formula) if quantifier == "no" else formula)
    if quantifier == "no":
        return ForAll((VARIABLE,), Implies(group, Not(formula)))
    if quantifier == "only":
        return ForAll((VARIABLE,), Implies(formula, group))
    return ForAll((VARIABLE,), Implies(group, formula))
