"""A claim as tokens with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

_TOKEN = re.compile(
    r"(?P<number>\d+(?:[.,]\d+)*(?![^\W\d_]))"
    r"|(?P<word>[^\W_]+(?:[-'’][^\W_]+|[*:_](?=innen|in\b)[^\W_]+)*(?:-(?=[\s,/]))?)"
    r"|(?P<mark>\S)"
)
_ABBREVIATION = re.compile(r"\w{1,2}|Abs|Art|Nr|bzw|etc|usw|ca|inkl|Mio|Mrd|Dr|Prof|St|vgl|sog|ggf|evtl")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number or a mark.

    Attributes:
        text: as written.
        low: in lower case.
        start: offset of its first character.
        end: offset after its last character.
        kind: "word", "number" or "mark".
        opens: whether it is the first word of a sentence.
    """

    text: str
    low: str
    start: int
    end: int
    kind: str
    opens: bool

    @property
    def is_noun(self) -> bool:
        """Return whether it is written like a noun or a name (also where it only opens the sentence)."""
        return self.kind == "word" and self.text[0].isupper()


Tokens: TypeAlias = tuple[Token, ...]


@lru_cache(maxsize=4096)
def tokenise(claim: str) -> Tokens:
    """Return the tokens of a claim."""
    found: list[Token] = []
    opens = True
    for match in _TOKEN.finditer(claim):
        kind, text = str(match.lastgroup), match[0]
        found.append(Token(text, text.lower(), match.start(), match.end(), kind, opens and kind == "word"))
        if kind != "mark":
            opens = False
        elif text == ".":
            opens = not _after_abbreviation(found)
        else:
            # A quotation after a colon is a sentence; any other quotation mark changes nothing.
            quotation = text in '„“"«»' and len(found) > 1 and found[-2].text == ":"
            opens = opens or quotation or text in "!?…:;|"
    return tuple(found)


def _after_abbreviation(found: list[Token]) -> bool:
    if len(found) < 2 or found[-2].end != found[-1].start:
        return False
    return found[-2].kind == "number" or bool(_ABBREVIATION.fullmatch(found[-2].text))
