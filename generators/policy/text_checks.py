"""Lexical checks of a policy text: numbers, force, prohibition, evaluation, punctuation.

The word lists are in ``templates/policy/quality.yaml``.
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
    """A kind of finding: ``sure`` is an error, ``doubtful`` needs a person."""

    kind: Literal["sure", "doubtful"] = Field(alias="class")
    meaning: Text


class GateLimits(TemplateModel):
    """Thresholds of the gate."""

    words: int
    near_identical: float
    alike: float
    ends: tuple[str, ...]


class TypographyRule(TemplateModel):
    """A pattern that the typography forbids, and its message."""

    pattern: str
    says: str


class QualityFile(TemplateModel):
    """``quality.yaml``; all lists are by language."""

    codes: Mapping[Name, FindingKind]
    limits: GateLimits
    markers: Mapping[str, str]
    prohibition: Mapping[str, str]
    unclear_negation: Mapping[str, tuple[str, ...]]
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
    """Return the word lists and limits of the package."""
    return load_template(package_file("templates/policy/quality.yaml"), QualityFile)


@cache
def _pattern(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{alternatives.strip()})(?![\w'])")


def _has(text: str, alternatives: str | None) -> bool:
    return bool(alternatives and _pattern(alternatives).search(plain(text)))


def plain(text: str) -> str:
    """Return a text in lower case with plain apostrophes and single spaces."""
    return " ".join(text.lower().replace("’", "'").split())


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case, without punctuation; elided articles are words."""
    return tuple(_TOKEN.findall(re.sub(r"\b([cdlnsjmt]|qu|dell|nell|sull|all|dall)'", r"\1 ", plain(text))))


def markers(text: str, language: str) -> Counter[str] | None:
    """Count the negation markers, each with the next word; None if the language has no list."""
    alternatives = quality().markers.get(language)
    if alternatives is None:
        return None
    text = plain(text)
    followed = (
        (match.group(), _TOKEN.search(text, match.end())) for match in _pattern(alternatives).finditer(text)
    )
    return Counter(f"{marker} {next_word.group() if next_word else ''}" for marker, next_word in followed)


def prohibits(text: str, language: str) -> bool:
    """Whether a sentence forbids by negating a "must"."""
    return _has(text, quality().prohibition.get(language))


def unclear_negation(text: str, original: str, language: str) -> str:
    """Return the words of a negation that do not deny what the original says, or ""."""
    for pattern in quality().unclear_negation.get(language, ()):
        match = re.search(pattern, text)
        if match and not re.search(pattern, original):
            return match.group()
    return ""


def force(text: str, language: str) -> Force | None:
    """Return the deontic force of a sentence; None for a statement or a language without a list."""
    alternatives_by_force = quality().force.get(language, {}).items()
    return next((name for name, alternatives in alternatives_by_force if _has(text, alternatives)), None)


def evaluates(text: str, language: str) -> bool:
    """Whether a sentence recommends in words without a deontic force."""
    return _has(text, quality().evaluation.get(language))


def number_mismatch(first: str, second: str, language: str) -> Literal["digits", "words"] | None:
    """Return whether two sentences differ in digits or in number words (two and more); None if neither.

    An ambiguous word, such as French "neuf", may match a digit but is not required to.
    """
    first_numbers, second_numbers = _numbers(first, language), _numbers(second, language)
    digits_differ, words_differ = (
        any(
            numbers[kind] - frozenset().union(*counterpart)
            for numbers, counterpart in ((first_numbers, second_numbers), (second_numbers, first_numbers))
        )
        for kind in (0, 1)
    )
    return "digits" if digits_differ else "words" if words_differ else None


def _numbers(text: str, language: str) -> tuple[frozenset[float], ...]:
    """Return the numbers in digits, the numbers in words, and the numbers of ambiguous words."""
    lists, parts = quality(), [part for word in words(text) for part in word.split("-")]
    number_words, ambiguous_words = lists.numbers.get(language, {}), lists.maybe.get(language, {})
    in_digits = frozenset(_value(match.group()) for match in _NUMBER.finditer(text))
    in_words, ambiguous = (
        frozenset(float(value_by_word[part]) for part in parts if part in value_by_word)
        for value_by_word in (number_words, ambiguous_words)
    )
    return in_digits, in_words, ambiguous


def _value(digits: str) -> float:
    """Parse 4,000, 4.000, 4 000 and 4'000 as thousands, 6.8 and 6,8 as fractions."""
    digits = re.sub(r"['\u00a0\u202f ]", "", digits)
    if re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{3})+", digits):
        return float(re.sub(r"[.,]", "", digits))
    integer, *fraction = re.split(r"[.,]", digits)
    return float(f"{integer}.{''.join(fraction) or 0}")


def has_unbalanced_marks(text: str) -> bool:
    """Whether quotes or brackets are unpaired; an apostrophe is not a quote."""
    if text.count('"') % 2 or any(text.count(opening) != text.count(closing) for opening, closing in _PAIRS):
        return True
    without_apostrophes = re.sub(r"(?<=\w)[’'](?=\w)|(?<=\w)’", "", text)
    n_low = sum(map(without_apostrophes.count, _OPENING))
    if n_low:
        return n_low != sum(map(without_apostrophes.count, _CLOSING))
    return without_apostrophes.count("“") != without_apostrophes.count("”")


def detect_language(text: str, language: str) -> str:
    """Return the detected language of a text; `language` unless another one clearly wins.

    Another language wins with at least two more frequent words, and more than twice as many.
    """
    word_counts = Counter(words(text))
    n_frequent_words = {
        name: sum(word_counts[word] for word in set(stopwords.split()))
        for name, stopwords in quality().stopwords.items()
    }
    if language not in n_frequent_words:
        return language
    best = max(n_frequent_words, key=n_frequent_words.__getitem__)
    is_clear = (
        n_frequent_words[best] >= n_frequent_words[language] + 2
        and n_frequent_words[best] > 2 * n_frequent_words[language]
    )
    return best if is_clear else language


def misprints(text: str, language: str, country: str | None = None) -> list[str]:
    """Return the messages of the typography rules that a text violates."""
    lists = quality()
    rules = (
        *lists.typography["all"],
        *lists.typography.get(language, ()),
        *lists.regional.get(f"{language}-{country}", ()),
    )
    return [rule.says for rule in rules if re.search(rule.pattern, text)]


def overlap(first: str, second: str) -> float:
    """Return the Jaccard similarity of the words of two texts as multisets."""
    first_words, second_words = Counter(words(first)), Counter(words(second))
    return (first_words & second_words).total() / max((first_words | second_words).total(), 1)


def without_country_names(text: str, language: str) -> frozenset[str]:
    """Return the words of a sentence without the names of countries and governments."""
    country_words = quality().places.get(language)
    return frozenset(words(_pattern(country_words).sub(" ", plain(text)) if country_words else text))


def changed_words(first: str, second: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of the first text only, and of the second only, sorted."""
    first_words, second_words = Counter(words(first)), Counter(words(second))
    return tuple(sorted((first_words - second_words).elements())), tuple(
        sorted((second_words - first_words).elements())
    )


def has_clean_spacing(text: str) -> bool:
    """Whether a text has no white space at its ends and single spaces between words."""
    return not re.search(r"^\s|\s$|\s\s|[\t\r\n\v\f]", text)
