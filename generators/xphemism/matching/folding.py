"""Texts as they come from the web in one spelling, with the way back to their own offsets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

# What is invisible inside a word: soft hyphens, zero-width characters, a byte order mark.
_INVISIBLE = "\u00ad\u200b\u200c\u2060\ufeff"
_HYPHENS = "\u2010\u2011\u2043"
# Any of these may hide a word from a plain search; the combining mark is that of German umlauts.
HIDING = frozenset((*_INVISIBLE, *_HYPHENS, "\u0308", "\u00a0", "\u202f", "\n", "\r", "\t", "  "))
_ODD = re.compile(
    rf"(?P<invisible>[{_INVISIBLE}]+)|(?P<hyphen>[{_HYPHENS}])|(?P<space>\s{{2,}}|[^\S ])"
    r"|(?P<half>[\ud800-\udfff])|(?P<composed>\w[\u0300-\u036f]+)"
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A text in one spelling.

    Attributes:
        text: without invisible characters, umlauts composed, one plain space for any white space.
        offsets: for each character where it begins in the text as it was, and at last that text's length;
            None where nothing had to be changed.
    """

    text: str
    offsets: Sequence[int] | None

    def original(self, place: int) -> int:
        """Return where a character begins in the text as it was."""
        return place if self.offsets is None else self.offsets[place]


def fold(text: str) -> Folded:
    """Return a text in one spelling.

    Args:
        text: anything, also with half characters of another encoding.
    """
    if not _ODD.search(text):
        return Folded(text, None)
    parts: list[str] = []
    offsets: list[int] = []
    end = 0
    for odd in _ODD.finditer(text):
        parts.append(text[end : odd.start()])
        offsets.extend(range(end, odd.start()))
        part = _folded(odd)
        parts.append(part)
        offsets.extend(min(odd.start() + step, odd.end() - 1) for step in range(len(part)))
        end = odd.end()
    parts.append(text[end:])
    offsets.extend(range(end, len(text) + 1))
    return Folded("".join(parts), offsets)


def _folded(odd: re.Match[str]) -> str:
    match odd.lastgroup:
        case "invisible":
            return ""
        case "hyphen":
            return "-"
        case "space":
            return " "
        case "half":
            return "\ufffd"
    return unicodedata.normalize("NFC", odd.group())


def lower(text: str) -> str:
    """Return a text in small letters, each where it was (``"İ"`` would become two)."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
