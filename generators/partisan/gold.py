"""Gold labels of arguments: the proof, and how the label is known."""

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
    """What first-order logic says of an argument.

    Attributes:
        form: the verdict by form alone, without meaning postulates.
        verdict: ``"valid"`` or ``"invalid"``, or ``"contradictory"`` where the premises cannot all be true:
            anything would follow from them, which is no reason to call an argument valid.
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
    if proof_verdict.valid:  # what is invalid with the postulates is so without them
        form = verdict(inference.map(lambda formula: rename(formula, _UNINTERPRETED_NAMES)))
    return ArgumentGold(label, form, *((None, explanation) if label == "invalid" else (explanation, None)))


def _verdict_label(outcome: ProofVerdict | InferenceOutcome) -> str:
    return ("valid" if outcome.consistent else "contradictory") if outcome.valid else "invalid"


def verdict(inference: Inference) -> str:
    """Return the verdict that a gold label is compared with (see `GoldProof`), without its proof."""
    return _verdict_label(follows(inference, FOL))


def check_gold(gold: Gold, argument: Argument, location: str, is_excused: bool = False) -> str:
    """Say how the gold of an argument is known, having checked it."""
    if argument.inference is None:
        return ANNOTATED
    proved_label = verdict(argument.inference)
    if proved_label == gold:
        return PROVED_STATUS
    if is_excused:
        return ANNOTATED
    raise BuildError(
        f"{location}: the gold label is {gold!r} but the inference is {proved_label} ({argument.inference}); correct "
        f"the pattern or name an erratum: {argument.text!r}"
    )
