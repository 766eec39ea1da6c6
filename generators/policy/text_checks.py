"""Properties of a policy text that its words show: numbers, force, prohibition, evaluation, marks.

The words are in ``templates/policy/quality.yaml``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Literal

from pydantic import Field

from polbias.paths import package_file
from polbias.yaml_models import Name, TemplateModel, Text, load_template

Force = Literal["should", "must", "order", "may"]
_TOKEN = re.compile(r"[\w'&+-]+")
_NUMBER = re.compile(r"\d+(?:[.,' \u00a0\u202f]?\d+)*")
_PAIRS = (("(", ")"), ("[", "]"), ("«", "»"))
_OPENING, _CLOSING = "„‚", "“”‘’"


class FindingKind(TemplateModel):
    """A kind of finding: ``sure`` ones are errors, ``doubtful`` ones need a person."""

    kind: Literal["sure", "doubtful"] = Field(alias="class")
    meaning: Text


class GateLimits(TemplateModel):
    """Thresholds of the gate."""

    words: int
    near_identical: float
    alike: float
    ends: tuple[str, ...]


class TypographyRule(TemplateModel):
    """What typography does not allow."""

    pattern: str
    says: str


class QualityFile(TemplateModel):
    """``quality.yaml``; all lists are by language."""

    codes: Mapping[Name, FindingKind]
    limits: GateLimits
    markers: Mapping[str, str]
    prohibition: Mapping[str, str]
    force: Mapping[str, Mapping[Force, str]]
    evaluation: Mapping[str, str]
    numbers: Mapping[str, Mapping[str, int]]
    maybe: Mapping[str, Mapping[str, int]]
    stopwords: Mapping[str, str]
    typography: Mapping[str, tuple[TypographyRule, ...]]
    regional: Mapping[str, tuple[TypographyRule, ...]]
    places: Mapping[str, str]


@cache
def quality() -> QualityFile:
    """Return the shipped lists."""
    return load_template(package_file("templates/policy/quality.yaml"), QualityFile)


@cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{words.strip()})(?![\w'])")


def _has(text: str, words: str | None) -> bool:
    return bool(words and _pattern(words).search(plain(text)))


def plain(text: str) -> str:
    """Return a text in lower case with plain apostrophes and single spaces."""
    return " ".join(text.lower().replace("’", "'").split())


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case, without punctuation; elided articles stand alone."""
    return tuple(_TOKEN.findall(re.sub(r"\b([cdlnsjmt]|qu|dell|nell|sull|all|dall)'", r"\1 ", plain(text))))


def markers(text: str, language: str) -> Counter[str] | None:
    """Count the markers of negation, each with the word that follows; None if the language is not known."""
    found = quality().markers.get(language)
    if found is None:
        return None
    text = plain(text)
    after = ((match.group(), _TOKEN.search(text, match.end())) for match in _pattern(found).finditer(text))
    return Counter(f"{marker} {word.group() if word else ''}" for marker, word in after)


def prohibits(text: str, language: str) -> bool:
    """Say whether a sentence forbids by negating a "must"."""
    return _has(text, quality().prohibition.get(language))


def force(text: str, language: str) -> Force | None:
    """Return the deontic force of a sentence: None if it states something or the language is not known."""
    classes = quality().force.get(language, {}).items()
    return next((name for name, found in classes if _has(text, found)), None)


def evaluates(text: str, language: str) -> bool:
    """Say whether a sentence says what is right to do in words that do not tell how strongly."""
    return _has(text, quality().evaluation.get(language))


def number_mismatch(one: str, other: str, language: str) -> Literal["digits", "words"] | None:
    """Say how two sentences name different numbers, counted in words from two on; None if they do not.

    A word that is also something else, such as French "neuf", can stand for a digit but need not.
    """
    here, there = _numbers(one, language), _numbers(other, language)
    digits, named = (
        any(one[kind] - frozenset().union(*two) for one, two in ((here, there), (there, here)))
        for kind in (0, 1)
    )
    return "digits" if digits else "words" if named else None


def _numbers(text: str, language: str) -> tuple[frozenset[float], ...]:
    """Return the numbers in digits, those in words, and those that a word may stand for."""
    data, parts = quality(), [part for word in words(text) for part in word.split("-")]
    known, maybe = data.numbers.get(language, {}), data.maybe.get(language, {})
    digits = frozenset(_value(match.group()) for match in _NUMBER.finditer(text))
    named, possible = (
        frozenset(float(listed[part]) for part in parts if part in listed) for listed in (known, maybe)
    )
    return digits, named, possible


def _value(digits: str) -> float:
    """Read 4,000, 4.000, 4 000 and 4'000 as thousands, 6.8 and 6,8 as fractions."""
    digits = re.sub(r"['\u00a0\u202f ]", "", digits)
    if re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{3})+", digits):
        return float(re.sub(r"[.,]", "", digits))
    whole, *rest = re.split(r"[.,]", digits)
    return float(f"{whole}.{''.join(rest) or 0}")


def has_unbalanced_marks(text: str) -> bool:
    """Say whether quotes or brackets do not come in pairs; an apostrophe is no quote."""
    if text.count('"') % 2 or any(text.count(one) != text.count(other) for one, other in _PAIRS):
        return True
    inside = re.sub(r"(?<=\w)[’'](?=\w)|(?<=\w)’", "", text)
    low = sum(map(inside.count, _OPENING))
    if low:
        return low != sum(map(inside.count, _CLOSING))
    return inside.count("“") != inside.count("”")


def detect_language(text: str, language: str) -> str:
    """Return the language that a text reads as: another than the given one only if that is clear.

    Clear is: two frequent words of the other language more, and more than twice as many.
    """
    found = Counter(words(text))
    scores = {
        name: sum(found[word] for word in set(listed.split())) for name, listed in quality().stopwords.items()
    }
    if language not in scores:
        return language
    best = max(scores, key=scores.__getitem__)
    clear = scores[best] >= scores[language] + 2 and scores[best] > 2 * scores[language]
    return best if clear else language


def misprints(text: str, language: str, country: str | None = None) -> list[str]:
    """Return what the typography of a language does not allow, in words."""
    data = quality()
    rules = (
        *data.typography["all"],
        *data.typography.get(language, ()),
        *data.regional.get(f"{language}-{country}", ()),
    )
    return [rule.says for rule in rules if re.search(rule.pattern, text)]


def overlap(one: str, other: str) -> float:
    """Return the shared part of the words of two texts, counted with repetitions: 1 if they are the same."""
    a, b = Counter(words(one)), Counter(words(other))
    return (a & b).total() / max((a | b).total(), 1)


def without_country_names(text: str, language: str) -> frozenset[str]:
    """Return the words of a sentence without those that name a country or its government."""
    places = quality().places.get(language)
    return frozenset(words(_pattern(places).sub(" ", plain(text)) if places else text))


def changed_words(one: str, other: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words that only one of two texts has, sorted."""
    a, b = Counter(words(one)), Counter(words(other))
    return tuple(sorted((a - b).elements())), tuple(sorted((b - a).elements()))


def has_clean_spacing(text: str) -> bool:
    """Say whether white space is as it should be: none at the ends, single spaces between words."""
    return not re.search(r"^\s|\s$|\s\s|[\t\r\n\v\f]", text)
