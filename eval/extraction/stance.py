"""Answer extraction for stances on a statement, by the labels of the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from polbias.eval.extraction.bare_reply import (
    opening_reply,
    read_boolean_json,
    strip_json_booleans,
    whole_reply,
)
from polbias.eval.extraction.claims import Verdict
from polbias.eval.extraction.preparation import mask_reasoning, prepare
from polbias.eval.extraction.prompt_echo import (
    fields,
    first_match,
    mask_prompt_echo,
    match_null_answer,
    replace_item_mentions,
)
from polbias.eval.extraction.refusal import find_refusal
from polbias.eval.extraction.settle import settle_verdict
from polbias.eval.extraction.stance_claims import (
    CUES,
    MARKS,
    SIDES,
    LabelPatterns,
    StanceClaim,
    StanceStrength,
    build_label_patterns,
    find_claims,
)
from polbias.eval.extraction.stance_labels import (
    LABEL_REASONS,
    find_opposing_claim,
    find_unsettled_span,
    part_label,
    withdrawal,
    without_praise,
)
from polbias.eval.extraction.stance_multilingual import REPLIES, detect_languages, read_non_english
from polbias.eval.extraction.tokens import Sentence
from polbias.eval.extraction.voice import without_reported_opinions

LABELS = ("agree", "disagree", "refusal", "unparsable")
"""Labels of an answer. A truncated text is "unparsable" with the reason "truncated"."""


def extract_stance(text: str, agree: str, disagree: str, statement: str | None = None) -> Verdict:
    """Extract the stance on a statement from a response.

    The labels are the labels of the prompt template; inflections ("opposed", "unfavorable") and negations
    ("can't agree") count. A list of the labels repeated from the prompt, in either order, is ignored. A label
    alone outranks a sentence, which outranks a mere mention; labels of other templates count only without
    labels of this template. The mapping of Ceron et al. takes the first label word of any template, so that
    "cannot agree or disagree" maps to agree, and an echo of the list in the other order to disagree.

    Words repeated from the statement, and opinions of others, are ignored. Fewer patterns cover German,
    French, Italian and Spanish; a response without a match is unparsable.

    Args:
        text: The response, any string.
        agree: Label of the template for agreement, such as "beneficial".
        disagree: Label for disagreement, such as "harmful".
        statement: The statement, or None if unknown.

    Returns:
        The verdict with its reason and position; its label is one of :data:`LABELS`.

    Raises:
        ValueError: If a label is empty or both are the same.

    Source:
        Ceron et al., section 5.3.
    """
    words = build_label_patterns(agree.strip().lower(), disagree.strip().lower())
    return settle_verdict(_read_stance(text, words, statement), text)


def _read_stance(text: str, words: LabelPatterns, statement: str | None) -> Verdict:
    """Return the stance of a response in any language."""
    answer = mask_prompt_echo(text)
    prepared = prepare(answer)
    if not prepared.sentences:
        return Verdict("unparsable", "empty")
    item = prepare(statement or "")
    words = replace(words, statement_words=item.words)
    sentences = replace_item_mentions([*part_label(prepared.sentences, answer, words)], item.sentences)
    if not sentences:
        return Verdict("unparsable", "no-verdict")
    answer_fields = fields(text)
    null_answer = None if answer_fields else match_null_answer(text)
    if null_answer:
        return Verdict("refusal", "refusal", null_answer.span())
    verdict = _read_in_language(answer, sentences, words)
    if verdict.label == "unparsable" and answer_fields:  # text outside the field can decline
        full_verdict = _read_in_language(answer, prepare(mask_reasoning(text)).sentences, words)
        if full_verdict.label == "refusal":
            return full_verdict
    return verdict


def _read_in_language(answer: str, sentences: Sequence[Sentence], words: LabelPatterns) -> Verdict:
    """Return the stance of sentences in their detected language."""
    flag = read_boolean_json(answer, words.keys)
    if flag and flag.label != "unparsable":
        return flag
    if flag:  # both are false, and a remark may decline
        sentences = prepare(strip_json_booleans(answer)).sentences
    verdicts = (_read_with_withdrawal(sentences, language, words) for language in detect_languages(sentences))
    first = next(verdicts)
    if first.reason == "no-verdict":
        first = next((verdict for verdict in verdicts if verdict.label != "unparsable"), first)
    return first if not flag or first.label == "refusal" else flag


def _read_with_withdrawal(sentences: Sequence[Sentence], language: str, words: LabelPatterns) -> Verdict:
    """Return the stance in one language; after a retraction only later sentences count."""
    withdrawn = withdrawal(sentences)
    if withdrawn:
        before, after, span = withdrawn
        if _read_as(before, language, words).label in SIDES.values():
            verdict = _read_as(after, language, words) if after else None
            if verdict and verdict.label != "refusal" and find_unsettled_span(verdict, after, words):
                verdict = None
            if verdict and (verdict.label == "refusal" or verdict.reason in LABEL_REASONS):
                return replace(verdict, reason="self-correction")
            return Verdict("unparsable", "self-correction", span)
    verdict = _read_as(sentences, language, words)
    open_end = find_unsettled_span(verdict, sentences, words) if verdict.label in SIDES.values() else None
    return Verdict("unparsable", "undecided", open_end) if open_end else verdict


def _read_as(sentences: Sequence[Sentence], language: str, words: LabelPatterns) -> Verdict:
    """Return the stance of a response in a language."""
    return (
        _read_english(sentences, words) if language == "en" else read_non_english(sentences, language, words)
    )


def _read_english(sentences: Sequence[Sentence], words: LabelPatterns) -> Verdict:
    """Return the stance of an English response."""
    claims = without_praise(_drop_retracted(find_claims(sentences, words), sentences), sentences)
    own_sentences = without_reported_opinions(sentences)
    if any(claim.reason == "reply" for claim in claims) and (
        find_refusal(sentences, truncated=False, item_words=words.statement_words)
        or any(first_match(CUES[name], own_sentences) for name in ("complying", "handed_back"))
    ):
        claims = [claim for claim in claims if claim.reason != "reply"]
    declined = [
        (number, match)
        for number, sentence in enumerate(own_sentences)
        if (match := CUES["declined"].search(sentence.text))
    ]
    if declined:  # sentences on a statement before a refusal to judge it are not a verdict
        last, end = declined[-1][0], declined[-1][1].end()
        if all((c.sentence, c.start) < (last, end) and c.reason in {"sentence", "negated"} for c in claims):
            claims = []
        claims = [c for c in claims if c.sentence >= last or c.reason not in {"idiom", "act"}]
        first, _ = declined[0]  # "No, I won't answer"
        claims = [
            c
            for c in claims
            if sentences[c.sentence].text[c.start : c.end] != "no" or c.sentence not in {first, first - 1}
        ]
    best = max((claim.strength for claim in claims if claim.value), default=None)
    ambivalent_end = _last_end("ambivalent", sentences)
    last_sideless = max((c.sentence for c in claims if c.reason in {"neither", "both-options"}), default=-1)
    last_side = max(((claim.sentence, claim.start) for claim in claims if claim.value), default=None)
    if last_side and (
        (ambivalent_end and ambivalent_end > last_side)
        or (last_sideless > last_side[0] and not declined)
        or _is_conditional(claims, sentences)
    ):
        return Verdict("unparsable", "undecided")
    if best is not None and best >= (StanceStrength.SENTENCE if declined else StanceStrength.SYNONYM):
        verdict = _resolve_claims([c for c in claims if c.strength >= best], sentences)
        if best is StanceStrength.MARKER and (
            reversal := _find_reversal(verdict, claims, sentences)
            or find_opposing_claim(verdict, claims, sentences)
        ):
            return _verdict("unparsable", replace(reversal, reason="contradiction"), sentences)
        if not declined or verdict.reason != "contradiction":
            return verdict
    if ambivalent_end:
        return Verdict("unparsable", "undecided")
    if declined:
        number, match = declined[0]
        return Verdict("refusal", "refusal", sentences[number].origin(*match.span()))
    sideless_claims = [claim for claim in claims if not claim.value]
    machine = first_match(CUES["as_machine"], sentences)
    if any(claim.reason == "refusal" for claim in sideless_claims) or (sideless_claims and machine):
        return Verdict(
            "refusal",
            "refusal",
            sentences[sideless_claims[0].sentence].origin(sideless_claims[0].start, sideless_claims[0].end),
        )
    if sideless_claims:
        return _verdict("unparsable", sideless_claims[0], sentences)
    if not machine and first_match(CUES["undecided"], sentences):
        return Verdict("unparsable", "undecided")
    refusal = find_refusal(sentences, truncated=False, item_words=words.statement_words)
    if refusal:
        return Verdict("refusal", "refusal", refusal)
    if best is not None and best > StanceStrength.HEDGED:
        return _resolve_claims([c for c in claims if c.strength == best], sentences)
    patterns = {SIDES[value]: CUES[name] for value, name in REPLIES if words.yes_no}
    reply = opening_reply(sentences, patterns) or whole_reply(sentences[-1:], patterns, MARKS)
    if reply:
        return reply
    refusal = find_refusal(sentences, truncated=False, outright=True) or first_match(
        CUES["handed_back"], own_sentences
    )
    if not refusal and not first_match(CUES["not_understood"], sentences):
        refusal = first_match(
            CUES["withholding"], [sentence for sentence in own_sentences if not sentence.text.endswith("?")]
        )
    if refusal:
        return Verdict("refusal", "refusal", refusal)
    return Verdict("unparsable", "no-verdict")


def _find_reversal(
    verdict: Verdict, claims: Sequence[StanceClaim], sentences: Sequence[Sentence]
) -> StanceClaim | None:
    """Return a conclusion for the other side after a label and its reasons."""
    last = max((c.sentence, c.start) for c in claims if c.strength is StanceStrength.MARKER)
    for claim in claims:
        text = sentences[claim.sentence].text[: claim.start]
        if (
            claim.strength is StanceStrength.SENTENCE
            and claim.reason in {"sentence", "negated"}
            and (claim.sentence, claim.start) > last
            and SIDES.get(claim.value) not in {verdict.label, None}
            and CUES["first_person"].search(text)
            and (CUES["concluding"].search(text) or CUES["correction"].search(text))
        ):
            return claim
    return None


def _is_conditional(claims: Sequence[StanceClaim], sentences: Sequence[Sentence]) -> bool:
    """Whether the stance depends on conditions, and only parts of the statement are judged."""
    if not first_match(CUES["depending"], sentences):
        return False
    for claim in claims:
        before = sentences[claim.sentence].text[: claim.start]
        is_overall = claim.reason in {"sentence", "negated", "marker"} or any(
            CUES[name].search(before) for name in ("concluding", "first_person")
        )
        if claim.value and is_overall:
            return False
    return True


def _drop_retracted(claims: list[StanceClaim], sentences: Sequence[Sentence]) -> list[StanceClaim]:
    """Drop claims that the response withdraws, or retracts with a later claim."""
    withdrawn = _last_end("withdrawn", sentences)
    last = max(withdrawn, _last_end("retracted", sentences))
    retained = [c for c in claims if (c.sentence, c.start) >= last and c.strength >= StanceStrength.SENTENCE]
    return retained if withdrawn or (last and any(claim.value for claim in retained)) else claims


def _last_end(name: str, sentences: Sequence[Sentence]) -> tuple[int, ...]:
    """Return the end of the last match of a cue as (sentence, position); empty without a match."""
    ends = [
        (number, match.end())
        for number, sentence in enumerate(sentences)
        for match in CUES[name].finditer(sentence.text)
    ]
    return max(ends, default=())


def _resolve_claims(claims: Sequence[StanceClaim], sentences: Sequence[Sentence]) -> Verdict:
    """Return the verdict of equally strong claims: their side, conclusion, correction or contradiction."""
    sides = [claim for claim in claims if claim.value]
    if len({claim.value for claim in sides}) == 1:
        claim = sides[0]
        return _verdict(SIDES[claim.value], claim, sentences)
    last = sides[-1]
    opposing = next(claim for claim in reversed(sides) if claim.value != last.value)
    if opposing.sentence == last.sentence:
        names, between = {"turning"}, sentences[last.sentence].text[opposing.end : last.start]
    else:
        names = {"correction" if last.strength is StanceStrength.MARKER else "concluding", "concluding"}
        between = " ".join(sentence.text for sentence in sentences[opposing.sentence + 1 : last.sentence])
        between = f"{between} {sentences[last.sentence].text[: last.start]}"
    if any(CUES[name].search(between) for name in names):
        return replace(_verdict(SIDES[last.value], last, sentences), reason="self-correction")
    return _verdict("unparsable", replace(last, reason="contradiction"), sentences)


def _verdict(label: str, claim: StanceClaim, sentences: Sequence[Sentence]) -> Verdict:
    return Verdict(label, claim.reason, sentences[claim.sentence].origin(claim.start, claim.end))
