"""Labels that a response states, which no praise or blame behind them turns round."""

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
from polbias.eval.extraction.tokens import Sentence

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
"""The reasons of claims that use a label of the prompt."""


def part_label(sentences: Sequence[Sentence], text: str, words: LabelPatterns) -> Iterator[Sentence]:
    """Yield sentences; a label ends one where a capital begins the reasons: "2) Disagree Taxes are".

    Labels that are headings of the arguments for and against end none.
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
    """Say whether a sentence begins with a label and a colon."""
    matches = (label.match(sentence.text) for label in labels)
    return any(match and sentence.text[match.end() + 1 :][:1] in _HEADS for match in matches)


def _label_end(sentence: Sentence, text: str, labels: Sequence[re.Pattern[str]]) -> int:
    """Return with how many tokens a sentence begins that are a label, where a capital follows."""
    for number, token in enumerate(sentence.tokens[1:], 1):
        before = " ".join(token.text for token in sentence.tokens[:number])
        if not text[token.start].isupper() or _OPTION.fullmatch(token.text):
            continue
        before = before.removesuffix(" :").removesuffix(" —")
        for label in labels:
            for match in label.finditer(before):
                lead = before[: match.start()].split()
                if match.end() == len(before) and _is_lead(lead, match.group()):
                    return number
    return 0


def _is_lead(words: Sequence[str], label: str) -> bool:
    """Say whether words before a label only announce it; "I support" may have its object behind it."""
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
    """Return what stands before and after the last words that take an answer back, and where they stand."""
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
    """Return where a response ends without an answer, or turns from a label that was only its first word."""
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
    """Return where the part of a sentence begins that stands behind a position of the text."""
    following = [token.text for token in sentence.tokens if token.start >= position]
    return len(sentence.text) - len(" ".join(following)) if following else None


def _match_turn(text: str, verdict: Verdict, words: LabelPatterns) -> re.Match[str] | None:
    """Return what a last sentence has of indecision, or of the label of the other side."""
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
    """Return the label of the other side with which a later sentence begins."""
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
    """Say whether a label is that of the sentence, or is said of the statement in the first person."""
    if not text[: claim.start].strip(MARKS):
        return not STATEMENT_CUES["heading"].match(text, claim.end + 1)
    return bool(CUES["mine"].search(text, 0, claim.start) and _OF_STATEMENT.match(text, claim.end))


def retracts(sentences: Sequence[Sentence], after: tuple[int, int], before: tuple[int, int]) -> bool:
    """Say whether a response takes back what it has said, between two places (sentence, position)."""
    for number in range(after[0], before[0] + 1):
        start = after[1] if number == after[0] else 0
        end = before[1] if number == before[0] else len(sentences[number].text)
        if STATEMENT_CUES["retracts"].search(sentences[number].text, start, end):
            return True
    return False


def without_praise(claims: Sequence[StanceClaim], sentences: Sequence[Sentence]) -> list[StanceClaim]:
    """Leave out judgements of the other side behind a stated label that is not taken back first."""
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
