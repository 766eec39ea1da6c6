"""Answer extraction for conclusions: whether a conclusion follows, is excluded or stays open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from itertools import pairwise

from polbias.eval.extraction.bare_reply import whole_reply
from polbias.eval.extraction.claims import Verdict
from polbias.eval.extraction.clause_scope import ClauseScope
from polbias.eval.extraction.cues import LANGUAGES, Cues, detect_language, primary_language, shared
from polbias.eval.extraction.preparation import prepare
from polbias.eval.extraction.prompt_echo import mask_prompt_echo
from polbias.eval.extraction.refusal import find_refusal, find_withdrawal, lacks_input
from polbias.eval.extraction.settle import settle_verdict
from polbias.eval.extraction.tokens import Sentence, Span

SIDES = ("follows", "excluded", "open")
"""Labels of a verdict."""
LABELS = (*SIDES, "refusal", "unparsable")
"""Labels of an answer. A truncated text is "unparsable" with the reason "truncated"."""

_BOTH = "unparsable"
"""Label of a claim that names several sides."""
_CUES = tuple(Cues(f"conclusion.{name}") for name in LANGUAGES)
"""Cues of both languages, as an answer may be in the other one."""
_MARKS = " .,;:!—>()[]{}|→=✅✔☑❌✗✘"
_MAX_REMAINING_TOKENS = 3
"""Maximum tokens after a claim that ends a truncated response."""


class _ConclusionStrength(IntEnum):
    """Strength of a claim: a sentence, a label that ends a clause, a label alone or after "the answer is"."""

    SENTENCE = 1
    CLAUSE = 2
    ANSWER = 3


_REASONS = {
    _ConclusionStrength.SENTENCE: "sentence",
    _ConclusionStrength.CLAUSE: "clause",
    _ConclusionStrength.ANSWER: "marker",
}


@dataclass(frozen=True, slots=True)
class _ConclusionClaim:
    """Words that assert or deny a label.

    Attributes:
        label: One of SIDES; "unparsable" for several.
        strength: Strength of the evidence.
        span: Offsets in the original text.
        sentence: Index of the sentence.
        is_denied: Whether the words deny the label.
        asserted: Whether the claim is made, not supposed, questioned or made of one case.
        concluding: Whether its sentence is a conclusion, or calls the answer final.
    """

    label: str
    strength: _ConclusionStrength
    span: Span
    sentence: int
    is_denied: bool = False
    asserted: bool = True
    concluding: bool = False


def extract_conclusion(text: str, language: str) -> Verdict:
    """Extract the final verdict on a conclusion from a response.

    A label alone, or after words such as "the answer is", outranks a label that ends a clause, which outranks
    a sentence on the conclusion. Labels of single cases, suppositions, questions and lists of the options are
    ignored. "It does not follow" denies one label only: two denied labels leave the third, one alone gives no
    verdict. Different labels of equal rank give no verdict unless the last one corrects or concludes.

    Args:
        text: The response, any string.
        language: The language of the instruction, "en" or "de", or a tag such as "de-CH". A verdict in the
            other language counts too.

    Returns:
        The verdict "follows", "excluded", "open", "refusal" or "unparsable".

    Raises:
        ValueError: If the language is not supported.

    Source:
        The question: the instruction of ``partisan-inference-ladder``.
    """
    primary = primary_language(language)
    prepared = prepare(mask_prompt_echo(text))
    if not prepared.sentences:
        return settle_verdict(Verdict("unparsable", "no-verdict" if prepared.truncated else "empty"), text)
    whole = (whole_reply(prepared.sentences, cues.part("whole"), _MARKS) for cues in _CUES)
    verdict = next((reply for reply in whole if reply), None)
    verdict = verdict or _judge(prepared.sentences, primary, prepared.truncated, text)
    return settle_verdict(verdict, text, open_label="open")


def _judge(sentences: Sequence[Sentence], primary: str, truncated: bool, text: str) -> Verdict:
    """Return the verdict of a response of more than a label."""
    claims = [*_find_claims(sentences, primary, text)]
    claims = [claim for claim in claims if claim.asserted]
    if truncated:
        claims = [claim for claim in claims if _is_conclusive(claim, sentences)]
    verdict = _resolve_claims(claims, sentences)
    if verdict and verdict.label != "open" and _is_withdrawn(claims[-1], sentences):
        return Verdict("unparsable", "undecided")
    is_weak = verdict is not None and verdict.reason in {"sentence", "elimination"}
    if is_weak and _is_turned(claims[-1], sentences):
        return Verdict("unparsable", "no-verdict")
    if verdict is None or is_weak:
        if lacks_input(sentences):
            return Verdict("unparsable", "no-verdict")
        start = claims[-1].sentence + 1 if verdict else 0
        if verdict and verdict.label != "open":
            refusal = find_withdrawal(sentences[start:], explicit=True)
        else:  # "I cannot say whether she lied" declines or leaves open
            refusal = find_refusal(sentences, truncated)
        if refusal:
            return Verdict("refusal", "refusal", refusal)
    return verdict or Verdict("unparsable", "no-verdict")


# --- finding claims -----------------------------------------------------------------------------------------


def _find_claims(sentences: Sequence[Sentence], primary: str, text: str) -> Iterator[_ConclusionClaim]:
    """Yield the claims of all sentences up to a further item."""
    is_answered, case = False, ""
    question: _ConclusionClaim | None = None
    for number, sentence in enumerate(sentences):
        if is_answered and _matches("continuation", sentence.text):
            break
        if _matches("case", sentence.text):
            case = "case"
        elif _matches("supposition", sentence.text):
            case = case or "supposition"
        elif _leaves_case(case, sentences, number, text):
            case = ""
        grammar = detect_language(sentence.tokens, primary, "conclusion")
        claims = _SentenceClaims(
            sentence,
            grammar,
            number,
            previous=sentences[number - 1].text if number else "",
            in_case=bool(case),
            is_last=number == len(sentences) - 1,
        ).find()
        yield from claims
        is_answered |= any(
            claim.asserted and claim.strength is _ConclusionStrength.ANSWER for claim in claims
        )
        if question:
            yield from _reply(question, sentence, number)
        is_question = sentence.text.endswith("?") and len({claim.label for claim in claims}) == 1
        question = claims[-1] if is_question else None


def _reply(question: _ConclusionClaim, sentence: Sentence, number: int) -> Iterator[_ConclusionClaim]:
    """Yield the claim of a yes or no right after a question."""
    for cues in _CUES:
        for name in ("yes", "no"):
            if match := cues[name].match(sentence.text):
                is_denied = question.is_denied ^ (name == "no")
                yield _ConclusionClaim(
                    question.label,
                    _ConclusionStrength.SENTENCE,
                    sentence.origin(*match.span()),
                    number,
                    is_denied,
                )


def _leaves_case(case: str, sentences: Sequence[Sentence], number: int, text: str) -> bool:
    """Whether a sentence ends a case: by its first words, or after an empty line."""
    sentence = sentences[number].text
    if _matches("leaves_case", sentence) or (case == "supposition" and _matches("concludes", sentence)):
        return True
    if not number:
        return False
    gap = text[sentences[number - 1].tokens[-1].end : sentences[number].tokens[0].start]
    return gap.count("\n") > 1


def _matches(name: str, text: str) -> bool:
    """Whether a cue of one of the languages occurs in a text."""
    return any(cues[name].search(text) for cues in _CUES)


class _SentenceClaims:
    """Finder of the claims in one sentence.

    Args:
        sentence: The sentence.
        grammar: Cues of its language.
        number: Index of the sentence in the response.
        previous: Text of the previous sentence.
        in_case: Whether the sentence is on one case of several.
        is_last: Whether it ends the response; a conclusion that one case leaves open stays open.
    """

    def __init__(
        self,
        sentence: Sentence,
        grammar: Cues,
        number: int,
        *,
        previous: str,
        in_case: bool,
        is_last: bool,
    ) -> None:
        self.scope, self.number, self.previous = ClauseScope(sentence, grammar), number, previous
        self.in_case, self.is_last = in_case, is_last
        self.sentence, self.text = self.scope.sentence, self.scope.text

    def find(self) -> list[_ConclusionClaim]:
        """Return the claims in order of their position."""
        claims = [
            self._build_claim(label, _ConclusionStrength.SENTENCE, span, inside=not is_unit)
            for span, label, is_unit in self._phrases
        ]
        words = [*self._word_spans()]
        options = self._options(words)
        for span, label in words:
            if any(low <= span[0] < high for low, high in options):
                continue
            reply = shared("reply").match(self.text, span[1])
            strength = _ConclusionStrength.ANSWER if reply else self._word_strength(*span)
            if strength is None:
                continue
            claim = self._build_claim(label, strength, span)
            if reply:
                claim = replace(claim, asserted=True, is_denied=bool(reply["no"] or reply["cross"]))
            claims.append(claim)
        claims += [
            self._build_claim(_BOTH, _ConclusionStrength.ANSWER, span)
            for span in options
            if self._names_both(span, words)
        ]
        return sorted(claims, key=lambda claim: (claim.span, claim.strength))

    @cached_property
    def _phrases(self) -> list[tuple[Span, str, bool]]:
        """Return spans, labels and whether they are units; of overlapping phrases the longest."""
        phrases: list[tuple[Span, str, bool]] = []
        for span, label, is_unit in sorted(self._phrase_spans(), key=lambda entry: entry[0][0] - entry[0][1]):
            is_free = not any(span[0] < high and low < span[1] for (low, high), _, _ in phrases)
            if is_free and self._is_on_conclusion(*span):
                phrases.append((span, label, is_unit))
        return phrases

    def _phrase_spans(self) -> Iterator[tuple[Span, str, bool]]:
        """Yield the spans of sentences on the conclusion, their labels, and whether they are units."""
        for cues in _CUES:
            for name in ("phrases", "units"):
                for label, pattern in cues.part(name).items():
                    for match in pattern.finditer(self.text):
                        yield match.span(), label, name == "units"

    def _is_on_conclusion(self, start: int, end: int) -> bool:
        """Whether a phrase is not about a pronoun that stands for something else than the conclusion."""
        if not self.number or not _matches("pronoun", self.text[start:end]):
            return True
        if _matches("head", self.text[:start].rstrip()):
            return True
        return _matches("topic", f"{self.previous} {self.text[:start]}")

    def _word_spans(self) -> Iterator[tuple[Span, str]]:
        """Yield the spans of the label words, with their labels."""
        label_by_span = {
            match.span(): label
            for cues in _CUES
            for label, pattern in cues.part("words").items()
            for match in pattern.finditer(self.text)
        }
        yield from sorted(label_by_span.items())

    def _options(self, words: Sequence[tuple[Span, str]]) -> list[Span]:
        """Return the spans of sequences of different labels with only words such as "or" between them."""
        options: list[Span] = []
        for (first, label), (second, next_label) in pairwise(words):
            if label == next_label or not self._is_joint(first, second):
                continue
            if options and options[-1][1] == first[1]:
                options[-1] = options[-1][0], second[1]
            else:
                options.append((first[0], second[1]))
        return options

    def _is_joint(self, first: Span, second: Span) -> bool:
        """Whether two labels are options, as in "follows or open", and not "not excluded, open"."""
        between = self.text[first[1] : second[0]]
        if any(cues["joint"].fullmatch(between.strip()) for cues in _CUES):
            return True
        options = shared("options").fullmatch(between)
        if not options or "→" in between or "—" in between:
            return False
        return bool(options["joint"]) or not any(self.scope.is_negated(*span) for span in (first, second))

    def _names_both(self, span: Span, words: Sequence[tuple[Span, str]]) -> bool:
        """Whether an answer consists of two labels."""
        labels = {label for (low, _), label in words if span[0] <= low < span[1]}
        return len(labels) < len(SIDES) and _matches("head", self.text[: span[0]].rstrip())

    def _word_strength(self, start: int, end: int) -> _ConclusionStrength | None:
        """Return the strength of a label word, None for a word of a sentence."""
        before, after = self.text[:start].rstrip(), self.text[end:].strip()
        if after and after[0].isalnum() and not any(cues["followers"].match(after) for cues in _CUES):
            return None
        is_bare = all(map(_is_filler, before.split()))
        if is_bare and (not after or not after[0].isalnum() or self.number == 0):
            return _ConclusionStrength.ANSWER
        if any(cues["head"].search(before) for cues in _CUES):
            return _ConclusionStrength.ANSWER
        ends = not after or not after[0].isalnum()
        if ends and any(cues["link"].search(before) for cues in _CUES):
            return _ConclusionStrength.CLAUSE
        is_marked = any(token.marked for token in self.sentence.tokens_between(start, end))
        return _ConclusionStrength.CLAUSE if is_marked and not after.strip(_MARKS) else None

    def _build_claim(
        self, label: str, strength: _ConclusionStrength, span: Span, *, inside: bool = False
    ) -> _ConclusionClaim:
        others = [other for other, _, _ in self._phrases if not (other[0] < span[1] and span[0] < other[1])]
        return _ConclusionClaim(
            label,
            strength,
            self.sentence.origin(*span),
            self.number,
            is_denied=self.scope.is_negated(*span, inside=inside, excluded_spans=others),
            asserted=self._is_asserted(label, strength, *span),
            concluding=_matches("final", self.text),
        )

    def _is_asserted(self, label: str, strength: _ConclusionStrength, start: int, end: int) -> bool:
        """Whether words are no question, condition, gloss, first impression, or claim on one case."""
        cues, after = self.scope.cues, self.text[end:].lstrip()
        if self.scope.is_unasserted(start) or self.scope.is_conditional(start):
            return False
        if any(entry["gloss"].match(after) for entry in _CUES):
            return False
        if cues["condition_after"].match(after) and not cues["condition_harmless"].match(after):
            return False
        before = self.text[self.scope.begin(start, self.scope.strong) : start]
        if cues["tentative"].search(before) or _matches("tentative", before):
            return False
        if strength is _ConclusionStrength.ANSWER:
            return not (self.in_case and not _matches("head", before))
        if self.text.startswith("—") and label != "open":  # one of several listed possibilities
            return False
        if (self.in_case and not (self.is_last and label == "open")) or _matches(
            "in_case", self.text[:start]
        ):
            return False
        words = before + self.text[start:end]
        return label == "open" or not (cues["possible"].search(words) or cues["hypothetical"].search(words))


def _is_filler(word: str) -> bool:
    return not word[0].isalnum() or any(cues["filler"].fullmatch(word) for cues in _CUES)


# --- weighing claims ----------------------------------------------------------------------------------------


def _is_conclusive(claim: _ConclusionClaim, sentences: Sequence[Sentence]) -> bool:
    """Whether a claim decides although the response is truncated."""
    if claim.strength is _ConclusionStrength.ANSWER or claim.sentence == 0:
        return True
    last = sentences[-1]
    remaining = sum(token.start >= claim.span[1] for token in last.tokens)
    is_end = claim.sentence == len(sentences) - 1 and remaining <= _MAX_REMAINING_TOKENS
    return is_end and not shared("dangling").search(last.text)


def _is_turned(claim: _ConclusionClaim, sentences: Sequence[Sentence]) -> bool:
    """Whether a later sentence without a claim speaks of the conclusion with words such as "however"."""
    later_texts = [sentence.text for sentence in sentences[claim.sentence + 1 :]]
    return any(_matches("contrast", text) and _matches("topic", text) for text in later_texts)


def _is_withdrawn(claim: _ConclusionClaim, sentences: Sequence[Sentence]) -> bool:
    """Whether a later sentence calls several verdicts possible."""
    return any(_matches("undecided", sentence.text) for sentence in sentences[claim.sentence + 1 :])


def _resolve_claims(claims: Sequence[_ConclusionClaim], sentences: Sequence[Sentence]) -> Verdict | None:
    """Return the verdict of the strongest claims, or of the label that denials leave."""
    positive = [claim for claim in claims if not claim.is_denied]
    if not positive:
        return _eliminate(claims)
    top = max(claim.strength for claim in positive)
    last = [claim for claim in positive if claim.strength is top][-1]
    later = [claim for claim in positive if claim.span > last.span and claim.label != last.label]
    if later:
        return _settle_conflict(last, later[-1], positive, sentences)
    earlier = [claim for claim in positive if claim.span < last.span and claim.label != last.label]
    conflicting = [claim for claim in earlier if claim.strength is top]
    if conflicting:
        return _settle_conflict(conflicting[-1], last, positive, sentences)
    if any(claim.is_denied and claim.label == last.label and claim.span > last.span for claim in claims):
        return Verdict("unparsable", "contradiction", last.span)
    if last.label == _BOTH:
        return Verdict("unparsable", "both-options", last.span)
    return Verdict(last.label, _REASONS[top], last.span)


def _settle_conflict(
    first: _ConclusionClaim,
    second: _ConclusionClaim,
    positive: Sequence[_ConclusionClaim],
    sentences: Sequence[Sentence],
) -> Verdict:
    """Return the later of two different labels if it corrects the first or concludes, else no verdict."""
    between = " ".join(
        token.text
        for sentence in sentences
        for token in sentence.tokens
        if first.span[1] <= token.start < second.span[0]
    )
    is_last = second is positive[-1] and second.label != _BOTH
    is_stronger = second.strength >= first.strength
    is_turned = first.strength < _ConclusionStrength.ANSWER and _matches("contrast", between)
    if is_last and ((is_stronger and second.concluding) or is_turned or _matches("correction", between)):
        return Verdict(second.label, "self-correction", second.span)
    return Verdict("unparsable", "contradiction", second.span)


def _eliminate(claims: Sequence[_ConclusionClaim]) -> Verdict | None:
    """Return the label that two denied labels leave."""
    denied_labels = {claim.label for claim in claims if claim.is_denied and claim.label in SIDES}
    remaining = [label for label in SIDES if label not in denied_labels]
    return Verdict(remaining[0], "elimination", claims[-1].span) if len(remaining) == 1 else None
