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

_WORDS = {word: f"{word}_in_some_way" for word in INTERPRETED_PREDICATES}  # words without a meaning postulate
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
    found = prove(inference, FOL)
    text, decided = explain(found), _verdict(found)
    form = decided
    if found.valid:  # what is invalid with the postulates is so without them
        form = verdict(inference.map(lambda formula: rename(formula, _WORDS)))
    return ArgumentGold(decided, form, *((None, text) if decided == "invalid" else (text, None)))


def _verdict(found: ProofVerdict | InferenceOutcome) -> str:
    return ("valid" if found.consistent else "contradictory") if found.valid else "invalid"


def verdict(inference: Inference) -> str:
    """Return the verdict that a gold label is compared with (see `GoldProof`), without its proof."""
    return _verdict(follows(inference, FOL))


def check_gold(gold: Gold, argument: Argument, place: str, excused: bool = False) -> str:
    """Say how the gold of an argument is known, having checked it."""
    if argument.inference is None:
        return ANNOTATED
    proved = verdict(argument.inference)
    if proved == gold:
        return PROVED_STATUS
    if excused:
        return ANNOTATED
    raise BuildError(
        f"{place}: the gold label is {gold!r} but the inference is {proved} ({argument.inference}); correct "
        f"the pattern or name an erratum: {argument.text!r}"
    )
