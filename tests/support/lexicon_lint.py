"""What is wrong with a lexicon: pairs that contradict each other, words without sound morphology."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from polbias.generators.xphemism.matching.text import word_lists
from polbias.generators.xphemism.vocabulary.lexicon import Lexicon, Word, WordPair
from polbias.generators.xphemism.vocabulary.paradigms import forms

Severity = Literal["error", "information"]
_SEVERITY: Mapping[str, Severity] = {
    "missing-morphology": "error",
    "unused-morphology": "information",
    "repeated-id": "error",
    "repeated-pair": "error",
    "equal-words": "error",
    "both-directions": "information",
    "shift-not-mirrored": "error",
    "judgements-not-swapped": "error",
    "axis-differs": "error",
    "judged-differently": "information",
    "head-not-in-word": "error",
    "tail-not-in-word": "error",
    "modifier-not-in-word": "error",
    "citation-not-a-form": "error",
    "implausible-linking": "error",
}
CODES = tuple(_SEVERITY)
_MIRRORED = {"left": "right", "right": "left", "none": "none"}
_LOST = (
    2  # letters at the end of a noun that its linking form may lack: Schul-, Werbe- and Abschiebe- of -ung
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or worth knowing, about a lexicon.

    Attributes:
        code: one of `CODES`.
        subject: the pair's id, or the word, that it is about.
        detail: what was found and what was expected.
    """

    code: str
    subject: str
    detail: str

    @property
    def id(self) -> str:
        """What stays the same when other findings come and go."""
        return f"{self.code}:{self.subject}"

    @property
    def severity(self) -> Severity:
        """Whether it has to be mended."""
        return _SEVERITY[self.code]


def findings(lexicon: Lexicon) -> list[Finding]:
    """Find what is wrong with a lexicon.

    A file of pairs may hold both directions of a pair; they must then say the same. That a word is judged
    differently in different pairs is reported as information: the paper judged words beside each other
    (section 3.4).

    Args:
        lexicon: as loaded, also from a user's files.

    Returns:
        The findings in the order of `CODES`, then of the files.
    """
    found = [
        *_morphology(lexicon),
        *_repeated(lexicon.pairs),
        *_reversed(lexicon.pairs),
        *_judged(lexicon.pairs),
        *(finding for word in lexicon.words.values() for finding in _word(word)),
    ]
    return sorted(found, key=lambda each: CODES.index(each.code))


def _morphology(lexicon: Lexicon) -> Iterator[Finding]:
    used: dict[str, str] = {}
    for pair in lexicon.pairs:
        used.setdefault(pair.first, pair.pair_id)
        used.setdefault(pair.second, pair.pair_id)
    for placebo in lexicon.placebos:
        used.setdefault(placebo.first, placebo.placebo_id)
        used.setdefault(placebo.second, placebo.placebo_id)
    for word, name in used.items():
        if word not in lexicon.words:
            detail = f"found the word in {name}, but no row for it, expected one in morphology.*.tsv"
            yield Finding("missing-morphology", word, detail)
    for word in lexicon.words:
        if word not in used:
            yield Finding("unused-morphology", word, "found a row for the word, but no pair that has it")


def _repeated(pairs: Iterable[WordPair]) -> Iterator[Finding]:
    ids: set[str] = set()
    seen: dict[tuple[str, str], str] = {}
    for pair in pairs:
        if pair.pair_id in ids:
            yield Finding("repeated-id", pair.pair_id, "found the id again, expected unique ids")
        ids.add(pair.pair_id)
        if pair.first == pair.second:
            detail = f"found {pair.first!r} on both sides, expected two words"
            yield Finding("equal-words", pair.pair_id, detail)
        first = seen.setdefault((pair.first, pair.second), pair.pair_id)
        if first != pair.pair_id:
            yield Finding("repeated-pair", pair.pair_id, f"found the same words as in {first}, expected once")


def _reversed(pairs: Iterable[WordPair]) -> Iterator[Finding]:
    seen: dict[tuple[str, str], WordPair] = {}
    for pair in pairs:
        other = seen.get((pair.second, pair.first))
        seen.setdefault((pair.first, pair.second), pair)
        if other is None or pair.first == pair.second:
            continue
        yield Finding("both-directions", pair.pair_id, f"found the reverse of {other.pair_id}")
        if pair.shift != _MIRRORED[other.shift]:
            detail = (
                f"found {pair.shift}, expected {_MIRRORED[other.shift]} as the reverse of {other.pair_id}"
            )
            yield Finding("shift-not-mirrored", pair.pair_id, detail)
        here = (pair.judgmental_first, pair.judgmental_second)
        there = (other.judgmental_second, other.judgmental_first)
        if here != there:
            shown = "found {:d} and {:d}, expected {:d} and {:d}".format(*here, *there)
            detail = f"{shown} as the reverse of {other.pair_id}"
            yield Finding("judgements-not-swapped", pair.pair_id, detail)
        if pair.axis != other.axis:
            detail = f"found {pair.axis}, expected {other.axis} as in {other.pair_id}"
            yield Finding("axis-differs", pair.pair_id, detail)


def _judged(pairs: Iterable[WordPair]) -> Iterator[Finding]:
    by_word: dict[str, dict[bool, list[str]]] = {}
    for pair in pairs:
        for word, judged in ((pair.first, pair.judgmental_first), (pair.second, pair.judgmental_second)):
            by_word.setdefault(word, {}).setdefault(judged, []).append(pair.pair_id)
    for word, judgements in by_word.items():
        if len(judgements) > 1:
            detail = f"found 1 in {', '.join(judgements[True])} and 0 in {', '.join(judgements[False])}"
            yield Finding("judged-differently", word, detail)


def _word(word: Word) -> Iterator[Finding]:
    parts = word.word.split()
    if word.head and word.head not in parts and word.head != word.word:
        yield Finding("head-not-in-word", word.word, f"found the head {word.head!r}, expected a word of it")
    if word.tail and word.tail not in word.word:
        yield Finding("tail-not-in-word", word.word, f"found the tail {word.tail!r}, expected a part of it")
    for stem in word.modifiers:
        if stem.lower() not in word.word.lower():
            detail = f"found the modifier {stem!r}, expected the beginning of an adjective in it"
            yield Finding("modifier-not-in-word", word.word, detail)
    known = list(forms(word))
    if word.word.casefold() not in {form.casefold() for form in known}:
        detail = f"found the forms {', '.join(known[:3]) or 'none'}, expected the word among them"
        yield Finding("citation-not-a-form", word.word, detail)
    if word.pos == "noun":
        for linking in word.linking:
            if not _links(word, linking):
                detail = f"found the linking form {linking!r}, expected its stem with a linking element"
                yield Finding("implausible-linking", word.word, detail)


def _links(word: Word, linking: str) -> bool:
    """Return whether a linking form is a stem of the noun with a linking element (Arbeits-, Schul-)."""
    bare = linking.removesuffix("-").replace("-", " ")
    phrase = word.word if " " in word.word else None
    for form in filter(None, (word.singular, word.plural, phrase)):
        plain = form.replace("-", " ").removesuffix("ung")
        shortest = max(len(plain) - _LOST, 1)
        stems = [form.replace("-", " "), *(plain[:end] for end in range(shortest, len(plain) + 1))]
        if any(
            bare in (stem, *(stem + each for each in word_lists().compounds["linking"])) for stem in stems
        ):
            return True
    return False
