"""Answer extraction for entailment: whether a hypothesis follows from premises."""

from __future__ import annotations

import re
from collections.abc import Sequence

from polbias.eval.extraction.bare_reply import opening_reply, require_own_voice, whole_reply
from polbias.eval.extraction.claims import Verdict
from polbias.eval.extraction.cues import Cues, load_verdict_patterns
from polbias.eval.extraction.preparation import mask_reasoning, prepare
from polbias.eval.extraction.prompt_echo import first_match, quotation_mask, substitute_words
from polbias.eval.extraction.settle import first_item, settle_verdict
from polbias.eval.extraction.tokens import Sentence
from polbias.eval.extraction.validity import resolve_verdict

LABELS = {"valid": "entailment", "invalid": "non-entailment"}
"""Labels of this question by verdict on validity."""

_CUES = Cues("entailment.en")
_MIN_REASONING_WORDS = 25
"""A response of at least this many tokens reasons before it answers."""
_MARKS = " .,;:!—"
_QUOTATION = re.compile(r"[\"“„”][^\"“„”\n]*[\"“„”]")
_END = re.compile(r"</s>|<\|(?:endoftext|end_of_text|end|eot_id|eom_id|im_end)\|>")
"""End-of-text tokens that a model generates as text."""
_MASK = quotation_mask(re.compile(r"entail|valid|follow|conclu|hypothes|premise", re.IGNORECASE))


def extract_entailment(text: str) -> Verdict:
    """Extract the final verdict on an entailment from an English response.

    The rules of :func:`extract_validity` apply, with the words of this question. The parser published with
    the paper accepts only a bare "entailment" or "non-entailment" as the first word of the last line, with or
    without a full stop; it silently scores as wrong an answer in quotes, in bold, with a reason or in a
    sentence, a refusal, and a truncated response. This extractor parses answers of these forms, and returns
    separate outcomes for refusals and truncated responses.

    Args:
        text: The response, any string.

    Returns:
        The verdict "entailment", "non-entailment", "refusal" or "unparsable".
    """
    prepared = prepare(
        _END.sub(lambda end: "\n" * len(end.group()), _QUOTATION.sub(_MASK, mask_reasoning(text)))
    )
    sentences = first_item(
        [substitute_words(sentence, _CUES.part("words")) for sentence in prepared.sentences],
        _CUES.part("whole"),
    )
    verdict = (
        whole_reply(sentences, _CUES.part("whole"), _MARKS)
        or _last_line(sentences)
        or _judge_validity(sentences, prepared.truncated)
    )
    verdict = require_own_voice(verdict, _CUES, sentences)
    if verdict.reason == "no-verdict":
        verdict = opening_reply(sentences, _CUES.part("opening")) or verdict
    return settle_verdict(
        Verdict(LABELS.get(verdict.label, verdict.label), verdict.reason, verdict.span), text
    )


def _judge_validity(sentences: Sequence[Sentence], truncated: bool) -> Verdict:
    """Return the verdict on validity; a text without a final full stop may still end in a verdict."""
    grammars = [load_verdict_patterns("en", "entailment")] * len(sentences)
    verdict = resolve_verdict(sentences, grammars, truncated)
    if truncated and verdict.reason == "no-verdict" and first_match(_CUES["ends"], sentences[-1:]):
        complete = resolve_verdict(sentences, grammars, truncated=False)
        return complete if complete.label in LABELS else verdict
    return verdict


def _last_line(sentences: Sequence[Sentence]) -> Verdict | None:
    """Return the label alone on the last line after a chain of thought, as the prompt requests."""
    if sum(len(sentence.tokens) for sentence in sentences) < _MIN_REASONING_WORDS:
        return None
    last = sentences[-1]
    label = last.text.strip(_MARKS)
    return Verdict(label, "marker", last.origin(0, len(last.text))) if label in LABELS else None
