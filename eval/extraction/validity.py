"""Answer extraction for validity: the final verdict among the claims of a response."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from polbias.eval.extraction.claims import LabelClaim, Strength, Verdict
from polbias.eval.extraction.cues import Cues, detect_language, primary_language, shared
from polbias.eval.extraction.preparation import prepare
from polbias.eval.extraction.refusal import find_refusal, find_withdrawal, lacks_input
from polbias.eval.extraction.settle import settle_verdict
from polbias.eval.extraction.tokens import Sentence, Span
from polbias.eval.extraction.validity_claims import ValidityClaimFinder

_MAX_OPENING_CHARS = 40
"""Maximum end position, in characters, of a verdict that begins a response."""
_MAX_REMAINING_TOKENS = 3
"""Maximum tokens after a claim that ends a truncated response."""
_MAX_LABEL_TOKENS = 4
"""Maximum tokens of a sentence that is only a label."""
_MIN_TURNS = 3
"""Number of reversals that make a contradiction, unless a conclusion follows."""


@dataclass(frozen=True, slots=True)
class ClaimResolution:
    """Result of weighing the claims of a response.

    Attributes:
        claim: The deciding claim, or None.
        corrected: Whether it corrects an earlier claim.
        retracted: Span in which the response retracts its verdict without a new one.
        hints: Claims that count only without stronger evidence.
    """

    claim: LabelClaim | None
    corrected: bool
    retracted: Span | None
    hints: Sequence[LabelClaim]


class ClaimResolver:
    """Resolver of the claims of one response.

    Args:
        sentences: Sentences of the response.
        grammars: Cues of the language of each sentence.
    """

    def __init__(self, sentences: Sequence[Sentence], grammars: Sequence[Cues]) -> None:
        self.sentences, self.grammars, self.last = sentences, grammars, len(sentences) - 1

    def resolve(self, truncated: bool) -> ClaimResolution:
        """Return the deciding claim, retraction and hints."""
        asserted = self._drop_invented([claim for claim in self._claims() if claim.asserted])
        explicit = [claim for claim in asserted if claim.strength > Strength.HINT]
        upheld, retracted = self._without_corrected(explicit)
        claim = _choose(upheld) if upheld and not retracted else None
        if claim and self._is_outranked(upheld[0], claim):
            claim = upheld[0]
        if claim and truncated and not self._is_conclusive(claim):
            claim = None
        hints = [claim for claim in asserted if claim.strength is Strength.HINT]
        if any(True for _ in self._matches("truth")):  # off topic
            hints = [claim for claim in hints if claim.reason != "hint"]
        return ClaimResolution(claim, len(upheld) < len(explicit), retracted, hints)

    def _is_outranked(self, first: LabelClaim, claim: LabelClaim) -> bool:
        """Whether a first line that is only a label outranks a claim before the end."""
        is_label = first.strength is Strength.MARKER and first.decides and first.sentence == 0
        between = (
            claim.label != first.label
            and not (claim.concluding or claim.contrasted)
            and (claim.sentence < self.last or claim.reason == "undecided")
        )
        return is_label and between and len(self.sentences[0].tokens) <= _MAX_LABEL_TOKENS

    def _claims(self) -> Iterator[LabelClaim]:
        """Yield the claims of all sentences; list items are unasserted if their introduction is."""
        question: LabelClaim | None = None
        listing = False
        for number, (sentence, grammar) in enumerate(zip(self.sentences, self.grammars, strict=True)):
            reader = ValidityClaimFinder(sentence, grammar, number)
            claims = reader.claims(question)
            if listing and sentence.is_list_item:
                claims = [replace(claim, asserted=False) for claim in claims]
            yield from claims
            listing = reader.introduces_list or (listing and sentence.is_list_item)
            question = next((claim for claim in reversed(claims) if claim.open), None)

    def _matches(self, name: str) -> Iterator[tuple[int, Span]]:
        """Yield the sentence index and span of each match of a cue."""
        for number, (sentence, grammar) in enumerate(zip(self.sentences, self.grammars, strict=True)):
            for match in grammar[name].finditer(sentence.text):
                yield number, sentence.origin(*match.span())

    def _drop_invented(self, claims: list[LabelClaim]) -> list[LabelClaim]:
        """Drop the claims on arguments that the model repeats or invents."""
        items = [claim for claim in claims if claim.item]
        prompts, headings = (
            [number for number, _ in self._matches(name)] for name in ("continuation", "heading")
        )
        begins = claims and claims[0].strength is Strength.MARKER
        if begins and claims[0].span[1] <= self.sentences[0].tokens[0].start + _MAX_OPENING_CHARS:
            return claims[:1] if items or prompts or headings else claims
        if prompts and sum(claim.sentence <= prompts[0] for claim in items) > 1:
            return [claim for claim in claims if claim.sentence > prompts[-1]]
        if len(items) > 1:
            return items[:1]
        for number in sorted({*prompts, *headings}):
            before = [claim for claim in claims if claim.sentence < number]
            min_strength = Strength.SENTENCE if number in prompts else Strength.MARKER
            if any(claim.strength >= min_strength for claim in before):
                return before
        return claims

    def _without_corrected(self, explicit: list[LabelClaim]) -> tuple[list[LabelClaim], Span | None]:
        """Return the claims without corrected ones, and the span of a retraction without a new verdict."""
        outright = [span for _, span in self._matches("retraction")]
        for span in sorted([*outright, *(span for _, span in self._matches("correction"))], reverse=True):
            before = [claim for claim in explicit if claim.span[1] <= span[0]]
            after = [claim for claim in explicit if claim.span[1] > span[0]]
            if before and after:
                return after, None
            if before and span in outright:
                is_confirmed = any(start >= span[0] for _, (start, _) in self._matches("confirmation"))
                return explicit, None if is_confirmed else span
        return explicit, None

    def _is_conclusive(self, claim: LabelClaim) -> bool:
        """Whether a claim decides although the response is truncated."""
        if claim.strength is Strength.MARKER or claim.sentence == 0:
            return True
        last = self.sentences[-1]
        remaining = sum(token.start >= claim.span[1] for token in last.tokens)
        ends = claim.sentence == self.last and remaining <= _MAX_REMAINING_TOKENS
        if ends and not shared("dangling").search(last.text):
            return True
        if claim.strength is not Strength.SENTENCE:
            return False
        ongoing = any(start >= claim.span[1] for _, (start, _) in self._matches("ongoing"))
        return claim.sentence == 1 or claim.concluding or not ongoing


def _choose(explicit: Sequence[LabelClaim]) -> LabelClaim:
    """Return the deciding claim among claims stronger than hints."""
    top = max(claim.strength for claim in explicit)
    best = [claim for claim in explicit if claim.strength is top]
    last = _last_claim(best)
    if top is Strength.MARKER and last is best[-1]:
        later_claims = [
            c for c in explicit[explicit.index(last) + 1 :] if c.strength is Strength.SENTENCE and c.decides
        ]
        if later_claims and later_claims[-1].concluding and later_claims[-1].label != last.label:
            return later_claims[-1]
    return last


def _last_claim(best: Sequence[LabelClaim]) -> LabelClaim:
    """Return the last of equally strong claims, or a contradiction."""
    sides = [claim for claim in best if claim.reason != "balanced"]
    if not sides:
        return best[-1]
    last = sides[-1]
    if len(sides) > 1 and last.strength >= Strength.SENTENCE and _is_contradiction(sides[-2], last):
        return replace(last, label="unparsable", reason="contradiction")
    n_turns = sum(first.contradicts(second) for first, second in pairwise(sides))
    if n_turns and not last.concluding and (n_turns >= _MIN_TURNS or len(sides) < len(best)):
        return replace(last, label="unparsable", reason="contradiction")
    return last


def _is_contradiction(first: LabelClaim, second: LabelClaim) -> bool:
    """Whether two successive claims contradict each other and neither prevails."""
    if not second.contradicts(first):
        return False
    gap = second.sentence - first.sentence
    if not gap:
        return not second.shifted
    if first.reading and second.reading:
        return True
    return gap == 1 and not second.contrasted and (first.concluding or not second.concluding)


# Verdicts on questions with two labels.


def resolve_verdict(sentences: Sequence[Sentence], grammars: Sequence[Cues], truncated: bool) -> Verdict:
    """Return the verdict of a response on an inference.

    An explicit final marker outranks the last sentence with a verdict, which outranks phrases of the prompts;
    a refusal counts only without any of these.
    """
    if not sentences:
        return Verdict("unparsable", "no-verdict" if truncated else "empty")
    resolution = ClaimResolver(sentences, grammars).resolve(truncated)
    if resolution.retracted:
        return Verdict("unparsable", "self-correction", resolution.retracted)
    claim = resolution.claim
    if claim and claim.strength < Strength.MARKER:
        if lacks_input(sentences):
            return Verdict("unparsable", "no-verdict")
        withdrawal = find_withdrawal(sentences[claim.sentence + 1 :], claim.strength is Strength.SENTENCE)
        if withdrawal:
            return Verdict("refusal", "refusal", withdrawal)
    if claim and claim.decides:
        return Verdict(claim.label, "self-correction" if resolution.corrected else claim.reason, claim.span)
    refusal = find_refusal(sentences, truncated, outright=claim is not None)
    if refusal:
        return Verdict("refusal", "refusal", refusal)
    if claim:
        return Verdict(claim.label, claim.reason, claim.span)
    if len({hint.label for hint in resolution.hints}) == 1 and not truncated:
        return Verdict(resolution.hints[-1].label, resolution.hints[-1].reason, resolution.hints[-1].span)
    return Verdict("unparsable", "no-verdict")


def extract_validity(text: str, language: str) -> Verdict:
    """Extract the final verdict on an inference from a response.

    An explicit final marker outranks the last sentence with a verdict, which outranks phrases of the prompts;
    a refusal counts only without any of these.

    Args:
        text: The response, any string.
        language: The language of the prompt, "en" or "de", or a tag such as "de-CH". A verdict in
            the other language counts too.

    Returns:
        The verdict "valid", "invalid", "refusal" or "unparsable".

    Raises:
        ValueError: If the language is not supported.
    """
    primary = primary_language(language)
    prepared = prepare(text)
    grammars = [detect_language(sentence.tokens, primary) for sentence in prepared.sentences]
    return settle_verdict(resolve_verdict(prepared.sentences, grammars, prepared.truncated), text)
