"""Names among the words that changed, as far as their form tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from polbias.generators.auditing.polbix.edits import Edit
from polbias.generators.language.german_words import is_known
from polbias.generators.xphemism.substitution.tokens import Token, tokenise

_ACRONYM = re.compile(r"[^\W\d_]*[A-ZÄÖÜ][^\W\d_]*[A-ZÄÖÜ][^\W\d_]*")
_ADDRESS = re.compile(r"@(\w+)")
_MISMATCH = frozenset({"spelling", "content"})


def name_changed(base: str, exchange: str, edits: Iterable[Edit]) -> bool:
    """Return whether a name was dropped, added, exchanged or written otherwise.

    A name is a word with several capitals (AfD, NATO), also as a part of a compound with hyphens, an address
    (@...), or one of two words that follow each other with capitals and are in no dictionary.

    Args:
        base: the base claim.
        exchange: the exchange claim.
        edits: what changed beside the exchanged word.
    """
    changed = [each for each in edits if each.kind in _MISMATCH]
    if not changed:
        return False
    before, after = frozenset(_names(base)), frozenset(_names(exchange))
    for each in changed:
        removed, added = (set(re.split(r"[\s-]+", text)) for text in (each.removed, each.added))
        if (removed - added) & before or (added - removed) & after:
            return True
    return False


def _names(text: str) -> Iterator[str]:
    tokens = tokenise(text)
    yield from (part for each in tokens for part in each.text.split("-") if _ACRONYM.fullmatch(part))
    yield from _ADDRESS.findall(text)
    for one, two in pairwise(tokens):
        if two.start == one.end + 1 and _unknown(one) and _unknown(two):
            yield from (one.text, two.text)


def _unknown(token: Token) -> bool:
    return token.is_noun and not token.opens and not is_known(token.text)
