"""The last word on a verdict: a response that states it is undecided, or breaks off, decides nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from polbias.eval.answers.cues import Cues, Verdict, shared
from polbias.eval.answers.text import Sentence, cut_off, fields, own_words, prepare

STATED = Cues("stated")
"""How responses state an answer, in all languages of the readers."""
_UNREAD = frozenset({"no-verdict", "no-choice", "empty"})
_NO_SIDE = frozenset({"refusal", "unparsable", "both"})
_STATED = frozenset({"marker", "self-correction"})
_MARKS = " .,;:!?—()[]{}|/=→"
_LABEL = 4
"""A line of so few tokens is nothing but a label."""
_FEW = 3
"""A clause of so few words only begins."""
_BEGUN = re.compile(
    r"(?:(?:step|schritt|point|punkt|premise|prämisse) )?\d+ [.):—]|—"
    r"|(?:first|firstly|erstens|zunächst|zuerst)\b"
)
"""How the reasons of a response begin, in a list or without one."""
_CLAUSE = re.compile(r"(?: ?, )?(?:to say )?(?:that|dass|que|che)\b")
"""What the words that decide are said of."""
_PARTED = re.compile(r"[.,;:—()]|\b(?:because|since|as|weil|da|denn)\b")
"""Behind it, the answer was complete."""


def settled(verdict: Verdict, text: str) -> Verdict:
    """Return the verdict on a response that decides, states no indecision and does not break off before."""
    if verdict.label in _NO_SIDE:
        if verdict.reason in _UNREAD and verdict.label == "unparsable" and cut_off(text, shared("dangling")):
            return replace(verdict, reason="truncated")
        return verdict
    sentences = prepare(own_words(text)).sentences
    undecided = _undecided(sentences, verdict, field=bool(fields(text)))
    if undecided:
        return Verdict("unparsable", "undecided", undecided)
    if sentences and _broken(verdict, sentences[-1], text):
        return replace(verdict, label="unparsable", reason="truncated")
    return verdict


def _undecided(
    sentences: Sequence[Sentence], verdict: Verdict, field: bool = False
) -> tuple[int, int] | None:
    """Return where a response states that it is undecided, after what the verdict rests on."""
    stated = [*_stated(_before_next(sentences, verdict), field)]
    if not stated:
        return None
    sentence, start = stated[-1]
    answer = _answer(sentence.text, start)
    if not answer:
        return None
    low, high = sentence.origin(*answer)
    line = next((other for other in sentences if _holds(other, verdict, high)), None)
    later = line is not None and len(line.tokens) <= _LABEL
    return None if later and verdict.reason in _STATED else (low, high)


def _holds(sentence: Sentence, verdict: Verdict, after: int) -> bool:
    """Say whether the words that decide stand in a sentence, behind a place of the text."""
    first, last = sentence.tokens[0].start, sentence.tokens[-1].end
    return verdict.span is not None and first >= after and first <= verdict.span[0] < last


def first_item(sentences: Sequence[Sentence]) -> Sequence[Sentence]:
    """Leave out the further items behind a first line that is nothing but a label."""
    if not sentences or len(sentences[0].tokens) > _LABEL or STATED["continues"].match(sentences[0].text):
        return sentences
    further = (number for number, each in enumerate(sentences) if STATED["continues"].match(each.text))
    return sentences[: next(further, len(sentences))]


def _before_next(sentences: Sequence[Sentence], verdict: Verdict) -> Sequence[Sentence]:
    """Leave out the further items that a response invents after its answer."""
    for number, sentence in enumerate(sentences):
        answered = verdict.span is not None and verdict.span[1] <= sentence.tokens[0].start
        if answered and STATED["continues"].match(sentence.text):
            return sentences[:number]
    return sentences


def _stated(sentences: Sequence[Sentence], field: bool) -> Iterator[tuple[Sentence, int]]:
    """Yield where answers are stated: after their marks, in a field, in a first or last line of their own."""
    last = len(sentences) - 1
    for number, sentence in enumerate(sentences):
        marks = [*STATED["mark"].finditer(sentence.text)]
        if marks and sentence.text[marks[-1].end() :].strip(_MARKS):
            yield sentence, marks[-1].end()
        elif marks and number < last:
            yield sentences[number + 1], 0
        elif (
            (last or field)
            and number in (0, last)
            and STATED["answer"].fullmatch(sentence.text.strip(_MARKS))
        ):
            yield sentence, 0


def _answer(text: str, start: int) -> tuple[int, int] | None:
    """Return where an answer that is no side stands, at the beginning of a stretch."""
    start += len(text[start:]) - len(text[start:].lstrip(_MARKS))
    answer = STATED["answer"].match(text, start)
    if not answer:
        return None
    rest = text[answer.end() :].strip()
    if (rest and not STATED["after"].match(rest)) or STATED["leaning"].search(rest):
        return None
    return answer.span()


def _broken(verdict: Verdict, last: Sentence, text: str) -> bool:
    """Say whether a response breaks off in the words that decide, at the beginning of its reasons."""
    if (
        verdict.span is None
        or verdict.span[0] < last.tokens[0].start
        or not cut_off(text, shared("dangling"))
    ):
        return False
    rest = " ".join(token.text for token in last.tokens if token.start >= verdict.span[1])
    clause = _CLAUSE.match(rest)
    if clause and len(rest[clause.end() :].split()) <= _FEW:
        return True
    return bool(rest and _BEGUN.match(last.text)) and not _PARTED.search(rest)
