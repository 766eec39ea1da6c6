"""The published pairs of claims of PolBiX, and how a made claim is compared with them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_LONGEST_BASE, _LONGEST_SHIFTED = 6, 8


@dataclass(frozen=True)
class PublishedPair:
    """A row of the published data that has both claims.

    Attributes:
        base_word: as printed.
        exchange_word: as printed.
        base: the claim.
        shifted: the claim with the exchange word, after the paper's grammar step.
    """

    base_word: str
    exchange_word: str
    base: str
    shifted: str


def published_pairs(path: Path) -> Iterator[PublishedPair]:
    """Yield the rows of ``dataset.csv`` that have an exchange claim."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            if row["exchange_claim"]:
                yield PublishedPair(
                    row["base_word"], row["exchange_word"], row["base_claim"], row["exchange_claim"]
                )


def words(claim: str) -> list[str]:
    """Return the words of a claim without case and punctuation."""
    return _WORD.findall(claim.lower())


def _is_short(base: int, shifted: int) -> bool:
    return base + shifted > 0 and base <= _LONGEST_BASE and shifted <= _LONGEST_SHIFTED


def differs_in_one_block(base: str, shifted: str) -> bool:
    """Return whether two claims differ in one unbroken run of at most 6 and 8 words."""
    blocks = SequenceMatcher(None, words(base), words(shifted), autojunk=False).get_opcodes()
    changed = [block for block in blocks if block[0] != "equal"]
    return len(changed) == 1 and _is_short(changed[0][2] - changed[0][1], changed[0][4] - changed[0][3])


def differs_in_one_stretch(base: str, shifted: str) -> bool:
    """Return whether at most 6 and 8 words lie between the first and the last difference of two claims.

    Inside the stretch words may be the same, so that independent changes near the word are part of it.
    """
    left, right = words(base), words(shifted)
    shortest = min(len(left), len(right))
    start = next((k for k in range(shortest) if left[k] != right[k]), shortest)
    end = next((k for k in range(shortest - start) if left[-1 - k] != right[-1 - k]), shortest - start)
    return _is_short(len(left) - start - end, len(right) - start - end)


_SUBJUNCTIVES = {"sei", "seien", "habe", "werde", "könne", "müsse", "dürfe", "wolle", "solle"}


def changes_mood(base: str, shifted: str) -> bool:
    """Return whether a subjunctive of reported speech is gone from the shifted claim: "belege" to "belegt"."""
    before, after = set(words(base)), set(words(shifted))
    return any(
        word in _SUBJUNCTIVES or (word.endswith("e") and word[:-1] + "t" in after) for word in before - after
    )
