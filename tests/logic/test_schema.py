"""Instances of a schema are recognised, and what only looks like one is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.generators.auditing.shapes import instantiates
from polbias.generators.logic.formula import (
    DEONTIC,
    EPISTEMIC,
    And,
    Atom,
    ForAll,
    Formula,
    Implies,
    Inference,
    Necessarily,
    Or,
    Possibly,
    atoms,
    children,
    constants,
    negate,
    rebuild,
    rename,
    substitute,
)
from polbias.generators.logic.syntax import parse_inference

SCHEMAS = tuple(
    map(
        parse_inference,
        (
            "¬O A ⊢ P¬A",
            "¬P A ⊢ O¬A",
            "O A ⊢ P A",
            "¬P A ⊢ ¬O A",
            "P A ⊢ O A",
            "P(A ∨ B) ⊢ P A",
            "O A ⊢ O(A ∨ B)",
            "(A → O B); A ⊢ O B",
            "(A → P¬B); ¬P¬B ⊢ ¬A",
            "∀x (B(x) → O C(x)); B(a) ⊢ O C(a)",
            "∀x (B(x) → O C(x)); O C(a) ⊢ B(a)",
            "∀x (B(x) → ¬P C(x)); P C(a) ⊢ ¬B(a)",
            "O∀x (B(x) → C(x)); B(a) ⊢ O C(a)",
            "∀x∀y ((B(x) ∧ C(y)) → R(x, y)); (B(a) ∧ C(b)) ⊢ O R(a, b)",
        ),
    )
)


@pytest.mark.parametrize(
    ("inference", "schema", "strict", "loose"),
    [
        ("O A ⊢ P A", "O A ⊢ P A", True, True),
        ("□ rain ⊢ ◇ rain", "O A ⊢ P A", True, True),
        ("□[customary] greet(Ann, Bo) ⊢ ◇[customary] greet(Ann, Bo)", "O A ⊢ P A", True, True),
        ("□[customary] rain ⊢ P rain", "O A ⊢ P A", False, False),
        ("O A ⊢ ◇ B", "O A ⊢ ◇ B", True, True),
        ("O A ⊢ P B", "O A ⊢ ◇ B", False, False),  # two modalities are two
        ("O A ⊢ P B", "O A ⊢ P A", False, False),
        ("O A ⊢ P A", "O A ⊢ P B", False, False),
        ("O greet(Ann) ⊢ P greet(Bo)", "O A ⊢ P A", False, False),
        ("O A; O A ⊢ P A", "O A ⊢ P A", False, False),
        # Order
        ("P(B ∨ A) ⊢ P A", "P(A ∨ B) ⊢ P A", False, True),
        ("P(A ∨ B) ⊢ P B", "P(A ∨ B) ⊢ P A", False, True),
        ("P(A ∨ B ∨ C) ⊢ P A", "P(A ∨ B) ⊢ P A", False, False),
        ("P(A ∧ B) ⊢ P A", "P(A ∨ B) ⊢ P A", False, False),
        ("A; (A → O B) ⊢ O B", "(A → O B); A ⊢ O B", False, True),
        ("(O B → A); A ⊢ O B", "(A → O B); A ⊢ O B", False, False),
        # Dualities
        ("P¬A ⊢ P¬A", "¬O A ⊢ P¬A", False, True),
        ("¬O A ⊢ ¬O A", "¬O A ⊢ P¬A", False, True),
        ("¬¬O A ⊢ ¬O¬A", "O A ⊢ P A", False, True),
        ("(A → O B); P¬B ⊢ ¬A", "(A → O B); ¬O B ⊢ ¬A", False, True),
        ("P¬(A ∨ B) ⊢ P¬A", "P(¬A ∧ ¬B) ⊢ P¬A", False, True),
        ("¬(A → ¬O B) ⊢ A", "¬(A → P¬B) ⊢ A", False, True),
        ("(¬A ∨ B); A ⊢ B", "(A → B); A ⊢ B", False, False),
        ("(¬B → ¬A); A ⊢ B", "(A → B); A ⊢ B", False, False),
        ("O¬A ⊢ P¬A", "O A ⊢ P A", False, False),  # A stands for atoms
        # Individuals and quantifiers
        (
            "∀y (see(y, Ann) → O greet(Ann, y)); see(Bo, Ann) ⊢ O greet(Ann, Bo)",
            "∀x (B(x) → O C(x)); B(a) ⊢ O C(a)",
            True,
            True,
        ),
        (
            "∀x (see(x, Bo) → O greet(x)); see(Bo, Bo) ⊢ O greet(Bo)",
            "∀x (B(x) → O C(x)); B(a) ⊢ O C(a)",
            True,
            True,
        ),
        (
            "∀y (see(y, Ann) → O greet(Ann, y)); see(Bo, Ann) ⊢ O greet(Bo, Ann)",
            "∀x (B(x) → O C(x)); B(a) ⊢ O C(a)",
            False,
            False,
        ),
        ("∀x (B(x) → O C(x)); B(Ann) ⊢ O C(Bo)", "∀x (B(x) → O C(x)); B(a) ⊢ O C(a)", False, False),
        ("∀x (B(x) → O B(x)); B(a) ⊢ O B(a)", "∀x (B(x) → O C(x)); B(a) ⊢ O C(a)", False, False),
        ("∀x (rain → O C(x)); rain ⊢ O C(a)", "∀x (B(x) → O C(x)); B(a) ⊢ O C(a)", False, False),
        ("(B(a) → O C(a)); B(a) ⊢ O C(a)", "∀x (B(x) → O C(x)); B(a) ⊢ O C(a)", False, False),
        ("(B(a) → O C(a)); B(a) ⊢ O C(a)", "(A → O B); A ⊢ O B", True, True),
        ("∀x (B(x) → O C(x)); B(a) ⊢ O C(a)", "(A → O B); A ⊢ O B", False, False),
        ("∀x O(B(x) → C(x)); B(a) ⊢ O C(a)", "O∀x (B(x) → C(x)); B(a) ⊢ O C(a)", False, False),
        ("∀x∀y R(x, y) ⊢ R(a, b)", "∀x∀y R(x, y) ⊢ R(a, b)", True, True),
        ("∀x∀y R(y, x) ⊢ R(b, a)", "∀x∀y R(x, y) ⊢ R(a, b)", True, True),
        ("∀x∀y R(x, y) ⊢ R(b, a)", "∀x∀y R(x, y) ⊢ R(a, b)", True, True),
        ("∀x∀y R(y, x) ⊢ R(a, a)", "∀x∀y R(x, y) ⊢ R(a, b)", False, False),
        ("∀x ∀y R(x, y) ⊢ R(a, b)", "∀x∀y R(x, y) ⊢ R(a, b)", False, False),
        ("∀x ∀y R(x, y) ⊢ B(a)", "∀x ∀y R(y, x) ⊢ B(a)", True, True),
        ("∀u ∀v (F(u) ∧ G(v)) ⊢ F(a)", "∀x ∀y (B(x) ∧ C(y)) ⊢ B(a)", True, True),
        ("∀x ∀y (F(x) ∧ G(x)) ⊢ F(a)", "∀x ∀y (B(x) ∧ C(y)) ⊢ B(a)", False, False),
        ("∀x (B(x) ∧ ∀x C(x)) ⊢ B(a)", "∀x (B(x) ∧ ∀y C(y)) ⊢ B(a)", True, True),
        ("∀x B(x) ⊢ B(x)", "∀x B(x) ⊢ B(a)", True, True),
        ("∀x (B(x) ∧ C(x)) ⊢ B(a)", "∀x (B(x) ∧ A) ⊢ B(a)", False, False),  # A is not about x
        ("visit(Ann, Bo) ⊢ visit(Bo, Ann)", "R(a, b) ⊢ R(b, a)", True, True),
        ("visit(Ann, Bo) ⊢ greet(Cy, Bo)", "B(a) ⊢ C(a)", True, True),  # a is Bo
        ("visit(Ann, Bo) ⊢ greet(Cy, Di)", "B(a) ⊢ C(a)", False, False),
        ("visit(Ann, Ann) ⊢ visit(Bo, Bo)", "B(a) ⊢ B(b)", True, True),
        ("visit(Ann, Bo) ⊢ visit(Ann, Bo)", "B(a) ⊢ C(b)", False, False),  # one atom is not two
        ("∀x visit(x, Bo) ⊢ A", "∀x R(x, a) ⊢ A", True, True),
        ("∀x visit(x, x) ⊢ A", "∀x R(x, a) ⊢ A", False, False),
        ("p(Bo) ⊢ p(Bo, Bo)", "B(a) ⊢ B(a)", False, False),
    ],
)
def test_instances(inference: str, schema: str, strict: bool, loose: bool) -> None:
    assert instantiates(parse_inference(inference), parse_inference(schema)) == strict
    assert instantiates(parse_inference(inference), parse_inference(schema), strict=False) == loose


def test_the_schemas_differ() -> None:
    for schema in SCHEMAS:
        assert [other for other in SCHEMAS if instantiates(schema, other)] == [schema]


@st.composite
def substitutions(draw: st.DrawFn) -> Callable[[Inference], Inference]:
    """Return a way to make an instance of a schema."""
    words = dict(zip("ABCR", draw(st.permutations(["see it", "leave", "B", "C"])), strict=True))
    further = {word: draw(st.lists(st.sampled_from(["Ann Lee", "Cy"]), max_size=2)) for word in "ABCR"}
    people = dict(zip("abc", draw(st.permutations(["Ann Lee", "Bo", "x"])), strict=True))
    variables = dict(zip("xy", draw(st.permutations("xyz")), strict=False))
    kind = draw(st.sampled_from([DEONTIC, EPISTEMIC, "customary"]))

    def instance(formula: Formula, terms: dict[str, str]) -> Formula:
        match formula:
            case Atom(predicate, spoken):
                return Atom(words[predicate], (*(terms[term] for term in spoken), *further[predicate]))
            case Necessarily(_, body):
                return Necessarily(kind, instance(body, terms))
            case Possibly(_, body):
                return Possibly(kind, instance(body, terms))
            case ForAll(bound, body):
                return ForAll(tuple(variables[name] for name in bound), instance(body, terms | variables))
        return rebuild(formula, lambda part: instance(part, terms))

    return lambda schema: schema.map(lambda formula: instance(formula, people))


@given(st.sampled_from(SCHEMAS), substitutions())
def test_substitution_instances(schema: Inference, instance: Callable[[Inference], Inference]) -> None:
    assert instantiates(instance(schema), schema)
    assert instantiates(instance(schema), schema, strict=False)


def parts(inference: Inference) -> list[Formula]:
    def below(formula: Formula) -> list[Formula]:
        return [formula, *(part for child in children(formula) for part in below(child))]

    return [part for formula in inference.formulas for part in below(formula)]


def replaced(inference: Inference, old: Formula, new: Formula) -> Inference:
    """Replace the first occurrence of a formula."""
    left = [old]

    def change(formula: Formula) -> Formula:
        if left and formula == old:
            left.pop()
            return new
        return rebuild(formula, change)

    return inference.map(change)


def dropped_operators(schema: Inference) -> Iterator[Inference]:
    for part in parts(schema):
        if isinstance(part, Necessarily | Possibly):
            yield replaced(schema, part, part.body)


def swapped_operators(schema: Inference) -> Iterator[Inference]:
    for part in parts(schema):
        if isinstance(part, Necessarily | Possibly):
            other = Possibly if isinstance(part, Necessarily) else Necessarily
            yield replaced(schema, part, other(part.modality, part.body))


def swapped_negations(schema: Inference) -> Iterator[Inference]:
    for part in parts(schema):
        yield replaced(schema, part, negate(part))


def merged_atoms(schema: Inference) -> Iterator[Inference]:
    arities = {atom.predicate: len(atom.terms) for formula in schema.formulas for atom in atoms(formula)}
    for old, new in permutations(arities, 2):
        if arities[old] == arities[new]:
            yield schema.map(partial(rename, predicates={old: new}))


def other_individuals(schema: Inference) -> Iterator[Inference]:
    for name in constants(schema.conclusion):
        yield Inference(schema.premises, substitute(schema.conclusion, {name: "c"}))


def narrowed_scope(schema: Inference) -> Iterator[Inference]:
    for part in parts(schema):
        if isinstance(part, Necessarily) and isinstance(part.body, Implies):
            antecedent, consequent = children(part.body)
            yield replaced(schema, part, Implies(antecedent, Necessarily(part.modality, consequent)))
        if isinstance(part, Implies) and isinstance(part.consequent, Necessarily):
            inside = Implies(part.antecedent, part.consequent.body)
            yield replaced(schema, part, Necessarily(part.consequent.modality, inside))


def disjoined(schema: Inference) -> Iterator[Inference]:
    for part in parts(schema):
        if isinstance(part, Implies):
            yield replaced(schema, part, Or(children(part)))
        if isinstance(part, Or):
            yield replaced(schema, part, And(part.parts))


@pytest.mark.parametrize(
    "mutation",
    [
        dropped_operators,
        swapped_operators,
        swapped_negations,
        merged_atoms,
        other_individuals,
        narrowed_scope,
        disjoined,
    ],
)
@settings(max_examples=5)
@given(substitutions())
def test_mutants_are_no_instances(
    mutation: Callable[[Inference], Iterator[Inference]], instance: Callable[[Inference], Inference]
) -> None:
    mutants = [(instance(mutant), schema) for schema in SCHEMAS for mutant in mutation(schema)]
    assert mutants
    for mutant, schema in mutants:
        assert not instantiates(mutant, schema), f"{mutant} / {schema}"
        assert not instantiates(mutant, schema, strict=False), f"{mutant} / {schema}"


@given(st.sampled_from(SCHEMAS), substitutions())
def test_one_modality_throughout(schema: Inference, instance: Callable[[Inference], Inference]) -> None:
    inference = instance(schema)
    operators = [part for part in parts(inference) if isinstance(part, Necessarily | Possibly)]
    for operator in operators:
        other = replaced(inference, operator, type(operator)("by law", operator.body))
        assert instantiates(other, schema, strict=False) == (len(operators) == 1)


@given(st.sampled_from(SCHEMAS), substitutions(), st.randoms(use_true_random=False))
def test_the_order_of_premises_matters_if_strict_only(
    schema: Inference, instance: Callable[[Inference], Inference], random: Random
) -> None:
    inference = instance(schema)
    premises = random.sample(inference.premises, len(inference.premises))
    shuffled = Inference(tuple(premises), inference.conclusion)
    assert instantiates(shuffled, schema, strict=False)
    assert instantiates(shuffled, schema) == (shuffled == inference)
