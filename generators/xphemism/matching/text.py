"""Words of a German text: where they begin and end, which begin a sentence, which are part of an address."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from polbias.files import InputError
from polbias.generators.xphemism.matching.lists import lists
from polbias.optional import advice

if TYPE_CHECKING:
    from spacy.language import Language

Address = Literal["url", "mention", "hashtag"]
_MENTION = re.compile(r"(?<![\w@])@\w+(?:\.\w+)*")
_HASHTAG = re.compile(r"(?<![\w&])#\w+")
_URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
# No word, and nothing to give to a tokenizer whose time grows with the square of its length.
_ENDLESS = re.compile(r"\S{1000,}")
# After these a sentence or heading begins anew inside a sentence: "Er sagt: Teure Mieten ...".
_LOOKBACK = 4
_OPENS = frozenset(':„"»«‚›‹“*•|>–—…')


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its hyphens.

    Attributes:
        text: without a gender ending such as ":innen".
        start: offset of its first character.
        end: offset after the last character of ``text``.
        whole_end: the same with the gender ending; ``end`` where there is none.
        initial: whether it begins a sentence, a quotation or what follows a colon.
        sentence: number of its sentence.
        address: what it is a part of, None for an ordinary word.
    """

    text: str
    start: int
    end: int
    whole_end: int
    initial: bool
    sentence: int
    address: Address | None


def tokens(text: str) -> tuple[Token, ...]:
    """Return the words of a text in their order.

    spaCy's rules for German say where sentences begin and which tokens are addresses. A token of several
    words ("Steuern/Abgaben") is split, and words keep their hyphens, also one that stands for an omitted
    part ("Steuer- und Abgabenlast").

    Args:
        text: as :func:`~polbias.generators.xphemism.matching.folding.fold` leaves it.
    """
    pipeline = _pipeline()
    # Not pipeline(text): that refuses texts of more than a million characters.
    document = pipeline.tokenizer(_ENDLESS.sub(lambda run: " " * len(run[0]), text))
    for _, component in pipeline.pipeline:
        document = component(document)
    begins = [token.idx for token in document if token.is_sent_start]
    addresses: list[tuple[int, int, Address]] = [
        (token.idx, token.idx + len(token.text), "url")
        for token in document
        if token.like_url or token.like_email
    ]
    kinds: tuple[tuple[re.Pattern[str], Address], ...] = (
        (_URL, "url"),
        (_MENTION, "mention"),
        (_HASHTAG, "hashtag"),
    )
    addresses += [
        (match.start(), match.end(), kind) for pattern, kind in kinds for match in pattern.finditer(text)
    ]
    addresses.sort(key=lambda each: (each[0], -each[1]))
    return tuple(_words(text, begins, addresses))


def _words(text: str, begins: list[int], addresses: list[tuple[int, int, Address]]) -> list[Token]:
    found: list[Token] = []
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
        found.append(
            Token(
                match.group("word"),
                start,
                end,
                match.end(),
                initial,
                sentence,
                addresses[upcoming][2] if inside else None,
            )
        )
    return found


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
            f"tokens of German need {error.name}, which is not installed; {advice('german')}"
        ) from None
    pipeline = spacy.blank("de")
    pipeline.add_pipe("sentencizer")
    return pipeline
