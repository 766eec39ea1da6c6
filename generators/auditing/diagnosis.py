"""Why an inference does not have the form of a pattern: the two laid side by side, clause by clause.

Nothing here looks at words: two clauses are the same if their formulas are. A metavariable of the pattern is
bound to the first formula that stands in its place, and every later place is compared with that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, permutations

from polbias.generators.logic.formula import (
    Atom,
    ForAll,
    Formula,
    Implies,
    Inference,
    Modal,
    Not,
    atoms,
    children,
    constants,
    rebuild,
    substitute,
)

_HERE = "•"  # the individual that a clause is about


def denials_named(inference: Inference) -> Inference:
    """Return an inference in which a clause that is only ever denied is replaced by its denial.

    "If gravity does not exist, objects fall upwards" is about "gravity does not exist" as much as about
    "gravity exists", and a pattern does not care which of the two a metavariable stands for.

    Args:
        inference: any inference.
    """
    bare = {atom for formula in inference.formulas for atom in _undenied(formula)}

    def named(formula: Formula) -> Formula:
        match formula:
            case Not(Atom(predicate, terms) as clause) if clause not in bare:
                return Atom(f"not {predicate}", terms)
        return rebuild(formula, named)

    return inference.map(named)


def _undenied(formula: Formula) -> Iterator[Atom]:
    match formula:
        case Atom():
            yield formula
        case Not(Atom()):
            pass
        case _:
            for part in children(formula):
                yield from _undenied(part)


def diagnose(inferences: Iterable[Inference], form: Inference, strict: bool) -> tuple[str, ...]:
    """Say in which ways an item differs from a pattern.

    Args:
        inferences: its readings, none of which has the form.
        form: of the pattern.
        strict: whether ``¬□A`` and ``◇¬A`` are different forms, and the order of the premises counts.

    Returns:
        Codes of `polbias.generators.logic.audit.findings`, of the reading that differs in the fewest ways.
    """
    number = len(form.premises)
    found: list[tuple[int, tuple[str, ...]]] = []
    for inference in inferences:
        orders = permutations(inference.premises) if len(inference.premises) == number else ()
        for premises in islice(orders, 1 if strict else None):
            comparison = _Comparison(form, strict)
            codes = comparison.codes(Inference(premises, inference.conclusion))
            # That the premises are exchanged is a difference too, though it has no name.
            exchanged = premises != inference.premises
            found.append((len(codes) + comparison.lost + exchanged, codes))
    return min(found, key=lambda entry: entry[0], default=(0, ()))[1] or ("form-mismatch",)


class _Comparison:
    """One reading beside the form of a pattern.

    Attributes:
        lost: how many clauses of the form were compared with nothing, because the item is built otherwise.
    """

    def __init__(self, form: Inference, strict: bool) -> None:
        self.lost = 0
        self._form = form
        self._strict = strict
        self._bound: dict[str, tuple[Formula, bool]] = {}  # metavariable to formula, and whether it is denied
        self._places: dict[Formula, tuple[str, bool]] = {}  # formula to metavariable where it came first
        self._individuals: dict[str, str] = {}  # those of the form, to those of the item
        self._modalities: dict[str, str] = {}
        self._found: dict[str, None] = {}
        self._concluding = False
        self._uneven = False  # one of the two has a rule about all, so that individuals do not matter
        self._wide = False  # an operator stands over a whole rule, and is missed in its consequent
        self._consequents = {atom.predicate for premise in form.premises for atom in _consequents(premise)}

    def codes(self, inference: Inference) -> tuple[str, ...]:
        """Return how an inference differs."""
        for schema, formula in zip(self._form.premises, inference.premises, strict=True):
            self._compare(schema, formula)
        self._concluding = True
        self._compare(self._form.conclusion, inference.conclusion)
        return tuple(self._found)

    def _note(self, code: str) -> None:
        self._found[code] = None

    def _compare(self, schema: Formula, formula: Formula, denied: bool = False, its: bool = False) -> None:
        """Compare two formulas, each of which may stand under a negation that was taken off before."""
        while isinstance(schema, Not):
            schema, denied = schema.body, not denied
        while isinstance(formula, Not):
            formula, its = formula.body, not its
        if isinstance(schema, Modal) and isinstance(formula, Modal):
            self._operators(schema, formula, denied, its)
        elif isinstance(schema, Modal):
            if not self._wide:
                self._note("missing-modal")
            self._wide = False
            self._compare(schema.body, formula, denied, its)
        elif isinstance(formula, Modal):
            self._wide = isinstance(schema, ForAll | Implies)
            self._note("scope-mismatch" if self._wide else "surplus-modal")
            self._compare(schema, formula.body, denied, its)
        elif isinstance(schema, ForAll) or (isinstance(formula, ForAll) and not isinstance(schema, Atom)):
            self._quantifiers(schema, formula, denied, its)
        elif isinstance(schema, Atom):
            self._clause(schema, formula, denied != its, its)
        else:
            self._compound(schema, formula, denied != its)

    def _operators(self, schema: Modal, formula: Modal, denied: bool, its: bool) -> None:
        if self._modalities.setdefault(schema.modality, formula.modality) != formula.modality:
            self._note("operator-mismatch")
        if type(schema) is type(formula):
            if denied != its:
                self._note("negation-mismatch")
        elif denied != its and not self._strict:  # duals: the negation belongs to the body
            self._compare(schema.body, formula.body, denied, its)
            return
        else:
            self._note("operator-mismatch")
        self._compare(schema.body, formula.body)

    def _quantifiers(self, schema: Formula, formula: Formula, denied: bool, its: bool) -> None:
        if isinstance(schema, ForAll) and isinstance(formula, ForAll):
            for mine, other in zip(schema.variables, formula.variables, strict=False):
                self._individuals[mine] = other
            self._compare(schema.body, formula.body, denied, its)
            return
        self._note("rule-mismatch")
        self._uneven = True
        body = schema.body if isinstance(schema, ForAll) else schema
        self._compare(body, formula.body if isinstance(formula, ForAll) else formula, denied, its)

    def _compound(self, schema: Formula, formula: Formula, differently: bool) -> None:
        mine, its = children(schema), children(formula)
        if type(schema) is not type(formula) or len(mine) != len(its):
            self._note("rule-mismatch" if isinstance(schema, Implies) else "form-mismatch")
            self.lost += len(atoms(schema))
            return
        if differently:
            self._note("negation-mismatch")
        for part, other in zip(mine, its, strict=True):
            self._compare(part, other)

    def _clause(self, schema: Atom, formula: Formula, denied: bool, negated: bool) -> None:
        """Compare what stands in the place of a metavariable with what stood there before."""
        name = schema.predicate
        for term in schema.terms:
            if term not in self._individuals:
                self._meet(term, name, formula)
        said = self._abstract(schema, formula)
        place, was_denied = self._places.setdefault(said, (name, denied))
        known, known_denied = self._bound.get(name) or (said, denied)
        if place != name:
            consequent = self._concluding and place in self._consequents and negated != was_denied
            self._note("conclusion-negates-consequent" if consequent else "wrong-clause")
        elif said == known:
            self._bound[name] = known, known_denied
            if denied != known_denied:
                self._note("negation-mismatch")
        elif _anonymous(formula) == _anonymous(known):
            self._note("other-individual")
        elif isinstance(formula, ForAll):
            self._note("rule-mismatch")
        elif self._concluding or len(self._form.premises) == 1:
            self._note("content-mismatch")
        else:
            self._note("four-terms")

    def _meet(self, term: str, name: str, formula: Formula) -> None:
        """Let an individual of the form stand for one of a clause, such that the clause is a known one."""
        met = [c for c in constants(formula) if c not in self._individuals.values()]
        known = self._bound.get(name)
        fitting = [c for c in met if known and substitute(formula, {c: _HERE}) == known[0]]
        for individual in (*fitting, *met)[:1]:
            self._individuals[term] = individual

    def _abstract(self, schema: Atom, formula: Formula) -> Formula:
        """Return a clause with a mark in place of the individual that the form says it is about."""
        if self._uneven:
            return _anonymous(formula)
        about = (self._individuals.get(term) for term in schema.terms)
        return substitute(formula, {term: _HERE for term in about if term is not None})


def _anonymous(formula: Formula) -> Formula:
    return substitute(formula, dict.fromkeys(constants(formula), _HERE))


def _consequents(rule: Formula) -> Sequence[Atom]:
    while isinstance(rule, ForAll | Modal):
        rule = rule.body
    return atoms(rule.consequent) if isinstance(rule, Implies) else ()
