"""Verdicts worked out by hand, and deciding choices against a search through everything."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.generators.auditing.audit import (
    Interpretation,
    combine_verdicts,
    decide_modal,
    evidence,
    find_deciding_choices,
    format_choices,
    reading_text,
)
from polbias.generators.logic.formula import DEONTIC, EPISTEMIC, KD
from polbias.generators.logic.prover import ItemReading
from polbias.generators.logic.syntax import parse_inference


def _settle(gold: bool, *texts: str, domain: str | None = DEONTIC, name: str = "reading"):
    readings = [
        ItemReading(parse_inference(text), {name: str(number)} if len(texts) > 1 else {})
        for number, text in enumerate(texts)
    ]
    return readings, combine_verdicts(gold, list(decide_modal(readings, domain)))


# inference, verdict if gold = entailment, what then decides; the verdict of the other gold is its mirror
CASES: list[tuple[str, str, Mapping[str, str] | None]] = [
    ("O A ⊢ P A", "confirmed", None),
    ("P A ⊢ O A", "contradicted", None),
    ("□A ⊢ ◇A", "confirmed", None),
    ("□A ⊢ A", "depends", {"axiom T": "with"}),
    ("¬A ⊢ ¬□A", "depends", {"axiom T": "with"}),
    ("O A ⊢ A", "contradicted", None),
    ("O A; □B ⊢ B", "contradicted", None),
    ("P(A ∨ B) ⊢ P A", "depends", {"or": "free choice"}),
    ("P A ⊢ P(A ∨ B)", "depends", {"or": "classical"}),
    ("O A ⊢ O(A ∨ B)", "depends", {"or": "classical"}),
    ("◇(A ∨ B) ⊢ ◇A", "depends", {"or": "free choice"}),
    ("□(A ∨ B) ⊢ (A ∨ B)", "depends", {"axiom T": "with"}),
    ("□(A ∨ B) ⊢ ◇A", "depends", {"or": "free choice"}),
    ("∀x (B(x) → O C(x)); B(a) ⊢ O C(a)", "confirmed", None),
    ("O∀x (B(x) → C(x)); B(a) ⊢ O C(a)", "contradicted", None),
    ("(B → □C); ¬□C ⊢ ¬C", "contradicted", None),
    ("(B → □C); ¬C ⊢ ¬B", "depends", {"axiom T": "with"}),
]


@pytest.mark.parametrize(("text", "verdict", "choices"), CASES)
def test_verdict_of_an_entailment_and_what_decides_it(text: str, verdict: str, choices: object) -> None:
    _, outcome = _settle(True, text, domain=None)
    assert (outcome.verdict, outcome.deciding) == (verdict, choices)


@pytest.mark.parametrize(("text", "verdict", "choices"), CASES)
def test_the_other_label_has_the_opposite_verdict(text: str, verdict: str, choices: object) -> None:
    _, outcome = _settle(False, text, domain=None)
    mirror = {"confirmed": "contradicted", "contradicted": "confirmed", "depends": "depends"}
    assert outcome.verdict == mirror[verdict]
    assert (outcome.deciding is None) == (choices is None)


def test_without_operators_the_domain_says_whether_axiom_t_is_a_choice() -> None:
    for domain, names in ((EPISTEMIC, {"axiom T"}), (DEONTIC, set()), (None, set())):
        points = list(decide_modal([ItemReading(parse_inference("A ⊢ A"))], domain))
        assert {name for point in points for name in point.choices} == names


def test_the_standard_logic_comes_first() -> None:
    def first(text: str) -> str:
        return next(iter(decide_modal([ItemReading(parse_inference(text))], None))).logic.name

    assert [first("□A ⊢ A"), first("O A ⊢ A"), first("□(A ∨ B) ⊢ A")] == ["kt", "kd", "kt"]


@pytest.mark.parametrize("gold", [True, False])
def test_contradictory_premises_support_no_label(gold: bool) -> None:
    readings, outcome = _settle(gold, "A; ¬A ⊢ B")
    assert (outcome.verdict, outcome.consistent) == ("contradicted", False)
    countermodel, proof = evidence(readings, outcome)
    assert countermodel is None
    assert "A (premise 1)" in str(proof)
    assert "conclusion" not in str(proof)


def test_premises_that_contradict_each_other_with_axiom_t_only() -> None:
    _, outcome = _settle(True, "□A; ¬A ⊢ ◇A", domain=EPISTEMIC)
    assert (outcome.verdict, outcome.deciding, outcome.consistent) == (
        "depends",
        {"axiom T": "without"},
        False,
    )


def test_readings_decide() -> None:
    readings, outcome = _settle(
        True, "O∀x (B(x) → C(x)); B(a) ⊢ O C(a)", "∀x (B(x) → O C(x)); B(a) ⊢ O C(a)", name="scope"
    )
    assert (outcome.verdict, outcome.deciding) == ("depends", {"scope": "1"})
    assert reading_text(readings, outcome) == "O∀x (B(x) → C(x)); B(a) ⊢ O C(a) [scope: 0]"
    countermodel, proof = evidence(readings, outcome)
    assert str(countermodel).startswith("[scope: 0] w0: B(a)")
    assert proof is None


def test_only_the_choices_that_decide_are_told() -> None:
    """Tense makes no difference here, scope does."""
    wide, narrow = "O∀x (B(x) → C(x)); B(a) ⊢ O C(a)", "∀x (B(x) → O C(x)); B(a) ⊢ O C(a)"
    readings = [
        ItemReading(parse_inference(text), {"scope": scope, "tense": tense})
        for tense in ("past", "present")
        for scope, text in (("wide", wide), ("narrow", narrow))
    ]
    outcome = combine_verdicts(True, list(decide_modal(readings, DEONTIC)))
    assert outcome.deciding == {"scope": "narrow"}
    assert reading_text(readings, outcome).endswith("⊢ O C(a) [scope: wide]")
    assert str(evidence(readings, outcome)[0]).startswith("[scope: wide] w0")


def test_evidence_is_a_countermodel_of_an_entailment_and_a_proof_of_a_non_entailment() -> None:
    readings, outcome = _settle(True, "P A ⊢ O A")
    countermodel, proof = evidence(readings, outcome)
    assert str(countermodel).startswith("w0: ")
    assert "¬A" in str(countermodel)
    assert proof is None
    readings, outcome = _settle(False, "O A ⊢ P A")
    countermodel, proof = evidence(readings, outcome)
    assert countermodel is None
    assert str(proof).startswith("(1) O A (premise 1)")
    readings, outcome = _settle(True, "O A ⊢ P A")
    assert evidence(readings, outcome) == (None, None)


NAMES = ("axiom T", "or", "scope")
POINTS = st.lists(
    st.tuples(st.sampled_from(list(product("ab", repeat=len(NAMES)))), st.booleans()),
    min_size=1,
    max_size=8,
    unique_by=lambda entry: entry[0],
)


@given(POINTS)
def test_deciding_is_a_smallest_set_that_suffices(entries: list[tuple[tuple[str, ...], bool]]) -> None:
    points = [
        Interpretation(0, KD, dict(zip(NAMES, values, strict=True)), valid, True) for values, valid in entries
    ]

    def suffices(choices: Mapping[str, str]) -> bool:
        meant = [p.valid for p in points if all(p.choices[n] == v for n, v in choices.items())]
        return bool(meant) and all(meant)

    everything = [
        {name: value for name, value in zip(NAMES, values, strict=True) if value}
        for values in product(("", "a", "b"), repeat=len(NAMES))
    ]
    enough = [choices for choices in everything if choices and suffices(choices)]
    found = find_deciding_choices(True, points)
    if not enough:
        assert found is None
        return
    smallest = min(map(len, enough))
    assert found in [choices for choices in enough if len(choices) == smallest]
    natural = [c for c in enough if len(c) == smallest and c.items() <= points[0].choices.items()]
    assert not natural or found in natural


def test_nothing_decides_between_readings_that_make_the_same_choices() -> None:
    points = [
        Interpretation(0, KD, {"scope": "a"}, True, True),
        Interpretation(1, KD, {"scope": "a"}, False, True),
    ]
    outcome = combine_verdicts(True, points)
    assert (outcome.verdict, outcome.deciding) == ("depends", None)


def test_choices_in_words() -> None:
    assert format_choices({"axiom T": "with", "tense": "disregarded"}) == "axiom T: with; tense: disregarded"
