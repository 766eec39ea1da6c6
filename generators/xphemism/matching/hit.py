"""Where a word of the lexicon stands in a claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

HitKind = Literal["exact", "inflected", "compound"]
CompoundMember = Literal["first", "middle", "head"]


@dataclass(frozen=True, slots=True)
class Hit:
    """One place of a claim where a word of the lexicon stands.

    Attributes:
        word: the word of the lexicon.
        start: offset of its first character in the claim.
        end: offset after its last character; in a compound that of the member without linking element.
        token_start: offset of the token that it stands in; of a phrase, of its first token.
        token_end: offset after the last character of that token.
        kind: "exact" as in the lexicon, "inflected" another form of it, "compound" a member of a longer word.
        surface: the characters from ``start`` to ``end``.
        member: which member of the compound it is, None outside compounds.
        quoted: whether it stands inside quotation marks.
        proper: whether it is, or is part of, a proper name.
    """

    word: str
    start: int
    end: int
    token_start: int
    token_end: int
    kind: HitKind
    surface: str
    member: CompoundMember | None = None
    quoted: bool = False
    proper: bool = False
