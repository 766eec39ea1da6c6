"""Items that nearly repeat an earlier one; a passage or an instruction that they share does not count."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from polbias.generators.language.similarity import character_grams, nearest_earlier_text, normalize_text

NEAR_DUPLICATE = 0.8
"""Jaccard similarity of character 5-grams from which items are near-duplicates."""
_ALIKE = 0.6  # of sentences that differ: one word more or less in a short question; another noun is below it
_SAME_ANSWER = 0.4  # where the gold labels are free texts, and the same
_POPULAR = 20  # items; a sentence that more of them have does not make two of them candidates
_REPLACED = 3, 0.2  # words in a row, and their similarity, from which one statement stands for another
_CHOICES_ALIKE = 0.5  # one choice of four is another
_DENSE = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)  # scripts in which two characters are a word
_BREAK = re.compile(
    r"""(?<=[.!?:…؟۔।॥։።])[)"'\]»”’]*\s+  # a sentence, or a heading such as "Question:"
    |(?<=[。！？｡：])  # no blank follows
    |(?=[¿¡])
    |(?<=[\u0e00-\u0eff])\s+(?=[\u0e00-\u0eff])  # Thai and Lao have blanks between clauses alone
    |\s*[\n\r\t]\s*|\\n|\s\|\s|</?\w[^<>]{0,40}>  # lines, also as JSON writes them, cells and tags""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Comparable:
    """What of an item is compared: its text, its choices in any order, and its gold label."""

    text: str
    choices: tuple[str, ...] = ()
    gold: str | None = None


def near_duplicates(items: Sequence[Comparable]) -> list[bool]:
    """Return for every item whether it nearly repeats an earlier one.

    Two items share four fifths of their character 5-grams, and the sentences and lines in which they differ
    are alike too: these are different questions about one passage, or cases under one instruction, if not.
    """
    sentences = [_sentences(item.text) for item in items]
    n_items = Counter(sentence for of_item in sentences for sentence in of_item)
    rare = [" ".join(each for each in of_item if n_items[each] <= _POPULAR) for of_item in sentences]
    has_popular = [any(n_items[each] > _POPULAR for each in of_item) for of_item in sentences]
    lowest = _SAME_ANSWER if _are_free_texts([item.gold for item in items]) else _ALIKE
    repeats = [False] * len(items)
    for popular, limit in ((False, NEAR_DUPLICATE), (True, lowest)):
        group = [number for number, text in enumerate(rare) if text and has_popular[number] == popular]

        def is_repeat(first: int, second: int, group: Sequence[int] = group) -> bool:
            one, other = group[first], group[second]
            least = lowest if items[one].gold == items[other].gold else NEAR_DUPLICATE
            return (
                _differences_alike(sentences[one], sentences[other], least)
                and _choices_alike(items[one].choices, items[other].choices)
                and _similarity(*(character_grams(items[each].text) for each in (one, other)))
                >= NEAR_DUPLICATE
            )

        pairs = nearest_earlier_text([rare[number] for number in group], limit, is_repeat)
        for number, pair in zip(group, pairs, strict=True):
            repeats[number] = pair is not None
    return repeats


def _are_free_texts(golds: Sequence[str | None]) -> bool:
    """Whether gold labels are answers of their own, of which a few at most are equal by chance."""
    labels = [gold for gold in golds if gold is not None]
    return len({*labels}) * 2 >= len(labels) > 0


def _sentences(text: str) -> dict[str, None]:
    """The different sentences and lines of a text, in order."""
    parts = map(normalize_text, _BREAK.split(text))
    return dict.fromkeys(part for part in parts if any(character.isalnum() for character in part))


def _differences_alike(one: dict[str, None], other: dict[str, None], limit: float) -> bool:
    """Whether each sentence that one text has alone is much like one that the other has alone."""
    fewer, more = sorted(([*one.keys() - other.keys()], [*other.keys() - one.keys()]), key=len)
    if fewer and len(fewer) < len(more) and _alike(" ".join(fewer), " ".join(more), NEAR_DUPLICATE):
        return True  # a sentence was split
    return all(any(_alike(sentence, candidate, limit) for candidate in more) for sentence in fewer)


def _alike(one: str, other: str, limit: float) -> bool:
    return _similarity(_grams(one), _grams(other)) >= limit and not _is_replaced(one, other)


def _is_replaced(one: str, other: str) -> bool:
    """Whether several words in a row have nothing in common with those in their place."""
    words, other_words = one.split(), other.split()
    for end in (0, -1):
        while words and other_words and words[end] == other_words[end]:
            del words[end], other_words[end]
    length, similarity = _REPLACED
    if min(len(words), len(other_words)) < length:
        return False
    return _similarity(_grams(" ".join(words)), _grams(" ".join(other_words))) < similarity


def _choices_alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    grams = [character_grams("\n".join(sorted(choices))) for choices in (one, other)]
    return sorted(one) == sorted(other) or _similarity(*grams) >= _CHOICES_ALIKE


@lru_cache(maxsize=1 << 16)
def _grams(sentence: str) -> set[str]:
    is_dense = len(_DENSE.findall(sentence)) > len(sentence) / 2
    return character_grams(sentence, 2) if is_dense else character_grams(sentence)


def _similarity(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)
