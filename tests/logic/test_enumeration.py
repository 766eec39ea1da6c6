"""The oracle of the other tests: truth by definition, and as many models as it says."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.generators.logic.enumeration import (
    FiniteModels,
    _relations,
    _valuations,
    decide,
    enough_individuals,
    enough_worlds,
    holds,
)
from polbias.generators.logic.formula import DEONTIC, FOL, KD, KT, S5, Access, Atom, Inference, K, Logic, Not
from polbias.generators.logic.syntax import parse_formula, parse_inference
from tests.logic.generated import applied, inferences, modal, propositional, quantified

# w0 sees w1 and w2, w1 sees itself, w2 sees nothing; A holds at w1 alone, B at w1 and w2; C of a at w0.
PICTURE = FiniteModels(
    ["a", "b"],
    {DEONTIC: np.array([[0, 1, 1], [0, 1, 0], [0, 0, 0]], bool), "other": np.zeros((3, 3), bool)},
    {
        (atom, world): np.array(True)
        for atom, world in [(Atom("A"), 1), (Atom("B"), 1), (Atom("B"), 2), (Atom("C", ("a",)), 0)]
    },
)


@pytest.mark.parametrize(
    ("text", "worlds"),
    [
        ("A", {1}),
        ("¬A", {0, 2}),
        ("(A ∧ B)", {1}),
        ("(A ∨ B)", {1, 2}),
        ("(A → B)", {0, 1, 2}),
        ("(B → A)", {0, 1}),
        ("O A", {1, 2}),
        ("P A", {0, 1}),
        ("O B", {0, 1, 2}),
        ("¬P¬B", {0, 1, 2}),
        ("O O A", {0, 1, 2}),
        ("P P A", {0, 1}),
        ("P O¬B", {0}),
        ("◇[other](A → A)", set()),
        ("□[other](A ∧ ¬A)", {0, 1, 2}),
        ("C(a)", {0}),
        ("∀x C(x)", set()),
        ("¬∀x ¬C(x)", {0}),
        ("∀x O¬C(x)", {0, 1, 2}),
        ("∀x ∀x (C(x) → C(a))", {0, 1, 2}),
        ("∀x∀y (C(x) → C(y))", {1, 2}),
    ],
)
def test_truth(text: str, worlds: set[int]) -> None:
    formula = parse_formula(text)
    assert {world for world in range(3) if holds(formula, PICTURE, world)} == worlds


@pytest.mark.parametrize(
    ("access", "trees", "count"),
    [
        (Access.ANY, False, 512),
        (Access.SERIAL, False, 343),
        (Access.REFLEXIVE, False, 64),
        (Access.UNIVERSAL, False, 1),
        (Access.ANY, True, 8),
        (Access.SERIAL, True, 8),
        (Access.REFLEXIVE, True, 8),
    ],
)
def test_how_many_relations(access: Access, trees: bool, count: int) -> None:
    relations = _relations(access, 3, trees)
    assert relations.shape == (3, 3, count)
    assert len({relations[:, :, index].tobytes() for index in range(count)}) == count
    if access is Access.SERIAL:
        assert relations.any(axis=1).all()
    if access is Access.REFLEXIVE:
        assert all(relations[world, world].all() for world in range(3))


def test_how_many_valuations() -> None:
    spoken = [Atom("A"), Atom("B")]
    columns = [
        tuple(bool(values[index]) for values in chunk.values())
        for chunk in _valuations(spoken, 2, [], 3)
        for index in range(len(chunk[spoken[0], 0]))
    ]
    assert sorted(columns) == sorted(product([False, True], repeat=4))
    facts = [parse_formula("(A → B)"), parse_formula("¬(A ∧ B)")]
    met = list(_valuations(spoken, 1, facts, 99))
    assert [{atom: list(values) for (atom, _), values in chunk.items()} for chunk in met] == [
        {Atom("A"): [False, False], Atom("B"): [False, True]}
    ]


def test_a_contradiction_has_no_model() -> None:
    decision = decide(parse_inference("A; ¬A ⊢ B"), K)
    assert (decision.valid, decision.consistent, decision.countermodel) == (True, False, None)


def test_the_smallest_countermodel() -> None:
    for text, logic, size in (("O A ⊢ P A", K, 1), ("A ⊢ O A", KD, 2), ("P A; P B ⊢ P(A ∧ B)", KD, 2)):
        model = decide(parse_inference(text), logic).countermodel
        assert model is not None
        assert model.access[DEONTIC].shape == (size, size)


def test_postulates_hold_in_every_model() -> None:
    assert decide(parse_inference("superior(a, b) ⊢ inferior(b, a)"), FOL, extra=1).valid
    assert not decide(
        parse_inference("superior(a, b) ⊢ inferior(b, a)"), Logic("", Access.NO_MODALITY), extra=1
    ).valid
    assert not decide(parse_inference("taller(a, b) ⊢ inferior(b, a)"), FOL, extra=1).valid


def test_too_many_valuations() -> None:
    with pytest.raises(ValueError, match="more than 4194304 valuations of 25 atoms"):
        decide(parse_inference("∀x∀y R(x, y) ⊢ (R(a, b) ∧ R(c, d))"), Logic("", Access.NO_MODALITY), extra=1)


ONE_LOGIC = st.sampled_from((K, KD, KT))
SMALL = inferences(modal(leaves=2), modal(leaves=2))
OF_ALL = quantified(propositional(applied({"F": 1, "G": 1}, ["x", "a"])))


@settings(max_examples=40)
@given(
    st.one_of(SMALL, inferences(OF_ALL, modal(applied({"F": 1}, "a")), 1)), st.sampled_from((K, KD, KT, S5))
)
def test_countermodels_are_evaluated_alike_alone_and_among_others(inference: Inference, logic: Logic) -> None:
    decision = decide(inference, logic, worlds=2)
    model = decision.countermodel
    assert decision.valid == (model is None)
    if model is not None:
        assert all(holds(premise, model) for premise in inference.premises)
        assert not holds(inference.conclusion, model)
        assert all(relation.shape in ((1, 1), (2, 2)) for relation in model.access.values())
        assert all(values.shape == () for values in model.true.values())


@settings(max_examples=40)
@given(SMALL, ONE_LOGIC)
def test_trees_are_enough(inference: Inference, logic: Logic) -> None:
    enough = enough_worlds(inference, logic)
    if enough <= 3:
        every, trees = (decide(inference, logic, worlds=enough, trees=trees) for trees in (False, True))
        assert (every.valid, every.consistent) == (trees.valid, trees.consistent)


@settings(max_examples=40)
@given(inferences(modal(depth=2), modal(depth=2)), ONE_LOGIC)
def test_more_worlds_than_enough_change_nothing(inference: Inference, logic: Logic) -> None:
    enough = enough_worlds(inference, logic)
    if enough <= 4:
        less, more = (decide(inference, logic, worlds=enough + more, trees=True) for more in (0, 1))
        assert (less.valid, less.consistent) == (more.valid, more.consistent)


@settings(max_examples=40)
@given(inferences(st.one_of(OF_ALL, OF_ALL.map(Not)), OF_ALL))
def test_more_individuals_than_enough_change_nothing(inference: Inference) -> None:
    enough = int(enough_individuals(inference))
    less, more = (decide(inference, FOL, extra=enough + more) for more in (0, 1))
    assert (less.valid, less.consistent) == (more.valid, more.consistent)


@pytest.mark.parametrize(
    ("text", "worlds"),
    [
        ("A ⊢ B", {K: 1, KD: 1, KT: 1, S5: 1}),
        ("O A ⊢ P A", {K: 3, KD: 3, KT: 3, S5: 3}),
        ("O A; O A ⊢ A", {K: 2, KD: 2, KT: 2, S5: 2}),
        ("O P A ⊢ B", {K: 3, KD: 3, KT: 5, S5: 3}),
        ("O P A ⊢ P B", {K: 5, KD: 5, KT: 7, S5: 4}),
        ("∀x O B(x) ⊢ A", {K: 2, KD: 2, KT: 2, S5: 2}),
        ("∀x O B(x) ⊢ B(a)", {K: 3, KD: 3, KT: 3, S5: 3}),
    ],
)
def test_enough_worlds(text: str, worlds: dict[Logic, int]) -> None:
    assert {logic: enough_worlds(parse_inference(text), logic) for logic in worlds} == worlds


@pytest.mark.parametrize(
    ("text", "individuals"),
    [
        ("∀x B(x) ⊢ B(a)", 0),
        ("B(a) ⊢ ∀x B(x)", 1),
        ("¬∀x B(x); ¬∀x∀y R(x, y) ⊢ ¬∀x B(x)", 3),
        ("(∀x B(x) → A) ⊢ A", 1),
        ("O∀x B(x) ⊢ A", 0),
        ("P¬∀x B(x) ⊢ A", float("inf")),
        ("∀x ¬∀y R(x, y) ⊢ A", float("inf")),
    ],
)
def test_enough_individuals(text: str, individuals: float) -> None:
    assert enough_individuals(parse_inference(text)) == individuals
