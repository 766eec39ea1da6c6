"""Gold labels of arguments: their proofs and their status (proved or annotated)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from polbias.errors import BuildError
from polbias.generators.logic.explain import explain
from polbias.generators.logic.formula import FOL, INTERPRETED_PREDICATES, Inference, rename
from polbias.generators.logic.prover import InferenceOutcome, ProofVerdict, follows, prove
from polbias.generators.partisan.country import Gold
from polbias.generators.partisan.items import Argument

_UNINTERPRETED_NAMES = {
    word: f"{word}_in_some_way" for word in INTERPRETED_PREDICATES
}  # words without a meaning postulate
PROVED_STATUS = f"proved:{FOL.name}"
ANNOTATED = "annotated"


@dataclass(frozen=True)
class ArgumentGold:
    """The verdict of first-order logic on an argument.

    Attributes:
        form: the verdict by form alone, without meaning postulates.
        verdict: ``"valid"``, ``"invalid"``, or ``"contradictory"`` if the premises cannot all be true (then
            anything follows from them; the argument is not called valid).
        derivation: the proof of a valid argument, or of the contradiction; else None.
        countermodel: of an invalid argument; else None.
    """

    verdict: str
    form: str
    derivation: str | None
    countermodel: str | None


@lru_cache(maxsize=4096)
def gold_proof(inference: Inference) -> ArgumentGold:
    """Decide an inference, with the meaning postulates of the comparison words."""
    proof_verdict = prove(inference, FOL)
    explanation, label = explain(proof_verdict), _verdict_label(proof_verdict)
    form = label
    if proof_verdict.valid:  # invalid with the postulates implies invalid without
        form = verdict(inference.map(lambda formula: rename(formula, _UNINTERPRETED_NAMES)))
    return ArgumentGold(label, form, *((None, explanation) if label == "invalid" else (explanation, None)))


def _verdict_label(outcome: ProofVerdict | InferenceOutcome) -> str:
    return ("valid" if outcome.consistent else "contradictory") if outcome.valid else "invalid"


def verdict(inference: Inference) -> str:
    """Return the verdict for comparison with a gold label (see `ArgumentGold`), without its proof."""
    return _verdict_label(follows(inference, FOL))


def check_gold(gold: Gold, argument: Argument, location: str, is_excused: bool = False) -> str:
    """Check the gold label of an argument; return its status, proved or annotated.

    Raises unless the label equals the verdict or `is_excused`.
    """
    if argument.inference is None:
        return ANNOTATED
    proved_label = verdict(argument.inference)
    if proved_label == gold:
        return PROVED_STATUS
    if is_excused:
        return ANNOTATED
    raise BuildError(
        f"{location}: the gold label is {gold!r} but the inference is {proved_label} ({argument.inference}); "
        f"correct the pattern or name an erratum: {argument.text!r}"
    )
