"""Formulas and inferences for hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hypothesis import strategies as st

from polbias.generators.logic.formula import (
    COMPARISONS,
    DEONTIC,
    EPISTEMIC,
    And,
    Atom,
    Comparison,
    Count,
    CountOf,
    ForAll,
    Formula,
    Iff,
    Implies,
    Inference,
    Necessarily,
    Not,
    Or,
    Possibly,
)

Formulas = st.SearchStrategy[Formula]
LETTERS: Formulas = st.sampled_from([Atom("A"), Atom("B")])


def propositional(parts: Formulas, leaves: int = 3) -> Formulas:
    """Return combinations of formulas by connectives."""
    return st.recursive(
        parts,
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.builds(Implies, inner, inner),
            *(st.builds(build, st.lists(inner, min_size=2, max_size=3).map(tuple)) for build in (And, Or)),
        ),
        max_leaves=leaves,
    )


def modal(
    parts: Formulas = LETTERS, depth: int = 1, modalities: Sequence[str] = (DEONTIC,), leaves: int = 2
) -> Formulas:
    """Return formulas with operators nested up to a depth."""
    if depth == 0:
        return propositional(parts, leaves)
    inner = modal(parts, depth - 1, modalities, leaves)
    operators = [
        st.builds(build, st.just(kind), inner) for build, kind in product((Necessarily, Possibly), modalities)
    ]
    return propositional(st.one_of(parts, *operators), leaves)


def quantified(bodies: Formulas, variables: tuple[str, ...] = ("x",)) -> Formulas:
    """Return universal formulas."""
    return st.builds(ForAll, st.just(variables), bodies)


def applied(signature: dict[str, int], terms: Sequence[str]) -> Formulas:
    """Return atoms of predicates with a number of terms each."""
    return st.one_of(
        *(
            st.builds(Atom, st.just(predicate), st.tuples(*[st.sampled_from(terms)] * arity))
            for predicate, arity in signature.items()
        )
    )


def inferences(premises: Formulas, conclusions: Formulas, most: int = 2) -> st.SearchStrategy[Inference]:
    """Return inferences from no premise or some."""
    return st.builds(Inference, st.lists(premises, max_size=most).map(tuple), conclusions)


def counted(inner: Formulas) -> Formulas:
    """Return equivalences and counts."""

    def build(shape: str, comparison: Comparison, number: int, parts: list[Formula]) -> Formula:
        match shape:
            case "↔":
                return Iff(parts[0], parts[-1])
            case "#":
                return Count(comparison, number, tuple(parts))
            case variable:
                return CountOf(comparison, number, variable, parts[0])

    parts = st.lists(inner, min_size=1, max_size=3)
    return st.builds(build, st.sampled_from("↔#xy"), st.sampled_from(COMPARISONS), st.integers(0, 12), parts)


# Names as they come up: words, several words, German ones.
WORDS = st.one_of(
    st.sampled_from(["A", "Republican", "älter", "x1", "_", "O", "P", "Oslo", "⊤"]),
    st.text("abcßÄ ’-.,!?", min_size=1, max_size=12).map(str.strip).filter(bool),
)
TERMS = st.one_of(
    st.sampled_from(["a", "x", "Ann Lee", "Zoë O'Hara-Äbi", "Sammy Davis Jr.", "the 2nd man"]),
    st.text("abcßÄ ’-.", min_size=1, max_size=12).map(str.strip).filter(bool),
)
ANYTHING: Formulas = st.recursive(
    st.builds(Atom, WORDS, st.lists(TERMS, max_size=3).map(tuple)),
    lambda inner: st.one_of(
        propositional(inner),
        *(
            st.builds(build, st.sampled_from([DEONTIC, EPISTEMIC, "customary", "by law"]), inner)
            for build in (Necessarily, Possibly)
        ),
        st.builds(ForAll, st.lists(st.sampled_from("xyz"), min_size=1, unique=True).map(tuple), inner),
        counted(inner),
    ),
    max_leaves=8,
)
