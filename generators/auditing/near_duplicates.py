"""Find items that nearly repeat an earlier item, ignoring passages and instructions that many items share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from polbias.generators.language.similarity import character_grams, nearest_earlier_text, normalize_text

NEAR_DUPLICATE = 0.8
"""Jaccard similarity of character 5-grams from which items are near-duplicates."""
# Differing sentences: a short question with one word more or less is above, with another noun below.
_MIN_SENTENCE_SIMILARITY = 0.6
_MIN_SIMILARITY_SAME_GOLD = 0.4  # for equal gold labels that are free texts
_MAX_ITEMS_OF_RARE = 20  # items; a sentence in more items does not make two of them candidates
# A statement is replaced if at least 3 consecutive words have a similarity below 0.2.
_REPLACEMENT_LIMITS = 3, 0.2
_MIN_CHOICE_SIMILARITY = 0.5  # below one differing choice of four
# Scripts in which two characters are a word.
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
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
    """Compared fields of an item: text, choices in any order, gold label."""

    text: str
    choices: tuple[str, ...] = ()
    gold: str | None = None


def near_duplicates(items: Sequence[Comparable]) -> list[bool]:
    """Return for every item whether it nearly repeats an earlier item.

    Near-duplicates share at least `NEAR_DUPLICATE` of their character 5-grams, and their differing sentences
    and lines are similar; otherwise they are different questions about one passage or instruction.
    """
    sentences = [_sentences(item.text) for item in items]
    n_items = Counter(sentence for item_sentences in sentences for sentence in item_sentences)
    rare = [
        " ".join(sentence for sentence in item_sentences if n_items[sentence] <= _MAX_ITEMS_OF_RARE)
        for item_sentences in sentences
    ]
    has_popular = [
        any(n_items[sentence] > _MAX_ITEMS_OF_RARE for sentence in item_sentences)
        for item_sentences in sentences
    ]
    default_limit = (
        _MIN_SIMILARITY_SAME_GOLD
        if _are_free_texts([item.gold for item in items])
        else _MIN_SENTENCE_SIMILARITY
    )
    repeats = [False] * len(items)
    for is_popular, limit in ((False, NEAR_DUPLICATE), (True, default_limit)):
        group = [number for number, text in enumerate(rare) if text and has_popular[number] == is_popular]

        def is_repeat(first: int, second: int, group: Sequence[int] = group) -> bool:
            left, right = group[first], group[second]
            min_similarity = default_limit if items[left].gold == items[right].gold else NEAR_DUPLICATE
            return (
                _are_similar_differences(sentences[left], sentences[right], min_similarity)
                and _are_similar_choices(items[left].choices, items[right].choices)
                and _similarity(*(character_grams(items[index].text) for index in (left, right)))
                >= NEAR_DUPLICATE
            )

        pairs = nearest_earlier_text([rare[number] for number in group], limit, is_repeat)
        for number, pair in zip(group, pairs, strict=True):
            repeats[number] = pair is not None
    return repeats


def _are_free_texts(golds: Sequence[str | None]) -> bool:
    """Whether gold labels are free texts: at least half of them are distinct."""
    labels = [gold for gold in golds if gold is not None]
    return len({*labels}) * 2 >= len(labels) > 0


def _sentences(text: str) -> dict[str, None]:
    """Return the distinct sentences and lines of a text, in order."""
    parts = map(normalize_text, _BREAK.split(text))
    return dict.fromkeys(part for part in parts if any(character.isalnum() for character in part))


def _are_similar_differences(first: dict[str, None], second: dict[str, None], limit: float) -> bool:
    """Whether each sentence of one text only is similar to a sentence of the other text only."""
    fewer, more = sorted(([*first.keys() - second.keys()], [*second.keys() - first.keys()]), key=len)
    if (
        fewer
        and len(fewer) < len(more)
        and _are_similar_sentences(" ".join(fewer), " ".join(more), NEAR_DUPLICATE)
    ):
        return True  # a sentence was split
    return all(
        any(_are_similar_sentences(sentence, candidate, limit) for candidate in more) for sentence in fewer
    )


def _are_similar_sentences(first: str, second: str, limit: float) -> bool:
    return _similarity(_grams(first), _grams(second)) >= limit and not _is_replaced(first, second)


def _is_replaced(first: str, second: str) -> bool:
    """Whether several consecutive words are replaced by dissimilar words."""
    first_words, second_words = first.split(), second.split()
    for end in (0, -1):
        while first_words and second_words and first_words[end] == second_words[end]:
            del first_words[end], second_words[end]
    min_words, max_similarity = _REPLACEMENT_LIMITS
    if min(len(first_words), len(second_words)) < min_words:
        return False
    return _similarity(_grams(" ".join(first_words)), _grams(" ".join(second_words))) < max_similarity


def _are_similar_choices(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    grams = [character_grams("\n".join(sorted(choices))) for choices in (first, second)]
    return sorted(first) == sorted(second) or _similarity(*grams) >= _MIN_CHOICE_SIMILARITY


@lru_cache(maxsize=1 << 16)
def _grams(sentence: str) -> set[str]:
    is_dense = len(_DENSE.findall(sentence)) > len(sentence) / 2
    return character_grams(sentence, 2) if is_dense else character_grams(sentence)


def _similarity(first: set[str], second: set[str]) -> float:
    return len(first & second) / len(first | second)
