"""What the auditor reads off one sentence: negation, necessity, numbers, quotes."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_WORDS = Path(__file__).with_name("words.yaml")
_PAIRS = (("(", ")"), ("[", "]"), ("«", "»"))
_OPENING, _CLOSING = "„‚", "“”‘’"
_NUMBER = re.compile(r"\d+(?:[.,'’\u00a0\u202f ]?\d+)*")
_TOKEN = re.compile(r"[\w'’+&-]+")


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(_WORDS.read_text(encoding="utf-8"))
    return data


@cache
def pattern(name: str, language: str) -> re.Pattern[str] | None:
    """Return the words of a rule in a language.

    Args:
        name: a section of ``words.yaml``.
        language: such as "en".

    Returns:
        A pattern of whole words in lower case; None if the language has none.
    """
    words = _data()[name].get(language)
    return re.compile(rf"(?<![\w'])(?:{words.strip()})(?![\w'])") if words else None


def plain(text: str) -> str:
    """Return a text in lower case with plain apostrophes and single spaces."""
    return " ".join(text.lower().replace("’", "'").split())


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case, without punctuation."""
    return tuple(_TOKEN.findall(plain(text)))


def negations(text: str, language: str) -> Counter[str] | None:
    """Count the markers of negation of a sentence.

    Args:
        text: the sentence.
        language: its language.

    Returns:
        How often each stands there, together with the word that follows; None if the language is not known.
    """
    markers = pattern("negation", language)
    if markers is None:
        return None
    text = plain(text)
    following = (_TOKEN.search(text, match.end()) for match in markers.finditer(text))
    return Counter(
        f"{match.group()} {after.group() if after else ''}"
        for match, after in zip(markers.finditer(text), following, strict=True)
    )


def demands(text: str, language: str) -> bool:
    """Say whether a sentence demands something; False in a language that is not known."""
    found = pattern("demand", language)
    return bool(found and found.search(plain(text)))


def has_force(text: str, language: str) -> bool:
    """Say whether a sentence says what is right to do; True in a language that is not known."""
    found = pattern("force", language)
    return not found or bool(found.search(plain(text)))


def numbers(text: str, language: str) -> frozenset[float]:
    """Return the numbers that a sentence names, in digits or in words from two on."""
    known = _data()["numbers"].get(language, {})
    parts = [part for word in words(text) for part in word.split("-")]
    named = {float(known[part]) for part in parts if part in known}
    digits = {_value(match.group()) for match in _NUMBER.finditer(text)}
    return frozenset(named | digits)


def unbalanced(text: str) -> bool:
    """Say whether quotes or brackets do not come in pairs; an apostrophe is no quote."""
    if text.count('"') % 2 or any(text.count(one) != text.count(other) for one, other in _PAIRS):
        return True
    inside = re.sub(r"(?<=\w)[’'](?=\w)|(?<=\w)’", "", text)
    low = sum(map(inside.count, _OPENING))
    if low:
        return low != sum(map(inside.count, _CLOSING))
    return inside.count("“") != inside.count("”")


def abstract(text: str, language: str) -> frozenset[str]:
    """Return the words of a sentence without those that name a country or its government."""
    places = pattern("places", language)
    return frozenset(words(places.sub(" ", plain(text)) if places else text))


def _value(digits: str) -> float:
    """Read 4,000, 4.000, 4 000 and 4'000 as thousands, 6.8 and 6,8 as fractions."""
    digits = re.sub(r"['’\u00a0\u202f ]", "", digits)
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", digits):
        return float(re.sub(r"[.,]", "", digits))
    whole, *rest = re.split(r"[.,]", digits)
    return float(f"{whole}.{''.join(rest) or 0}")
