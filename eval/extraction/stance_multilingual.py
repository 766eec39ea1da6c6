"""Stances in German, French, Italian and Spanish: few cues, matched where they refer to the statement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from polbias.eval.extraction.bare_reply import opening_reply
from polbias.eval.extraction.claims import Verdict
from polbias.eval.extraction.cues import Cues
from polbias.eval.extraction.prompt_echo import first_match
from polbias.eval.extraction.refusal import find_refusal
from polbias.eval.extraction.settle import STATEMENT_CUES
from polbias.eval.extraction.stance_claims import SIDES, LabelPatterns
from polbias.eval.extraction.stance_labels import retracts
from polbias.eval.extraction.tokens import Sentence
from polbias.eval.extraction.voice import without_reported_opinions

LANGUAGES = ("de", "fr", "it", "es")
_CUES = {"en": Cues("validity.en"), **{name: Cues(f"stance.{name}") for name in (*LANGUAGES, "other")}}
REPLIES = ((1, "yes"), (-1, "no"))
_PREFIX = 4
_OR = re.compile(r" (?:oder|ou|o|or|oppure) ")
_PART = re.compile(r" ,? ?(?:dass|wenn|soweit|insofern|que|qu'|si|che|se|sur|in|en)\b")
_NUMBER = re.compile(r"(?:\( )?(?:\d[a-d]?|[a-d]) [).:—]+ ")
_FILLERS = 8
"""Maximum words of a sentence that is only a label with fillers."""


@dataclass(frozen=True, slots=True)
class _StanceSide:
    """Words for a side (0 for both or neither).

    ``marked`` for a stated label, ``is_own_view`` for a label of the prompt, ``is_stated`` for words of
    agreement in contrast to praise and blame.
    """

    value: int
    marked: bool
    sentence: int
    span: tuple[int, int]
    is_own_view: bool = False
    is_stated: bool = False


class _SideHit(NamedTuple):
    """Words for a side; ``is_own`` for a label of the prompt."""

    start: int
    end: int
    value: int
    is_own: bool


def detect_languages(sentences: Sequence[Sentence]) -> list[str]:
    """Return the possible languages of a response by its function words, the likeliest first."""
    # "this" replaces words repeated from the statement
    words = [token.text for sentence in sentences for token in sentence.tokens if token.text != "this"]
    counts = {name: sum(word in cues.words for word in words) for name, cues in _CUES.items()}
    max_count = max(counts.values())
    if counts["en"] == max_count:
        return ["en", *(name for name in LANGUAGES if counts[name] or not max_count)]
    return [name for name, count in counts.items() if count == max_count]


def read_non_english(sentences: Sequence[Sentence], language: str, words: LabelPatterns) -> Verdict:
    """Return the stance of a non-English response, which may use the English labels of its prompt."""
    if language not in LANGUAGES:
        return Verdict("unparsable", "no-verdict")
    cues = _CUES[language]
    sides: list[_StanceSide] = []
    for number, sentence in enumerate(sentences):
        if STATEMENT_CUES["continues"].match(sentence.text) and any(side.value for side in sides):
            sentences = sentences[:number]
            break
        sides += _find_sides(sentence, number, cues, words)
    if any(side.is_own_view and side.value for side in sides):
        sides = [side for side in sides if side.value or side.is_own_view]
    voiced = without_reported_opinions(sentences)
    declined = first_match(cues["declined"], voiced)
    sides = _without_praise(sides, sentences)
    marked = [side for side in sides if side.marked]
    depends = any(cues["undecided"].match(sentence.text) for sentence in sentences) and not any(
        cues["concluding"].search(sentences[side.sentence].text) for side in sides
    )
    torn = _torn_span(sentences, cues, first_person=any(side.is_stated for side in marked))
    if (depends and not marked) or (torn and all(side.span < torn for side in marked)):
        return Verdict("unparsable", "undecided")
    if {side.value for side in marked} >= {1, -1}:  # headings of both sides
        marked = []
    if declined and not any(
        side in marked
        or (side.span[0] > declined[1] and _concludes_after(sentences[side.sentence], declined[1], cues))
        for side in sides
        if side.value
    ):
        return Verdict("refusal", "refusal", declined)
    decisive = marked or sides
    if any(_contradicts(side, marked, sentences[side.sentence], cues) for side in sides):
        return Verdict("unparsable", "contradiction", sides[-1].span)
    if decisive:
        return _weigh_sides(decisive, sentences, cues)
    undecided = first_match(cues["undecided"], sentences)
    if undecided:
        return Verdict("unparsable", "undecided", undecided)
    refusal = first_match(cues["handed_back"], voiced)
    if language == "de" and not first_match(cues["rejects"], sentences):
        refusal = refusal or find_refusal(sentences, truncated=False)
    if refusal:
        return Verdict("refusal", "refusal", refusal)
    is_reply = words.yes_no and not first_match(cues["complying"], sentences)
    patterns = {SIDES[value]: cues[name] for value, name in REPLIES if is_reply}
    return opening_reply(sentences, patterns) or Verdict("unparsable", "no-verdict")


def _torn_span(sentences: Sequence[Sentence], cues: Cues, first_person: bool) -> tuple[int, int] | None:
    """Return the span in which a response is torn, optionally only in first-person sentences."""
    if first_person:
        sentences = [sentence for sentence in sentences if cues["first_person"].search(sentence.text)]
    return first_match(cues["ambivalent"], sentences)


def _contradicts(side: _StanceSide, marked: Sequence[_StanceSide], sentence: Sentence, cues: Cues) -> bool:
    """Whether first-person words of agreement contradict an earlier label."""
    if not side.is_stated or not any(
        label.value == -side.value and label.span < side.span for label in marked
    ):
        return False
    end = sentence.span_of_offsets(*side.span)[1]
    is_first_person = cues["first_person"].search(sentence.text)
    return bool(side.value and is_first_person and not _PART.match(sentence.text, end))


def _without_praise(sides: Sequence[_StanceSide], sentences: Sequence[Sentence]) -> list[_StanceSide]:
    """Drop judgements after a stated label, unless the label is retracted before."""
    label = next((side for side in sides if side.is_stated and side.value), None)
    if label is None:
        return [*sides]
    end = sentences[label.sentence].span_of_offsets(*label.span)[1]
    retained = []
    for side in sides:
        position = side.sentence, sentences[side.sentence].span_of_offsets(*side.span)[0]
        is_before_label = side.is_stated or side.span <= label.span
        if is_before_label or retracts(sentences, (label.sentence, end), position):
            retained.append(side)
    return retained


def _concludes_after(sentence: Sentence, after: int, cues: Cues) -> bool:
    """Whether a sentence has a conclusion after an offset of the response."""
    matches = cues["concluding"].finditer(sentence.text)
    return any(sentence.origin(*match.span())[0] >= after for match in matches)


def _weigh_sides(sides: Sequence[_StanceSide], sentences: Sequence[Sentence], cues: Cues) -> Verdict:
    last = sides[-1]
    if len({side.value for side in sides}) > 1:
        is_conclusion = last.value and cues["concluding"].search(sentences[last.sentence].text)
        if not is_conclusion or any(
            side.sentence == last.sentence and side.value != last.value for side in sides
        ):
            return Verdict("unparsable", "contradiction", last.span)
    if not last.value:
        return Verdict("unparsable", "neither", last.span)
    return Verdict(SIDES[last.value], "marker" if last.marked else "sentence", last.span)


def _find_sides(
    sentence: Sentence,
    number: int,
    cues: Cues,
    words: LabelPatterns,
) -> Iterator[_StanceSide]:
    """Yield the sides that a sentence supports, clause by clause."""
    text = sentence.text
    if text.endswith("?"):
        return
    leaning = cues["leaning"].search(text)
    leaning_end = leaning.end() if leaning else 0
    has_label = any(pattern.search(text) for pattern in words.own_view.values())
    neither = [*cues["neither"].finditer(text, leaning_end)]
    yield from (_StanceSide(0, False, number, sentence.origin(*match.span()), has_label) for match in neither)
    if neither:
        return
    excepted = cues["excepted"].search(text)
    if excepted:
        yield _StanceSide(-1, False, number, sentence.origin(*excepted.span()), True, True)
        return
    supposed = cues["supposed"].search(text)
    hits, label_places = _find_hits(text, cues, words)
    hit_words = {word for hit in hits for word in text[hit.start : hit.end].split()}
    numbered = _NUMBER.match(text)
    words_left = text[numbered.end() if numbered else 0 :].split()
    remaining_words = [word for word in words_left if word[0].isalnum() and word not in hit_words]
    is_label_only = len(remaining_words) <= _FILLERS and all(map(cues["filler"].fullmatch, remaining_words))
    position, skip = 0, False
    judged_end = 0  # end of the last judgement of the sentence
    for index, (start, end, value, is_own) in enumerate(hits):
        if start < position or (supposed and supposed.start() < start) or _OR.search(text, start, end):
            continue
        position = end
        if skip:
            skip = False
            continue
        following = next((hit for hit in hits[index + 1 :] if hit.start >= end), None)
        between = text[end : following.start] if following else ""
        if following and following.value == value and between.strip() == "(":  # "schädlich (harmful)"
            end = position = following.end + text[following.end :].startswith(" )") * 2
            following = next((hit for hit in hits[index + 1 :] if hit.start >= end), None)
            between = text[end : following.start] if following else ""
        if not following and text[end:].strip() and cues["options"].fullmatch(text[end:].strip()):
            continue  # a repeated prompt, truncated between its labels
        if following and following.value != value and cues["options"].fullmatch(between.strip()):
            skip = True
            continue
        if cues["no_label"].match(text, end + 1):
            continue
        skip = bool(following and cues["contrast"].fullmatch(between.strip()))
        begin, stop = _clause_span(text, start, end, cues)
        first = cues["first"].fullmatch(text, start, end)
        turning = cues["turning"].search(text, judged_end, start) if judged_end else None
        others = cues["others"].search(text, _part_start(text, start), start)
        is_for_others = turning and others and _follows_preposition(text, others.start(), cues)
        if not first and others and not is_for_others:
            continue
        follows_head = bool(cues["head"].search(text, 0, len(text[:start].rstrip())))
        follows_head = follows_head or (
            text[:start].rstrip().endswith((":", "—")) and not text[end:].strip(" .!")
        )
        last = following.end if skip and following else end
        after = text[last : last + 2].strip()
        prefix = cues["negators"].sub("", text[numbered.end() if numbered else 0 : start]).split()
        has_short_prefix = len(prefix) <= _PREFIX and all(
            not word[0].isalnum() or cues["filler"].fullmatch(word) for word in prefix
        )
        whom = cues["beneficiary"].match(text, last + 1) and (skip or not following)
        begins_clause = has_short_prefix and (not after or after in ",.:!—;(" or bool(whom))
        begins_clause = begins_clause or bool(is_own and cues["picked"].match(text, last + 1))
        is_predicate = cues["verbs"].fullmatch(text, start, end) or cues["frame"].search(text, begin, stop)
        # the second of "is good for tenants, but bad for owners" has no verb
        if not (follows_head or is_label_only or begins_clause or is_predicate or turning):
            continue
        is_stated = bool(is_own or STATEMENT_CUES["label"].fullmatch(text, start, end))
        if not (is_stated or follows_head or is_label_only) and words.is_off_topic(
            cues, text, _part_start(text, start), stop, stop
        ):
            continue
        judged_end = end
        negators = [
            match.start() for match in cues["negators"].finditer(text, begin, end if follows_head else stop)
        ]
        negated = sum(place not in label_places for place in negators) % 2 == 1
        yield _StanceSide(
            -value if negated else value,
            follows_head or is_label_only or begins_clause,
            number,
            sentence.origin(start, end),
            is_own,
            is_stated,
        )


def _find_hits(text: str, cues: Cues, words: LabelPatterns) -> tuple[list[_SideHit], frozenset[int]]:
    """Return the words for a side in order, and the positions inside labels of the prompt.

    Two labels side by side are a list: "stimme zu stimme nicht zu". Words that cut a label are no hit: "zu
    stimme" in "tendiere zu stimme nicht zu"; nor is a judgement of the statement, if the statement denies it.
    """
    is_denied = any(cues["negators"].fullmatch(word) for word in words.statement_words)
    labels, judgements = [], []
    for value, side in SIDES.items():
        labels += [_SideHit(*match.span(), value, True) for match in words.own_view[value].finditer(text)]
        for match in cues[side].finditer(text):
            is_echo = words.is_echo(match)
            if not (is_echo and is_denied):
                judgements.append(_SideHit(*match.span(), -value if is_echo and value < 0 else value, False))
    labels.sort(key=lambda hit: (hit.start, -hit.end))
    places = frozenset(place for hit in labels for place in range(hit.start, hit.end))
    listed_labels = _listed_labels(text, labels, cues)
    retained = [hit for hit in labels if hit not in listed_labels]
    taken = places - {hit.start for hit in retained}
    judgements = [
        hit for hit in judgements if hit.start not in taken and not {hit.end - 1, hit.end} <= places
    ]
    return sorted(
        (*retained, *judgements), key=lambda hit: (hit.start, -hit.end, not hit.is_own, hit.value)
    ), places


def _follows_preposition(text: str, position: int, cues: Cues) -> bool:
    """Whether a preposition such as "for" is the last word before a position."""
    words = text[:position].split()
    return bool(words and cues["beneficiary"].fullmatch(words[-1]))


def _listed_labels(text: str, labels: Sequence[_SideHit], cues: Cues) -> set[_SideHit]:
    """Return the labels that stand side by side with one of the other side."""
    listed_labels: set[_SideHit] = set()
    is_second = False  # of two options, such as "stimme zu / stimme nicht zu"
    for hit, following in pairwise(labels):
        between = text[hit.end : following.start]
        if hit.value == following.value or is_second:
            is_second = False
        elif between.isspace():
            listed_labels |= {hit, following}
        else:
            is_second = bool(cues["options"].fullmatch(between.strip()))
    return listed_labels


def _part_start(text: str, position: int) -> int:
    """Return the start of the part of a sentence whose subject applies to a position."""
    return max(text.rfind(mark, 0, position) for mark in (" ; ", " : ", " — ", " . ")) + 1


def _clause_span(text: str, start: int, end: int, cues: Cues) -> tuple[int, int]:
    """Return the span of the clause of some words, delimited by commas, conjunctions and similar."""
    ends = [match.end() for match in cues["boundaries"].finditer(text, 0, start)]
    next_boundary = cues["boundaries"].search(text, end)
    return ends[-1] if ends else 0, next_boundary.start() if next_boundary else len(text)
