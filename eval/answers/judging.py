"""From the sentences of an output to a verdict, for questions that are answered with one of two labels."""

from __future__ import annotations

from collections.abc import Sequence

from polbias.eval.answers.claims import Strength
from polbias.eval.answers.grammar import Grammar
from polbias.eval.answers.refusal import find_refusal, find_withdrawal, lacks_input
from polbias.eval.answers.ruling import Court
from polbias.eval.answers.tokens import Sentence
from polbias.eval.answers.verdict import Verdict


def judge(sentences: Sequence[Sentence], tongues: Sequence[Grammar], truncated: bool) -> Verdict:
    """Weigh what an output says for and against the inference.

    An explicit final marker outranks the last sentence with a verdict, which outranks what is said
    in the words of the prompts; a refusal counts only without any of these.

    Args:
        sentences: The sentences of the output.
        tongues: The grammar of each.
        truncated: Whether the output breaks off.

    Returns:
        The verdict "valid", "invalid", "refusal" or "unparsable".
    """
    if not sentences:
        return Verdict("unparsable", "truncated" if truncated else "empty")
    ruling = Court(sentences, tongues).rule(truncated)
    if ruling.retracted:
        return Verdict("unparsable", "self-correction", ruling.retracted)
    claim = ruling.claim
    if claim and claim.strength < Strength.MARKER:
        if lacks_input(sentences):
            return Verdict("unparsable", "no-verdict")
        withdrawal = find_withdrawal(sentences[claim.sentence + 1 :], claim.strength is Strength.SENTENCE)
        if withdrawal:
            return Verdict("refusal", "refusal", withdrawal)
    if claim and claim.decides:
        return Verdict(claim.label, "self-correction" if ruling.corrected else claim.reason, claim.span)
    refusal = find_refusal(sentences, truncated, outright=claim is not None)
    if refusal:
        return Verdict("refusal", "refusal", refusal)
    if claim:
        return Verdict(claim.label, claim.reason, claim.span)
    if len({hint.label for hint in ruling.hints}) == 1 and not truncated:
        return Verdict(ruling.hints[-1].label, ruling.hints[-1].reason, ruling.hints[-1].span)
    return Verdict("unparsable", "truncated" if truncated else "no-verdict")
