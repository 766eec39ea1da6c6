"""English grammar that templates need: the indefinite article, capitals."""

from __future__ import annotations

import re

# Words whose first letter does not tell the first sound; the rest follows the letter.
_VOWEL_SOUND = re.compile(
    r"(?:[aeio]|u(?!ni(?:[^nm]|$)|s[aeiu]|r[aeiou]|t[aeio])|hono|hour|heir|honest)", re.IGNORECASE
)
_CONSONANT_SOUND = re.compile(r"(?:eu|ewe|one\b|once\b|ouija)", re.IGNORECASE)


def a(phrase: str) -> str:
    """Put the indefinite article before a phrase.

    Args:
        phrase: a noun phrase without article, such as ``"inferior politician"``.

    Returns:
        ``"an inferior politician"``; ``"a European"``, ``"an hour"``, ``"a union member"``.
    """
    vowel = _VOWEL_SOUND.match(phrase) and not _CONSONANT_SOUND.match(phrase)
    return f"{'an' if vowel else 'a'} {phrase}"


def capital(clause: str) -> str:
    """Return a clause as it stands at the beginning of a sentence."""
    return clause[:1].upper() + clause[1:]


def lower(clause: str) -> str:
    """Return a clause that does not begin with a name as it stands within a sentence."""
    return clause[:1].lower() + clause[1:]
