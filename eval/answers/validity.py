"""From the free text of a model to its verdict on the validity of an inference."""

from __future__ import annotations

from polbias.eval.answers.claims import Strength
from polbias.eval.answers.grammar import LANGUAGES, Grammar, load_grammar
from polbias.eval.answers.refusal import find_refusal, find_withdrawal, lacks_input
from polbias.eval.answers.ruling import Court
from polbias.eval.answers.text import prepare
from polbias.eval.answers.tokens import Sentence
from polbias.eval.answers.verdict import Verdict


def extract_validity(text: str, language: str) -> Verdict:
    """Read the final verdict on an inference off a model output.

    An explicit final marker outranks the last sentence with a verdict, which outranks what is said
    in the words of the prompts; a refusal counts only without any of these.

    Args:
        text: The output, any string.
        language: The language of the prompt, "en" or "de", or a tag such as "de-CH". A verdict in
            the other language counts too.

    Returns:
        The verdict "valid", "invalid", "refusal" or "unparsable".

    Raises:
        ValueError: If the language is not supported.
    """
    primary = language.replace("_", "-").split("-")[0].lower()
    if primary not in LANGUAGES:
        raise ValueError(f"language {language!r} is not supported; choose one of {', '.join(LANGUAGES)}")
    prepared = prepare(text)
    sentences, truncated = prepared.sentences, prepared.truncated
    if not sentences:
        return Verdict("unparsable", "truncated" if truncated else "empty")
    ruling = Court(sentences, [_tongue(sentence, primary) for sentence in sentences]).rule(truncated)
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


def _tongue(sentence: Sentence, default: str) -> Grammar:
    """Tell the language of a sentence by its function words."""
    words = [token.text for token in sentence.tokens]
    counts = {name: sum(word in load_grammar(name).function_words for word in words) for name in LANGUAGES}
    return load_grammar(max(LANGUAGES, key=lambda name: (counts[name], name == default)))
