"""Whether an argument is called valid: evidence collected, weighed and decided."""

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

# Choosing the final verdict among the claims of an output.

_OPENING = 40
"""An output begins with a verdict that ends within so many characters."""
_REMAINDER = 3
"""A claim ends an output that breaks off after so few tokens more."""
_LABEL = 4
"""A sentence of so few tokens is nothing but a label."""
_TURNS = 3
"""A verdict that turns so many times is none, unless a conclusion ends it."""


@dataclass(frozen=True, slots=True)
class ClaimResolution:
    """What the claims of an output come to.

    Attributes:
        claim: The claim that decides; ``None`` if none does.
        corrected: Whether it corrects an earlier one.
        retracted: Where the output takes its verdict back without giving another.
        hints: The claims that count only where nothing else does.
    """

    claim: LabelClaim | None
    corrected: bool
    retracted: Span | None
    hints: Sequence[LabelClaim]


class ClaimResolver:
    """Weighs the claims of one output.

    Args:
        sentences: The sentences of the output.
        tongues: The grammar of each.
    """

    def __init__(self, sentences: Sequence[Sentence], tongues: Sequence[Cues]) -> None:
        self.sentences, self.tongues, self.last = sentences, tongues, len(sentences) - 1

    def rule(self, truncated: bool) -> ClaimResolution:
        """Choose the final verdict."""
        made = self._own([claim for claim in self._claims() if claim.asserted])
        firm = [claim for claim in made if claim.strength > Strength.HINT]
        standing, retracted = self._standing(firm)
        chosen = _choose(standing) if standing and not retracted else None
        if chosen and self._outranked(standing[0], chosen):
            chosen = standing[0]
        if chosen and truncated and not self._conclusive(chosen):
            chosen = None
        hints = [claim for claim in made if claim.strength is Strength.HINT]
        if any(True for _ in self._matches("truth")):  # beside the point
            hints = [claim for claim in hints if claim.reason != "hint"]
        return ClaimResolution(chosen, len(standing) < len(firm), retracted, hints)

    def _outranked(self, first: LabelClaim, chosen: LabelClaim) -> bool:
        """Say whether a first line that is nothing but a label outranks what comes between it and the end."""
        whole = first.strength is Strength.MARKER and first.decides and first.sentence == 0
        between = (
            chosen.label != first.label
            and not (chosen.concluding or chosen.contrasted)
            and (chosen.sentence < self.last or chosen.reason == "undecided")
        )
        return whole and between and len(self.sentences[0].tokens) <= _LABEL

    def _claims(self) -> Iterator[LabelClaim]:
        """Yield the claims of all sentences; the items of a list share the fate of its introduction."""
        question: LabelClaim | None = None
        listing = False
        for number, (sentence, grammar) in enumerate(zip(self.sentences, self.tongues, strict=True)):
            reader = ValidityClaimFinder(sentence, grammar, number)
            found = reader.claims(question)
            if listing and sentence.is_list_item:
                found = [replace(claim, asserted=False) for claim in found]
            yield from found
            listing = reader.introduces_list or (listing and sentence.is_list_item)
            question = next((claim for claim in reversed(found) if claim.open), None)

    def _matches(self, name: str) -> Iterator[tuple[int, Span]]:
        """Yield the matches of a list, with the number of their sentence."""
        for number, (sentence, grammar) in enumerate(zip(self.sentences, self.tongues, strict=True)):
            for match in grammar[name].finditer(sentence.text):
                yield number, sentence.origin(*match.span())

    def _own(self, made: list[LabelClaim]) -> list[LabelClaim]:
        """Drop the claims on arguments that stand in an echo or that the model has invented."""
        items = [claim for claim in made if claim.item]
        prompts, headings = ([number for number, _ in self._matches(n)] for n in ("continuation", "heading"))
        begins = made and made[0].strength is Strength.MARKER
        if begins and made[0].span[1] <= self.sentences[0].tokens[0].start + _OPENING:
            return made[:1] if items or prompts or headings else made
        if prompts and sum(claim.sentence <= prompts[0] for claim in items) > 1:
            return [claim for claim in made if claim.sentence > prompts[-1]]
        if len(items) > 1:
            return items[:1]
        for number in sorted({*prompts, *headings}):
            before = [claim for claim in made if claim.sentence < number]
            needed = Strength.SENTENCE if number in prompts else Strength.MARKER
            if any(claim.strength >= needed for claim in before):
                return before
        return made

    def _standing(self, firm: list[LabelClaim]) -> tuple[list[LabelClaim], Span | None]:
        """Return what no self-correction takes back, and where one takes back without a new verdict."""
        outright = [span for _, span in self._matches("retraction")]
        for span in sorted([*outright, *(span for _, span in self._matches("correction"))], reverse=True):
            before = [claim for claim in firm if claim.span[1] <= span[0]]
            after = [claim for claim in firm if claim.span[1] > span[0]]
            if before and after:
                return after, None
            if before and span in outright:
                upheld = any(start >= span[0] for _, (start, _) in self._matches("confirmation"))
                return firm, None if upheld else span
        return firm, None

    def _conclusive(self, claim: LabelClaim) -> bool:
        """Say whether a claim stands although the output breaks off."""
        if claim.strength is Strength.MARKER or claim.sentence == 0:
            return True
        last = self.sentences[-1]
        remaining = sum(token.start >= claim.span[1] for token in last.tokens)
        ends = claim.sentence == self.last and remaining <= _REMAINDER
        if ends and not shared("dangling").search(last.text):
            return True
        if claim.strength is not Strength.SENTENCE:
            return False
        ongoing = any(start >= claim.span[1] for _, (start, _) in self._matches("ongoing"))
        return claim.sentence == 1 or claim.concluding or not ongoing


def _choose(firm: Sequence[LabelClaim]) -> LabelClaim:
    """Choose the final verdict among claims none of which is a mere hint."""
    top = max(claim.strength for claim in firm)
    best = [claim for claim in firm if claim.strength is top]
    chosen = _last(best)
    if top is Strength.MARKER and chosen is best[-1]:
        later = [c for c in firm[firm.index(chosen) + 1 :] if c.strength is Strength.SENTENCE and c.decides]
        if later and later[-1].concluding and later[-1].label != chosen.label:
            return later[-1]
    return chosen


def _last(best: Sequence[LabelClaim]) -> LabelClaim:
    """Choose the last of equally strong claims, or the indecision that opposite ones make."""
    sides = [claim for claim in best if claim.reason != "balanced"]
    if not sides:
        return best[-1]
    last = sides[-1]
    if len(sides) > 1 and last.strength >= Strength.SENTENCE and _tied(sides[-2], last):
        return replace(last, label="unparsable", reason="contradiction")
    turns = sum(one.contradicts(two) for one, two in pairwise(sides))
    if turns and not last.concluding and (turns >= _TURNS or len(sides) < len(best)):
        return replace(last, label="unparsable", reason="contradiction")
    return last


def _tied(one: LabelClaim, two: LabelClaim) -> bool:
    """Say whether two claims in succession contradict each other and neither has the last word."""
    if not two.contradicts(one):
        return False
    gap = two.sentence - one.sentence
    if not gap:
        return not two.shifted
    if one.reading and two.reading:
        return True
    return gap == 1 and not two.contrasted and (one.concluding or not two.concluding)


# From the sentences of an output to a verdict, for questions that are answered with one of two labels.


def resolve_verdict(sentences: Sequence[Sentence], tongues: Sequence[Cues], truncated: bool) -> Verdict:
    """Weigh what an output says for and against the inference.

    An explicit final marker outranks the last sentence with a verdict, which outranks what is said
    in the words of the prompts; a refusal counts only without any of these.
    """
    if not sentences:
        return Verdict("unparsable", "no-verdict" if truncated else "empty")
    ruling = ClaimResolver(sentences, tongues).rule(truncated)
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
    return Verdict("unparsable", "no-verdict")


# From the free text of a model to its verdict on the validity of an inference.


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
    primary = primary_language(language)
    prepared = prepare(text)
    tongues = [detect_language(sentence.tokens, primary) for sentence in prepared.sentences]
    return settle_verdict(resolve_verdict(prepared.sentences, tongues, prepared.truncated), text)
