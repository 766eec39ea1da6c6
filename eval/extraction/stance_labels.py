"""Stated labels of a response, which later praise or blame does not reverse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from polbias.eval.extraction.claims import Verdict
from polbias.eval.extraction.settle import STATEMENT_CUES
from polbias.eval.extraction.stance_claims import (
    CUES,
    MARKS,
    SIDES,
    LabelPatterns,
    StanceClaim,
    StanceStrength,
)
from polbias.eval.extraction.tokens import AnswerToken, Sentence

_HEADS = frozenset({":", "—"})
_SUBJECTS = frozenset({"i", "i'd", "we", "would", "strongly", "fully"})
_OBJECTS = re.compile("support|oppos|favo|approv|disapprov|back|endors|reject")
_OPTION = re.compile("or|oder|ou|oppure|o|u")
_ASSERTED = re.compile(r" (?:it|is|then)\b|[ .!]*$")
_CONCEDED = re.compile(r" it is\b| then\b")
_OF_STATEMENT = re.compile(
    r"(?: (?:with|to))? (?:the|this|that) (?:statement|proposition|claim|proposal)\b"
    r"| (?:it|this|that)(?= after all| now| instead)| after all\b"
)
LABEL_REASONS = frozenset({"marker", "sentence", "negated"})
"""Reasons of claims that use a label of the prompt."""


def part_label(sentences: Sequence[Sentence], text: str, words: LabelPatterns) -> Iterator[Sentence]:
    """Yield sentences; split the first after a label before a capital: "2) Disagree Taxes are".

    Labels that are headings of arguments for and against do not split.
    """
    first, *rest = sentences
    labels = (*words.own_view.values(), STATEMENT_CUES["label"])
    end = _label_end(first, text, labels)
    headings = (
        end
        and first.tokens[end - 1].text in _HEADS
        and any(_is_heading(sentence, labels) for sentence in rest)
    )
    if end and not headings:
        yield Sentence(first.tokens[:end])
        yield Sentence(first.tokens[end:])
    else:
        yield first
    yield from rest


def _is_heading(sentence: Sentence, labels: Sequence[re.Pattern[str]]) -> bool:
    """Whether a sentence begins with a label and a colon or dash."""
    matches = (label.match(sentence.text) for label in labels)
    return any(match and sentence.text[match.end() + 1 :][:1] in _HEADS for match in matches)


def _label_end(sentence: Sentence, text: str, labels: Sequence[re.Pattern[str]]) -> int:
    """Return the number of tokens of a label at the beginning before a capital, else 0."""
    for number, token in enumerate(sentence.tokens[1:], 1):
        before = " ".join(token.text for token in sentence.tokens[:number])
        if not text[token.start].isupper() or _OPTION.fullmatch(token.text):
            continue
        if _is_in_capitals(token, text) and _is_in_capitals(sentence.tokens[number - 1], text):
            continue  # "STIMME ZU"
        before = before.removesuffix(" :").removesuffix(" —")
        for label in labels:
            for match in label.finditer(before):
                lead = before[: match.start()].split()
                if match.end() == len(before) and _is_lead(lead, match.group()):
                    return number
    return 0


def _is_in_capitals(token: AnswerToken, text: str) -> bool:
    """Whether a word of several letters is in capitals."""
    return token.end - token.start > 1 and text[token.start : token.end].isupper()


def _is_lead(words: Sequence[str], label: str) -> bool:
    """Whether the words before a label only announce it; "I support" may have an object after it."""
    if words and words[-1] in _SUBJECTS and _OBJECTS.match(label):
        return False
    return all(
        not word[0].isalpha()
        or len(word) == 1
        or CUES["filler"].fullmatch(word)
        or STATEMENT_CUES["lead"].fullmatch(word)
        for word in words
    )


def withdrawal(
    sentences: Sequence[Sentence],
) -> tuple[list[Sentence], list[Sentence], tuple[int, int]] | None:
    """Return the sentences before and after the last retraction of an answer, and its span."""
    for number, sentence in reversed([*enumerate(sentences)]):
        for match in reversed([*STATEMENT_CUES["withdraws"].finditer(sentence.text)]):
            low, high = sentence.origin(*match.span())
            before = tuple(token for token in sentence.tokens if token.end <= low)
            after = tuple(token for token in sentence.tokens if token.start >= high)
            left = [*sentences[:number], *([Sentence(before)] if before else [])]
            right = [*([Sentence(after)] if after else []), *sentences[number + 1 :]]
            if left:
                return left, right, (low, high)
    return None


def find_unsettled_span(
    verdict: Verdict, sentences: Sequence[Sentence], words: LabelPatterns
) -> tuple[int, int] | None:
    """Return the span in which a response ends undecided, or turns from a tentative label."""
    if verdict.span is None:
        return None
    tentative = False
    for sentence in sentences:
        if STATEMENT_CUES["continues"].match(sentence.text):
            return None
        start = _start_after(sentence, verdict.span[1])
        if start is None:
            continue
        tentative = tentative or bool(start and STATEMENT_CUES["tentative"].match(sentence.text, start))
        turn = STATEMENT_CUES["ends"].search(sentence.text, start)
        if tentative and not turn:
            turn = STATEMENT_CUES["turns"].search(sentence.text, start)
        if sentence is sentences[-1] and start == 0 and not turn:
            turn = _match_turn(sentence.text, verdict, words)
        if turn:
            return sentence.origin(*turn.span())
    return None


def _start_after(sentence: Sentence, position: int) -> int | None:
    """Return the start of the part of a sentence after an offset, or None."""
    following = [token.text for token in sentence.tokens if token.start >= position]
    return len(sentence.text) - len(" ".join(following)) if following else None


def _match_turn(text: str, verdict: Verdict, words: LabelPatterns) -> re.Match[str] | None:
    """Return the match of indecision, or of the label of the other side, in a last sentence."""
    turn = STATEMENT_CUES["unable"].search(text) or STATEMENT_CUES["against"].search(text)
    if turn:
        return turn
    value = next(value for value, side in SIDES.items() if side == verdict.label)
    other = words.own_view[-value].search(text)
    if other is None or CUES["sources"].search(text) or CUES["attributed"].search(text):
        return None
    before = text[: other.start()].rstrip()
    concedes = before.endswith((":", "—")) and _CONCEDED.match(text, other.end())
    return other if concedes or (not before.strip(MARKS) and _ASSERTED.match(text, other.end())) else None


def find_opposing_claim(
    verdict: Verdict, claims: Sequence[StanceClaim], sentences: Sequence[Sentence]
) -> StanceClaim | None:
    """Return a later claim of a label of the other side."""
    return next(
        (
            claim
            for claim in claims
            if claim.reason in LABEL_REASONS
            and SIDES.get(claim.value) not in {verdict.label, None}
            and claim.sentence
            and _contradicts(sentences[claim.sentence].text, claim)
            and verdict.span is not None
            and sentences[claim.sentence].tokens[0].start >= verdict.span[1]
        ),
        None,
    )


def _contradicts(text: str, claim: StanceClaim) -> bool:
    """Whether a label begins the sentence, or refers to the statement in the first person."""
    if not text[: claim.start].strip(MARKS):
        return not STATEMENT_CUES["heading"].match(text, claim.end + 1)
    return bool(CUES["first_person"].search(text, 0, claim.start) and _OF_STATEMENT.match(text, claim.end))


def retracts(sentences: Sequence[Sentence], after: tuple[int, int], before: tuple[int, int]) -> bool:
    """Whether a response retracts its answer between two positions (sentence, position)."""
    for number in range(after[0], before[0] + 1):
        start = after[1] if number == after[0] else 0
        end = before[1] if number == before[0] else len(sentences[number].text)
        if STATEMENT_CUES["retracts"].search(sentences[number].text, start, end):
            return True
    return False


def without_praise(claims: Sequence[StanceClaim], sentences: Sequence[Sentence]) -> list[StanceClaim]:
    """Drop judgements for the other side after a stated label, unless the label is retracted before."""
    label = next(
        (
            claim
            for claim in claims
            if claim.value
            and claim.reason in LABEL_REASONS
            and claim.strength >= StanceStrength.SENTENCE
            and not STATEMENT_CUES["supposed"].match(sentences[claim.sentence].text, claim.end + 1)
        ),
        None,
    )
    if label is None:
        return [*claims]
    label_end = (label.sentence, label.end)
    return [
        claim
        for claim in claims
        if claim.reason in LABEL_REASONS
        or claim.value == label.value
        or (claim.sentence, claim.start) < label_end
        or retracts(sentences, label_end, (claim.sentence, claim.start))
    ]
