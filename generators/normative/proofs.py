"""Gold labels proved from the formulas of problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from polbias.files import BuildError
from polbias.generators.logic.explain import explain_form
from polbias.generators.logic.formula import (
    FREE_CHOICE,
    KD,
    KT,
    MODAL_LOGICS,
    Form,
    Inference,
    Logic,
    form_of,
)
from polbias.generators.logic.prover import Outcome, Verdict, outcome
from polbias.generators.normative.family import GOLDS, Gold, Pattern
from polbias.generators.normative.frames import Domain

# How the gold label of a problem is known: its verdict in every logic, and the proof or countermodel.

# Obligations can be broken, so what ought to be need not be; what is certain is so (axiom T).
STANDARD: Mapping[Domain, Logic] = {"deontic": KD, "epistemic": KT}


def logic_of(pattern: Pattern, domain: Domain) -> Logic:
    """Return the logic whose verdict the gold of a pattern is."""
    return FREE_CHOICE if pattern.by_convention else STANDARD[domain]


@dataclass(frozen=True)
class Known:
    """What is known of a problem's gold.

    Attributes:
        gold: the label.
        gold_sdl: the verdict of standard deontic logic (KD).
        basis: name of the logic, or ``"paper"`` where the paper's convention departs from the standard logic
            of the domain (it is that of the enriched "or").
        proof: ``proved:<logic>``.
        verdicts: name of every logic to its verdict.
        derivation: proof of the gold if it is entailment, else None.
        countermodel: of the inference if the gold is non-entailment, else None.
    """

    gold: Gold
    gold_sdl: Gold
    basis: str
    proof: str
    verdicts: Mapping[str, Gold]
    derivation: str | None
    countermodel: str | None


@lru_cache(maxsize=65536)
def known(inference: Inference, pattern: Pattern, domain: Domain) -> Known:
    """Prove the gold of a problem."""
    logic, form = logic_of(pattern, domain), form_of(inference)
    verdicts = _verdicts(form.inference)
    text = explain_form(form, logic)
    gold = verdicts[logic.name]
    if gold != pattern.gold:
        raise BuildError(
            f"patterns.yaml: pattern {pattern.id}: the gold is {pattern.gold!r}, but {inference} is {gold} "
            f"in {logic.name} ({text}); correct the pattern"
        )
    valid = outcome(form, logic).valid
    return Known(
        pattern.gold,
        verdicts[KD.name],
        "paper" if pattern.by_convention else logic.name,
        f"proved:{logic.name}",
        verdicts,
        text if valid else None,
        None if valid else text,
    )


@lru_cache(maxsize=4096)
def _verdicts(form: Inference) -> Mapping[str, Gold]:
    """Return the verdict of every logic; it depends on the form alone."""
    bare = Form(form, (), ())
    return {logic.name: label(outcome(bare, logic)) for logic in MODAL_LOGICS}


def label(verdict: Verdict | Outcome) -> Gold:
    """Return a verdict as a gold label; from contradictory premises nothing counts as entailed."""
    return GOLDS[0] if verdict.valid and verdict.consistent else GOLDS[1]
