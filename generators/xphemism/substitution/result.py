"""What a substitution is: the claim with the exchanged word, or the reason why a reader has to make it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EditKind = Literal["word", "determiner", "adjective", "preposition", "verb", "pronoun"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One change.

    Attributes:
        start: offset in the base claim of the first character that is replaced.
        end: offset after the last one.
        old: what stood there.
        new: what replaces it, "" if it is removed.
        kind: part of the noun phrase or clause that was changed.
    """

    start: int
    end: int
    old: str
    new: str
    kind: EditKind


@dataclass(frozen=True, slots=True)
class Substitution:
    """A claim with its word exchanged.

    Attributes:
        shifted_claim: the claim with the exchange word; under review the claim as it was.
        status: "made" or "review".
        reason: why a reader has to look at it, as ``"code: plain words"``; "" if it was made.
        edits: changes in the order of the claim.
    """

    shifted_claim: str
    status: Literal["made", "review"]
    reason: str
    edits: tuple[Edit, ...]


class ReviewError(Exception):
    """A reader has to decide.

    Attributes:
        code: short stable name of the reason.
        words: the reason in plain words.
    """

    def __init__(self, code: str, words: str) -> None:
        super().__init__(f"{code}: {words}")
        self.code, self.words = code, words
