"""English grammar for templates: the indefinite article, capitals."""

from __future__ import annotations

import re

# Words whose first letter does not determine the first sound. Two or three capitals are spelled out.
_SPELLED = re.compile(r"[A-Z]{2,3}\b")
_SPELLED_VOWEL = frozenset("AEFHILMNORSX")
_YOU = r"u(?:biq|kr|ni(?:[^dmn]|$)|r[aeiou]|s[aeiu]|t[aeio])"
_VOWEL_SOUND = re.compile(rf"(?!{_YOU}|eu|ewe|one\b|once\b|ouija)[aeiou]|hono|hones|hour|heir", re.IGNORECASE)


def with_indefinite_article(phrase: str) -> str:
    """Put the indefinite article before a phrase."""
    spelled = _SPELLED.match(phrase)
    vowel = phrase[0] in _SPELLED_VOWEL if spelled else _VOWEL_SOUND.match(phrase)
    return f"{'an' if vowel else 'a'} {phrase}"


def capitalize_first(clause: str) -> str:
    """Return a clause with its first letter capitalized, for the beginning of a sentence."""
    return clause[:1].upper() + clause[1:]


def lowercase_first(clause: str) -> str:
    """Return a clause with its first letter in lower case; it must not begin with a name."""
    return clause[:1].lower() + clause[1:]
