"""German text: tokens, edits, and the exception of an abstention."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from polbias.generators.authoring.negation import TaggedStatement, TaggedWord, Tags
from polbias.generators.language import german_words as lexicon
from polbias.generators.language.english import capitalize_first, lowercase_first

# Tokens of a statement; sentences, and the comma segments of a sentence.

# A bracket or a quotation is one token: it is never negated, and belongs to the words before it.
_TOKEN = re.compile(
    r"(?P<opaque>\([^()]*\)|\[[^\[\]]*\]|„[^“”\"„]*[“”\"]|\"[^\"]*\"|«[^«»]*»|»[^«»]*«|“[^“”]*”|‚[^‘‚]*‘)"
    r"|(?P<mark>[,;!?…–—]|\.{3}|[-:.](?=\s|$))"
    r"|(?P<word>(?:[^\s,;!?…–—()\[\]„“”\"«»:]|:(?=\w)|,(?=\d)|(?<=\w)\(\w+\)|(?<=\d)[–—](?=\d))+|\S)"
)
_QUOTE = re.compile(r"[„“”\"«»]")
_MARK = re.compile(rf"[,;!?…–—.:-]|\.{{3}}|{_QUOTE.pattern}")
_ORDINAL = re.compile(r"\d+\.")
# Units that a pipeline must not split: "Lehrer:innen", "und/oder", "50%", but not the stop of a sentence.
_UNIT = re.compile(
    r"(?:[^\s,;!?…–—()\[\]„“”\"«»:.]|(?<![a-zäöüß])\.(?=\w)|\.(?=[a-zäöüß\d])|:(?=\w)|,(?=\d)"
    r"|(?<=\w)\(\w+\)|(?<=\d)[–—](?=\d))+"
)


@dataclass(slots=True)
class GermanToken:
    """A word, a punctuation mark, or an opaque bracket or quotation.

    Attributes:
        text: As written.
        before: The white space before it.
        kind: "word", "mark" or "opaque".
        low: The text in lower case.
        tags: The pipeline's tags; empty without one.
    """

    text: str
    before: str
    kind: str
    low: str
    tags: Tags = ()


def tokens(text: str, analysis: TaggedStatement | None = None) -> list[GermanToken]:
    """Return the tokens of a text; with their white space they join to the text without its end."""
    token_list: list[GermanToken] = []
    previous_end = 0
    for start, end, kind in _pieces(text, analysis) if analysis else _matches(text):
        piece = text[start:end]
        tags = analysis.words_between(start, end) if analysis else ()
        token = GermanToken(piece, text[previous_end:start], kind, piece.lower(), tags)
        previous_end = end
        token_list.append(token)
        if token.kind == "word" and len(token.text) > 1 and token.text.endswith("."):
            _split_full_stop(token_list, text[end:], analysis is not None)
    return token_list


def _matches(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _TOKEN.finditer(text):
        yield match.start(), match.end(), str(match.lastgroup)


def _pieces(text: str, analysis: TaggedStatement) -> Iterator[tuple[int, int, str]]:
    matches = list(_matches(text))
    opaque = [(start, end) for start, end, kind in matches if kind == "opaque"]
    short = [(start, end) for start, end, _ in matches if _is_short(text[start:end].lower())]
    joined = [*(match.span() for match in _UNIT.finditer(text)), *short]
    for start, end in analysis.pieces(text, 0, joined, opaque):
        mark = "mark" if _MARK.fullmatch(text, start, end) else "word"
        yield start, end, "opaque" if (start, end) in opaque else mark


def _is_short(low: str) -> bool:
    return low in lexicon.ABBREVIATIONS or bool(_ORDINAL.fullmatch(low))


def _split_full_stop(token_list: list[GermanToken], remaining_text: str, has_analysis: bool) -> None:
    """Split off the full stop of the last token, unless it belongs to an abbreviation or ordinal."""
    token = token_list[-1]
    last = not remaining_text.strip()
    if not last and (has_analysis or _is_short(token.low)):
        return
    if not last and not re.match(r"\s+[\"„«(]?[A-ZÄÖÜ0-9]", remaining_text):
        return
    token.text, token.low = token.text[:-1], token.low[:-1]
    token_list.append(GermanToken(".", "", "mark", "."))


def sentences(token_list: list[GermanToken]) -> list[list[GermanToken]]:
    """Return the tokens by sentence; a part after a colon or semicolon counts as one.

    The sentence boundaries of a pipeline replace the boundaries at full stops.
    """
    result: list[list[GermanToken]] = [[]]
    has_boundaries = bool(
        token_list and token_list[0].tags and token_list[0].tags[0].begins_sentence is not None
    )
    for token in token_list:
        if (
            has_boundaries
            and token.tags
            and token.tags[0].begins_sentence
            and token.kind != "opaque"
            and result[-1]
        ):
            result.append([])
        behind = token.kind == "opaque" or (token.kind == "mark" and _QUOTE.fullmatch(token.text))
        closing = behind and not result[-1] and len(result) > 1
        # A bracket or quote after the full stop belongs to the sentence before it.
        (result[-2] if closing else result[-1]).append(token)
        if token.kind == "mark" and token.text in (";:" if has_boundaries else ".!?;:…"):
            result.append([])
    return [sentence for sentence in result if sentence]


def segments(sentence: list[GermanToken]) -> list[list[int]]:
    """Return the positions of words and opaque tokens between commas and dashes."""
    result: list[list[int]] = [[]]
    for position, token in enumerate(sentence):
        if token.kind == "mark":
            result.append([])
        else:
            result[-1].append(position)
    return [segment for segment in result if segment]


# The exception of an abstention.


class AbstentionError(Exception):
    """The rules do not cover a statement; `code` and `reason` of the abstention."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


# Heads in a parse of the pipeline.


def head_of(token_list: list[GermanToken], position: int) -> TaggedWord | None:
    """Return the head of a token that is one word of the pipeline; None for a root, and without a parse."""
    tags = token_list[position].tags
    if len(tags) != 1:
        return None
    words = TaggedStatement(tuple(word for token in token_list for word in token.tags))
    return words.head_of(tags[0])


# Changes to the tokens of a sentence, and their application.


@dataclass(slots=True)
class Edits:
    """The changes of a rule to a sentence.

    Attributes:
        rule: Code of the rule.
        explanation: One sentence for a person.
        replaced: New text by position; "" removes the token.
        inserted: Inserted word by the position after it.
        lowered: Whether the first token loses its capital, because it no longer begins the sentence.
        opening: Words inserted before the sentence ("Es sollen").
    """

    rule: str
    explanation: str
    replaced: dict[int, str] = field(default_factory=dict)
    inserted: dict[int, str] = field(default_factory=dict)
    lowered: bool = False
    opening: str = ""

    def apply(self, tokens: list[GermanToken]) -> str:
        """Return the changed sentence, beginning with the white space before it."""
        lead = tokens[0].before
        pieces: list[str] = [self.opening] if self.opening else []
        for position, token in enumerate(tokens):
            text = self.replaced.get(position, token.text)
            if position == 0 and self.lowered:
                text = lowercase_first(text)
            if not text:
                continue
            before = (token.before if position else " ") if pieces else ""
            if position in self.inserted:
                text = f"{self.inserted[position]} {text}"
            pieces.append(before + text)
        result = "".join(pieces)
        first_changed = 0 in self.inserted or 0 in self.replaced
        return lead + (capitalize_first(result) if first_changed else result)
