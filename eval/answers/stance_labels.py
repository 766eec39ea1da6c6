"""Labels that a response states, which no praise or blame behind them turns round."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from polbias.eval.answers.settle import STATED
from polbias.eval.answers.stance_claims import CUES, Claim, Strength, Words
from polbias.eval.answers.text import Sentence

_OPTION = re.compile("or|oder|ou|oppure|o|u")
_LABELS = frozenset({"marker", "sentence", "negated"})
"""The reasons of claims that use a label of the prompt."""


def part_label(sentences: Sequence[Sentence], text: str, words: Words) -> Iterator[Sentence]:
    """Yield sentences; a label ends one where a capital begins the reasons: "2) Disagree Taxes are"."""
    first, *rest = sentences
    end = _label_end(first, text, words)
    if end:
        yield Sentence(first.tokens[:end])
        yield Sentence(first.tokens[end:])
    else:
        yield first
    yield from rest


def _label_end(sentence: Sentence, text: str, words: Words) -> int:
    """Return with how many tokens a sentence begins that are a label, where a capital follows."""
    labels = (*words.own.values(), STATED["label"])
    for number, token in enumerate(sentence.tokens[1:], 1):
        before = " ".join(token.text for token in sentence.tokens[:number])
        if not text[token.start].isupper() or not before[-1].isalnum() or _OPTION.fullmatch(token.text):
            continue
        for label in labels:
            for match in label.finditer(before):
                lead = before[: match.start()].split()
                if match.end() == len(before) and all(
                    not word[0].isalpha() or len(word) == 1 or CUES["filler"].fullmatch(word) for word in lead
                ):
                    return number
    return 0


def retracts(sentences: Sequence[Sentence], after: tuple[int, int], before: tuple[int, int]) -> bool:
    """Say whether a response takes back what it has said, between two places (sentence, position)."""
    for number in range(after[0], before[0] + 1):
        start = after[1] if number == after[0] else 0
        end = before[1] if number == before[0] else len(sentences[number].text)
        if STATED["retracts"].search(sentences[number].text, start, end):
            return True
    return False


def without_praise(claims: Sequence[Claim], sentences: Sequence[Sentence]) -> list[Claim]:
    """Leave out judgements of the other side behind a stated label that is not taken back first."""
    label = next(
        (
            claim
            for claim in claims
            if claim.value
            and claim.reason in _LABELS
            and claim.strength >= Strength.SENTENCE
            and not STATED["supposed"].match(sentences[claim.sentence].text, claim.end + 1)
        ),
        None,
    )
    if label is None:
        return [*claims]
    place = (label.sentence, label.end)
    return [
        claim
        for claim in claims
        if claim.reason in _LABELS
        or claim.value == label.value
        or (claim.sentence, claim.start) < place
        or retracts(sentences, place, (claim.sentence, claim.start))
    ]
