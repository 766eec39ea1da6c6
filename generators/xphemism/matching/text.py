"""Text to match in: tokens, folding, word lists, and a match."""

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


# Texts as they come from the web in one spelling, with the way back to their own offsets.

# What is invisible inside a word: soft hyphens, zero-width characters, a byte order mark.
_INVISIBLE = "\u00ad\u200b\u200c\u2060\ufeff"
_HYPHENS = "\u2010\u2011\u2043"
# Any of these may hide a word from a plain search; the combining mark is that of German umlauts.
HIDDEN_CHARACTERS = frozenset((*_INVISIBLE, *_HYPHENS, "\u0308", "\u00a0", "\u202f", "\n", "\r", "\t", "  "))
_ODD = re.compile(
    rf"(?P<invisible>[{_INVISIBLE}]+)|(?P<hyphen>[{_HYPHENS}])|(?P<space>\s{{2,}}|[^\S ])"
    r"|(?P<half>[\ud800-\udfff])|(?P<composed>\w[\u0300-\u036f]+)"
)


def normalize_spelling(text: str) -> tuple[str, Sequence[int]]:
    """Return a text in one spelling, and for each character where it begins in the text as it was.

    It is without invisible characters, umlauts are composed, any white space is one plain space. The last of
    the offsets is the length of the text as it was.
    """
    if not _ODD.search(text):
        return text, range(len(text) + 1)
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
    return "".join(parts), offsets


def _folded(odd: re.Match[str]) -> str:
    plain = {"invisible": "", "hyphen": "-", "space": " ", "half": "\ufffd"}.get(str(odd.lastgroup))
    return unicodedata.normalize("NFC", odd.group()) if plain is None else plain


def lower(text: str) -> str:
    """Return a text in small letters, each where it was (``"İ"`` would become two)."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)


# The closed classes of ``words.yaml``.


def _split(value: object) -> object:
    return tuple(value.split()) if isinstance(value, str) else value


_Words = Annotated[tuple[str, ...], BeforeValidator(_split)]


class Lists(TemplateModel):
    """``words.yaml``: lists by name, about compounds and about proper names."""

    compounds: Mapping[str, _Words]
    names: Mapping[str, _Words]


@cache
def lists() -> Lists:
    """Return the shipped lists."""
    return load_template(package_file("generators/xphemism/matching/words.yaml"), Lists)


# Words of a German text: where they begin and end, which begin a sentence, which are part of an address.

# Mentions, hashtags, URLs.
_ADDRESSES = [
    re.compile(pattern)
    for pattern in (r"(?<![\w@])@\w+(?:\.\w+)*", r"(?<![\w&])#\w+", r"(?i:https?://|www\.)\S+")
]
# No word, and nothing to give to a tokenizer whose time grows with the square of its length.
_ENDLESS = re.compile(r"\S{1000,}")
# After these a sentence or heading begins anew inside a sentence: "Er sagt: Teure Mieten ...".
_LOOKBACK = 4
_OPENS = frozenset(':„"»«‚›‹“*•|>–—…')


@dataclass(frozen=True, slots=True)
class TextToken:
    """A word with its hyphens.

    Attributes:
        text: without a gender ending such as ":innen".
        start: offset of its first character.
        end: offset after the last character of ``text``.
        whole_end: the same with the gender ending; ``end`` where there is none.
        initial: whether it begins a sentence, a quotation or what follows a colon.
        sentence: number of its sentence.
        address: whether it is part of a URL, a mention or a hashtag.
    """

    text: str
    start: int
    end: int
    whole_end: int
    initial: bool
    sentence: int
    address: bool


def tokens(text: str) -> tuple[TextToken, ...]:
    """Return the words of a text in their order.

    spaCy's rules for German say where sentences begin and which tokens are addresses. A token of several
    words ("Steuern/Abgaben") is split, and words keep their hyphens, also one that stands for an omitted
    part ("Steuer- und Abgabenlast").
    """
    pipeline = _pipeline()
    # Not pipeline(text): that refuses texts of more than a million characters.
    document = pipeline.tokenizer(_ENDLESS.sub(lambda run: " " * len(run[0]), text))
    for _, component in pipeline.pipeline:
        document = component(document)
    begins = [token.idx for token in document if token.is_sent_start]
    addresses = [
        (token.idx, token.idx + len(token.text)) for token in document if token.like_url or token.like_email
    ]
    addresses += [match.span() for pattern in _ADDRESSES for match in pattern.finditer(text)]
    addresses.sort(key=lambda each: (each[0], -each[1]))
    found: list[TextToken] = []
    previous, upcoming = -1, 0
    for match in _word().finditer(text):
        start, end = match.span("word")
        sentence = bisect_right(begins, start)
        while upcoming < len(addresses) and addresses[upcoming][1] <= start:
            upcoming += 1
        inside = upcoming < len(addresses) and addresses[upcoming][0] <= start
        before = text[max(0, start - _LOOKBACK) : start].rstrip(" (")[-1:]
        initial = sentence != previous or before in _OPENS
        previous = sentence
        found.append(TextToken(match.group("word"), start, end, match.end(), initial, sentence, inside))
    return tuple(found)


@cache
def _word() -> re.Pattern[str]:
    endings = "|".join(lists().compounds["gendered"])
    word = r"(?:(?:(?<=^)|(?<=[\s(/„\"]))-(?=[^\W\d_]))?[^\W_]+(?:-[^\W_]+)*(?:-(?=[\s,;/)]|$))?"
    return re.compile(rf"(?P<word>{word})(?:(?:[*:_]|/-?)(?:{endings})\b|\((?:-?(?:{endings}))\))?")


@cache
def _pipeline() -> Language:
    # The import takes about a second; only what finds something needs it.
    try:
        import spacy
    except ModuleNotFoundError as error:
        raise InputError(
            f"tokens of German need {error.name}, which is not installed; {install_command('german')}"
        ) from None
    pipeline = spacy.blank("de")
    pipeline.add_pipe("sentencizer")
    return pipeline


# Where a word of the lexicon stands in a claim.

HitKind = Literal["exact", "inflected", "compound"]
CompoundMember = Literal["first", "middle", "head"]


@dataclass(frozen=True, slots=True)
class Hit:
    """One place of a claim where a word of the lexicon stands.

    Attributes:
        word: the word of the lexicon.
        start: offset of its first character in the claim.
        end: offset after its last character; in a compound that of the member without linking element.
        token_start: offset of the token that it stands in; of a phrase, of its first token.
        token_end: offset after the last character of that token.
        kind: "exact" as in the lexicon, "inflected" another form of it, "compound" a member of a longer word.
        surface: the characters from ``start`` to ``end``.
        member: which member of the compound it is, None outside compounds.
        quoted: whether it stands inside quotation marks.
        proper: whether it is, or is part of, a proper name.
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
