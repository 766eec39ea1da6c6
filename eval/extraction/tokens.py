"""Tokens and sentences of a response, with their offsets in the original text.

Each token is normalised separately (NFKC, lower case, plain quotes), so offsets do not shift. Patterns match
``Sentence.text``: tokens joined by single spaces, without markup.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate

MAX_TOKENS = 150
"""Maximum tokens of a sentence; longer sequences are split."""

_LABEL = (
    r"(?:strongly )?(?:dis)?agree|support|oppose|(?:dis)?approve|in favou?r|against|beneficial|harmful"
    r"|(?:un)?favou?rable|true|false|(?:in)?valid|yes|no|ja|nein|wahr|falsch|(?:un)?gültig|zustimmung|ablehnung"
    r"|oui|non|s[iì]|zustimmen|ablehnen|vrai|faux|vero|falso|verdadero|favorevole|contrario"
    r"|[^\W\d_]+(?:['’ ][^\W\d_]+)+"  # of several words
)
"""Labels in angle brackets, which are not tags."""
_TOKEN = re.compile(
    # LaTeX commands, tags, an unticked box with its word, and struck-out text are skipped
    r"(?P<skip>\\(?:boxed|fbox|text\w{0,6}|math\w{0,6}|emph|underline|quad|rightarrow)\b"
    rf"|<(?!(?i:{_LABEL})>)/?[a-zA-Z|][^<>\n]{{0,40}}>"
    r"|(?:\[ ?\]|☐|⬜|○)[^\w\n]{0,5}\w+|~~[^~\n]{1,200}~~)"
    r"|(?P<word>[^\W_](?:[^\W_]|[\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff]|(?<=[^\W_])['’·‧](?=[^\W_]))*)"
    r"|(?P<mark>\.{2,}|[-=]+>|--+|[.,;:()?!…/|=→⇒⟹—–．，；：（）？！。✅✔☑❌✗✘⊨⊢⊭⊬])"
    r"|(?P<dash>(?<!\S)-(?=\s)|(?<![^\n])[*•+](?=\s))"
)
_OPENING = re.compile(r"(?:[*_`\"'“”„»‘’＊＿＂]|[«\[{(>✅❌✓✗✔✘☑]\s?)$")
_CLOSING = re.compile(r"[.!,:;]?[*_`\"'“”«’＊＿＂]|\s?[»\]})<]")
_BULLET = re.compile(r"—|\d+ [.)]|[a-z] [.)]|\( \w \)")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff·‧"))
_PLAIN = str.maketrans({"’": "'", "–": "—", "⇒": "→", "⟹": "→", "…": ".", "。": ".", "ß": "ss"})
_ABBREVIATIONS = re.compile(r"[eigzbduha]|etc|bzw|ca|dr|mrs?|ms|vs|cf|resp|usw|vgl|evtl|ggf|inkl|st|nr")


@dataclass(frozen=True, slots=True)
class AnswerToken:
    """One word or punctuation mark.

    Attributes:
        text: Normalised form.
        start: Start in the original text.
        end: End in the original text.
        marked: Whether quotes, brackets, emphasis or a box are adjacent.
    """

    text: str
    start: int
    end: int
    marked: bool = False


@dataclass(frozen=True)
class Sentence:
    """Tokens up to the end of a sentence or line.

    Attributes:
        tokens: The tokens, at least one.
        text: The tokens joined by single spaces.
    """

    tokens: tuple[AnswerToken, ...]
    text: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", " ".join(token.text for token in self.tokens))

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate((len(token.text) + 1 for token in self.tokens), initial=0))[:-1]

    @property
    def is_list_item(self) -> bool:
        """Whether the sentence is an item of a list."""
        return bool(_BULLET.match(self.text))

    def tokens_between(self, start: int, end: int) -> tuple[AnswerToken, ...]:
        """Return the tokens that overlap a span of ``text``."""
        first = max(bisect_right(self._starts, start) - 1, 0)
        last = max(bisect_right(self._starts, max(end - 1, start)), first + 1)
        return self.tokens[first:last]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Map a span of ``text`` to offsets in the original text."""
        tokens = self.tokens_between(start, end)
        return tokens[0].start, tokens[-1].end

    def span_of_offsets(self, low: int, high: int) -> tuple[int, int]:
        """Map offsets in the original text to a span of ``text``."""
        inner = [number for number, token in enumerate(self.tokens) if low <= token.start < high]
        return self._starts[inner[0]], self._starts[inner[-1]] + len(self.tokens[inner[-1]].text)


def split_sentences(text: str, start: int, end: int) -> Iterator[Sentence]:
    """Split a span of text into sentences.

    A sentence ends at a full stop, question or exclamation mark, at an empty line, and at a line break unless
    the next line begins in lower case.
    """
    tokens: list[AnswerToken] = []
    position = start
    for match in _TOKEN.finditer(text, start, end):
        gap = text[position : match.start()]
        if tokens and (len(tokens) >= MAX_TOKENS or _is_break(gap, match.group(), tokens)):
            yield Sentence(tuple(tokens))
            tokens = []
        position = match.end()
        if match.lastgroup != "skip":
            tokens.append(_make_token(text, match, start, end))
    if tokens:
        yield Sentence(tuple(tokens))


def _make_token(text: str, match: re.Match[str], start: int, end: int) -> AnswerToken:
    """Normalise one token."""
    low, high = match.span()
    if match.lastgroup != "word":
        form = unicodedata.normalize("NFKC", match.group().translate(_PLAIN)).translate(_PLAIN)
        dash = match["dash"] or form.startswith("--")
        return AnswerToken("→" if form.endswith(">") else "—" if dash else form[0], low, high)
    before, after = text[max(start, low - 2) : low], text[high : min(end, high + 3)]
    return AnswerToken(_normalize_word(match.group()), low, high, _is_marked(before, after))


@lru_cache(maxsize=1 << 15)
def _normalize_word(word: str) -> str:
    """Normalise a word; cached."""
    plain = unicodedata.normalize("NFKC", word.translate(_INVISIBLE))
    return "".join(plain.split()).lower().translate(_PLAIN)


@lru_cache(maxsize=1 << 13)
def _is_marked(before: str, after: str) -> bool:
    """Whether quotes, brackets, emphasis or a box surround a word."""
    return bool(_OPENING.search(before) or _CLOSING.match(after))


def _is_break(gap: str, following: str, tokens: list[AnswerToken]) -> bool:
    """Whether a new sentence begins after a gap."""
    last = tokens[-1].text
    if last == "." and following[0] in ":;," and "\n" not in gap:
        return False
    if "\n" in gap or "\r" in gap:
        wrapped = gap.strip(" \t") in {"\n", "\r\n"} and following[0].islower()
        return not wrapped or last in ".?!"
    if last not in {".", "?", "!"} or not gap:
        return False
    if last == "." and len(tokens) > 1:
        before = tokens[-2].text
        numbered = (before.isdigit() or len(before) == 1) and len(tokens) == 2
        return not numbered and not _ABBREVIATIONS.fullmatch(before)
    return True


Span = tuple[int, int]
