"""How much of a set's wording is in another one: the n-grams of words that they share.

Checks of contamination count items of which an n-gram stands in a reference. Items of one instrument share
its patterns by design: with the fillers masked (names, areas, comparisons, distractors) patterns are all that
is compared; without masks, an n-gram is shared if it has the same fillers or lies within a pattern.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from polbias.generators.partisan.xl.family import load

SIZES = (8, 13)
_MASK = "_"
_SLICE = 1 << 15  # items whose n-grams are held at a time
_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no place of a word is lost in the sum
_Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Overlap:
    """What a set shares with its reference.

    Attributes:
        size: words of an n-gram.
        masked: whether fillers were masked in both.
        items: number of items.
        touched: number of items of which an n-gram is in the reference.
        ngrams: number of n-grams of all items.
        shared: number of these that are in the reference.
    """

    size: int
    masked: bool
    items: int
    touched: int
    ngrams: int
    shared: int


def report(
    items: Any, reference: Any, fillers: Sequence[str] = (), sizes: Sequence[int] = SIZES
) -> tuple[Overlap, ...]:
    """Compare a set with another one, without masks and, if fillers are given, with masks.

    Args:
        items: Arrow array of strings, one per item; a set's column ``argument``.
        reference: the same of the other set.
        fillers: phrases to mask in both.
        sizes: words of an n-gram.

    Returns:
        One result for each size and masking.
    """
    found = []
    for hidden in ((), fillers) if fillers else ((),):
        texts, others = (masked(column, hidden) for column in (items, reference))
        for size in sizes:
            known = np.unique(np.concatenate([grams for grams, _ in _ngrams(others, size)] or [_none()]))
            touched = total = shared = 0
            for grams, owner in _ngrams(texts, size):
                hit = _within(grams, known)
                touched += len(np.unique(owner[hit]))
                total += len(grams)
                shared += int(hit.sum())
            found.append(Overlap(size, bool(hidden), len(items), touched, total, shared))
    return tuple(found)


def masked(texts: Any, fillers: Iterable[str]) -> Any:
    """Return texts in which every filler is a mark; an ending that grammar adds to it stays.

    Args:
        texts: Arrow array of strings.
        fillers: phrases; capitals do not count.
    """
    phrases = sorted(set(fillers), key=lambda phrase: (-len(phrase), phrase))
    if not phrases:
        return texts
    pattern = rf"(?i)(^|[^\pL])(?:{'|'.join(map(re.escape, phrases))})"
    return pc.replace_substring_regex(texts, pattern, rf"\1{_MASK}")


def fillers(folder: Path | None = None) -> tuple[str, ...]:
    """Return what fills the arguments of the published and of the large partisan set.

    Args:
        folder: a folder laid out like ``templates/partisan``; by default that one.
    """
    found: dict[str, None] = {}
    for stage in load(folder).stages:
        sides = stage.base.side_of.values()
        found |= dict.fromkeys(person.name for side in sides for person in side.people)
        found |= dict.fromkeys(person.name for side in stage.large.people.values() for person in side)
        found |= dict.fromkeys(area for issue in stage.issues.values() for area in issue.areas)
        comparisons = [entry for entries in stage.wordings.values() for entry in entries.values()]
        comparisons += stage.base.comparisons.values()
        found |= dict.fromkeys(entry.adjective for entry in comparisons)
        found |= dict.fromkeys(entry.owned for entry in stage.irrelevant.values())
        for distractor in stage.distractors.values():
            found |= dict.fromkeys((distractor.text, distractor.subordinate))
    return tuple(found)


def table(found: Iterable[Overlap]) -> str:
    """Return results as a plain table, one line each, with shares in percent."""
    lines = [f"{'n':>3}  {'fillers':<8} {'items':>12} {'touched':>8} {'n-grams':>14} {'shared':>8}"]
    for each in found:
        touched, shared = _percent(each.touched, each.items), _percent(each.shared, each.ngrams)
        how = "masked" if each.masked else "as is"
        lines.append(
            f"{each.size:>3}  {how:<8} {each.items:>12,} {touched:>8} {each.ngrams:>14,} {shared:>8}"
        )
    return "\n".join(lines) + "\n"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "-"


def _ngrams(texts: Any, size: int) -> Iterable[tuple[_Words, NDArray[np.int64]]]:
    """Yield hashes of n-grams and the index of the item of each, some items at a time."""
    for start in range(0, len(texts), _SLICE):
        part = texts.slice(start, _SLICE)
        plain = pc.utf8_trim_whitespace(pc.replace_substring_regex(pc.utf8_lower(part), r"[^\pL\pN_-]+", " "))
        # An empty text would be split into one empty word; null it has none.
        words = pc.utf8_split_whitespace(pc.if_else(pc.equal(plain, ""), None, plain))
        words = words.combine_chunks() if isinstance(words, pa.ChunkedArray) else words
        numbers = _hashed(words.flatten())
        if len(numbers) < size:
            continue
        lengths = pc.fill_null(pc.list_value_length(words), 0).to_numpy()
        owner = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
        count = len(numbers) - size + 1
        grams = np.zeros(count, np.uint64)
        for place in range(size):
            grams = grams * _BASE + numbers[place : place + count]
        whole = owner[:count] == owner[size - 1 :]  # an n-gram does not go on into the next item
        yield grams[whole], owner[:count][whole]


def _hashed(words: Any) -> _Words:
    encoded = words.dictionary_encode()
    digests = [
        hashlib.blake2b(word.encode(), digest_size=8).digest() for word in encoded.dictionary.to_pylist()
    ]
    values = np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)
    return np.asarray(values[encoded.indices.to_numpy()])


def _within(grams: _Words, known: _Words) -> NDArray[np.bool_]:
    if not len(known):
        return np.zeros(len(grams), bool)
    place = np.minimum(np.searchsorted(known, grams), len(known) - 1)
    return np.asarray(known[place] == grams)


def _none() -> _Words:
    return np.empty(0, np.uint64)
