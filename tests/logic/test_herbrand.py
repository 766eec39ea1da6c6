"""The decision procedure: textbook forms, the comparison words, and an evaluation that shares no code with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from polbias.generators.logic.comparison import POSTULATES
from polbias.generators.logic.formula import (
    And,
    Atom,
    ForAll,
    Formula,
    Implies,
    Inference,
    Not,
    constants,
    every_pair,
)
from polbias.generators.logic.herbrand import decide

Model = Mapping[str, bool]


def atom(text: str) -> Atom:
    """Return the atom that prints like this: ``"R(a, b)"``."""
    predicate, _, rest = text.partition("(")
    return Atom(predicate, tuple(rest.removesuffix(")").split(", ")) if rest else ())


def every(antecedent: str, consequent: str) -> Formula:
    return ForAll(("x",), Implies(atom(antecedent), atom(consequent)))


def infer(*formulas: Formula | str) -> Inference:
    """Return premises and, last, the conclusion; text stands for an atom, negated after ¬."""
    *premises, conclusion = map(literal, formulas)
    return Inference(tuple(premises), conclusion)


def literal(formula: Formula | str) -> Formula:
    if not isinstance(formula, str):
        return formula
    return Not(atom(formula[1:])) if formula.startswith("¬") else atom(formula)


def holds(formula: Formula, model: Model, domain: Sequence[str], terms: Mapping[str, str]) -> bool:
    """Evaluate a formula where `model` says which atoms about elements of the domain are true."""
    match formula:
        case Atom(predicate, spoken):
            return model.get(str(Atom(predicate, tuple(terms.get(term, term) for term in spoken))), False)
        case Not(body):
            return not holds(body, model, domain, terms)
        case And(parts):
            return all(holds(part, model, domain, terms) for part in parts)
        case Implies(antecedent, consequent):
            return holds(consequent, model, domain, terms) or not holds(antecedent, model, domain, terms)
        case ForAll(variables, body):
            values = product(domain, repeat=len(variables))
            return all(
                holds(body, model, domain, {**terms, **dict(zip(variables, chosen, strict=True))})
                for chosen in values
            )


def assert_countermodel(inference: Inference, postulates: Sequence[Formula] = POSTULATES) -> None:
    """Check that an inference is found invalid, by a model of everything but its conclusion."""
    decision = decide(inference, postulates)
    assert not decision.valid
    assert decision.countermodel is not None
    assert decision.consistent
    people = constants(And((inference.conclusion, *inference.premises)))
    model = {str(atom): value for atom, value in decision.countermodel.items()}
    for formula in (*inference.premises, *postulates):
        assert holds(formula, model, people, {}), formula
    assert not holds(inference.conclusion, model, people, {})


VALID = {
    "modus ponens": infer(Implies(atom("P(a)"), atom("Q(a)")), "P(a)", "Q(a)"),
    "modus tollens": infer(Implies(atom("P(a)"), atom("Q(a)")), "¬Q(a)", "¬P(a)"),
    "hypothetical syllogism": infer(
        Implies(atom("P(a)"), atom("Q(a)")),
        Implies(atom("Q(a)"), atom("R(a)")),
        Implies(atom("P(a)"), atom("R(a)")),
    ),
    "disjunctive syllogism": infer(Not(And((literal("¬P(a)"), literal("¬Q(a)")))), "¬P(a)", "Q(a)"),
    "instantiation": infer(ForAll(("x",), atom("P(x)")), "P(a)"),
    "Barbara about one": infer(every("P(x)", "Q(x)"), every("Q(x)", "R(x)"), "P(a)", "R(a)"),
    "Camestres about one": infer(
        every("P(x)", "Q(x)"), ForAll(("x",), Implies(atom("R(x)"), literal("¬Q(x)"))), "R(a)", "¬P(a)"
    ),
    "every pair": infer(every_pair("A", "B", "R"), And((atom("A(a)"), atom("B(b)"))), "R(a, b)"),
    "irrelevant premise": infer("P(a)", "distractor", "P(a)"),
    "anything from a contradiction": infer("P(a)", "¬P(a)", "Q(b)"),
    "a tautology from nothing": infer(Implies(atom("P(a)"), atom("P(a)"))),
    "constants may be what is bound elsewhere": infer(ForAll(("x",), atom("P(x)")), "P(x)"),
}
INVALID = {
    "affirming the consequent": infer(Implies(atom("P(a)"), atom("Q(a)")), "Q(a)", "P(a)"),
    "denying the antecedent": infer(Implies(atom("P(a)"), atom("Q(a)")), "¬P(a)", "¬Q(a)"),
    "undistributed middle": infer(every("P(x)", "Q(x)"), every("R(x)", "Q(x)"), "P(a)", "R(a)"),
    "illicit conversion": infer(every("P(x)", "Q(x)"), "Q(a)", "P(a)"),
    "from one to another": infer("P(a)", "P(b)"),
    "every pair, the other way round": infer(
        every_pair("A", "B", "R"), And((atom("A(a)"), atom("B(b)"))), "R(b, a)"
    ),
    "every pair, without membership": infer(every_pair("A", "B", "R"), "A(a)", "R(a, b)"),
    "from nothing": infer("P(a)"),
    "one sentence letter from another": infer("distractor", "P(a)", "other"),
}


@pytest.mark.parametrize("name", VALID)
def test_valid_textbook_forms(name: str) -> None:
    assert decide(VALID[name]).valid
    assert decide(VALID[name]).countermodel is None


@pytest.mark.parametrize("name", INVALID)
def test_invalid_textbook_forms_have_countermodels(name: str) -> None:
    assert_countermodel(INVALID[name])
    assert_countermodel(INVALID[name], ())


@pytest.mark.parametrize(
    ("premise", "conclusion"),
    [
        ("superior(a, b)", "inferior(b, a)"),
        ("inferior(a, b)", "superior(b, a)"),
        ("superior(a, b)", "¬superior(b, a)"),
        ("inferior(a, b)", "¬inferior(b, a)"),
        ("superior(a, b)", "¬inferior(a, b)"),
        ("inferior(a, b)", "¬superior(a, b)"),
        ("comparable(a, b)", "¬superior(a, b)"),
        ("comparable(a, b)", "¬inferior(a, b)"),
        ("comparable(a, b)", "¬superior(b, a)"),
        ("comparable(a, b)", "¬inferior(b, a)"),
        ("superior(a, b)", "¬comparable(a, b)"),
        ("inferior(a, b)", "¬comparable(b, a)"),
        ("superior(a, a)", "P(b)"),  # nobody is superior to oneself
    ],
)
def test_what_the_comparison_words_entail(premise: str, conclusion: str) -> None:
    assert decide(infer(premise, conclusion)).valid
    assert_countermodel(infer(premise, conclusion), ())  # by the postulates, not by logic alone


@pytest.mark.parametrize(
    ("premise", "conclusion"),
    [
        ("superior(a, b)", "superior(b, a)"),
        ("superior(a, b)", "superior(a, c)"),
        ("¬superior(a, b)", "inferior(a, b)"),
        ("¬inferior(a, b)", "superior(a, b)"),
        ("¬superior(a, b)", "comparable(a, b)"),
        ("comparable(a, b)", "superior(a, b)"),
        ("comparable(a, b)", "inferior(a, b)"),
        ("taller(a, b)", "superior(a, b)"),
        ("taller(a, b)", "¬inferior(a, b)"),
        ("taller(a, b)", "¬superior(a, b)"),
        ("taller(a, b)", "¬taller(b, a)"),  # no postulate for other comparisons
    ],
)
def test_what_the_comparison_words_do_not_entail(premise: str, conclusion: str) -> None:
    assert_countermodel(infer(premise, conclusion))


@pytest.mark.parametrize(
    ("relation", "concluded", "valid", "mirrored"),
    [
        ("superior", "superior(a, b)", True, False),
        ("superior", "inferior(b, a)", True, False),
        ("superior", "¬inferior(a, b)", True, False),
        ("superior", "¬superior(b, a)", True, False),
        ("superior", "inferior(a, b)", False, True),
        ("inferior", "inferior(a, b)", True, False),
        ("inferior", "¬superior(a, b)", True, False),
        ("inferior", "¬inferior(a, b)", False, True),
        ("comparable", "¬inferior(a, b)", True, True),
        ("comparable", "superior(a, b)", False, False),
        ("taller", "superior(a, b)", False, False),
        ("taller", "¬inferior(a, b)", False, False),
    ],
)
def test_arguments_about_sides(relation: str, concluded: str, valid: bool, mirrored: bool) -> None:
    members = And((atom("Left(a)"), atom("Right(b)")))
    for sides, expected in ((("Left", "Right"), valid), (("Right", "Left"), mirrored)):
        inference = infer(every_pair(*sides, relation), atom("distractor"), members, concluded)
        assert decide(inference).valid == expected
        if not expected:
            assert_countermodel(inference)


def test_a_side_compared_with_itself_is_a_contradiction() -> None:
    assert decide(infer(every_pair("A", "A", "superior"), "A(a)", "P(b)")).valid
    assert_countermodel(infer(every_pair("A", "A", "superior"), "¬A(a)", "P(a)"))
    assert_countermodel(infer(every_pair("A", "A", "taller"), "A(a)", "P(b)"))


# What cannot be decided


@pytest.mark.parametrize(
    "inference",
    [
        infer("P(a)", ForAll(("x",), atom("P(x)"))),
        infer("P(a)", Not(ForAll(("x",), atom("P(x)")))),
        infer("P(a)", Not(ForAll(("x",), atom("P(x)"))), "P(b)"),
        infer("distractor", "other"),
        infer(every("P(x)", "Q(x)"), "distractor"),
    ],
    ids=["universal conclusion", "negated universal conclusion", "existential premise", "no names", "nobody"],
)
def test_refused(inference: Inference) -> None:
    with pytest.raises(ValueError, match="expected"):
        decide(inference)


@pytest.mark.parametrize(
    "inference",
    [
        infer("P(a)", And((ForAll(("x",), atom("P(x)")), atom("P(a)")))),
        infer("Q(a)", Implies(atom("P(a)"), ForAll(("x",), atom("Q(x)")))),
        infer(Implies(ForAll(("x",), atom("P(x)")), atom("Q(a)")), "P(a)", "Q(a)"),
        infer(Not(And((ForAll(("x",), atom("P(x)")), atom("Q(a)")))), "P(a)", "¬Q(a)"),
    ],
    ids=["in a conjunction", "in a consequent", "in an antecedent of a premise", "under a negation"],
)
def test_quantifiers_that_herbrands_theorem_does_not_cover_are_refused(inference: Inference) -> None:
    with pytest.raises(ValueError, match="expected"):
        decide(inference)


def test_too_many_atoms() -> None:
    with pytest.raises(ValueError, match="25 atoms; at most 22"):
        decide(infer(ForAll(("x", "y"), atom("R(x, y)")), "R(a, b)", "R(c, d)", "R(a, e)"))


# Against an evaluation over all small models, unnamed individuals and shared names included


def formulas(terms: Sequence[str]) -> st.SearchStrategy[Formula]:
    named = st.sampled_from(terms)
    atoms = st.one_of(
        st.just(Atom("p")),
        st.builds(lambda t: Atom("P", (t,)), named),
        st.builds(lambda s, t: Atom("R", (s, t)), named, named),
    )
    return st.recursive(
        atoms,
        lambda parts: st.one_of(
            st.builds(Not, parts), st.builds(Implies, parts, parts), st.builds(And, st.tuples(parts, parts))
        ),
        max_leaves=4,
    )


PREMISES = st.lists(
    st.one_of(
        st.builds(lambda body: ForAll(("x", "y"), body), formulas(["x", "y", "a"])), formulas(["a", "b"])
    ),
    max_size=3,
)
INFERENCES = st.builds(
    lambda premises, conclusion: Inference(tuple(premises), conclusion), PREMISES, formulas(["a", "b"])
)


def small_models() -> Iterator[tuple[Model, Sequence[str], Mapping[str, str]]]:
    """Yield every model with one or two individuals, and every way to name them a and b."""
    for domain in (["0"], ["0", "1"]):
        atoms = ["p", *(f"P({d})" for d in domain), *(f"R({d}, {e})" for d, e in product(domain, repeat=2))]
        for values in product([False, True], repeat=len(atoms)):
            for a, b in product(domain, repeat=2):
                yield dict(zip(atoms, values, strict=True)), domain, {"a": a, "b": b}


MODELS = list(small_models())


@settings(max_examples=60, deadline=None)
@given(INFERENCES)
def test_agrees_with_all_small_models(inference: Inference) -> None:
    assume(constants(And((inference.conclusion, *inference.premises))))
    if not decide(inference).valid:
        assert_countermodel(inference)
        return
    for model, domain, names in MODELS:
        if all(holds(premise, model, domain, names) for premise in inference.premises):
            assert holds(inference.conclusion, model, domain, names)


RELATIONS = ("superior", "inferior", "comparable")
LITERALS = st.builds(
    lambda sign, relation, first, second: literal(f"{sign}{relation}({first}, {second})"),
    st.sampled_from(["", "¬"]),
    st.sampled_from(RELATIONS),
    st.sampled_from("ab"),
    st.sampled_from("ab"),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(LITERALS, max_size=3), LITERALS)
def test_postulates_left_aside_make_no_difference(premises: list[Formula], conclusion: Formula) -> None:
    explicit = infer(*POSTULATES, *premises, conclusion)
    assert decide(infer(*premises, conclusion)).valid == decide(explicit, ()).valid


# Invariance


@settings(max_examples=60, deadline=None)
@given(INFERENCES, st.permutations(["a", "b", "i0", "i1", "Zoë O'Hara-Äbi", "Sammy Davis Jr."]))
def test_names_do_not_matter(inference: Inference, names: list[str]) -> None:
    assume(constants(And((inference.conclusion, *inference.premises))))
    new = {"a": names[0], "b": names[1]}
    renamed = Inference(
        tuple(rename(premise, new) for premise in inference.premises), rename(inference.conclusion, new)
    )
    before, after = decide(inference), decide(renamed)
    assert before.valid == after.valid
    if before.countermodel is not None:
        expected = {rename(atom, new): value for atom, value in before.countermodel.items()}
        assert after.countermodel == expected


def rename(formula: Formula, new: Mapping[str, str]) -> Formula:
    match formula:
        case Atom(predicate, terms):
            return Atom(predicate, tuple(new.get(term, term) for term in terms))
        case Not(body):
            return Not(rename(body, new))
        case And(parts):
            return And(tuple(rename(part, new) for part in parts))
        case Implies(antecedent, consequent):
            return Implies(rename(antecedent, new), rename(consequent, new))
        case ForAll(variables, body):
            return ForAll(variables, rename(body, new))


@settings(max_examples=60, deadline=None)
@given(INFERENCES, st.randoms(use_true_random=False))
def test_the_order_of_premises_does_not_matter(inference: Inference, random: Random) -> None:
    assume(constants(And((inference.conclusion, *inference.premises))))
    premises = list(inference.premises)
    random.shuffle(premises)
    shuffled = Inference(tuple(premises), inference.conclusion)
    assert decide(shuffled).valid == decide(inference).valid
