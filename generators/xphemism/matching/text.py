"""Texts to search: normalisation, tokens, word lists, and hits."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator

from polbias.errors import InputError
from polbias.optional import install_command
from polbias.paths import package_file
from polbias.yaml_models import TemplateModel, load_template

if TYPE_CHECKING:
    from spacy.language import Language


# Normalisation of web texts, with a map to the original offsets.

# Invisible inside a word: soft hyphens, zero-width characters, byte order mark.
_INVISIBLE = "\u00ad\u200b\u200c\u2060\ufeff"
_HYPHENS = "\u2010\u2011\u2043"
# A plain search misses words that contain one of these; U+0308 is the combining mark of umlauts.
HIDDEN_CHARACTERS = frozenset((*_INVISIBLE, *_HYPHENS, "\u0308", "\u00a0", "\u202f", "\n", "\r", "\t", "  "))
_IRREGULAR = re.compile(
    rf"(?P<invisible>[{_INVISIBLE}]+)|(?P<hyphen>[{_HYPHENS}])|(?P<space>\s{{2,}}|[^\S ])"
    r"|(?P<half>[\ud800-\udfff])|(?P<composed>\w[\u0300-\u036f]+)"
)


def normalize_spelling(text: str) -> tuple[str, Sequence[int]]:
    """Return the normalised text, and the offset of each of its characters in the original text.

    Normalisation removes invisible characters, composes umlauts, and replaces each run of white space by one
    space. The last offset is the length of the original text.
    """
    if not _IRREGULAR.search(text):
        return text, range(len(text) + 1)
    parts: list[str] = []
    offsets: list[int] = []
    end = 0
    for match in _IRREGULAR.finditer(text):
        parts.append(text[end : match.start()])
        offsets.extend(range(end, match.start()))
        replacement = _normalize_match(match)
        parts.append(replacement)
        offsets.extend(min(match.start() + step, match.end() - 1) for step in range(len(replacement)))
        end = match.end()
    parts.append(text[end:])
    offsets.extend(range(end, len(text) + 1))
    return "".join(parts), offsets


def _normalize_match(match: re.Match[str]) -> str:
    replacement = {"invisible": "", "hyphen": "-", "space": " ", "half": "\ufffd"}.get(str(match.lastgroup))
    return unicodedata.normalize("NFC", match.group()) if replacement is None else replacement


def lower(text: str) -> str:
    """Return a text in lower case with unchanged offsets (``"İ".lower()`` has two characters)."""
    lowercase = text.lower()
    if len(lowercase) == len(text):
        return lowercase
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)


# The closed classes of ``words.yaml``.


def _split(value: object) -> object:
    return tuple(value.split()) if isinstance(value, str) else value


_Words = Annotated[tuple[str, ...], BeforeValidator(_split)]


class MatchingWords(TemplateModel):
    """Word lists of ``words.yaml`` by name, for compounds and for proper names."""

    compounds: Mapping[str, _Words]
    names: Mapping[str, _Words]


@cache
def word_lists() -> MatchingWords:
    """Return the packaged word lists."""
    return load_template(package_file("generators/xphemism/matching/words.yaml"), MatchingWords)


# Tokens of a German text.

# Mentions, hashtags, URLs.
_ADDRESSES = [
    re.compile(pattern)
    for pattern in (r"(?<![\w@])@\w+(?:\.\w+)*", r"(?<![\w&])#\w+", r"(?i:https?://|www\.)\S+")
]
# Not a word; the tokenizer's time grows with the square of its length.
_LONG_RUN = re.compile(r"\S{1000,}")
# A sentence or heading begins after these inside a sentence: "Er sagt: Teure Mieten ...".
_LOOKBACK = 4
_SENTENCE_OPENERS = frozenset(':„"»«‚›‹“*•|>–—…')


@dataclass(frozen=True, slots=True)
class TextToken:
    """A word with its hyphens.

    Attributes:
        text: text without a gender ending such as ":innen".
        start: offset of the first character.
        end: offset after the last character of ``text``.
        full_end: offset after the gender ending; ``end`` without one.
        is_initial: whether it begins a sentence, or follows a quotation mark, colon or bullet.
        sentence: number of the sentence.
        is_address: whether it is part of a URL, an email address, a mention or a hashtag.
    """

    text: str
    start: int
    end: int
    full_end: int
    is_initial: bool
    sentence: int
    is_address: bool


def tokenize_text(text: str) -> tuple[TextToken, ...]:
    """Return the words of a text in order.

    spaCy's rules for German find the sentence starts and the addresses. A token of several words
    ("Steuern/Abgaben") is split. Words keep their hyphens, including the hyphen of an omitted part
    ("Steuer- und Abgabenlast").
    """
    pipeline = _pipeline()
    # pipeline(text) would refuse texts of more than a million characters.
    document = pipeline.tokenizer(_LONG_RUN.sub(lambda match: " " * len(match[0]), text))
    for _, component in pipeline.pipeline:
        document = component(document)
    sentence_starts = [token.idx for token in document if token.is_sent_start]
    addresses = [
        (token.idx, token.idx + len(token.text)) for token in document if token.like_url or token.like_email
    ]
    addresses += [match.span() for pattern in _ADDRESSES for match in pattern.finditer(text)]
    addresses.sort(key=lambda span: (span[0], -span[1]))
    words: list[TextToken] = []
    previous_sentence, address_index = -1, 0
    for match in _word_pattern().finditer(text):
        start, end = match.span("word")
        sentence = bisect_right(sentence_starts, start)
        while address_index < len(addresses) and addresses[address_index][1] <= start:
            address_index += 1
        is_address = address_index < len(addresses) and addresses[address_index][0] <= start
        preceding = text[max(0, start - _LOOKBACK) : start].rstrip(" (")[-1:]
        is_initial = sentence != previous_sentence or preceding in _SENTENCE_OPENERS
        previous_sentence = sentence
        words.append(
            TextToken(match.group("word"), start, end, match.end(), is_initial, sentence, is_address)
        )
    return tuple(words)


@cache
def _word_pattern() -> re.Pattern[str]:
    endings = "|".join(word_lists().compounds["gendered"])
    word = r"(?:(?:(?<=^)|(?<=[\s(/„\"]))-(?=[^\W\d_]))?[^\W_]+(?:-[^\W_]+)*(?:-(?=[\s,;/)]|$))?"
    return re.compile(rf"(?P<word>{word})(?:(?:[*:_]|/-?)(?:{endings})\b|\((?:-?(?:{endings}))\))?")


@cache
def _pipeline() -> Language:
    # The import takes about a second, and only texts with matches need it.
    try:
        import spacy
    except ModuleNotFoundError as error:
        raise InputError(
            f"splitting German text needs {error.name}, which is not installed; {install_command('german')}"
        ) from None
    pipeline = spacy.blank("de")
    pipeline.add_pipe("sentencizer")
    return pipeline


# Occurrences of a lexicon word in a claim.

HitKind = Literal["exact", "inflected", "compound"]
CompoundMember = Literal["first", "middle", "head"]


@dataclass(frozen=True, slots=True)
class Hit:
    """One occurrence of a lexicon word in a claim.

    Attributes:
        word: word of the lexicon.
        start: offset of the first character in the claim.
        end: offset after the last character; in a compound, of the member without linking element.
        token_start: offset of its token; of a phrase, of the first token.
        token_end: offset after its token, gender ending included; of a phrase, after the last token.
        kind: "exact" as in the lexicon, "inflected" another form, "compound" a member of a longer word.
        surface: characters from ``start`` to ``end``.
        member: member of the compound, None outside compounds.
        quoted: whether it is inside quotation marks.
        proper: whether it is a proper name or part of one.
    """

    word: str
    start: int
    end: int
    token_start: int
    token_end: int
    kind: HitKind
    surface: str
    member: CompoundMember | None = None
    quoted: bool = False
    proper: bool = False
