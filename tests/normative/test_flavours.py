"""Operators of different flavour: what follows from each, and that nothing follows from one to another."""

from __future__ import annotations

import csv
from itertools import permutations

import pytest

from polbias.generators.logic.formula import FLAVOURS, KT, Inference, Necessarily
from polbias.generators.logic.prover import prove
from polbias.generators.logic.syntax import parse_inference
from polbias.generators.normative.reading import read_item
from tests.support.shared import shared

DEFECTS = shared("audits/defects_normative.tsv")
# Rows of the audit of version 1: T1, what a careful reader refuses; T2, what can be doubted.
COUNTS = {
    ("T1", "epistemic_syllogism"): 66,
    ("T2", "epistemic_syllogism"): 67,
    ("T1", "epistemic_logic"): 24,
    ("T2", "epistemic_logic"): 24,
}


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("□[knowledge] p ⊢ p", True),
        ("□[alethic] p ⊢ p", True),
        ("□[certainty] p ⊢ p", False),
        ("□[certainty] p ⊢ □[knowledge] p", False),
        ("□[certainty] p ⊢ ◇[certainty] p", True),
        ("p ⊢ ◇[alethic] p", True),
        ("p ⊢ ◇[certainty] p", False),
        ("¬□[certainty] p ⊢ ◇[certainty]¬p", True),
        ("¬◇[alethic] p ⊢ □[knowledge]¬p", False),
    ],
)
def test_what_is_known_or_necessary_is_so_and_from_certainty_nothing_follows(text: str, valid: bool) -> None:
    assert prove(parse_inference(text), KT).valid == valid


@pytest.mark.parametrize(("one", "other"), list(permutations(FLAVOURS, 2)))
def test_no_necessity_follows_from_another(one: str, other: str) -> None:
    clause = parse_inference("p ⊢ p").conclusion
    assert not prove(Inference((Necessarily(one, clause),), Necessarily(other, clause)), KT).valid


@pytest.mark.skipif(DEFECTS is None, reason="needs ../shared/audits, which is not part of the project")
@pytest.mark.parametrize(("tier", "config"), COUNTS)
def test_what_the_audit_refuses_is_refuted_and_what_it_doubts_is_not_provable(tier: str, config: str) -> None:
    assert DEFECTS is not None
    with DEFECTS.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["config"] == config]
    items = [row for row in rows if row["tier"] == tier]
    assert len(items) == COUNTS[tier, config]
    for item in items:
        premises, _, hypothesis = item["text"].partition(" => ")
        read = read_item(premises.replace(" / ", " "), hypothesis, "epistemic", flavoured=True)
        verdicts = [prove(reading.inference, KT) for reading in read.readings]
        # Of "all B are known to be C" the rule may be what is known: proved is what holds on both readings.
        refuted = [bool(verdict.countermodel) for verdict in verdicts]
        assert all(refuted) if tier == "T1" else any(refuted), item["id"]
        one_operator = read_item(premises.replace(" / ", " "), hypothesis, "epistemic").readings[0]
        assert prove(one_operator.inference, KT).valid, "one operator for all proves it, which is the defect"
