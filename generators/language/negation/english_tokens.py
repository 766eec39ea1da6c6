"""Words of a statement with their places: none in brackets, a quotation as one; and its sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from polbias.generators.authoring.negation import Analysis, Range, Tags
from polbias.generators.authoring.negation.english_words import words

_UNIT = re.compile(r"[^\W\d_]+(?:['’\-‐‑][^\W\d_]+)*['’]?|\d+(?:[.,:]\d+)*%?")
_TOKEN = re.compile(rf"{_UNIT.pattern}|\S")
_CLITIC = re.compile(r"(.+)(['’](?:s|re|ve|ll|d|m))", re.IGNORECASE)
# Quotation marks that can be paired; a straight single one only where no letter stands before it.
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|(?<![\w'’])['‘][^'’]*['’](?!\w)")
QUOTATION = "quotation"
_IN_QUOTES, _IN_BRACKETS = 1, 2
_BRACKET = re.compile(r"[()\[\]{}]")
_END = re.compile(r"[.!?]+[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9ÄÖÜ])")
_BEFORE_DOT = re.compile(r"([\w.]+)$")


@dataclass(frozen=True)
class Token:
    """A word, a number or a punctuation mark.

    Attributes:
        text: as it stands.
        low: in lower case and with straight apostrophes; `QUOTATION` of a quotation, which is a noun at most.
        start: index of its first character in the statement.
        tags: what a pipeline says of it; empty without one.
    """

    text: str
    low: str
    start: int
    tags: Tags = ()

    @property
    def end(self) -> int:
        """Index behind its last character."""
        return self.start + len(self.text)

    @property
    def is_word(self) -> bool:
        """Whether it begins with a letter, or is a clitic or a quotation."""
        return self.text[0].isalpha() or self.low in words("clitic_verbs") or self.low == QUOTATION


def tokens(text: str, start: int = 0, analysis: Analysis | None = None) -> list[Token]:
    """Return the tokens of a text outside brackets; a quotation is one token.

    Clitic verbs are tokens of their own: "It's" is "It" and "'s"; the possessive "Spain's" is one token.

    Args:
        text: a sentence.
        start: where it begins in the statement.
        analysis: of the statement, by a pipeline; its tokens are then those of the rules, but for words with
            a hyphen, an apostrophe or a percent sign, which stay whole.
    """
    hidden = _hidden(text)
    found: list[Token] = []
    quoted = {match.start(): match.group() for match in _QUOTED.finditer(text)}

    def add(word: str, low: str, at: int) -> None:
        tags = analysis.within(at, at + len(word)) if analysis else ()
        found.append(Token(word, low, at, tags))

    for begin, end in _pieces(text, start, hidden, analysis):
        if hidden[begin]:
            if begin in quoted and hidden[begin] == _IN_QUOTES:
                add(quoted[begin], QUOTATION, start + begin)
            continue
        word, at = text[begin:end], start + begin
        clitic = _CLITIC.fullmatch(word)
        verb = clitic and clitic[2].lower().replace("’", "'")
        if clitic and (verb != "'s" or clitic[1].lower() in words("clitic_hosts")):
            add(clitic[1], clitic[1].lower(), at)
            add(clitic[2], str(verb), at + len(clitic[1]))
        else:
            add(word, word.lower().replace("’", "'"), at)
    return found


def _pieces(text: str, start: int, hidden: bytearray, analysis: Analysis | None) -> Iterable[Range]:
    """Return where tokens begin and end, what is hidden not left out."""
    if analysis is None:
        return (match.span() for match in _TOKEN.finditer(text))
    joined = [match.span() for match in _UNIT.finditer(text)]
    edges = [at for at in range(len(text) + 1) if bool(hidden[at]) != bool(at and hidden[at - 1])]
    quotations = [match.span() for match in _QUOTED.finditer(text)]
    opaque = [*zip(edges[::2], edges[1::2], strict=True), *quotations]
    return analysis.pieces(text, start, joined, opaque)


def sentences(text: str, analysis: Analysis | None = None) -> list[Range]:
    """Return where the sentences of a statement begin and end.

    Args:
        text: the statement.
        analysis: of it, by a pipeline: its sentences count, or at least its abbreviations.
    """
    told = analysis.sentences(len(text)) if analysis else None
    if told is not None:
        return told
    bounds, begin = [], 0
    hidden = _hidden(text)
    for match in _END.finditer(text):
        before = _BEFORE_DOT.search(text[begin : match.start()])
        word = before[1].lower() if before else ""
        # "e.g. Germany", "J. Smith" and "1. The state" end no sentence.
        numbering = before is not None and before.start() == 0 and word.isdigit()
        short = word in words("abbreviations") or len(word) == 1 or numbering
        short = short or bool(analysis and not analysis.splits(match.start()))
        if hidden[match.start()] or (short and match.group().startswith(".")):
            continue
        bounds.append((begin, match.end()))
        begin = match.end()
    return [*bounds, (begin, len(text))] if text[begin:].strip() else bounds


def _hidden(text: str) -> bytearray:
    mask = bytearray(len(text) + 1)
    for match in _QUOTED.finditer(text):
        mask[match.start() : match.end()] = bytes([_IN_QUOTES]) * (match.end() - match.start())
    stack: list[int] = []
    for match in _BRACKET.finditer(text):
        at, character = match.start(), match.group()
        if mask[at]:
            continue
        if character in "([{":
            stack.append(at)
        elif stack:
            opened = stack.pop()
            if not stack:
                mask[opened : at + 1] = bytes([_IN_BRACKETS]) * (at + 1 - opened)
    return mask
