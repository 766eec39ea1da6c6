"""Of overlapping hits the longest, and whether places lie inside others."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from polbias.generators.xphemism.matching.hit import Hit


def longest(hits: Iterable[Hit]) -> list[Hit]:
    """Return hits without those that overlap a longer one, by place; hits of the same place are all kept."""
    kept: list[Hit] = []
    spans: list[tuple[int, int]] = []  # of the kept ones: sorted, apart from each other
    for hit in sorted(hits, key=lambda each: (each.start - each.end, each.start, each.word)):
        span = (hit.start, hit.end)
        place = bisect_left(spans, span)
        if place < len(spans) and spans[place] == span:
            kept.append(hit)
        elif (place == len(spans) or hit.end <= spans[place][0]) and (
            not place or spans[place - 1][1] <= hit.start
        ):
            spans.insert(place, span)
            kept.append(hit)
    return in_order(kept)


def in_order(hits: Iterable[Hit]) -> list[Hit]:
    """Return hits by place, then by word."""
    return sorted(hits, key=lambda each: (each.start, each.end, each.word))


def inside(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a place lies inside one of some spans.

    Args:
        start: of the place.
        end: of the place.
        spans: sorted, apart from each other.
    """
    place = bisect_right(spans, (start, end)) - 1
    candidates = spans[max(place, 0) : place + 2]
    return any(begin <= start and end <= stop for begin, stop in candidates)
