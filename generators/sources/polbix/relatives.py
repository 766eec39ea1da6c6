"""Words of the same family as a word that is not found itself: Oppositionelle for Opposition."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from polbias.generators.sources.polbix.german import same_spelled_otherwise
from polbias.generators.xphemism.substitution.tokens import tokenise
from polbias.generators.xphemism.substitution.words import DERIVATIONS

if TYPE_CHECKING:
    from polbias.generators.xphemism.matching import Hit

_PLAIN = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss"})
_NOMINAL = re.compile(r"(?:ungen|ung|en|e|ut|n)$")
"""Endings of a noun without which it is the root of other words (Akademisier-ung, Arm-ut)."""
_ENDING = re.compile(r"(?:n?d|ell|st|er)?(?:e[nrsm]?|s)?")
_HEAD, _FIRST, _ROOT = 5, 7, 3
"""Letters from which the end or the beginning of a longer word counts, or a root with an ending."""


def relatives(name: str, forms: Iterable[str], others: Collection[str], text: str) -> Iterator[Hit]:
    """Yield the places of a word in compounds and derivations that are not in the lexicon, or misspelt.

    Args:
        name: the word.
        forms: its forms, with those that stand first in a compound.
        others: forms of other words in lower case; these are those words (Zuwanderung is no Wanderung).
        text: the claim.

    Yields:
        Hits of the kind "compound" without a member.
    """
    from polbias.generators.xphemism.matching import Hit

    known = {form for form in (name, *forms) if " " not in form}
    plain = {form.lower().translate(_PLAIN) for form in known}
    roots = {_NOMINAL.sub("", form) for form in plain}
    for token in tokenise(text):
        if token.kind != "word":
            continue
        parts = [part for part in token.text.split("-") if part]
        if any(part.lower() not in others and _related(part, known, plain, roots) for part in parts):
            yield Hit(name, token.start, token.end, token.start, token.end, "compound", token.text)


def _related(part: str, known: set[str], plain: set[str], roots: set[str]) -> bool:
    low = part.lower().translate(_PLAIN)
    if low in plain or any(len(form) > _FIRST and same_spelled_otherwise(part, form) for form in known):
        return True
    if any(
        (len(form) >= _HEAD and low.endswith(form)) or (len(form) >= _FIRST and low.startswith(form))
        for form in plain
    ):
        return True
    rest = {low.removeprefix(root) for root in plain | roots if len(root) >= _ROOT and low.startswith(root)}
    return any(each in DERIVATIONS or _ENDING.fullmatch(each) for each in rest)
