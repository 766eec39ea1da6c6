"""The prover against an enumeration of all models, which shares no code with it, and what must not matter."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from polbias.generators.logic.formula import (
    DEONTIC,
    FOL,
    FREE_CHOICE,
    KD,
    KT,
    MODAL_LOGICS,
    POSTULATES,
    Access,
    ForAll,
    Formula,
    Implies,
    Inference,
    K,
    Logic,
    rename,
    substitute,
)
from polbias.generators.logic.prover import World, prove
from tests.logic.checking import agreed
from tests.logic.generated import applied, inferences, modal, propositional, quantified

NO_POSTULATES = Logic("fol without postulates", Access.NO_MODALITY)

# Against all models of a size

ONE_LOGIC = st.sampled_from(MODAL_LOGICS)


@settings(max_examples=75)
@given(inferences(modal(), modal()), ONE_LOGIC)
def test_agrees_with_all_models(inference: Inference, logic: Logic) -> None:
    agreed(inference, logic)


@settings(max_examples=50)
@given(inferences(modal(depth=2), modal(depth=2)), ONE_LOGIC)
def test_agrees_with_all_models_for_operators_in_operators(inference: Inference, logic: Logic) -> None:
    agreed(inference, logic, most=4)


TWO = (DEONTIC, "customary")


@settings(max_examples=30)
@given(inferences(modal(modalities=TWO), modal(modalities=TWO)), st.sampled_from((K, KD, KT, FREE_CHOICE)))
def test_agrees_with_all_models_of_two_modalities(inference: Inference, logic: Logic) -> None:
    agreed(inference, logic, most=4)


UNARY = {"B": 1, "C": 1}
SAID = modal(applied(UNARY, ["a", "b"]))
OF_ALL = quantified(modal(applied(UNARY, ["x", "x", "a"])))


@settings(max_examples=50)
@given(inferences(st.one_of(OF_ALL, SAID), st.one_of(SAID, OF_ALL)), ONE_LOGIC)
def test_agrees_with_all_models_about_individuals(inference: Inference, logic: Logic) -> None:
    assume(decidable(inference, logic))
    agreed(inference, logic, most=2)


def decidable(inference: Inference, logic: Logic) -> bool:
    try:
        prove(inference, logic)
    except ValueError:
        return False
    return True


SIGNATURE = {"distractor": 0, "F": 1, "R": 2}
PREMISES = st.one_of(
    quantified(propositional(applied(SIGNATURE, ["x", "y", "a"])), ("x", "y")),
    propositional(applied(SIGNATURE, ["a", "b"])),
)
CONCLUSIONS = propositional(applied(SIGNATURE, ["a", "b"]))


@settings(max_examples=50)
@given(inferences(PREMISES, CONCLUSIONS))
def test_agrees_with_all_small_models(inference: Inference) -> None:
    agreed(inference, FOL)


OF_SOME = propositional(
    st.one_of(
        quantified(propositional(applied({"F": 1, "G": 1}, ["x", "x", "a"]))),
        applied({"distractor": 0, "F": 1, "G": 1}, ["a", "b"]),
    ),
    2,
)


@settings(max_examples=50)
@given(inferences(OF_SOME, OF_SOME))
def test_agrees_about_quantifiers_anywhere(inference: Inference) -> None:
    assume(decidable(inference, FOL))
    agreed(inference, FOL)


COMPARED = applied({"superior": 2, "inferior": 2, "comparable": 2}, ["a", "b"])
COMPARISONS = propositional(COMPARED)
GENERAL = quantified(
    st.builds(
        Implies,
        applied({"F": 1}, ["x", "y"]),
        applied({"superior": 2, "inferior": 2, "comparable": 2, "taller": 2}, ["x", "y", "a"]),
    ),
    ("x", "y"),
)


@settings(max_examples=50)
@given(inferences(st.one_of(COMPARISONS, GENERAL, applied({"F": 1}, ["a", "b"])), COMPARISONS, most=3))
def test_agrees_about_comparisons(inference: Inference) -> None:
    agreed(inference, FOL, extra=0)


@settings(max_examples=30)
@given(st.lists(COMPARISONS, max_size=3).map(tuple), COMPARISONS)
def test_postulates_are_like_premises(premises: tuple[Formula, ...], conclusion: Formula) -> None:
    explicit = Inference((*POSTULATES, *premises), conclusion)
    assert prove(Inference(premises, conclusion), FOL).valid == prove(explicit, NO_POSTULATES).valid


# Invariance

MIXED = inferences(st.one_of(SAID, OF_ALL), SAID)


@settings(max_examples=30)
@given(
    MIXED,
    ONE_LOGIC,
    st.permutations(["a", "b", "#0", "x", "Zoë O'Hara-Äbi"]),
    st.permutations(["B", "C", "D", "#001"]),
)
def test_names_do_not_matter(inference: Inference, logic: Logic, names: list[str], words: list[str]) -> None:
    assume(decidable(inference, logic))
    people, predicates = dict(zip("ab", names, strict=False)), dict(zip("BC", words, strict=False))

    def new(formula: Formula) -> Formula:
        return rename(substitute(formula, people), predicates)

    assume(not any("x" in people.values() and isinstance(f, ForAll) for f in inference.formulas))
    before, after = prove(inference, logic), prove(inference.map(new), logic)
    assert (before.valid, before.consistent) == (after.valid, after.consistent)
    assert [shown(world, new) for world in before.countermodel] == [
        shown(world) for world in after.countermodel
    ]
    assert [step.formula and new(step.formula) for step in before.proof] == [
        step.formula for step in after.proof
    ]


def shown(world: World, new: Callable[[Formula], Formula] = lambda formula: formula) -> tuple[object, ...]:
    return (
        world.number,
        world.accessible,
        [new(atom) for atom in world.true],
        [new(atom) for atom in world.false],
    )


@settings(max_examples=30)
@given(inferences(st.one_of(SAID, OF_ALL), SAID, most=3), ONE_LOGIC, st.randoms(use_true_random=False))
def test_the_order_of_premises_does_not_matter(inference: Inference, logic: Logic, random: Random) -> None:
    assume(decidable(inference, logic))
    premises = tuple(random.sample(inference.premises, len(inference.premises)))
    before, after = prove(inference, logic), prove(Inference(premises, inference.conclusion), logic)
    assert (before.valid, before.consistent) == (after.valid, after.consistent)
