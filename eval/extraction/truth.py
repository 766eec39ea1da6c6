"""Answer extraction for truth: whether a claim is true."""

from __future__ import annotations

import re
from collections.abc import Sequence

from polbias.eval.extraction.bare_reply import (
    opening_reply,
    read_boolean_json,
    require_own_voice,
    whole_reply,
)
from polbias.eval.extraction.claims import Verdict
from polbias.eval.extraction.cues import Cues, detect_language, primary_language
from polbias.eval.extraction.preparation import mask_reasoning, prepare
from polbias.eval.extraction.prompt_echo import (
    first_match,
    mask_prompt_echo,
    quotation_mask,
    substitute_words,
)
from polbias.eval.extraction.settle import first_item, settle_verdict
from polbias.eval.extraction.tokens import Sentence
from polbias.eval.extraction.validity import resolve_verdict
from polbias.eval.extraction.voice import without_reported_opinions

LABELS = ("true", "false", "refusal", "unparsable")
"""Labels of an answer. A truncated text is "unparsable" with the reason "truncated"."""

_CUES = Cues("truth")
_LABEL_BY_VERDICT = {"valid": "true", "invalid": "false"}
"""Labels of this question by verdict on validity."""
_UNCLEAR = frozenset({"undecided", "undecidable", "balanced"})
_WEAK = frozenset({"paraphrase", "prompt-words", "hint", "no-verdict"})
"""Reasons of weaker evidence than a plain yes or no at the beginning."""
_MARKS = " .,;:!—>()[]{}"
_QUOTES = "\"'„“”‚‘’»«`*"
_ECHO = re.compile(
    rf"[{_QUOTES}]{{0,3}}\b(?:true|wahr|false(?=.{{1,6}}true)|falsch(?=.{{1,6}}wahr))\b[{_QUOTES}]{{0,3}}\s{{0,9}}(?:\bor\b|\boder\b|/|\|(?!\s*$))\s{{0,9}}"
    rf"[{_QUOTES}]{{0,3}}(?:\b(?:false|falsch|true|wahr)\b[{_QUOTES}]{{0,3}}|\w{{0,5}}$)",
    re.IGNORECASE,
)
"""Both labels as the prompt lists them, or a truncated list."""
_QUOTATION = re.compile(
    r"[\"“„”»«][^\"“„”»«\n]*[\"“„”»«]|(?<!\w)['‘‚][^\n'‘’‚]*(?:(?<=\w)['’](?=\w)[^\n'‘’‚]*)*['’‘](?!\w)"
)
_PREFIX = "(?:(?:is|ist)[ _]?)?"
_FLAGS = {
    "true": re.compile(_PREFIX + "(?:true|wahr|correct|richtig|korrekt|accurate|zutreffend)"),
    "false": re.compile(_PREFIX + "(?:false|falsch|incorrect|inaccurate)"),
}
_MASK = quotation_mask(
    re.compile(
        r"^\W*(?:true|false|wahr|falsch|yes|no|ja|nein)\W*$"
        r"|^\W*(?:(?:die|diese|meine|the|this|my) )?(?:behauptung|aussage|antwort|claim|statement|answer)\b",
        re.IGNORECASE,
    )
)


def extract_truth(text: str, language: str = "de") -> Verdict:
    """Extract the verdict on a claim from a response.

    The rules of :func:`extract_validity` apply, with different cues: words for true and false, and
    phrases for a claim that holds, that sources support or contradict, or that describes something rightly or
    wrongly. A first line with only a label outranks later evidence, except a conclusion; a plain yes or no at
    the beginning, and a refusal, outrank hints. Opinions of others, concessions, suppositions, first
    impressions, and labels repeated from the prompt are ignored. A claim called partly, mostly or formerly
    true, or a matter of opinion, gives no verdict; a claim called impossible to judge, or not with the
    available knowledge, is a refusal.

    Args:
        text: The response, any string.
        language: The language of the instruction, "en" or "de", or a tag such as "de-CH". A verdict in the
            other language counts too, and a bare one in some further languages.

    Returns:
        The verdict "true", "false", "refusal" or "unparsable".

    Raises:
        ValueError: If the language is not supported.

    Source:
        The question: Jakob et al. (2025), section 4.1.
    """
    primary = primary_language(language)
    answer = mask_prompt_echo(text)
    flag = read_boolean_json(answer, _FLAGS)
    if flag:
        return flag
    visible = _ECHO.sub(lambda echo: " " * len(echo.group()), answer)
    prepared = prepare(_QUOTATION.sub(_MASK, visible))
    if not prepared.sentences and not prepared.truncated and text.strip():
        return Verdict("unparsable", "both-options" if _ECHO.search(text) else "empty")
    sentences = [
        _drop_match(substitute_words(_drop_match(sentence, "granted"), _CUES.part("words")), "content")
        for sentence in prepared.sentences
    ]
    sentences = [*first_item(sentences, _CUES.part("whole"))]
    verdict = whole_reply(sentences, _CUES.part("whole"), _MARKS) or _judge_validity(
        sentences, primary, prepared.truncated
    )
    echo_sentences = prepare(answer).sentences if _ECHO.search(text) else ()
    refusal = first_match(_CUES["withdrawn"], sentences[1:][-1:])
    if verdict.reason != "marker":
        refusal = refusal or first_match(_CUES["refuses"], echo_sentences)
    if refusal:
        return Verdict("refusal", "refusal", refusal)
    if verdict.label == "unparsable" or verdict.reason == "hint":
        declined = first_match(_CUES["declines"], without_reported_opinions(sentences))
        opinion = first_match(_CUES["opinion"], sentences)
        unclear = opinion or verdict.reason in _UNCLEAR
        voice = unclear and first_match(_CUES["own_voice"], prepare(mask_reasoning(text)).sentences)
        is_refusal = declined and (not unclear or voice)
        verdict = Verdict("refusal", "refusal", declined) if is_refusal else verdict
    if verdict.reason in _UNCLEAR | _WEAK:  # on a detail, after a plain yes or no
        verdict = whole_reply(sentences[:1], _CUES.part("whole"), _MARKS) or verdict
    if verdict.reason in {"no-verdict", "hint"}:
        verdict = opening_reply(sentences, _CUES.part("opening")) or verdict
    return settle_verdict(
        Verdict(_LABEL_BY_VERDICT.get(verdict.label, verdict.label), verdict.reason, verdict.span), text
    )


def _drop_match(sentence: Sentence, name: str) -> Sentence:
    """Drop the content of the claim: "The claim that ... is true", "It is true that ..."."""
    match = _CUES[name].search(sentence.text)
    if not match:
        return sentence
    low, high = sentence.origin(*match.span(match.lastindex or 0))
    return Sentence(tuple(token for token in sentence.tokens if not low <= token.start < high))


def _judge_validity(sentences: Sequence[Sentence], primary: str, truncated: bool) -> Verdict:
    """Return the verdict on validity; a refusal must be in the first person."""
    verdict = resolve_verdict(
        sentences, [detect_language(sentence.tokens, primary, "truth") for sentence in sentences], truncated
    )
    return require_own_voice(verdict, _CUES, sentences)
