"""From a text to its sentences, and from a sentence to its words."""

from __future__ import annotations

import re
from functools import lru_cache

from polbias.generators.normative.reading.lexicon import (
    ABBREVIATIONS,
    CLITIC_HOSTS,
    CLOSED,
    CONTRACTIONS,
    TITLES,
)

Words = tuple[str, ...]

_TYPOGRAPHY = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "}
)
# A sentence ends before a capital, a digit or a quotation mark; the blank may have been forgotten after a
# word.
_END = re.compile(r"[.!?]+[\"')]*(?:\s+(?=[\"'(]*[A-Z0-9])|(?<=[a-z]{2}[.!?])(?=[A-Z][a-z'])|\s*$)")
_EITHER = {
    f"{one}/{other}": pronoun
    for pronoun, *sexes in (("they", "he", "she"), ("their", "his", "her"), ("them", "him", "her"))
    for one, other in (sexes, sexes[::-1])
} | {"s/he": "they", "himself/herself": "themselves", "herself/himself": "themselves"}
_LAST_WORD = re.compile(r"[\w.]+$")
_NEXT_WORD = re.compile(r"\w+")
_EQUALS = re.compile(r"\s*=+\s*")
_TOKEN = re.compile(r'"[^"]*"|[^\s",;:()]+|[,;:]')


def plain(text: str) -> str:
    """Return a text with typewriter apostrophes and quotation marks."""
    return text.translate(_TYPOGRAPHY)


@lru_cache(maxsize=1 << 14)
def sentences(text: str) -> tuple[str, ...]:
    """Split a text into sentences.

    Args:
        text: any number of sentences, with or without blanks around them.

    Returns:
        The sentences without what ends them. Abbreviations, initials and quotations end none.
    """
    text = plain(text).strip()
    if "=" in text:
        text = _EQUALS.sub(" equals ", text)
    found, start = [], 0
    for end in _END.finditer(text):
        before = text[start : end.start()]
        last = _LAST_WORD.search(before)
        if end.end() < len(text) and last:
            word = last.group()
            if _goes_on(word, text[end.end() :]):
                continue
        if before.count('"') % 2 and not end.group().lstrip(".!?").startswith('"'):
            continue
        found.append(text[start : end.start()] + ('"' if before.count('"') % 2 else ""))
        start = end.end()
    found.append(text[start:])
    return tuple(sentence.strip() for sentence in found if sentence.strip())


def _goes_on(word: str, after: str) -> bool:
    """Whether a sentence goes on after a word with a period: always after "Mr.", perhaps after "Inc."."""
    short = word.lower().rstrip(".")
    if short in TITLES:
        return True
    if short not in ABBREVIATIONS and not (len(word) == 1 and word != "I" and word.isupper()):
        return False
    following = _NEXT_WORD.match(after)
    return following is not None and following.group().lower() not in CLOSED | {"it", "if", "there"}


def tokens(sentence: str) -> list[str]:
    """Return the words of a sentence as they are written; a quotation is one word, a comma too."""
    return _TOKEN.findall(sentence)


def lowered(written: list[str]) -> Words:
    """Return words in lower case, without contractions; quotations lose their marks but stay one word."""
    out: list[str] = []
    for token in written:
        word = token.lower()
        if word[0] == '"':
            out.append(word.strip('".,').replace(" ", "\u00a0"))
        elif "'" in word or word == "cannot":
            out.extend(_uncontracted(word.strip("'") if word[0] == "'" else word))
        else:
            # "in the U.S." ends in the same period as the sentence.
            out.append(word[:-1] if word[-1] == "." and "." in word[:-1] else word)
    if "or" in out or "/" in "".join(out):
        out = _either_sex(out)
    return tuple(word for word in out if word)


def _either_sex(words: list[str]) -> list[str]:
    """Return "they" for "he or she", "their" for "his or her"."""
    out: list[str] = []
    for word in words:
        pronoun = _EITHER.get(word) or (
            _EITHER.get("/".join((*out[-2::2], word))) if out[-1:] == ["or"] else None
        )
        if pronoun and "/" not in word:
            del out[-2:]
        out.append(pronoun or word)
    return out


def _uncontracted(word: str) -> list[str]:
    if word in CONTRACTIONS:
        return CONTRACTIONS[word].split()
    if word.endswith("n't"):
        return [word[:-3], "not"]
    stem, _, clitic = word.rpartition("'")
    if clitic == "s" and stem in CLITIC_HOSTS:
        return [stem, "is"]
    if clitic in ("re", "ve", "ll"):
        return [stem, {"re": "are", "ve": "have", "ll": "will"}[clitic]]
    return [word]
