"""How alike the items of a set are."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from pydantic import Field

from polbias.files import package_file
from polbias.template_files import Entry, Text, load_template

# How alike texts are: character 5-grams and word bigrams of all pairs, without holding all pairs.

Measure = Literal["jaccard", "overlap"]
_WIDTH = 5  # characters of a gram
_BLOCK = 256  # rows compared at once with all later ones: at 20,000 texts some 5 million pairs
_WORD = re.compile(r"[\w]+(?:['’.&-][\w]+)*")
_Indices = np.ndarray[Any, np.dtype[np.int64]]
_Values = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts and how alike they are.

    Attributes:
        first: position of the one that comes first.
        second: position of the other.
        score: in [0, 1].
    """

    first: int
    second: int
    score: float


@dataclass(frozen=True)
class Closest:
    """The most similar pairs of a collection.

    Attributes:
        pairs: the closest ones, closest first.
        over: how many pairs reach the limit, whether listed or not.
    """

    pairs: tuple[Pair, ...]
    over: int


def folded(text: str) -> str:
    """Return a text in lower case with single blanks."""
    return " ".join(text.casefold().split())


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]


def character_grams(text: str) -> set[str]:
    """Return the character 5-grams of a text, without case; a shorter text is one gram."""
    plain = folded(text)
    return {plain[start : start + _WIDTH] for start in range(max(1, len(plain) - _WIDTH + 1))}


def word_bigrams(text: str) -> set[str]:
    """Return the pairs of neighbouring words of a text, without case; a single word is one."""
    said = words(text)
    return {" ".join(said[start : start + 2]) for start in range(max(1, len(said) - 1))}


class Features:
    """Texts as sets of features, for comparison.

    Args:
        texts: to compare.
        features: makes the set of a text.
    """

    def __init__(self, texts: Sequence[str], features: Callable[[str], set[str]] = character_grams) -> None:
        from scipy.sparse import csr_array

        vocabulary: dict[str, int] = {}
        columns: list[int] = []
        starts = [0]
        for text in texts:
            columns += [vocabulary.setdefault(feature, len(vocabulary)) for feature in features(text)]
            starts.append(len(columns))
        shape = len(texts), max(1, len(vocabulary))
        ones = np.ones(len(columns), np.float32)
        self._matrix = csr_array((ones, columns, starts), shape=shape)
        self._sizes = np.diff(np.asarray(starts, np.float64))

    def blocks(self, measure: Measure) -> Iterator[tuple[_Indices, _Indices, _Values]]:
        """Yield first position, second position and score of all pairs that share a feature, in blocks.

        ``jaccard`` is shared by united features; ``overlap`` is shared features by those of the text that has
        fewer. The first position is always the smaller one.
        """
        from scipy.sparse import triu

        transposed = self._matrix.T.tocsc()
        for start in range(0, len(self._sizes), _BLOCK):
            shared = triu(self._matrix[start : start + _BLOCK] @ transposed[:, start:], 1).tocoo()
            first, second = (place.astype(np.int64) + start for place in (shared.row, shared.col))
            common = shared.data.astype(np.float64)
            one, other = self._sizes[first], self._sizes[second]
            whole = one + other - common if measure == "jaccard" else np.minimum(one, other)
            yield first, second, common / whole

    def closest(self, measure: Measure = "jaccard", limit: float = 1.0, most: int = 10) -> Closest:
        """Return the closest pairs, and how many reach a limit."""
        over = 0
        best: list[tuple[float, int, int]] = []
        for first, second, scores in self.blocks(measure):
            over += int((scores >= limit).sum())
            keep = scores >= (np.partition(scores, -most)[-most] if scores.size > most > 0 else 0)
            found = zip((-scores[keep]).tolist(), first[keep].tolist(), second[keep].tolist(), strict=True)
            best = heapq.nsmallest(most, [*best, *found])
        return Closest(tuple(Pair(first, second, -score) for score, first, second in best), over)


def closest_earlier(texts: Sequence[str], limit: float) -> list[Pair | None]:
    """Return for every text the closest earlier one that is kept and at least so similar (Jaccard).

    A text that has one is a near-duplicate; the others are kept. So of a group the first one stays.
    """
    found: list[Pair | None] = [None] * len(texts)
    candidates: dict[int, list[tuple[int, float]]] = {}
    for firsts, seconds, scores in Features(texts).blocks("jaccard"):
        near = scores >= limit
        for first, second, score in zip(firsts[near], seconds[near], scores[near], strict=True):
            candidates.setdefault(int(second), []).append((int(first), float(score)))
    for second in sorted(candidates):
        kept = [(score, -first) for first, score in candidates[second] if found[first] is None]
        if kept:
            score, first = max(kept)
            found[second] = Pair(-first, second, score)
    return found


# A report on a list of items: what is too much alike, in words, in openings and in frames.

_CONTENT = "_"
_KINDS = ("opening", "frame")


class Limits(Entry):
    """What a set may have: Jaccard of two items below, share of an opening or frame up to."""

    jaccard: float = Field(gt=0, le=1)
    frame: float = Field(gt=0, le=1)


class ItemRules(Entry):
    """``item_rules.yaml``."""

    limits: Limits
    function_words: Mapping[Text, str]


@cache
def item_rules() -> ItemRules:
    """Return the shipped limits and lists of function words."""
    return load_template(package_file("templates/selfassess/item_rules.yaml"), ItemRules)


@cache
def _function_words(language: str) -> frozenset[str]:
    return frozenset(item_rules().function_words.get(language.split("-")[0], "").split())


def opening(text: str) -> str:
    """Return the first two words of a text, without case."""
    return " ".join(words(text)[:2])


def skeleton(text: str, language: str) -> str:
    """Return the function words of a text in order, with ``_`` for every run of other words."""
    return _skeleton(words(text), language)


def frame(text: str, language: str) -> str:
    """Return the sentence frame of a text: its first word as it stands, the rest as `skeleton` has it.

    Noun phrases share their skeletons by grammar ("_ for _" is a fifth of any list of topics). Items made
    from one template also begin alike ("impact of _ on _", "debate over _"), which is what a frame shows.
    """
    said = words(text)
    return " ".join([*said[:1], *filter(None, [_skeleton(said[1:], language)])])


def _skeleton(said: Sequence[str], language: str) -> str:
    held = _function_words(language)
    marks = [word if word in held else _CONTENT for word in said]
    return " ".join(
        mark for place, mark in enumerate(marks) if mark != _CONTENT or marks[place - 1 : place] != [_CONTENT]
    )


@dataclass(frozen=True, slots=True)
class Repeated:
    """A pattern that several items have.

    Attributes:
        kind: opening, frame or skeleton.
        pattern: the words.
        count: of items.
        share: of all items.
    """

    kind: str
    pattern: str
    count: int
    share: float


@dataclass(frozen=True)
class Alikeness:
    """What a list of items has in common.

    Attributes:
        texts: the items.
        limits: that apply.
        grams: pairs with the most character 5-grams in common (Jaccard).
        bigrams: pairs with the most word bigrams in common (of those of the shorter item).
        repeated: openings, frames and skeletons of more than one item, commonest first.
    """

    texts: Sequence[str]
    limits: Limits
    grams: Closest
    bigrams: Closest
    repeated: Sequence[Repeated]

    def too_common(self) -> list[Repeated]:
        """Return the openings and frames of more items than the limit allows; one item is always allowed."""
        allowed = max(1, int(self.limits.frame * len(self.texts)))
        return [each for each in self.repeated if each.kind in _KINDS and each.count > allowed]

    def problems(self) -> list[str]:
        """Return a line for everything beyond a limit; empty if the items are fit to be published."""
        lines = []
        if self.grams.over:
            lines.append(f"{self.grams.over:,} pairs have a Jaccard of {self.limits.jaccard:g} or more")
        for each in self.too_common():
            told = f"{each.count} of {len(self.texts)} items ({each.share:.1%})"
            lines.append(f"{each.kind} {each.pattern!r}: {told}, at most {self.limits.frame:.0%} expected")
        return lines


def alikeness(
    texts: Sequence[str], language: str, *, limits: Limits | None = None, most: int = 10
) -> Alikeness:
    """Measure how alike items are."""
    applied = limits or item_rules().limits
    grams = Features(texts).closest("jaccard", applied.jaccard, most)
    bigrams = Features(texts, word_bigrams).closest("overlap", 1.0, most)
    found = {
        "opening": Counter(map(opening, texts)),
        "frame": Counter(frame(text, language) for text in texts),
        "skeleton": Counter(skeleton(text, language) for text in texts),
    }
    repeated = [
        Repeated(kind, pattern, count, count / len(texts))
        for kind, counts in found.items()
        for pattern, count in counts.most_common()
        if count > 1
    ]
    return Alikeness(tuple(texts), applied, grams, bigrams, tuple(repeated))
