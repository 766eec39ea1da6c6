"""How letters stand in a word: as the word itself, as a member of a compound, or by accident."""

from __future__ import annotations

import re
from functools import lru_cache

from polbias.generators.xphemism.matching.compounds import crossed, follows, leads, strange
from polbias.generators.xphemism.matching.hit import CompoundMember
from polbias.generators.xphemism.matching.lists import lists
from polbias.generators.xphemism.matching.patterns import Pattern
from polbias.generators.xphemism.matching.text import Token

# Members between hyphens, and between humps as in "#NeinZumKrieg".
_PART = re.compile(r"[^\W_]+?(?=-|(?<=[^\W\d_A-ZÄÖÜ])[A-ZÄÖÜ]|$)")


def member_of(pattern: Pattern, token: Token, start: int, small_nouns: bool) -> CompoundMember | None:
    """Return which member of a compound a word is.

    Args:
        pattern: of the word, as long as its letters.
        token: that the letters are in, and not the whole of.
        start: offset of the letters in the token.
        small_nouns: whether nouns may be written small, as in addresses.

    Returns:
        The member; None if the letters only happen to stand there ("enorm", "Regelung", "Ankündigung").
    """
    if pattern.pos not in ("noun", "adjective"):
        return None
    text, end = token.text, start + len(pattern.letters)
    parts = _parts(text)
    first = next((i for i, (_, stop) in enumerate(parts) if start < stop), None)
    last = next((i for i, (_, stop) in enumerate(parts) if end <= stop), None)
    if first is None or last is None or start < parts[first][0]:
        return None
    before, after = text[parts[first][0] : start], text[end : parts[last][1]]
    alone = not before and not after
    final = last == len(parts) - 1 and not text.endswith("-")
    if not _joins(pattern, before, after, final, text[parts[first][0] : parts[last][1]]):
        return None
    opening = first == 0 and not text.startswith("-")
    small = text[parts[first][0]].islower() and opening and not small_nouns
    if pattern.pos == "noun" and small and (not after or alone):
        return None
    if pattern.pos == "adjective" and not (final and (text[:1].islower() or token.initial or text.isupper())):
        return None
    if before or not opening:
        return "head" if final and not after else "middle"
    return "first"


def _joins(pattern: Pattern, before: str, after: str, final: bool, part: str) -> bool:
    """Return whether the letters on both sides are members, and the form can stand between them."""
    if after:
        if pattern.masculine and final and after in lists().compounds["gendered"]:
            return not before or leads(before, pattern.deverbal)
        if not pattern.joining:
            return False
    elif final and not pattern.whole:
        return False
    if crossed(part, len(before), len(before) + pattern.stem, len(part) - len(after), pattern.deverbal):
        return False
    leading = not before or leads(before, pattern.deverbal)
    following = not after or follows(after, part[:1].isupper())
    if leading and following:
        return True
    if leading:
        return strange(part, after)
    return following and strange(part, before)


@lru_cache(maxsize=4096)
def _parts(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(match.span() for match in _PART.finditer(text))
