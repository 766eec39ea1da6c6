"""The shape of an inference: what is left of it when names and words are numbered as they come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polbias.generators.logic.formula import And, Atom, ForAll, Formula, Implies, Inference, Not, Or

Shape = tuple[Any, ...]


def shape(inference: Inference) -> Shape:
    """Return a value that two inferences share exactly if they differ in names, words and variables only.

    Args:
        inference: any inference.

    Returns:
        Nested tuples: quick to make, to hash and to compare, which formulas are not.
    """
    words: dict[str, int] = {}
    names: dict[str, int] = {}

    def of(formula: Formula, bound: Mapping[str, str], depth: int) -> Shape:
        if isinstance(formula, Atom):
            word = words.setdefault(formula.predicate, len(words))
            # A bound variable is a string, an individual a number.
            return (word, *[bound.get(t) or names.setdefault(t, len(names)) for t in formula.terms])
        if isinstance(formula, And | Or):
            return (type(formula).__name__, *[of(part, bound, depth) for part in formula.parts])
        if isinstance(formula, Implies):
            return ("Implies", of(formula.antecedent, bound, depth), of(formula.consequent, bound, depth))
        if isinstance(formula, ForAll):
            inner = {variable: f"x{depth + i}" for i, variable in enumerate(formula.variables)}
            return ("ForAll", len(inner), of(formula.body, {**bound, **inner}, depth + len(inner)))
        if isinstance(formula, Not):
            return ("Not", of(formula.body, bound, depth))
        return (type(formula).__name__, formula.modality, of(formula.body, bound, depth))

    return tuple([of(formula, {}, 0) for formula in inference.formulas])
