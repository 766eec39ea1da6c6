"""Text of a statement as tokens, and back; sentences and the comma segments of a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

from polbias.generators.language.negation import german_words as lexicon

# A bracket or a quotation is one token: nothing in it is negated, and it belongs to what stands before it.
_TOKEN = re.compile(
    r"(?P<opaque>\([^()]*\)|\[[^\[\]]*\]|„[^“”\"„]*[“”\"]|\"[^\"]*\"|«[^«»]*»|»[^«»]*«|“[^“”]*”|‚[^‘‚]*‘)"
    r"|(?P<mark>[,;!?…–—]|\.{3}|[-:.](?=\s|$))"
    r"|(?P<word>(?:[^\s,;!?…–—()\[\]„“”\"«»:]|:(?=\w)|,(?=\d)|(?<=\w)\(\w+\)|(?<=\d)[–—](?=\d))+|\S)"
)
_ORDINAL = re.compile(r"\d+\.")


@dataclass(slots=True)
class Token:
    """A word, a punctuation mark, or an opaque bracket or quotation.

    Attributes:
        text: As written.
        before: The white space before it.
        kind: "word", "mark" or "opaque".
        low: The text in lower case.
    """

    text: str
    before: str
    kind: str
    low: str


def tokens(text: str) -> list[Token]:
    """Return the tokens of a text; joined with what stands before them they are the text without its end."""
    found: list[Token] = []
    end = 0
    for match in _TOKEN.finditer(text):
        token = Token(match[0], text[end : match.start()], str(match.lastgroup), match[0].lower())
        end = match.end()
        found.append(token)
        if token.kind == "word" and len(token.text) > 1 and token.text.endswith("."):
            _split_full_stop(found, text[end:])
    return found


def _split_full_stop(found: list[Token], rest: str) -> None:
    """Split off the full stop of the last token, unless it is that of an abbreviation or ordinal."""
    token = found[-1]
    last = not rest.strip()
    if not last and (token.low in lexicon.ABBREVIATIONS or _ORDINAL.fullmatch(token.text)):
        return
    if not last and not re.match(r"\s+[\"„«(]?[A-ZÄÖÜ0-9]", rest):
        return
    token.text, token.low = token.text[:-1], token.low[:-1]
    found.append(Token(".", "", "mark", "."))


def sentences(found: list[Token]) -> list[list[Token]]:
    """Return the tokens by sentence; what follows a colon or semicolon counts as one."""
    result: list[list[Token]] = [[]]
    for token in found:
        closing = token.kind == "opaque" and not result[-1] and len(result) > 1
        # A bracket after the full stop belongs to the sentence before it.
        (result[-2] if closing else result[-1]).append(token)
        if token.kind == "mark" and token.text in ".!?;:…":
            result.append([])
    return [sentence for sentence in result if sentence]


def segments(sentence: list[Token]) -> list[list[int]]:
    """Return the positions of words and opaque tokens between commas and dashes."""
    result: list[list[int]] = [[]]
    for position, token in enumerate(sentence):
        if token.kind == "mark":
            result.append([])
        else:
            result[-1].append(position)
    return [segment for segment in result if segment]
