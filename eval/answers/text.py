"""Preparation of model outputs that all extractors of answers share.

An output becomes a list of sentences. A sentence is a list of tokens, and only the tokens know
where they stand in the original text: each is normalised on its own (NFC, lower case, plain
quotes), so that no normalisation can shift an offset. Patterns are matched against
``Sentence.text``, the tokens joined by single spaces, without any markup.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

HEAD, TAIL = 8_000, 24_000
"""Of a longer output only so many characters at its beginning and its end are read."""

MAX_TOKENS = 150
"""A longer run of tokens without an end of sentence is cut into pieces of this length."""

_THOUGHT = re.compile(
    r"<(?P<close>/?)(?:seed:)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|inner_monologue)>"
    r"|\[(?P<close_bracket>/?)think\]|◁(?P<close_mark>/?)think▷|<\|(?:begin|(?P<close_word>end))_of_thought\|>"
    r"|<\|channel\|>(?:analysis|commentary|(?P<close_channel>final))<\|message\|>",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"(?P<skip>\\(?:boxed|fbox|text\w{0,6}|math\w{0,6}|emph|underline|quad|rightarrow)\b|</?[a-zA-Z|][^<>\n]{0,40}>|(?:\[ ?\]|☐|⬜|○)\W{0,5}\w+|~~[^~\n]{1,200}~~)"
    r"|(?P<word>[^\W_](?:[^\W_]|[\u0300-\u036f\u00ad\u200b-\u200d]|(?<=[^\W_])['’](?=[^\W_]))*)"
    r"|(?P<mark>\.{2,}|--+|[.,;:()?!…/|=→⇒—–✅✔☑❌✗✘⊨⊢⊭⊬])|(?P<dash>(?<=\s)-(?=\s)|(?<=\n)[*•+](?=\s))"
)
_OPENING = re.compile(r"[*_`\"'“”„«»‘’\[{(>✅❌✓✗✔✘☑]\s?$")
_CLOSING = re.compile(r"\s?[.!,:;]?[*_`\"'“”»«’\]})<]")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d"))
_PLAIN = str.maketrans({"’": "'", "–": "—", "⇒": "→", "…": ".", "ß": "ss"})
_BULLET = re.compile(r"—|\d+ [.)]|[a-z] [.)]|\( \w \)")
_ABBREVIATIONS = frozenset(
    [
        "e",
        "g",
        "i",
        "z",
        "b",
        "d",
        "h",
        "u",
        "a",
        "etc",
        "bzw",
        "ca",
        "dr",
        "mr",
        "mrs",
        "ms",
        "vs",
        "cf",
        "resp",
        "usw",
        "vgl",
        "evtl",
        "ggf",
        "inkl",
        "st",
        "nr",
    ]
)
_UNFINISHED = re.compile(r"(?:\w|[,:;(\[{–—-]|(?<=\s)[*_`\"'„“#]+)\s*$")


@dataclass(frozen=True, slots=True)
class Token:
    """One word or punctuation mark.

    Attributes:
        text: Its normalised form.
        start: Where it begins in the original text.
        end: Where it ends there.
        marked: Whether quotes, brackets, emphasis or a box touch it.
    """

    text: str
    start: int
    end: int
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A run of tokens up to the end of a sentence or of a line.

    Attributes:
        tokens: The tokens.
        text: The tokens joined by single spaces.
    """

    tokens: tuple[Token, ...]
    text: str = field(init=False)
    _starts: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        lengths = (len(token.text) + 1 for token in self.tokens)
        object.__setattr__(self, "text", " ".join(token.text for token in self.tokens))
        object.__setattr__(self, "_starts", tuple(accumulate(lengths, initial=0))[:-1])

    @property
    def listed(self) -> bool:
        """Whether the sentence is an item of a list."""
        return bool(_BULLET.match(self.text))

    def covered(self, start: int, end: int) -> tuple[Token, ...]:
        """Return the tokens that a stretch of ``text`` touches.

        Args:
            start: Where the stretch begins in ``text``.
            end: Where it ends.

        Returns:
            The tokens, at least one.
        """
        first = max(bisect_right(self._starts, start) - 1, 0)
        last = max(bisect_right(self._starts, max(end - 1, start)), first + 1)
        return self.tokens[first:last]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Translate a stretch of ``text`` into offsets of the original text.

        Args:
            start: Where the stretch begins in ``text``.
            end: Where it ends.

        Returns:
            The offsets ``(start, end)`` in the original text.
        """
        tokens = self.covered(start, end)
        return tokens[0].start, tokens[-1].end


@dataclass(frozen=True, slots=True)
class Prepared:
    """An output without its thinking.

    Attributes:
        sentences: The sentences of the visible answer.
        truncated: Whether the output breaks off: a thought is never closed, or the last
            sentence has no end.
    """

    sentences: tuple[Sentence, ...]
    truncated: bool


def prepare(text: str) -> Prepared:
    """Strip the thinking from an output and split the rest into sentences.

    A closed ``<think>`` block is dropped, as is all before a closing tag that was never opened;
    a block that is opened and never closed is dropped and makes the answer truncated.

    Args:
        text: The output, any string.

    Returns:
        The sentences, whose tokens carry offsets into ``text``.
    """
    visible, unfinished = _visible(text)
    stretches = _window(visible, text)
    sentences = tuple(s for start, end in stretches for s in _sentences(text, start, end))
    tail = text[max(stretches[-1][0], stretches[-1][1] - 200) : stretches[-1][1]] if stretches else ""
    return Prepared(sentences, unfinished or bool(_UNFINISHED.search(tail)))


def _visible(text: str) -> tuple[list[tuple[int, int]], bool]:
    """Return the stretches outside thoughts, and whether a thought is never closed."""
    stretches: list[tuple[int, int]] = []
    position, opened = 0, False
    for tag in _THOUGHT.finditer(text):
        if not any(tag.groups()):
            if not opened:
                stretches.append((position, tag.start()))
            opened = True
        else:
            if not opened:
                stretches.clear()
            position, opened = tag.end(), False
    if not opened:
        stretches.append((position, len(text)))
    return stretches, opened


def _window(stretches: list[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Trim white space off the stretches and cut the middle out of very long ones."""
    trimmed: list[tuple[int, int]] = []
    for start, end in stretches:
        inner = text[start:end]
        start, end = end - len(inner.lstrip()), start + len(inner.rstrip())
        if start < end:
            trimmed.append((start, end))
    size = sum(end - start for start, end in trimmed)
    if size <= HEAD + TAIL:
        return trimmed
    return [*_take(trimmed, 0, HEAD), *_take(trimmed, size - TAIL, size)]


def _take(stretches: list[tuple[int, int]], low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield what lies between two positions counted along the stretches."""
    seen = 0
    for start, end in stretches:
        first, last = max(low - seen, 0), min(high - seen, end - start)
        if first < last:
            yield start + first, start + last
        seen += end - start


def _sentences(text: str, start: int, end: int) -> Iterator[Sentence]:
    """Yield the sentences of one stretch of text."""
    tokens: list[Token] = []
    position = start
    for match in _TOKEN.finditer(text, start, end):
        gap = text[position : match.start()]
        if tokens and (len(tokens) >= MAX_TOKENS or _breaks(gap, text, match, tokens)):
            yield Sentence(tuple(tokens))
            tokens = []
        position = match.end()
        if match.lastgroup == "skip":
            continue
        tokens.append(_token(text, match, start, end))
    if tokens:
        yield Sentence(tuple(tokens))


def _token(text: str, match: re.Match[str], start: int, end: int) -> Token:
    """Normalise one token."""
    raw = match.group().translate(_INVISIBLE)
    form = (
        unicodedata.normalize("NFC", raw).lower().translate(_PLAIN)
        if match["word"]
        else raw.translate(_PLAIN)
    )
    form = "—" if match["dash"] or form.startswith("--") else form[0] if form.startswith("..") else form
    marked = bool(
        match["word"]
        and (
            _OPENING.search(text[max(start, match.start() - 2) : match.start()])
            or _CLOSING.match(text[match.end() : min(end, match.end() + 3)])
        )
    )
    return Token(form or "'", match.start(), match.end(), marked)


def _breaks(gap: str, text: str, match: re.Match[str], tokens: list[Token]) -> bool:
    """Say whether a new sentence begins with ``match``."""
    last = tokens[-1].text
    if "\n" in gap or "\r" in gap:
        wrapped = gap.strip(" \t") in {"\n", "\r\n"} and match.group()[0].islower()
        return not wrapped or last in ".?!"
    if last not in {".", "?", "!"} or not gap:
        return False
    if last == "." and len(tokens) > 1:
        before = tokens[-2].text
        return before not in _ABBREVIATIONS and not (before.isdigit() and len(tokens) == 2)
    return True
