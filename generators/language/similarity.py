"""Similarity of texts."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from polbias.aliases import Floats, Indices

# Similarity of all pairs by character 5-grams and word bigrams, without holding all pairs in memory.

Measure = Literal["jaccard", "overlap"]
_WIDTH = 5  # characters of a gram
_BLOCK = 256  # rows compared at once with all later ones: at 20,000 texts some 5 million pairs
_WORD = re.compile(r"[\w]+(?:['’.&-][\w]+)*")


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """Two texts and their similarity.

    Attributes:
        first: position of the earlier text.
        second: position of the later text.
        score: similarity, in [0, 1].
    """

    first: int
    second: int
    score: float


@dataclass(frozen=True)
class ClosestPairs:
    """The most similar pairs of a collection.

    Attributes:
        pairs: the closest pairs, closest first.
        n_over_limit: number of pairs that reach the limit, listed or not.
    """

    pairs: tuple[SimilarPair, ...]
    n_over_limit: int


def normalize_text(text: str) -> str:
    """Return a text in lower case with single spaces."""
    return " ".join(text.casefold().split())


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]


def character_grams(text: str, width: int = _WIDTH) -> set[str]:
    """Return the character 5-grams of a text, without case; a shorter text is one gram."""
    plain = normalize_text(text)
    return {plain[start : start + width] for start in range(max(1, len(plain) - width + 1))}


def word_bigrams(text: str) -> set[str]:
    """Return the word bigrams of a text, without case; a single word is one bigram."""
    text_words = words(text)
    return {" ".join(text_words[start : start + 2]) for start in range(max(1, len(text_words) - 1))}


class FeatureSets:
    """Texts as sets of features, for comparison.

    Args:
        texts: the texts to compare.
        features: returns the features of a text.
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

    def blocks(
        self, measure: Measure, firsts: Indices | None = None, seconds: Indices | None = None
    ) -> Iterator[tuple[Indices, Indices, Floats]]:
        """Yield first position, second position and score of all pairs that share a feature, in blocks.

        ``jaccard`` is the intersection over the union; ``overlap`` is the intersection over the smaller set.
        The first position is always smaller than the second.

        Args:
            measure: score of a pair.
            firsts: candidates for the first position, ascending; default all.
            seconds: candidates for the second position, ascending; default all.
        """
        all_positions = np.arange(len(self._sizes))
        firsts = all_positions if firsts is None else firsts
        seconds = all_positions if seconds is None else seconds
        transposed = self._matrix[seconds].T.tocsc()
        for begin in range(0, len(firsts), _BLOCK):
            block = firsts[begin : begin + _BLOCK]
            start = int(np.searchsorted(seconds, block[0]))
            shared = (self._matrix[block] @ transposed[:, start:]).tocoo()
            first, second = block[shared.row], seconds[shared.col + start]
            is_later = second > first
            first, second = first[is_later], second[is_later]
            common = shared.data[is_later].astype(np.float64)
            first_sizes, second_sizes = self._sizes[first], self._sizes[second]
            denominator = (
                first_sizes + second_sizes - common
                if measure == "jaccard"
                else np.minimum(first_sizes, second_sizes)
            )
            yield first, second, common / denominator

    def groups(self) -> list[list[int]]:
        """Group the positions of texts with equal features, ordered by first position."""
        groups: dict[bytes, list[int]] = {}
        starts, columns = self._matrix.indptr, self._matrix.indices
        for position, (start, end) in enumerate(pairwise(starts)):
            groups.setdefault(np.sort(columns[start:end]).tobytes(), []).append(position)
        return [*groups.values()]

    def closest(self, measure: Measure = "jaccard", limit: float = 1.0, max_pairs: int = 10) -> ClosestPairs:
        """Return the closest pairs, and the number of pairs that reach a limit."""
        groups = self.groups()
        # Of texts with equal features only the first few can be in the listed pairs.
        candidates = np.array(sorted(position for group in groups for position in group[: max_pairs + 1]))
        sizes = np.zeros(len(self._sizes), np.int64)
        sizes[[group[0] for group in groups]] = [*map(len, groups)]
        n_over_limit = int((sizes * (sizes - 1) // 2).sum()) if limit <= 1 else 0
        best: list[tuple[float, int, int]] = []
        for first, second, scores in self.blocks(measure, candidates, candidates):
            n_over_limit += int((sizes[first] * sizes[second])[scores >= limit].sum())
            is_candidate = scores >= (
                np.partition(scores, -max_pairs)[-max_pairs] if scores.size > max_pairs > 0 else 0
            )
            scored_pairs = zip(
                (-scores[is_candidate]).tolist(),
                first[is_candidate].tolist(),
                second[is_candidate].tolist(),
                strict=True,
            )
            best = heapq.nsmallest(max_pairs, [*best, *scored_pairs])
        return ClosestPairs(
            tuple(SimilarPair(first, second, -score) for score, first, second in best), n_over_limit
        )


def nearest_earlier_text(
    texts: Sequence[str],
    limit: float,
    is_repeat: Callable[[int, int], bool] = lambda first, second: True,
) -> list[SimilarPair | None]:
    """Return for every text its near-duplicate: the closest earlier retained text, or None.

    A text with a near-duplicate is dropped, a text without is retained: of a group the first is retained.

    Args:
        texts: the texts to compare.
        limit: minimum Jaccard similarity.
        is_repeat: further condition on the positions of two texts.
    """
    nearest: list[SimilarPair | None] = [None] * len(texts)
    candidates: dict[int, list[tuple[int, float]]] = {}
    features = FeatureSets(texts)
    # Of texts with equal features only the first can be retained.
    first_of_group = np.array([group[0] for group in features.groups()], np.intp)
    for firsts, seconds, scores in features.blocks("jaccard", first_of_group):
        is_near = scores >= limit
        for first, second, score in zip(firsts[is_near], seconds[is_near], scores[is_near], strict=True):
            candidates.setdefault(int(second), []).append((int(first), float(score)))
    for second in sorted(candidates):
        for first, score in sorted(candidates[second], key=lambda candidate: (-candidate[1], candidate[0])):
            if nearest[first] is None and is_repeat(first, second):
                nearest[second] = SimilarPair(first, second, score)
                break
    return nearest
