"""Decisions in a finite domain: two deciders with the same answers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polbias.generators.logic import finite, finite_prover
from polbias.generators.logic.finite import FiniteDomain, all_models
from polbias.generators.logic.formula import Atom, Inference
from polbias.generators.logic.syntax import parse_formula, parse_inference

Decide = Callable[[Inference, FiniteDomain], str]
GROUPS = {"G": ("a", "c"), "H": ("b",)}
PROPERTIES = FiniteDomain(("a", "b", "c"), GROUPS, properties=("F", "K"))
ORDER = FiniteDomain(("a", "b", "c"), GROUPS, order="above")


def _enumerate(inference: Inference, domain: FiniteDomain) -> str:
    return finite.decide(inference, all_models(domain))


def _prove(inference: Inference, domain: FiniteDomain) -> str:
    return finite_prover.prover_of(domain).decide(inference)


@pytest.fixture(params=[_enumerate, _prove])
def decide(request: pytest.FixtureRequest) -> Decide:
    return request.param


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("⊢ F(a)", "open"),
        ("⊢ (F(a) ∨ ¬F(a))", "follows"),
        ("⊢ (F(a) ∧ ¬F(a))", "excluded"),
        ("F(a); ¬F(a) ⊢ F(b)", "inconsistent"),
        ("(F(a) → F(b)); F(a) ⊢ F(b)", "follows"),
        ("(F(a) → F(b)); ¬F(b) ⊢ F(a)", "excluded"),
        ("(F(a) → F(b)); F(b) ⊢ F(a)", "open"),
        ("(F(a) ↔ F(b)); ¬F(a) ⊢ F(b)", "excluded"),
        ("¬(F(a) ↔ F(b)); ¬F(a) ⊢ F(b)", "follows"),
        # counts of formulas
        ("#[F(a), F(b)] = 1; F(a) ⊢ F(b)", "excluded"),
        ("#[F(a), F(b)] ≥ 1; ¬F(a) ⊢ F(b)", "follows"),
        ("#[F(a), F(b), F(c)] ≤ 1; F(a) ⊢ (F(b) ∨ F(c))", "excluded"),
        ("#[F(a), F(b), F(c)] ≥ 2; F(a) ⊢ F(b)", "open"),
        ("#[F(a), F(a)] = 1 ⊢ F(b)", "inconsistent"),  # a formula counts as often as it is named
        ("⊢ #[F(a), F(b)] ≥ 0", "follows"),
        ("⊢ #[F(a), F(b)] ≤ 2", "follows"),
        ("⊢ #[F(a), F(b)] ≥ 3", "excluded"),
        ("#[F(a), F(b)] = 0 ⊢ F(a)", "excluded"),
        # counts of individuals
        ("#x F(x) = 3 ⊢ F(b)", "follows"),
        ("#x F(x) ≤ 0 ⊢ F(b)", "excluded"),
        ("#x (G(x) ∧ F(x)) ≥ 2 ⊢ F(a)", "follows"),
        ("#x (G(x) ∧ F(x)) ≥ 2 ⊢ F(b)", "open"),
        ("#x (H(x) ∧ F(x)) = 1 ⊢ F(b)", "follows"),
        ("⊢ #x G(x) = 2", "follows"),
        # quantifiers over all individuals
        ("∀x (F(x) → K(x)); F(a) ⊢ K(a)", "follows"),
        ("∀x (F(x) → K(x)); K(a) ⊢ F(a)", "open"),
        ("∀x (G(x) → F(x)) ⊢ F(b)", "open"),
        ("∀x (G(x) → F(x)) ⊢ (F(a) ∧ F(c))", "follows"),
        ("F(a); F(b); F(c) ⊢ ∀x F(x)", "follows"),
        ("∀x ¬(F(x) ∧ ¬K(x)); ¬K(a) ⊢ F(a)", "excluded"),
        ("∀x∀y (F(x) → F(y)); F(a) ⊢ F(c)", "follows"),
        ("∀x ∀y (F(x) → K(y)); F(a) ⊢ K(c)", "follows"),
        # groups are the same in all models
        ("⊢ G(a)", "follows"),
        ("⊢ G(b)", "excluded"),
        # identity
        ("⊢ ⟨=⟩(a, a)", "follows"),
        ("⊢ ⟨=⟩(a, b)", "excluded"),
        ("∀x (¬⟨=⟩(x, a) → F(x)) ⊢ F(b)", "follows"),
        ("∀x (¬⟨=⟩(x, a) → F(x)) ⊢ F(a)", "open"),
        ("∀x ∀y ((F(x) ∧ F(y)) → ⟨=⟩(x, y)); F(a) ⊢ F(b)", "excluded"),
    ],
)
def test_properties(decide: Decide, text: str, label: str) -> None:
    assert decide(parse_inference(text), PROPERTIES) == label


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("⊢ above(a, b)", "open"),
        ("⊢ above(a, a)", "excluded"),
        ("⊢ (above(a, b) ∨ above(b, a))", "follows"),  # no ties
        ("above(a, b) ⊢ above(b, a)", "excluded"),
        ("¬above(a, b) ⊢ above(b, a)", "follows"),
        ("above(a, b); above(b, c) ⊢ above(a, c)", "follows"),
        ("above(a, b); above(a, c) ⊢ above(b, c)", "open"),
        ("above(a, b); above(b, c); above(c, a) ⊢ above(a, c)", "inconsistent"),
        ("(above(b, a) ↔ above(a, c)); above(b, c) ⊢ above(a, c)", "follows"),  # a is between b and c
        ("#x above(x, c) = 2 ⊢ above(a, c)", "follows"),
        ("#x (G(x) ∧ above(x, b)) ≥ 2 ⊢ above(a, b)", "follows"),
        ("#[above(a, c), above(b, c)] = 1; above(a, c) ⊢ above(b, c)", "excluded"),
        ("∀x ((G(x) ∧ ¬⟨=⟩(x, c) ∧ above(x, b)) → above(x, c)); above(a, b) ⊢ above(a, c)", "follows"),
        ("∀x (above(x, a) → above(x, b)); above(c, a) ⊢ above(c, b)", "follows"),
        ("⊢ #x above(x, a) ≤ 2", "follows"),
    ],
)
def test_an_order(decide: Decide, text: str, label: str) -> None:
    assert decide(parse_inference(text), ORDER) == label


@pytest.mark.parametrize("operator", ["O F(a)", "(F(a) ∧ ◇F(b))"])
def test_modal_operators_are_refused(decide: Decide, operator: str) -> None:
    with pytest.raises(ValueError, match="found a modal operator"):
        decide(Inference((parse_formula(operator),), Atom("F", ("a",))), PROPERTIES)


def test_a_domain_has_properties_or_an_order() -> None:
    with pytest.raises(ValueError, match="expected properties or an order"):
        FiniteDomain(("a",), {})
    with pytest.raises(ValueError, match="expected properties or an order"):
        FiniteDomain(("a",), {}, properties=("F",), order="above")


def test_unknown_atoms_are_refused() -> None:
    with pytest.raises(ValueError, match=r"found F2\(a\), expected an atom of the domain"):
        all_models(PROPERTIES).mask(Atom("F2", ("a",)))


def test_models_are_counted() -> None:
    properties, orders = all_models(PROPERTIES), all_models(ORDER)
    assert (properties.size, orders.size) == (2**6, 6)
    for text, n_models in [("F(a)", 32), ("#x F(x) = 1", 24), ("∀x (F(x) → K(x))", 27)]:
        assert properties.mask(parse_formula(text)).bit_count() == n_models
    for text, n_models in [("above(a, b)", 3), ("#x above(x, a) = 0", 2)]:
        assert orders.mask(parse_formula(text)).bit_count() == n_models


def test_quantifiers_and_counts_are_grounded() -> None:
    grounded = PROPERTIES.ground(parse_formula("∀x (#y (G(y) ∧ K(x)) ≤ 1 → F(x))"))
    part = "(#[(G(a) ∧ K(a)), (G(b) ∧ K(a)), (G(c) ∧ K(a))] ≤ 1 → F(a))"
    assert str(grounded).startswith(f"({part} ∧ ")


def test_a_prover_is_shared_by_its_domain() -> None:
    assert finite_prover.prover_of(ORDER) is finite_prover.prover_of(ORDER)
